"""When somebody, or two people together, could begin a job: the free time between shifts, visits and drives."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from functools import cached_property
from operator import attrgetter

from django.utils import timezone

from dispatch import job_events
from dispatch.departures import AttendedVisit, departure_now
from dispatch.driving.drive_times import ESTIMATES, DriveTimes, read_drive_times
from dispatch.driving.travel import Coordinates, home_coordinates, job_coordinates
from dispatch.models import Job, Visit
from dispatch.quarter_hours import next_quarter
from dispatch.requirements import JobRequirements, job_requirements
from dispatch.slots.busy_visits import BusyVisit, drive_seconds, list_busy_visits
from dispatch.slots.slot_data import KnownJob, SlotData
from dispatch.visit_proposals import LONGEST_DRIVE, MAX_DAYS
from engineers.models import Engineer
from engineers.shifts import TimeSpan, WorkTime, clip, day_span, local_time, subtract

MAX_TRAVEL = timedelta(days=MAX_DAYS - 1)
# how far back a visit may lie to be where the engineer comes from
COMES_FROM = timedelta(days=1)


@dataclass(frozen=True)
class SlotSuggestion:
    """One engineer who may take the job; `travel_seconds` from the visit before, or from home. `slack`: what is free
    after it until the next visit's drive, a break or the end of the shift. `knows_premises`: has been there.
    `is_over_break`: there is time only over a break, which needs a reason. `second_engineer`: who accompanies.
    `is_other_area`: the engineer works in areas, and the job lies in none of them. `skills`: which the job needs, and
    the engineer has."""

    engineer: Engineer
    starts_at: datetime
    travel_seconds: int
    slack: timedelta
    knows_premises: bool
    is_over_break: bool = False
    second_engineer: Engineer | None = None
    is_other_area: bool = False
    skills: frozenset[str] = frozenset()

    @property
    def rank(self) -> tuple[bool, int, datetime]:
        """The nearest first."""
        return self.is_over_break, self.travel_seconds, self.starts_at


@dataclass
class JobDay:
    """A job, the time in which it may begin and end, and who is busy then; the rest is read when it is asked for."""

    job: Job
    opens: TimeSpan
    busy: dict[int, list[BusyVisit]]
    drives: DriveTimes = ESTIMATES
    # everybody's, once they were read
    people: list["PersonDay"] | None = None
    reading: SlotData = field(default_factory=SlotData)

    @property
    def known(self) -> KnownJob | None:
        """Where it was read for several jobs at once."""
        return self.reading.jobs.get(self.job.pk)

    @cached_property
    def required(self) -> JobRequirements:
        return self.known.requirements if self.known else job_requirements(self.job)

    @cached_property
    def current(self) -> Visit | None:
        """The job's visit today, if any."""
        return self.known.current if self.known else self.job.visits.current().first()

    @cached_property
    def know_premises(self) -> frozenset[int]:
        """Engineers (keys) who have been there. One query."""
        if self.known:
            return self.known.know_premises
        been_there = Visit.objects.filter(job__uprn=self.job.uprn, arrived_at__isnull=False)
        return frozenset(been_there.exclude(job=self.job).values_list("engineer_id", flat=True))

    @cached_property
    def local(self) -> frozenset[int] | None:
        """Engineers (keys) who work in the job's area; None where it lies in no area. Two queries."""
        return self.reading.local_engineers(self.job.postcode)

    @property
    def second_engineer(self) -> int | None:
        """Who accompanies today (key)."""
        return self.current.second_engineer_id if self.current else None

    @property
    def needs_team(self) -> bool:
        return bool(self.required.team) or self.second_engineer is not None

    @property
    def last(self) -> date:
        """Skills must count until the latest start that could be offered."""
        return self.opens.last_day


@dataclass(frozen=True)
class PersonDay:
    """When one engineer works, and when visits with the drives between them and the job leave no time."""

    engineer: Engineer
    at_work: WorkTime
    occupied: list[TimeSpan]
    visits: Sequence[BusyVisit]

    def is_free(self, span: TimeSpan) -> bool:
        is_at_work = any(shift.contains(span) for shift in self.at_work.attended)
        return is_at_work and not any(busy.overlaps(span) for busy in self.occupied)


