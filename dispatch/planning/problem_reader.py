"""The planning problem of a scope as the database has it: who works when, which jobs may move, which visits are fixed.

The rules are those of availability, so that what the engine plans can be booked; breaks, teams and surveys, which a
dispatcher may override with a reason, the engine keeps. A job that needs two people gets two engineers who begin
together, or one who comes with a second person; a visit with a second engineer keeps two.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from dispatch.availability import blocking_visits
from dispatch.drive_times import hours_of, read_hour_factors
from dispatch.job_events import jobs_begun
from dispatch.models import Job, TravelNote, Visit
from dispatch.planning.engineer_days import (
    DayOfEngineer,
    ProblemReading,
    engineer_days,
    find_lost,
    with_reserve,
)
from dispatch.planning.fixed_visits import (
    STEP_SECONDS,
    HeldUpVisit,
    day_of,
    expected_windows,
    fixed_jobs,
    is_overdue,
    list_held_up,
)
from dispatch.planning.plan_problem import (
    HIGHEST_PRIORITY,
    EngineerDay,
    Matrix,
    PlanJob,
    PlanProblem,
    PlanVisit,
)
from dispatch.planning.plan_scope import AS_IT_IS, Assumptions, PlanScope, job_priority
from dispatch.planning.reason_codes import UnassignedCode
from dispatch.planning.road_drives import RoadDrives, read_road_drives
from dispatch.planning.travel_matrix import travel_matrix
from dispatch.requirements import JobRequirements, list_requirements
from dispatch.states import JobState
from dispatch.travel import job_coordinates
from dispatch.travel_profile import slowest_factor
from engineers.models import Engineer
from engineers.shifts import Window, day_window

# how far round a scope a visit may lie that an engineer comes from or drives to
NEAR = timedelta(days=1)
PLANNABLE = frozenset({JobState.RECEIVED, JobState.ASSIGNED})


@dataclass
class ReadProblem:
    """A problem and what its indices stand for. `excluded`: jobs that no plan may have, with the code of the reason.
    `visits`: today's visits of the jobs that may move, by the job's key; `pinned`: those that only their pin keeps.
    `agreed`: jobs (keys) whose customer expects a visit after the window. `held_up`: visits that no plan moves and that
    begin later than planned. `travel_note`: see PlanProposal."""

    problem: PlanProblem
    origin: datetime
    jobs: list[Job]
    days: list[DayOfEngineer]
    visits: Mapping[int, Visit]
    requirements: Mapping[int, JobRequirements]
    excluded: list[tuple[Job, str]] = field(default_factory=list)
    travel_note: TravelNote | None = None
    pinned: list[Visit] = field(default_factory=list)
    agreed: frozenset[int] = frozenset()
    held_up: list[HeldUpVisit] = field(default_factory=list)

    def moment(self, seconds: int) -> datetime:
        return self.origin + timedelta(seconds=seconds)


def read_problem(
    scope: PlanScope, *, now: datetime, assumptions: Assumptions = AS_IT_IS, travel_server_seconds: float = 0
) -> ReadProblem | None:
    """None when nothing of the scope is still to come. A fixed number of queries, but for the drives of a travel
    server, which is asked for so many seconds at most; with 0 only what is stored counts."""
    span = scope.bounded(now)
    if span is None:
        return None
    people = scope.select_engineers()
    visits = [visit for visit in _visits(people, span) if visit.job_id not in assumptions.cancelled_jobs]
    lost = find_lost(visits, people, span, now=now, assumptions=assumptions)
    jobs = scope.select_jobs(span, also={visit.job_id for visit in lost})
    jobs = [job for job in jobs if job.pk not in assumptions.cancelled_jobs]
    known = {job.pk: job for job in [*(visit.job for visit in visits), *jobs]}
    reading = ProblemReading(
        span=span,
        origin=span.start.astimezone(UTC) - 2 * NEAR,
        now=now,
        begun=jobs_begun(known),
        requirements=list_requirements(known.values()),
        assumptions=assumptions,
        lost=frozenset(visit.pk for visit in lost),
    )
    days = list(with_reserve(reading, engineer_days(reading, people, scope), visits, scope=scope))
    read = _build(reading, jobs, days, visits, travel_server_seconds=travel_server_seconds)
    in_area = {job.pk for job in scope.in_area(held_up.visit.job for held_up in read.held_up)}
    return replace(read, held_up=[each for each in read.held_up if each.visit.job_id in in_area])


def _visits(engineers: Iterable[Engineer], span: Window) -> list[Visit]:
    near = Window(span.start - NEAR, span.end + NEAR)
    own = blocking_visits(Visit.objects.attended_by(engineers), span=near)
    return list(own.select_related("job", "engineer", "second_engineer").order_by("planned_start", "pk"))


def _build(
    reading: ProblemReading,
    jobs: Iterable[Job],
    days: list[tuple[DayOfEngineer, EngineerDay]],
    visits: Iterable[Visit],
    *,
    travel_server_seconds: float,
) -> ReadProblem:
    possible, excluded = _possible_jobs(reading, jobs)
    visits = list(visits)
    to_move = {
        visit.job_id: visit for visit in visits if visit.job_id in possible and _may_move(reading, visit)
    }
    staying = [visit for visit in visits if visit.job_id not in to_move]
    expected = expected_windows(reading, staying)
    fixed = list(fixed_jobs(reading, staying, expected, days))
    free = [job for job in possible.values() if job.pk in to_move or job.state == JobState.RECEIVED]
    planned = [
        *fixed,
        *((job, part) for job in free for part in _free_parts(reading, job, to_move.get(job.pk))),
    ]
    present = _present(reading, [part.key for _job, part in planned], to_move, days)
    road_drives = read_road_drives(reading.locations, seconds=travel_server_seconds)
    problem = PlanProblem(
        jobs=tuple(plan_job for _job, plan_job in planned),
        engineers=tuple(day for _stands_for, day in days),
        travel_seconds=_travel_seconds(reading, road_drives),
        is_commute_in_shift=False,
        present=tuple(present),
    )
    return ReadProblem(
        problem=problem,
        origin=reading.origin,
        jobs=[job for job, _plan_job in planned],
        days=[stands_for for stands_for, _day in days],
        visits=to_move,
        requirements=reading.requirements,
        excluded=excluded,
        travel_note=road_drives.note,
        pinned=[visit for visit in visits if visit.is_pinned and visit.job_id in possible],
        agreed=frozenset(visit.job_id for visit in visits if visit.is_start_agreed),
        held_up=list_held_up(reading, staying, expected),
    )


def _travel_seconds(reading: ProblemReading, road_drives: RoadDrives) -> Matrix:
    """In the slowest hour of the scope: a plan that is kept then is kept at any hour."""
    estimate_factors, road_factors = read_hour_factors()
    hours = hours_of(reading.span)
    return travel_matrix(
        reading.locations,
        road_seconds=road_drives.seconds,
        estimate_factor=slowest_factor(estimate_factors, hours),
        road_factor=slowest_factor(road_factors, hours),
        round_up_to_seconds=STEP_SECONDS,
    )


def _possible_jobs(
    reading: ProblemReading, jobs: Iterable[Job]
) -> tuple[dict[int, Job], list[tuple[Job, str]]]:
    """By their keys; and the unassigned ones that no plan may have, with the code of the reason."""
    possible: dict[int, Job] = {}
    excluded: list[tuple[Job, str]] = []
    for job in jobs:
        code = _exclusion(reading, job)
        if not code:
            possible[job.pk] = job
        elif job.state == JobState.RECEIVED:
            excluded.append((job, code))
    return possible, excluded


def _exclusion(reading: ProblemReading, job: Job) -> str:
    """Why availability would refuse the job whoever had it, or why it stays with whom it is; empty for the others."""
    if job.state not in PLANNABLE or (job.state == JobState.ASSIGNED and job.pk in reading.begun):
        return "begun"
    if job.held_at is not None:
        return UnassignedCode.ON_HOLD
    if job.needs_location:
        return UnassignedCode.NEEDS_LOCATION
    is_survey_missing = reading.requirements[job.pk].is_survey_missing
    return UnassignedCode.SURVEY_MISSING if is_survey_missing and job.pk not in reading.begun else ""


def _may_move(reading: ProblemReading, visit: Visit) -> bool:
    is_ahead = reading.span.start <= visit.planned_start < reading.span.end
    is_lost = visit.pk in reading.lost
    is_kept = visit.is_pinned or (visit.is_start_agreed and not is_lost) or visit.ended_at is not None
    return (is_ahead or is_lost or is_overdue(reading, visit)) and not is_kept


def _present(
    reading: ProblemReading,
    keys: Sequence[int],
    visits: Mapping[int, Visit],
    days: list[tuple[DayOfEngineer, EngineerDay]],
) -> Iterator[PlanVisit]:
    """Today's visits of the jobs that may move, of all jobs with these keys; what is overdue begins as soon as anything
    may."""
    for number, key in enumerate(keys):
        visit = visits.get(abs(key))
        if visit is None:
            continue
        engineer = visit.engineer_id if key > 0 else visit.second_engineer_id
        day = day_of(reading, visit, days, engineer=engineer)
        if day is not None:
            yield PlanVisit(number, day, reading.seconds(max(visit.planned_start, reading.span.start)))


def _free_parts(reading: ProblemReading, job: Job, visit: Visit | None) -> Iterator[PlanJob]:
    """The job, and the second engineer's part of it where it needs one or has one."""
    has_second = visit is not None and visit.second_engineer_id is not None
    team = reading.requirements[job.pk].team
    first = _free_job(reading, job)
    if not team and not has_second:
        yield first
        return
    # two people do as much as two jobs; whoever decided that they are two engineers is not asked again
    worth = min(2 * first.priority, HIGHEST_PRIORITY)
    first = replace(first, priority=worth, alone_skills=None if has_second else team)
    yield first
    yield replace(first, key=-first.key, skills=frozenset())


