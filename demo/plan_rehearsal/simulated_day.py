"""The day itself, event by event: who drives where, arrives, works and leaves, and what the dispatcher is told.

Engineers follow the plan as it stands at each moment. They set off in time for the planned start, or as soon as they
are free, and rest in their break or as soon after it as they can. They finish what they have begun, but set off for
nothing that would begin after their shift or keep them longer than LONGEST_OVERTIME after it.
"""

import heapq
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from itertools import count
from typing import Protocol

from django.db import transaction

from closures import closing
from closures.models import Closure
from demo.plan_rehearsal.day_setup import BREAK, RehearsedPeople, hour_of
from demo.plan_rehearsal.disturbances import Disturbances, JobDisturbance
from demo.plan_rehearsal.simulated_clock import SimulatedClock
from dispatch import job_events, jobs, visits
from dispatch.driving.drive_times import ESTIMATES
from dispatch.driving.travel import Coordinates, home_coordinates, job_coordinates
from dispatch.forecast import GRACE
from dispatch.job_events import Performer
from dispatch.models import Job, Visit
from dispatch.states import Actor, JobState
from engineers.models import Engineer
from engineers.staff import Position

PLANNED_AT, SHIFT_STARTS, SHIFT_ENDS = -6, 8, 18
LONGEST_OVERTIME = timedelta(hours=1)
# less is how a working day goes, and nobody calls the office for it
LEAST_OVERRUN = timedelta(minutes=15)
NO_POSITION = Position(missing_because="rehearsal")
DONE, NO_ACCESS = "SP", "OTHER"


class DayDispatcher(Protocol):
    """Who plans the day before, and reacts to what happens."""

    def plan_day(self) -> None: ...
    def replace_engineer(self, engineer: Engineer) -> None: ...
    def extend_visit(self, visit: Visit, *, ends_at: datetime) -> None: ...
    def fill_gap(self, visit: Visit) -> None: ...


@dataclass(frozen=True)
class Arrival:
    """`is_in_window`: work began before the customer's window ended. `is_behind_plan`: by
    the board's measure, later than it was planned when the engineer set off."""

    at: datetime
    is_in_window: bool
    is_behind_plan: bool
    is_done: bool