def read_day(
    job: Job,
    not_before: datetime | None,
    requirements: JobRequirements | None = None,
    *,
    leaving: Collection[int] = (),
    coming: Iterable[BusyVisit] = (),
    reading: SlotData | None = None,
) -> JobDay | None:
    """None where there is no time left, or no way to say how far it is. `requirements`: the job's, where known.
    `leaving`: jobs (keys) whose visits count as gone, `coming`: visits that are only intended and count. `reading`:
    what was read for several jobs."""
    if job.needs_location:
        return None
    reading = reading or SlotData()
    reach = _reach(job, reading)
    opens = _limited(TimeSpan(max(reach.start, not_before or reach.start), reach.end))
    if opens.start >= opens.end:
        return None
    busy: dict[int, list[BusyVisit]] = {}
    near = _neighbourhood(job, TimeSpan(_previous_visit(reach.start, not_before), opens.end))
    expected = reading.expected_spans(near, without={*leaving, job.pk})
    present = list_busy_visits(
        job, near, visits=reading.visits(), leaving=leaving, expected=expected, now=timezone.now()
    )
    for visit in sorted([*present, *coming], key=attrgetter("free_at")):
        for key in visit.engineers:
            busy.setdefault(key, []).append(visit)
    day = JobDay(job, opens, busy, reading=reading)
    if requirements:
        day.required = requirements
    return day


def read_drives(day: JobDay, homes: Iterable[Coordinates | None]) -> None:
    """Between the job and wherever somebody may come from or drive to. At most two queries."""
    own = job_coordinates(day.job)
    positions = [*homes, *(visit.position for visits in day.busy.values() for visit in visits)]
    drives = (drive for position in positions for drive in ((position, own), (own, position)))
    day.drives = read_drive_times(drives, day.reading.hour_factors)


def person_day(day: JobDay, engineer: Engineer) -> PersonDay:
    """Reads `shifts`, `shift_exceptions` and `absences` of the engineer."""
    own, at_work = day.busy.get(engineer.pk, []), day.reading.work_time(engineer, day.opens)
    occupied = [_with_drives(visit, day.job, drives=day.drives) for visit in own if visit.holds_time]
    occupied += _drive_from_now(day, engineer, at_work, own, now=timezone.now())
    return PersonDay(engineer, at_work, occupied, own)


def _drive_from_now(
    day: JobDay, engineer: Engineer, at_work: WorkTime, visits: Sequence[BusyVisit], *, now: datetime
) -> Iterator[TimeSpan]:
    """See departures."""
    attended = (AttendedVisit(each.held, each.free_at, each.has_set_off, each.position) for each in visits)
    departure = departure_now(at_work.attended, attended, now=now)
    if departure:
        origin = departure.after.position if departure.after else home_coordinates(engineer)
        yield TimeSpan(departure.since, now + day.drives.time(origin, job_coordinates(day.job), at=now))


def find_slot(day: JobDay, person: PersonDay, second: PersonDay | None = None) -> SlotSuggestion | None:
    """The earliest time at which the engineer, or both of a team, could begin."""
    occupied = person.occupied + (second.occupied if second else [])
    worked = _common_time(person.at_work.worked, second.at_work.worked if second else None)
    attended = _common_time(person.at_work.attended, second.at_work.attended if second else None)
    without_break, over_break = (
        earliest_start(day.job, at_work=windows, occupied=occupied, opens=day.opens)
        for windows in (worked, attended)
    )
    starts_at = without_break or over_break
    if starts_at is None:
        return None
    slot = slot_at(day, person, starts_at, second)
    return slot if without_break else replace(slot, is_over_break=True)


