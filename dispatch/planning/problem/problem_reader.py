"""The planning problem of a scope as the database has it: who works when, which jobs may move, which visits are fixed.

The rules are those of availability, so that what the engine plans can be booked; breaks, teams and surveys, which a
dispatcher may override with a reason, the engine keeps. A job that needs two people gets two engineers who begin
together, or one who comes with a second person; a visit with a second engineer keeps two.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from dispatch.driving.drive_times import read_hour_factors
from dispatch.driving.travel_profile import slowest_factor
from dispatch.hours_conflicts import list_hours_conflicts
from dispatch.job_events import jobs_begun
from dispatch.models import Job, TravelNote, Visit
from dispatch.occupied_time import blocking_visits
from dispatch.planning.engine.routing_problem import EngineerDay, Matrix, PlanVisit, RoutingProblem
from dispatch.planning.engine.travel_matrix import travel_matrix
from dispatch.planning.problem.abandoned_drives import find_withdrawn, with_origins
from dispatch.planning.problem.day_limits import with_job_limits
from dispatch.planning.problem.engineer_days import (
    DayOfEngineer,
    ProblemContext,
    engineer_days,
    find_away,
    find_lost,
    hours_of_work,
    with_reserve,
)
from dispatch.planning.problem.first_drives import still_at_home, with_first_drives, with_head_start
from dispatch.planning.problem.fixed_visits import (
    STEP_SECONDS,
    HeldUpVisit,
    day_of,
    expected_spans,
    fixed_jobs,
    is_overdue,
    list_held_up,
    with_breaks_left,
)
from dispatch.planning.problem.free_jobs import free_parts
from dispatch.planning.problem.overridden_visits import find_overridden
from dispatch.planning.problem.plan_scope import AS_IT_IS, Assumptions, PlanScope
from dispatch.planning.reason_codes import UnassignedCode
from dispatch.planning.road_drives import RoadDrives, read_road_drives
from dispatch.requirements import JobRequirements, list_requirements
from dispatch.states import BEFORE_ARRIVAL, JobState
from engineers.models import Engineer
from engineers.shifts import TimeSpan

# how far round a scope a visit may lie that an engineer comes from or drives to
NEAR = timedelta(days=1)
PLANNABLE = frozenset({JobState.UNASSIGNED, JobState.ASSIGNED})


@dataclass
class LoadedProblem:
    """A problem and what its indices stand for. `excluded`: jobs that no plan may have, with the code of the reason.
    `visits`: today's visits of the jobs that may move, by the job's key; `pinned`: those that their pin keeps, a rule
    that was overridden, or what no plan may change although their engineer is absent. `agreed`: by the job's key the
    start after the window that its customer expects. `held_up`: visits that no plan moves and that begin later than
    planned. `begun`: jobs (keys) at which somebody was on site. `left`: jobs (indices) that may move since somebody of
    their visit is away. `travel_note`: see PlanProposal."""

    problem: RoutingProblem
    origin: datetime
    jobs: list[Job]
    days: list[DayOfEngineer]
    visits: Mapping[int, Visit]
    requirements: Mapping[int, JobRequirements]
    begun: frozenset[int] = frozenset()
    left: frozenset[int] = frozenset()
    excluded: list[tuple[Job, str]] = field(default_factory=list)
    travel_note: TravelNote | None = None
    pinned: list[Visit] = field(default_factory=list)
    agreed: Mapping[int, datetime] = field(default_factory=dict)
    held_up: list[HeldUpVisit] = field(default_factory=list)

    def moment(self, seconds: int) -> datetime:
        return self.origin + timedelta(seconds=seconds)


def read_problem(
    scope: PlanScope, *, now: datetime, assumptions: Assumptions = AS_IT_IS, travel_server_seconds: float = 0
) -> LoadedProblem | None:
    """None when nothing of the scope is still to come. A fixed number of queries, but for the drives of a travel
    server, which is asked for so many seconds at most (with 0 only what is stored counts), and for visits that were
    booked with a reason, which take a few each."""
    span = scope.bounded(now)
    if span is None:
        return None
    people = scope.select_engineers()
    visits = [visit for visit in _visits(people, span) if visit.job_id not in assumptions.cancelled_jobs]
    everybody = [*people, *_partners(visits, people)]
    outside = list_hours_conflicts(visits, people=everybody)
    lost = find_lost(visits, everybody, span, now=now, assumptions=assumptions, outside=outside)
    away = [*lost, *find_away(visits, everybody, span, assumptions=assumptions, outside=outside)]
    left = {visit.job_id for visit in away if visit.planned_start < span.end}
    jobs = scope.select_jobs(span, also=left)
    jobs = [job for job in jobs if job.pk not in assumptions.cancelled_jobs]
    known = {job.pk: job for job in [*(visit.job for visit in visits), *jobs]}
    begun = jobs_begun(known)
    reading = ProblemContext(
        span=span,
        origin=span.start.astimezone(UTC) - 2 * NEAR,
        now=now,
        engineers=frozenset(engineer.pk for engineer in people),
        begun=begun,
        requirements=list_requirements(known.values()),
        assumptions=assumptions,
        lost=frozenset(visit.pk for visit in lost),
        away=frozenset(visit.pk for visit in away),
        left_jobs=frozenset(left),
        overridden=find_overridden(_plannable(visits, span, without=away), begun=begun, now=now),
    )
    reading.withdrawn = find_withdrawn(people, reading)
    days = list(with_reserve(reading, engineer_days(reading, people, scope), visits, scope=scope))
    read = _build(reading, jobs, days, visits, travel_server_seconds=travel_server_seconds)
    problem = with_job_limits(read.problem, read.days, scope.job_limits)
    in_area = {job.pk for job in scope.in_area(held_up.visit.job for held_up in read.held_up)}
    return replace(
        read, problem=problem, held_up=[each for each in read.held_up if each.visit.job_id in in_area]
    )


def _visits(engineers: Iterable[Engineer], span: TimeSpan) -> list[Visit]:
    near = TimeSpan(span.start - NEAR, span.end + NEAR)
    own = blocking_visits(Visit.objects.attended_by(engineers), span=near)
    return list(own.select_related("job", "engineer", "second_engineer").order_by("planned_start", "pk"))


def _plannable(visits: Iterable[Visit], span: TimeSpan, *, without: Collection[Visit]) -> Iterator[Visit]:
    """Those that only a decision of a dispatcher keeps where they are."""
    return (
        visit
        for visit in visits
        if visit.job.state in PLANNABLE
        and visit.planned_start < span.end
        and not visit.is_pinned
        and visit not in without
    )


def _partners(visits: Iterable[Visit], engineers: Iterable[Engineer]) -> Iterable[Engineer]:
    """Of these engineers' teams, whom the plan leaves out; at most four queries."""
    keys = {key for visit in visits for key in visit.people_keys}.difference(each.pk for each in engineers)
    hours = ("shifts", "shift_exceptions", "absences")
    return Engineer.objects.filter(pk__in=keys).select_related("user").prefetch_related(*hours)