def _free_job(reading: ProblemReading, job: Job) -> PlanJob:
    return PlanJob(
        key=job.pk,
        location=reading.location(job_coordinates(job)),
        length_seconds=job.duration_minutes * 60 + int(reading.assumptions.longer(job.pk).total_seconds()),
        start_windows=_start_windows(reading, job),
        late_windows=_start_windows(reading, job, is_late=True),
        skills=reading.requirements[job.pk].skills,
        priority=HIGHEST_PRIORITY
        if job.pk in reading.assumptions.urgent_jobs
        else job_priority(job, is_begun=job.pk in reading.begun),
    )


def _start_windows(
    reading: ProblemReading, job: Job, *, is_late: bool = False
) -> tuple[tuple[int, int], ...]:
    """When a visit may begin: inside the customer's window with its whole length, if it is not longer than that; one
    that is late may end after it. A job that was begun kept its window already."""
    first, last = reading.span.start, reading.span.end - timedelta(seconds=STEP_SECONDS)
    if job.pk not in reading.begun:
        fits = job.duration <= job.window.length and not is_late
        last = min(last, job.window_end - (job.duration if fits else timedelta(seconds=STEP_SECONDS)))
        first = max(first, job.window_start)
        if earliest_day := reading.requirements[job.pk].earliest_day:
            first = max(first, day_window(earliest_day).start)
    start = -(-reading.seconds(first) // STEP_SECONDS) * STEP_SECONDS
    return ((start, reading.seconds(last)),) if start <= reading.seconds(last) else ()
