"""The visits of a planning problem that no plan moves, at the times at which they will really be: what has happened so
far, and what is assumed, moves them, as the board's forecast does."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from datetime import timedelta

from dispatch.availability import next_quarter, occupied_window
from dispatch.forecast import GRACE, forecast_day, read_day_drives, visits_by_engineer
from dispatch.models import Job, Visit
from dispatch.planning.engineer_days import DayOfEngineer, ProblemReading
from dispatch.planning.plan_problem import EngineerDay, FixedVisit, PlanJob, TimeSpan
from dispatch.states import BEFORE_ARRIVAL, UNDER_WAY, JobState
from dispatch.travel import job_coordinates
from engineers.shifts import Window, local_time

# planned starts are moments that people say
STEP_SECONDS = 300
# before now, whatever the date: a night shift goes on
EVENING = timedelta(hours=6)


@dataclass(frozen=True)
class HeldUpVisit:
    """A visit that no plan moves and that begins later than planned: when."""

    visit: Visit
    window: Window


def is_overdue(reading: ProblemReading, visit: Visit) -> bool:
    """Whether the engineer should be on site and has not even set off, and the customer's window is not over."""
    starts_at = visit.planned_start
    return (
        _begins_now(reading)
        and visit.job.state == JobState.ASSIGNED
        and starts_at < reading.span.start < visit.job.window_end
        and _is_of_today(reading, visit)
    )


def expected_windows(reading: ProblemReading, visits: Iterable[Visit]) -> Mapping[int, Window]:
    """By the visit's key when each of these fixed visits will be; two queries. Of a team's visit, when both are
    there. Those of other days are as they are planned, and all where the scope begins later than now."""
    assumed = [_as_assumed(reading, visit) for visit in visits]
    found = {visit.pk: occupied_window(visit) for visit in assumed}
    today = [visit for visit in assumed if _begins_now(reading) and _is_of_today(reading, visit)]
    days = visits_by_engineer(today)
    drives = read_day_drives(days.values())
    for own in days.values():
        forecasts = forecast_day(own, now=reading.now, drives=drives)
        for visit in own:
            if visit.ended_at is None:
                window = Window(forecasts[visit.pk].starts_at, forecasts[visit.pk].ends_at)
                found[visit.pk] = max(found[visit.pk], window, key=lambda each: each.end)
    return found


def fixed_jobs(
    reading: ProblemReading,
    visits: Iterable[Visit],
    expected: Mapping[int, Window],
    days: Sequence[tuple[DayOfEngineer, EngineerDay]],
) -> Iterator[tuple[Job, PlanJob]]:
    """In whole steps of time, so that what follows them begins at moments that people say; a team's in the days of
    both."""
    for visit in visits:
        held = occupied_window(visit)
        if held.start >= held.end:
            continue
        for key, engineer in ((visit.job_id, visit.engineer_id), (-visit.job_id, visit.second_engineer_id)):
            day = day_of(reading, visit, days, engineer=engineer)
            if day is not None:
                location = reading.location(job_coordinates(visit.job))
                fixed = FixedVisit(day, _span(reading, expected[visit.pk]))
                yield visit.job, PlanJob(key, location, visit.job.duration_minutes * 60, (), fixed=fixed)


def list_held_up(
    reading: ProblemReading, visits: Iterable[Visit], expected: Mapping[int, Window]
) -> list[HeldUpVisit]:
    """Those at which nobody is yet, by more than GRACE. Where something is assumed, only whom it concerns."""
    longer = {visit.job_id: {*visit.people_keys} for visit in visits}.get(reading.assumptions.longer_job or 0)
    return [
        HeldUpVisit(visit, expected[visit.pk])
        for visit in visits
        if visit.job.state in BEFORE_ARRIVAL - UNDER_WAY
        and expected[visit.pk].start - visit.planned_start > GRACE
        and (longer & {*visit.people_keys} if longer else not reading.assumptions.is_any)
    ]


def day_of(
    reading: ProblemReading,
    visit: Visit,
    days: Sequence[tuple[DayOfEngineer, EngineerDay]],
    *,
    engineer: int | None,
) -> int | None:
    """Of the engineer's days (indices) the one in which the visit lies, or which is nearest to it."""
    span = TimeSpan(reading.seconds(visit.planned_start), reading.seconds(visit.planned_end))
    own = [
        (max(day.shift.start - span.end, span.start - day.shift.end, 0), number)
        for number, (stands_for, day) in enumerate(days)
        if stands_for.engineer.pk == engineer
    ]
    return min(own)[1] if own else None


def _begins_now(reading: ProblemReading) -> bool:
    return reading.span.start <= next_quarter(reading.now)


def _is_of_today(reading: ProblemReading, visit: Visit) -> bool:
    """Also what is under way since yesterday, or was planned late in the evening; what was forgotten yesterday holds
    nobody up."""
    if visit.job.state in UNDER_WAY and visit.ended_at is None:
        return True
    is_recent = timedelta() < reading.now - visit.planned_start < EVENING
    return is_recent or local_time(visit.planned_start).date() == local_time(reading.now).date()


def _as_assumed(reading: ProblemReading, visit: Visit) -> Visit:
    """Another object where something is assumed of it; never to be saved. Whoever says on site that it takes longer
    says it from now, or from when it would have ended."""
    longer = reading.assumptions.longer(visit.job_id)
    is_over = visit.job_id in reading.assumptions.ended_jobs
    if not longer and not is_over:
        return visit
    assumed = copy(visit)
    overdue = reading.now - (visit.arrived_at + visit.span.length) if visit.arrived_at else timedelta()
    assumed.planned_end = visit.planned_end + longer + max(overdue, timedelta())
    assumed.ended_at = reading.now if is_over else visit.ended_at
    return assumed


def _span(reading: ProblemReading, window: Window) -> TimeSpan:
    start = reading.seconds(window.start) // STEP_SECONDS * STEP_SECONDS
    end = -(-reading.seconds(window.end) // STEP_SECONDS) * STEP_SECONDS
    return TimeSpan(start, max(end, start + STEP_SECONDS))