def _build(
    reading: ProblemContext,
    jobs: Iterable[Job],
    days: list[tuple[DayOfEngineer, EngineerDay]],
    visits: Iterable[Visit],
    *,
    travel_server_seconds: float,
) -> LoadedProblem:
    selected = {job.pk: job for job in jobs}
    possible, excluded = _possible_jobs(reading, selected.values())
    visits = list(visits)
    to_move = {
        visit.job_id: visit for visit in visits if visit.job_id in possible and _may_move(reading, visit)
    }
    staying = [visit for visit in visits if visit.job_id not in to_move]
    expected = expected_spans(reading, staying)
    fixed = list(fixed_jobs(reading, staying, expected, days))
    free = [job for job in possible.values() if job.pk in to_move or job.state == JobState.UNASSIGNED]
    planned = [
        *fixed,
        *((job, part) for job in free for part in free_parts(reading, job, to_move.get(job.pk))),
    ]
    fixed_parts, left = [plan_job for _job, plan_job in fixed], reading.left_jobs & to_move.keys()
    at_home = still_at_home([day for _stands_for, day in days], fixed_parts)
    engineers = with_origins(reading, with_breaks_left(at_home, fixed_parts), days)
    present = _present(reading, [part.key for _job, part in planned], to_move, days)
    road_drives = read_road_drives(reading.locations, seconds=travel_server_seconds)
    problem = RoutingProblem(
        jobs=tuple(plan_job for _job, plan_job in planned),
        engineers=engineers,
        travel_seconds=_travel_seconds(reading, road_drives, [day for _stands_for, day in days]),
        is_commute_in_shift=False,
        present=tuple(present),
    )
    return LoadedProblem(
        problem=with_first_drives(with_head_start(problem, reading.seconds_until_start)),
        origin=reading.origin,
        jobs=[job for job, _plan_job in planned],
        days=[stands_for for stands_for, _day in days],
        visits=to_move,
        requirements=reading.requirements,
        begun=reading.begun,
        left=frozenset(number for number, (job, _part) in enumerate(planned) if job.pk in left),
        excluded=excluded,
        travel_note=road_drives.note,
        pinned=[visit for visit in staying if visit.job_id in selected and _keeps_breach(reading, visit)],
        agreed={visit.job_id: visit.planned_start for visit in visits if visit.is_start_agreed},
        held_up=list_held_up(reading, staying, expected),
    )


