"""Every constraint of a problem, checked on a plan without the engine: what an engine returns is never believed.

Fixed visits may break whatever rule they break. A breach is what a visit of the plan adds.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from dispatch.planning.engine.plan_value import visits_by_engineer
from dispatch.planning.engine.routing_problem import (
    Plan,
    PlanBreak,
    PlanJob,
    PlanSpan,
    PlanVisit,
    RoutingProblem,
)
from dispatch.planning.engine.team_jobs import broken_teams


class BreachKind(StrEnum):
    FIXED = "fixed"
    TWICE = "twice"
    ENGINEER = "engineer"
    SKILL = "skill"
    WINDOW = "window"
    SHIFT = "shift"
    OVERLAP = "overlap"
    TRAVEL = "travel"
    BREAK = "break"
    MOST_JOBS = "most_jobs"
    TEAM = "team"


@dataclass(frozen=True)
class Breach:
    """`job` is an index; the breach concerns all of the engineer's day where it is None."""

    kind: BreachKind
    engineer: int
    job: int | None = None


@dataclass(frozen=True)
class Gap:
    """Time of an engineer between two visits, or between the shift's edge and a visit, and the drive in it."""

    span: PlanSpan
    travel_seconds: int
    is_fixed: bool
    job: int | None = None


def list_breaches(problem: RoutingProblem, plan: Plan) -> list[Breach]:
    """All that the plan breaks; none for a good one."""
    breaches = [*_repeated(plan)]
    for visit in plan.visits:
        breaches += [Breach(kind, visit.engineer, visit.job) for kind in broken_by_visit(problem, visit)]
    breaches += [Breach(BreachKind.TEAM, visit.engineer, visit.job) for visit in broken_teams(problem, plan)]
    is_new = {visit.engineer for visit in plan.visits}
    for engineer, visits in enumerate(visits_by_engineer(problem, plan)):
        if engineer in is_new:
            breaches += _broken_by_day(problem, engineer, visits)
    return breaches


def without_breaches(problem: RoutingProblem, plan: Plan) -> Plan:
    """The plan without the visits that break something, the least important ones of a day first."""
    visits = list(plan.visits)
    while breaches := list_breaches(problem, replace(plan, visits=tuple(visits))):
        engineers = {breach.engineer for breach in breaches}
        named = {(breach.engineer, breach.job) for breach in breaches}
        for engineer in engineers:
            own = [visit for visit in visits if visit.engineer == engineer]
            at_fault = [visit for visit in own if (engineer, visit.job) in named]
            visits.remove(
                min(at_fault or own, key=lambda visit: (problem.jobs[visit.job].priority, visit.job))
            )
    return replace(plan, visits=tuple(visits))


def _repeated(plan: Plan) -> Iterator[Breach]:
    jobs: set[int] = set()
    for visit in plan.visits:
        if visit.job in jobs:
            yield Breach(BreachKind.TWICE, visit.engineer, visit.job)
        jobs.add(visit.job)


def broken_by_visit(problem: RoutingProblem, visit: PlanVisit) -> Iterator[BreachKind]:
    """What it breaks whatever else its engineer does."""
    job, engineer = problem.jobs[visit.job], problem.engineers[visit.engineer]
    if job.fixed:
        yield BreachKind.FIXED
    if job.engineers is not None and visit.engineer not in job.engineers:
        yield BreachKind.ENGINEER
    if not job.skills <= engineer.skills:
        yield BreachKind.SKILL
    if not any(first <= visit.start <= last for first, last in job.start_windows):
        yield BreachKind.WINDOW
    if not engineer.shift.contains(PlanSpan(visit.start, visit.start + job.length_seconds)):
        yield BreachKind.SHIFT