@dataclass
class SimulatedDay:
    """One day with one dispatcher. `driven`, `arrivals` (by job), `overtime` and `replans` are what came of it."""

    people: RehearsedPeople
    disturbances: Disturbances
    clock: SimulatedClock
    dispatcher: DayDispatcher
    say: Callable[[str], None] = lambda _text: None
    driven: timedelta = timedelta()
    overtime: timedelta = timedelta()
    replans: int = 0
    arrivals: dict[int, Arrival] = field(default_factory=dict)
    # of engineers (keys): where they are and since when they are free; who is not in it is busy, or has gone home
    free_at: dict[int, datetime] = field(default_factory=dict)
    at: dict[int, Coordinates | None] = field(default_factory=dict)
    absent: set[int] = field(default_factory=set)
    rested: set[int] = field(default_factory=set)
    events: list[tuple[datetime, int, Callable[[], None]]] = field(default_factory=list)
    next_visits: Mapping[int, Visit] | None = None
    numbers: Mapping[int, int] = field(init=False)
    order: "count[int]" = field(default_factory=count)

    def __post_init__(self) -> None:
        self.numbers = {job.pk: number for number, job in enumerate(self.people.jobs)}

    def run(self) -> None:
        self.clock.moment = hour_of(PLANNED_AT)
        self.dispatcher.plan_day()
        self.say("the day is planned")
        self.clock.moment = hour_of(SHIFT_STARTS)
        for engineer in self.people.engineers:
            self.free_at[engineer.pk], self.at[engineer.pk] = self.clock.moment, home_coordinates(engineer)
        self._announce()
        while step := self._next_step():
            self.clock.moment, act = step
            act()
        self._drive_home()

    def _announce(self) -> None:
        """What happens at a time of its own, whoever is where."""
        sick = self.people.engineers[self.disturbances.sick_engineer]
        self._at(self.disturbances.sick_at, partial(self._go_home_sick, sick))
        for job, disturbance in zip(self.people.jobs, self.disturbances.jobs, strict=True):
            if disturbance.cancelled_at:
                self._at(disturbance.cancelled_at, partial(self._cancel, job))

    def _at(self, moment: datetime, act: Callable[[], None]) -> None:
        heapq.heappush(self.events, (moment, next(self.order), act))

    def _next_step(self) -> tuple[datetime, Callable[[], None]] | None:
        departure = self._next_departure()
        if self.events and (departure is None or self.events[0][0] <= departure[0]):
            moment, _number, act = heapq.heappop(self.events)
            return moment, act
        if departure is None:
            return None
        moment, visit = departure
        return moment, partial(self._set_off, visit)

    def _next_departure(self) -> tuple[datetime, Visit] | None:
        if self.next_visits is None:
            self.next_visits = self._read_next_visits()
        found = [
            (self._leaves_at(visit), visit.engineer_id, visit)
            for engineer, visit in self.next_visits.items()
            if engineer in self.free_at
        ]
        due = [departure for departure in found if self._is_in_shift(departure[2], leaves_at=departure[0])]
        moment, _engineer, visit = min(due, key=lambda departure: departure[:2], default=(None, 0, None))
        return (moment, visit) if moment and visit else None

    def _read_next_visits(self) -> dict[int, Visit]:
        """By engineer (key), as the plan stands now."""
        ahead = Visit.objects.current().filter(job__state=JobState.ASSIGNED).select_related("job", "engineer")
        found: dict[int, Visit] = {}
        for visit in ahead.order_by("planned_start", "pk"):
            found.setdefault(visit.engineer_id, visit)
        return found

    def _leaves_at(self, visit: Visit) -> datetime:
        free_at = self.free_at[visit.engineer_id]
        leaves_at = max(free_at, self.clock.moment, visit.planned_start - self._expected_drive(visit))
        if visit.engineer_id in self.rested or leaves_at < BREAK.start:
            return leaves_at
        return max(leaves_at, max(free_at, BREAK.start) + BREAK.length)

    def _expected_drive(self, visit: Visit) -> timedelta:
        return ESTIMATES.time(self.at[visit.engineer_id], job_coordinates(visit.job), at=self.clock.moment)

    def _is_in_shift(self, visit: Visit, *, leaves_at: datetime) -> bool:
        shift_ends = hour_of(SHIFT_ENDS)
        begins_at = max(leaves_at + self._expected_drive(visit), visit.job.window_start)
        return begins_at < shift_ends and begins_at + visit.job.duration <= shift_ends + LONGEST_OVERTIME

    # --- what engineers do ----------------------------------------------------------------------------------
    def _set_off(self, visit: Visit) -> None:
        drive = self._disturbance(visit.job).real_drive(self._expected_drive(visit))
        del self.free_at[visit.engineer_id]
        self.driven += drive
        self._report(visit, visits.start_travel)
        arrives_at = self._rest_on_the_way(visit.engineer_id, self.clock.moment + drive)
        self._at(max(arrives_at, visit.job.window_start), partial(self._arrive, visit))

    def _rest_on_the_way(self, engineer: int, arrives_at: datetime) -> datetime:
        """When the engineer arrives whose break begins before; whoever leaves after it has had it."""
        if engineer in self.rested or arrives_at <= BREAK.start:
            return arrives_at
        self.rested.add(engineer)
        return arrives_at if self.clock.moment >= BREAK.start else arrives_at + BREAK.length

    def _arrive(self, visit: Visit) -> None:
        self.at[visit.engineer_id] = job_coordinates(visit.job)
        visit.refresh_from_db()
        if visit.ended_at:
            # cancelled on the way
            self._become_free(visit.engineer_id)
            return
        self._report(visit, visits.arrive)
        now, disturbance = self.clock.moment, self._disturbance(visit.job)
        self.arrivals[visit.job_id] = Arrival(
            at=now,
            is_in_window=now < visit.job.window_end,
            is_behind_plan=now - visit.planned_start > GRACE,
            is_done=not disturbance.is_without_access,
        )
        length = disturbance.real_length(visit.job.duration)
        overrun = length - visit.job.duration
        if overrun >= LEAST_OVERRUN:
            self._at(now + visit.job.duration, partial(self._report_overrun, visit, ends_at=now + length))
        ends = self._leave if self.arrivals[visit.job_id].is_done else self._give_up
        self._at(now + length, partial(ends, visit))

    def _report_overrun(self, visit: Visit, *, ends_at: datetime) -> None:
        self.replans += 1
        self.dispatcher.extend_visit(visit, ends_at=ends_at)
        self._plan_changed()

    @transaction.atomic
    def _leave(self, visit: Visit) -> None:
        """The closure without its answers and photos: what they must be is no matter of the plan."""
        job, now = job_events.lock_job(visit.job), self.clock.moment
        by = Performer(Actor.ENGINEER, visit.engineer.user)
        arrival = self.arrivals[job.pk]
        closure = Closure.objects.create(
            job=job,
            code=DONE if arrival.is_done else NO_ACCESS,
            closed_at=now,
            recorded_at=now,
            engineer=visit.engineer,
            by_name=by.name,
        )
        self.overtime += max(now - max(hour_of(SHIFT_ENDS), arrival.at), timedelta())
        jobs.close_job(job=job, by=by, occurred_at=now, facts=closing.closure_facts(closure))
        self._become_free(visit.engineer_id)

    def _give_up(self, visit: Visit) -> None:
        """Nobody opens: the engineer has time that was meant for this visit."""
        self._leave(visit)
        self.replans += 1
        visit.refresh_from_db()
        self.dispatcher.fill_gap(visit)
        self._plan_changed()

    def _become_free(self, engineer: int) -> None:
        if engineer not in self.absent:
            self.free_at[engineer] = self.clock.moment
        self._plan_changed()

    def _report(self, visit: Visit, verb: Callable[..., object]) -> None:
        by = Performer(Actor.ENGINEER, visit.engineer.user)
        with transaction.atomic():
            verb(
                job=job_events.lock_job(visit.job),
                engineer=visit.engineer,
                by=by,
                occurred_at=self.clock.moment,
                position=NO_POSITION,
            )

    def _drive_home(self) -> None:
        """Who had a visit; also the engineer who went home sick."""
        for engineer in self.people.engineers:
            self.driven += ESTIMATES.time(
                self.at[engineer.pk], home_coordinates(engineer), at=self.clock.moment
            )

    # --- what happens to the plan ---------------------------------------------------------------------------
    def _go_home_sick(self, engineer: Engineer) -> None:
        self.absent.add(engineer.pk)
        self.free_at.pop(engineer.pk, None)
        self.replans += 1
        self.dispatcher.replace_engineer(engineer)
        self._plan_changed()
        self.say(f"{engineer.name} is off sick")

    def _cancel(self, job: Job) -> None:
        """The seller does, unless somebody is on site or was there."""
        job.refresh_from_db()
        if job.state not in {JobState.UNASSIGNED, JobState.ASSIGNED, JobState.EN_ROUTE}:
            return
        visit = visits.current_visit(job)
        jobs.cancel_job(job=job)
        if visit and visit.travel_started_at is None:
            self.replans += 1
            self.dispatcher.fill_gap(visit)
        self._plan_changed()

    def _plan_changed(self) -> None:
        self.next_visits = None

    def _disturbance(self, job: Job) -> JobDisturbance:
        return self.disturbances.jobs[self.numbers[job.pk]]