def _travel_seconds(reading: ProblemContext, road_drives: RoadDrives, days: Iterable[EngineerDay]) -> Matrix:
    """In the slowest hour in which somebody works: a plan that is kept then is kept at any hour."""
    estimate_factors, road_factors = read_hour_factors()
    hours = hours_of_work(reading, days)
    return travel_matrix(
        reading.locations,
        road_seconds=road_drives.seconds,
        estimate_factor=slowest_factor(estimate_factors, hours),
        road_factor=slowest_factor(road_factors, hours),
        round_up_to_seconds=STEP_SECONDS,
    )


def _possible_jobs(
    reading: ProblemContext, jobs: Iterable[Job]
) -> tuple[dict[int, Job], list[tuple[Job, str]]]:
    """By their keys; and the unassigned ones that no plan may have, with the code of the reason."""
    possible: dict[int, Job] = {}
    excluded: list[tuple[Job, str]] = []
    for job in jobs:
        code = _exclusion(reading, job)
        if not code:
            possible[job.pk] = job
        elif job.state == JobState.UNASSIGNED:
            excluded.append((job, code))
    return possible, excluded


def _exclusion(reading: ProblemContext, job: Job) -> str:
    """Why availability would refuse the job whoever had it, or why it stays with whom it is; empty for the others."""
    goes_on = job.state == JobState.ASSIGNED and job.pk in reading.begun and job.pk not in reading.left_jobs
    if job.state not in PLANNABLE or goes_on:
        return "begun"
    if job.on_hold_since is not None:
        return UnassignedCode.ON_HOLD
    if job.needs_location:
        return UnassignedCode.NEEDS_LOCATION
    is_survey_missing = reading.requirements[job.pk].is_survey_missing
    return UnassignedCode.SURVEY_MISSING if is_survey_missing and job.pk not in reading.begun else ""


def _may_move(reading: ProblemContext, visit: Visit) -> bool:
    is_ahead = reading.span.start <= visit.planned_start < reading.span.end
    is_lost, is_away = visit.pk in reading.lost, visit.pk in reading.away
    is_promised = (visit.is_start_agreed and not is_away) or visit.pk in reading.overridden
    is_kept = visit.is_pinned or is_promised or visit.ended_at is not None
    # the other one of a team is nobody whom this plan may move; but a team of which one is away cannot come
    is_outside = not reading.engineers.issuperset(visit.people_keys)
    is_kept = is_kept or (is_outside and not is_away)
    return (is_ahead or is_lost or is_overdue(reading, visit)) and not is_kept


def _keeps_breach(reading: ProblemContext, visit: Visit) -> bool:
    """Whether a rule may be broken that this plan leaves so: it does not move the visit."""
    if visit.ended_at is not None or visit.job.state not in BEFORE_ARRIVAL:
        return False
    is_decided = visit.job.state in PLANNABLE and (visit.is_pinned or visit.pk in reading.overridden)
    return is_decided or (visit.pk in reading.away and visit.job_id in reading.left_jobs)


def _present(
    reading: ProblemContext,
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