def _broken_by_day(
    problem: RoutingProblem, number: int, visits: Sequence[tuple[PlanSpan, int]]
) -> Iterator[Breach]:
    engineer = problem.engineers[number]
    if engineer.max_jobs is not None and len(visits) > engineer.max_jobs:
        yield Breach(BreachKind.MOST_JOBS, number)
    gaps = list(_gaps(problem, number, visits))
    for gap in gaps:
        if not gap.is_fixed and gap.span.start > gap.span.end:
            yield Breach(BreachKind.OVERLAP, number, gap.job)
        elif not gap.is_fixed and gap.span.end - gap.span.start < gap.travel_seconds:
            yield Breach(BreachKind.TRAVEL, number, gap.job)
    if not breaks_fit(gaps, breaks_left(problem, number, visits)):
        yield Breach(BreachKind.BREAK, number)


def breaks_left(
    problem: RoutingProblem, number: int, visits: Sequence[tuple[PlanSpan, int]]
) -> list[PlanBreak]:
    """The breaks that the fixed visits leave possible; the others are up to the engineer."""
    engineer = problem.engineers[number]
    fixed = [(span, job) for span, job in visits if problem.jobs[job].fixed]
    gaps = list(_gaps(problem, number, fixed)) if fixed else [Gap(engineer.shift, 0, is_fixed=True)]
    remaining: list[PlanBreak] = []
    for pause in sorted(engineer.breaks):
        if breaks_fit(gaps, [*remaining, pause]):
            remaining.append(pause)
    return remaining


def _gaps(problem: RoutingProblem, number: int, visits: Sequence[tuple[PlanSpan, int]]) -> Iterator[Gap]:
    """The gaps of a day in order; that fixed visits overlap, or leave too little time for a drive, is no breach."""
    engineer = problem.engineers[number]
    matrix = problem.travel_seconds
    first_span, first_job = visits[0]
    first = problem.jobs[first_job]
    to_first = int(matrix[engineer.home, first.location]) * problem.is_first_drive_timed(number)
    yield Gap(
        PlanSpan(engineer.shift.start, first_span.start), to_first, is_fixed=_are_fixed(first), job=first_job
    )
    # of fixed visits that overlap, the one that ends last is where the engineer comes from
    end, last = first_span.end, first
    for span, number_of_job in visits[1:]:
        job = problem.jobs[number_of_job]
        travel_seconds = int(matrix[last.location, job.location])
        yield Gap(
            PlanSpan(end, span.start), travel_seconds, is_fixed=_are_fixed(last, job), job=number_of_job
        )
        if span.end > end:
            end, last = span.end, job
    to_home = int(matrix[last.location, engineer.home]) * problem.is_commute_in_shift
    yield Gap(PlanSpan(end, engineer.shift.end), to_home, is_fixed=_are_fixed(last))


def _are_fixed(*jobs: PlanJob) -> bool:
    return all(job.fixed is not None for job in jobs)


def breaks_fit(gaps: Sequence[Gap], breaks: Sequence[PlanBreak]) -> bool:
    """Whether each break finds time in a gap, next to the drive in it, which may be interrupted."""
    return _breaks_fit_from(gaps, sorted(breaks), number=0, used_until=None, used_seconds=0)


def _breaks_fit_from(
    gaps: Sequence[Gap],
    breaks: Sequence[PlanBreak],
    *,
    number: int,
    used_until: int | None,
    used_seconds: int,
) -> bool:
    """From the gap of this number on, of which a part is used by breaks before: the first break goes in here or in a
    later one."""
    if not breaks:
        return True
    if number == len(gaps):
        return False
    gap, pause = gaps[number], breaks[0]
    begins = max(gap.span.start if used_until is None else used_until, pause.earliest)
    ends, seconds = begins + pause.length_seconds, used_seconds + pause.length_seconds
    free = gap.span.end - gap.span.start - (0 if gap.is_fixed else gap.travel_seconds)
    fits = begins <= pause.latest and ends <= gap.span.end and seconds <= free
    rest = breaks[1:]
    if fits and _breaks_fit_from(gaps, rest, number=number, used_until=ends, used_seconds=seconds):
        return True
    return _breaks_fit_from(gaps, breaks, number=number + 1, used_until=None, used_seconds=0)
