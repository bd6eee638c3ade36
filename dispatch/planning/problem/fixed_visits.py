"""The visits of a planning problem that no plan moves, at the times at which they will really be: what has happened so
far, and what is assumed, moves them, as the board's forecast does."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace

from dispatch.driving.travel import job_coordinates
from dispatch.expected_visits import forecast_spans
from dispatch.forecast import GRACE, visits_by_engineer
from dispatch.models import Job, Visit
from dispatch.occupied_time import held_span, occupied_span
from dispatch.plan_changes.plan_overruns import overrun_with
from dispatch.planning.engine.routing_problem import EngineerDay, FixedVisit, PlanBreak, PlanJob, PlanSpan
from dispatch.planning.problem.abandoned_drives import left_after
from dispatch.planning.problem.engineer_days import DayOfEngineer, ProblemContext, is_of_today
from dispatch.states import BEFORE_ARRIVAL, UNDER_WAY, JobState
from dispatch.visit_proposals import LONGEST_DRIVE
from engineers.shifts import TimeSpan, local_time

# planned starts are moments that people say
STEP_SECONDS = 300


@dataclass(frozen=True)
class HeldUpVisit:
    """A visit that no plan moves and that begins later than planned: when."""

    visit: Visit
    span: TimeSpan


def is_overdue(reading: ProblemContext, visit: Visit) -> bool:
    """Whether the engineer should be on site and has not even set off, and the customer's window is not over."""
    starts_at = visit.planned_start
    return (
        reading.begins_now
        and visit.job.state == JobState.ASSIGNED
        and starts_at < reading.span.start < visit.job.window_end
        and is_of_today(visit, now=reading.now)
    )


def expected_spans(reading: ProblemContext, visits: Iterable[Visit]) -> Mapping[int, TimeSpan]:
    """By the visit's key when each of these fixed visits will be; two queries. Of a team's visit, when both are
    there. Those of other days are as they are planned, and all where the scope begins on one of them."""
    assumed = [_as_assumed(reading, visit) for visit in visits]
    found = {visit.pk: _planned_span(visit) for visit in assumed}
    today = [visit for visit in assumed if reading.begins_today and is_of_today(visit, now=reading.now)]
    forecasts = forecast_spans(visits_by_engineer(today), now=reading.now)
    # also earlier than planned, where somebody has begun early
    found.update({visit.pk: forecasts[visit.pk] for visit in today if visit.ended_at is None})
    return found


def _planned_span(visit: Visit) -> TimeSpan:
    """With what it is expected to take beyond its planned length."""
    return held_span(visit.planned_start, visit.planned_end + visit.overrun, visit.ended_at)


def fixed_jobs(
    reading: ProblemContext,
    visits: Iterable[Visit],
    expected: Mapping[int, TimeSpan],
    days: Sequence[tuple[DayOfEngineer, EngineerDay]],
) -> Iterator[tuple[Job, PlanJob]]:
    """In whole steps of time, so that what follows them begins at moments that people say; a team's in the days of
    both. Not those of another day than the plan's, from which or to which nobody drives in a shift of it."""
    visits = list(visits)
    last = _last_visits(reading, visits, expected)
    for visit in visits:
        held, span = occupied_span(visit), _span(reading, expected[visit.pk])
        if held.start >= held.end:
            continue
        for key, engineer in ((visit.job_id, visit.engineer_id), (-visit.job_id, visit.second_engineer_id)):
            day = day_of(reading, visit, days, engineer=engineer)
            if day is not None and _belongs_to(days[day], visit, span):
                waits_there = last.get(engineer or 0) == visit.pk and days[day][1].is_at_home
                left = left_after(reading, engineer or 0, expected[visit.pk]) if waits_there else None
                location = reading.location(job_coordinates((left or visit).job))
                fixed = FixedVisit(day, _until_now(reading, span) if waits_there else span)
                yield visit.job, PlanJob(key, location, visit.job.duration_minutes * 60, (), fixed=fixed)


def with_breaks_left(days: Sequence[EngineerDay], fixed: Iterable[PlanJob]) -> Iterator[EngineerDay]:
    """The days with what fixed visits leave of each break and absence: nothing else can be booked in it, even where a
    visit that is held up has begun it."""
    spans: dict[int, list[PlanSpan]] = {}
    for job in fixed:
        if job.fixed:
            spans.setdefault(job.fixed.engineer, []).append(job.fixed.span)
    for number, day in enumerate(days):
        occupied = sorted(spans.get(number, ()))
        pauses = [PlanSpan(pause.earliest, pause.latest + pause.length_seconds) for pause in day.breaks]
        yield replace(
            day,
            breaks=tuple(PlanBreak(start, start, end - start) for start, end in _outside(pauses, occupied)),
            absences=tuple(_outside(day.absences, occupied)),
        )


