"""Shifts and windows laid round the present hour, and who does which job when. Pure but for reading people and jobs."""

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta

from dispatch.driving.drive_times import ESTIMATES
from dispatch.driving.travel import home_coordinates, job_coordinates
from dispatch.models import Job
from dispatch.quarter_hours import next_quarter
from dispatch.requirements import JobRequirements, list_requirements
from engineers.models import Engineer
from engineers.shifts import TimeSpan, local_time, working_spans
from engineers.staff import ShiftPattern

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
EVERY_DAY = tuple(range(7))
# hours before and after the present one, taken in turn: all have begun and none is about to end
SHIFTS = ((-3, 6), (-4, 5), (-3, 7), (-2, 7))
# what the seller promised, and the share of the jobs: two half days round the next hours, and one between
WINDOWS = (((-3, 2), 0.4), ((-1, 4), 0.25), ((2, 7), 0.35))
# one in so many of the jobs whose window has not begun waits for a dispatcher
UNASSIGNED_EVERY = 3
LAST_MINUTE = time(23, 59)


@dataclass(frozen=True)
class PlannedVisit:
    """One job with its engineer and time; `travel`: the drive before it."""

    job: Job
    engineer: Engineer
    span: TimeSpan
    travel: timedelta


def full_hour(now: datetime) -> datetime:
    return now.replace(minute=0, second=0, microsecond=0)


def appointment_windows(now: datetime, *, jobs: int) -> list[tuple[TimeSpan, int]]:
    """Each with the number of jobs that have it."""
    hour, counts = full_hour(now), [round(jobs * share) for _hours, share in WINDOWS]
    counts[0] += jobs - sum(counts)
    return [
        (TimeSpan(hour + start * HOUR, hour + end * HOUR), count)
        for ((start, end), _share), count in zip(WINDOWS, counts, strict=True)
        if count
    ]


def shift_patterns(now: datetime, *, turn: int) -> list[ShiftPattern]:
    """The same hours every day with `now` in their middle; a shift over midnight is two of one day."""
    before, after = SHIFTS[turn % len(SHIFTS)]
    start, end = (local_time(full_hour(now) + hours * HOUR).time() for hours in (before, after))
    if start < end:
        return [ShiftPattern(EVERY_DAY, start, end)]
    night = [ShiftPattern(EVERY_DAY, start, LAST_MINUTE)]
    return [*night, ShiftPattern(EVERY_DAY, time(0), end)] if end > time(0) else night


def plan_visits(jobs: Sequence[Job], engineers: Sequence[Engineer], *, now: datetime) -> list[PlannedVisit]:
    """Engineer by engineer the job whose window ends first; some later jobs are left for the dispatcher."""
    later = [job for job in jobs if job.window_start > now]
    left = {job.pk for job in later[::UNASSIGNED_EVERY]}
    open_jobs = [job for job in jobs if job.pk not in left and not job.needs_location]
    requirements = list_requirements(open_jobs)
    worked = {engineer.pk: _worked(engineer, now=now) for engineer in engineers}
    # the number keeps engineers who are free at the same moment in order
    free = [(worked[engineer.pk][0].start, number) for number, engineer in enumerate(engineers)]
    heapq.heapify(free)
    last: dict[int, Job] = {}
    planned: list[PlannedVisit] = []
    while free and open_jobs:
        free_at, number = heapq.heappop(free)
        engineer = engineers[number]
        able = [job for job in open_jobs if _is_able(engineer, requirements[job.pk])]
        possible = _possible(
            able, engineer, before=last.get(number), free_at=free_at, worked=worked[engineer.pk]
        )
        visit = min(possible, key=lambda found: _urgency(found, requirements), default=None)
        if visit is None:
            continue
        planned.append(visit)
        open_jobs.remove(visit.job)
        last[number] = visit.job
        heapq.heappush(free, (visit.span.end, number))
    return planned


def _worked(engineer: Engineer, *, now: datetime) -> list[TimeSpan]:
    """From the shift that runs now; the part before midnight is one of yesterday's."""
    today = local_time(now).date()
    shifts, absences = list(engineer.shifts.all()), list(engineer.absences.all())
    days = (today - DAY, today, today + DAY)
    spans = [span for day in days for span in working_spans(shifts=shifts, absences=absences, day=day)]
    return [
        span for span in spans if now - 12 * HOUR < span.start < now + 12 * HOUR and span.end > now - 6 * HOUR
    ]


def _urgency(
    visit: PlannedVisit, requirements: Mapping[int, JobRequirements]
) -> tuple[datetime, datetime, int, timedelta]:
    """The window that ends first, the earliest start, what few people are able to do, the shortest drive."""
    needed = requirements[visit.job.pk]
    skills = len(needed.skills | needed.team)
    return visit.job.window_end, visit.span.start, -skills, visit.travel


def _is_able(engineer: Engineer, needed: JobRequirements) -> bool:
    return needed.skills | needed.team <= {skill.code for skill in engineer.skills.all()}


def _possible(
    jobs: Iterable[Job],
    engineer: Engineer,
    *,
    before: Job | None,
    free_at: datetime,
    worked: Sequence[TimeSpan],
) -> list[PlannedVisit]:
    origin = job_coordinates(before) if before else home_coordinates(engineer)
    found = []
    for job in jobs:
        travel = ESTIMATES.time(origin, job_coordinates(job), at=free_at)
        # to the first visit an engineer drives before the shift
        ready_at = free_at + (travel if before else timedelta())
        span = _earliest_span(job, ready_at=ready_at, worked=worked)
        if span:
            found.append(PlannedVisit(job, engineer, span, travel))
    return found


def _earliest_span(job: Job, *, ready_at: datetime, worked: Iterable[TimeSpan]) -> TimeSpan | None:
    for shift in worked:
        start = next_quarter(max(job.window_start, ready_at, shift.start))
        span = TimeSpan(start, start + timedelta(minutes=job.duration_minutes))
        if shift.contains(span) and job.window.contains(span):
            return span
    return None
