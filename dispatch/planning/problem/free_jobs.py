"""The jobs of a planning problem that are to find somebody: when they may begin, and what they ask for."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

from dispatch.agreed_starts import agreed_start
from dispatch.driving.travel import job_coordinates
from dispatch.forecast import GRACE
from dispatch.models import Job, Visit
from dispatch.planning.engine.routing_problem import HIGHEST_PRIORITY, PlanJob
from dispatch.planning.problem.engineer_days import ProblemContext
from dispatch.planning.problem.fixed_visits import STEP_SECONDS
from dispatch.planning.problem.plan_scope import job_priority
from engineers.shifts import day_span

GRACE_SECONDS = int(GRACE.total_seconds())


def free_parts(reading: ProblemContext, job: Job, visit: Visit | None) -> Iterator[PlanJob]:
    """The job, and the second engineer's part of it where it needs one or has one."""
    has_second = visit is not None and visit.second_engineer_id is not None
    team = reading.requirements[job.pk].team
    first = _free_job(reading, job, visit)
    if not team and not has_second:
        yield first
        return
    # two people do as much as two jobs; whoever decided that they are two engineers is not asked again
    worth = min(2 * first.priority, HIGHEST_PRIORITY)
    first = replace(first, priority=worth, alone_skills=None if has_second else team)
    yield first
    yield replace(first, key=-first.key, skills=frozenset())


def _free_job(reading: ProblemContext, job: Job, visit: Visit | None) -> PlanJob:
    agreed, overrun = _agreed_start(reading, job, visit), visit.overrun if visit else timedelta()
    return PlanJob(
        key=job.pk,
        location=reading.location(job_coordinates(job)),
        length_seconds=int((job.duration + overrun + reading.assumptions.longer(job.pk)).total_seconds()),
        start_windows=((agreed, agreed),) if agreed else _start_windows(reading, job),
        late_windows=((agreed, agreed + GRACE_SECONDS),)
        if agreed
        else _start_windows(reading, job, is_late=True),
        skills=reading.requirements[job.pk].skills,
        priority=HIGHEST_PRIORITY
        if job.pk in reading.assumptions.urgent_jobs
        else job_priority(job, is_begun=job.pk in reading.begun),
    )


def _agreed_start(reading: ProblemContext, job: Job, visit: Visit | None) -> int | None:
    """When the customer expects whoever comes now, where a start after the window was agreed and is still to come."""
    start = agreed_start(visit)
    is_ahead = start is not None and reading.span.start <= start and job.pk not in reading.begun
    return reading.seconds(start) if start and is_ahead else None


def _start_windows(
    reading: ProblemContext, job: Job, *, is_late: bool = False
) -> tuple[tuple[int, int], ...]:
    """When a visit may begin: inside the customer's window with its whole length, if it is not longer than that; one
    that is late may end after it. A job that was begun kept its window already."""
    first, last = reading.span.start, reading.span.end - timedelta(seconds=STEP_SECONDS)
    if job.pk not in reading.begun:
        fits = job.duration <= job.window.length and not is_late
        last = min(last, job.window_end - (job.duration if fits else timedelta(seconds=STEP_SECONDS)))
        first = max(first, job.window_start)
        if earliest_day := reading.requirements[job.pk].earliest_day:
            first = max(first, day_span(earliest_day).start)
    start = -(-reading.seconds(first) // STEP_SECONDS) * STEP_SECONDS
    return ((start, reading.seconds(last)),) if start <= reading.seconds(last) else ()
