"""Plays one day with one of the two dispatchers, and counts."""

import time
from collections.abc import Callable

from demo.plan_rehearsal.day_results import PLANNER, DayResult
from demo.plan_rehearsal.day_setup import DAY, fill_day, hour_of
from demo.plan_rehearsal.disturbances import draw_disturbances
from demo.plan_rehearsal.greedy_dispatcher import GreedyDispatcher
from demo.plan_rehearsal.planning_dispatcher import PlanningDispatcher
from demo.plan_rehearsal.simulated_clock import SimulatedClock, simulated_time
from demo.plan_rehearsal.simulated_day import PLANNED_AT, SHIFT_STARTS, SimulatedDay
from dispatch.job_events import Performer
from dispatch.models import Job, JobEvent, PlanProposal
from dispatch.planning.reason_codes import EndedBy
from dispatch.states import Actor, EventKind, JobState
from engineers.shifts import day_span


def rehearse_plan(
    way: str, *, engineers: int, jobs: int, seed: int, say: Callable[[str], None] = lambda _text: None
) -> DayResult:
    """In a database without people and jobs. The same for the same arguments, but for the seconds."""
    started = time.monotonic()
    clock = SimulatedClock(hour_of(PLANNED_AT))
    with simulated_time(clock):
        people = fill_day(engineers=engineers, jobs=jobs, seed=seed)
        by = Performer(Actor.DISPATCHER, people.dispatcher)
        disturbances = draw_disturbances(
            [job.window for job in people.jobs],
            engineers=engineers,
            morning=day_span(DAY).start,
            seed=seed,
        )
        dispatcher = PlanningDispatcher(by, seed=seed + 1) if way == PLANNER else GreedyDispatcher(by)
        day = SimulatedDay(people, disturbances, clock, dispatcher, say)
        day.run()
        return _count(day, seconds=time.monotonic() - started)


def _count(day: SimulatedDay, *, seconds: float) -> DayResult:
    arrivals = day.arrivals.values()
    cancelled = Job.objects.filter(state=JobState.CANCELLED).count()
    in_day = JobEvent.objects.filter(occurred_at__gte=hour_of(SHIFT_STARTS))
    reassigned = in_day.filter(kind=EventKind.ENGINEER_ASSIGNED)
    return DayResult(
        jobs=len(day.people.jobs),
        in_window=sum(arrival.is_done and arrival.is_in_window for arrival in arrivals),
        driving_seconds=int(day.driven.total_seconds()),
        late=sum(not arrival.is_in_window for arrival in arrivals),
        behind_plan=sum(arrival.is_behind_plan for arrival in arrivals),
        moved=sum("instead_of" in event.facts for event in reassigned),
        rescheduled=in_day.filter(kind=EventKind.RESCHEDULED).count(),
        not_visited=len(day.people.jobs) - len(arrivals) - cancelled,
        cancelled=cancelled,
        without_access=sum(not arrival.is_done for arrival in arrivals),
        overtime_seconds=int(day.overtime.total_seconds()),
        replans=day.replans,
        out_of_time=PlanProposal.objects.filter(ended_by=EndedBy.TIME_LIMIT).count(),
        seconds=seconds,
    )