def slot_at(
    day: JobDay, person: PersonDay, starts_at: datetime, second: PersonDay | None = None
) -> SlotSuggestion:
    """At a time at which the engineer, or both, are free."""
    before = [visit for visit in person.visits if visit.held.end <= starts_at]
    return SlotSuggestion(
        person.engineer,
        starts_at,
        drive_seconds(day.job, person.engineer, before=before, starts_at=starts_at, drives=day.drives),
        slack=_slack(starts_at + day.job.duration, people=[person, second] if second else [person]),
        knows_premises=person.engineer.pk in day.know_premises,
        second_engineer=second.engineer if second else None,
        is_other_area=_is_outside(day, person.engineer),
        skills=frozenset(day.required.skills),
    )


def _is_outside(day: JobDay, engineer: Engineer) -> bool:
    return bool(day.local is not None and engineer.area_id and engineer.pk not in day.local)


def _common_time(spans: list[TimeSpan], others: list[TimeSpan] | None) -> list[TimeSpan]:
    """What two people both work; all of it where there is no second one."""
    if others is None:
        return spans
    return [span for other in others for span in clip(spans, other)]


def _reach(job: Job, reading: SlotData) -> TimeSpan:
    """The promised window; for a job that was begun until the end of its day, or of this one (see availability)."""
    known = reading.jobs.get(job.pk)
    if not (known.is_begun if known else job_events.has_been_on_site(job)):
        return job.window
    now = timezone.now()
    last = max(now, min(job.window_end, now + MAX_TRAVEL))
    return TimeSpan(job.window_start, day_span(local_time(last).date()).end)


def _limited(span: TimeSpan) -> TimeSpan:
    """No more days than are looked at (visit_proposals.local_days): a window may end in the year 9999."""
    return span if span.length <= MAX_TRAVEL else TimeSpan(span.start, span.start + MAX_TRAVEL)


def _previous_visit(start: datetime, not_before: datetime | None) -> datetime:
    return max(start, not_before - COMES_FROM) if not_before else start


def _neighbourhood(job: Job, span: TimeSpan) -> TimeSpan:
    """As far as a drive to or from another visit can matter (see VisitProposal); the ends of the calendar have none."""
    try:
        return TimeSpan(span.start - LONGEST_DRIVE, span.end + job.duration + LONGEST_DRIVE)
    except OverflowError:
        return span


def _slack(ends_at: datetime, *, people: Iterable[PersonDay]) -> timedelta:
    limits: list[datetime] = []
    for person in people:
        limits += [span.start for span in [*person.occupied, *person.at_work.breaks] if span.start >= ends_at]
        limits += [shift.end for shift in person.at_work.attended if shift.end >= ends_at]
    return min(limits, default=ends_at) - ends_at


def _with_drives(visit: BusyVisit, job: Job, *, drives: DriveTimes) -> TimeSpan:
    """The time that a visit holds, and the drives between it and the job, as availability counts them."""
    held, position, own = visit.held, visit.position, job_coordinates(job)
    to_visit = timedelta(0)
    # whoever leaves earlier than the slowest drive before is there in time at any hour
    longest = LONGEST_DRIVE
    for _attempt in range(2):
        to_visit = timedelta(
            seconds=drives.slowest_seconds(own, position, during=TimeSpan(held.start - longest, held.start))
        )
        longest = min(to_visit, LONGEST_DRIVE)
    return TimeSpan(held.start - to_visit, held.end + drives.time(position, own, at=held.end))


def earliest_start(
    job: Job, *, at_work: Iterable[TimeSpan], occupied: Iterable[TimeSpan], opens: TimeSpan
) -> datetime | None:
    """The first quarter hour in `opens` at which the whole visit fits between window, shift and visits."""
    occupied, duration = list(occupied), job.duration
    # a visit longer than its window can only promise to begin inside it (see availability)
    may_end_later = duration > job.window.length
    for shift in at_work:
        for free in subtract(shift, occupied):
            starts_at = next_quarter(max(free.start, opens.start))
            latest = free.end if may_end_later else min(free.end, opens.end)
            if starts_at + duration <= latest and starts_at < opens.end:
                return starts_at
    return None