def _outside(pauses: Iterable[PlanSpan], occupied: Sequence[PlanSpan]) -> Iterator[PlanSpan]:
    for pause in pauses:
        start = pause.start
        for span in occupied:
            if start < min(span.start, pause.end):
                yield PlanSpan(start, min(span.start, pause.end))
            start = max(start, span.end)
        if start < pause.end:
            yield PlanSpan(start, pause.end)


def _last_visits(
    reading: ProblemContext, visits: Iterable[Visit], expected: Mapping[int, TimeSpan]
) -> dict[int, int]:
    """By the engineer's key the visit (key) that the engineer is at, or was at last."""
    begun = [visit for visit in visits if expected[visit.pk].start <= reading.now]
    begun.sort(key=lambda visit: expected[visit.pk].end)
    return {person: visit.pk for visit in begun for person in visit.people_keys}


def _until_now(reading: ProblemContext, span: PlanSpan) -> PlanSpan:
    """Whoever is free in a shift that goes on leaves no earlier than now (departures)."""
    return PlanSpan(
        span.start, max(span.end, -(-reading.seconds(reading.now) // STEP_SECONDS) * STEP_SECONDS)
    )


def list_held_up(
    reading: ProblemContext, visits: Iterable[Visit], expected: Mapping[int, TimeSpan]
) -> list[HeldUpVisit]:
    """Those at which nobody is yet, by more than GRACE, but will be: not where somebody of it is away. Where something
    is assumed, only whom it concerns."""
    longer = {visit.job_id: {*visit.people_keys} for visit in visits}.get(reading.assumptions.longer_job or 0)
    return [
        HeldUpVisit(visit, expected[visit.pk])
        for visit in visits
        if visit.job.state in BEFORE_ARRIVAL - UNDER_WAY
        and visit.pk not in reading.away
        and expected[visit.pk].end > reading.span.start
        and expected[visit.pk].start - visit.planned_start > GRACE
        and (longer & {*visit.people_keys} if longer else not reading.assumptions.is_any)
    ]


def day_of(
    reading: ProblemContext,
    visit: Visit,
    days: Sequence[tuple[DayOfEngineer, EngineerDay]],
    *,
    engineer: int | None,
) -> int | None:
    """Of the engineer's days (indices) the one in which the visit lies, or which is nearest to it."""
    span = PlanSpan(reading.seconds(visit.planned_start), reading.seconds(visit.planned_end))
    own = [
        (max(day.shift.start - span.end, span.start - day.shift.end, 0), number)
        for number, (stands_for, day) in enumerate(days)
        if stands_for.engineer.pk == engineer
    ]
    return min(own)[1] if own else None


def _belongs_to(day: tuple[DayOfEngineer, EngineerDay], visit: Visit, span: PlanSpan) -> bool:
    """Also a visit before what is left of the day, which counts among its jobs; and one of the day before, or after,
    next to the shift: that of a night, or what has been under way since yesterday."""
    stands_for, of_engineer = day
    if local_time(visit.planned_start).date() == stands_for.day:
        return True
    apart = max(of_engineer.shift.start - span.end, span.start - of_engineer.shift.end)
    return apart <= LONGEST_DRIVE.total_seconds()


def _as_assumed(reading: ProblemContext, visit: Visit) -> Visit:
    """Another object where something is assumed of it; never to be saved."""
    longer = reading.assumptions.longer(visit.job_id)
    is_over = visit.job_id in reading.assumptions.ended_jobs
    if not longer and not is_over:
        return visit
    assumed = copy(visit)
    assumed.overrun = overrun_with(visit, longer, now=reading.now)
    assumed.ended_at = reading.now if is_over else visit.ended_at
    return assumed


def _span(reading: ProblemContext, span: TimeSpan) -> PlanSpan:
    start = reading.seconds(span.start) // STEP_SECONDS * STEP_SECONDS
    end = -(-reading.seconds(span.end) // STEP_SECONDS) * STEP_SECONDS
    return PlanSpan(start, max(end, start + STEP_SECONDS))
