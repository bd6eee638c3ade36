"""When the visits of a plan begin, once it is decided who does them in which order: as near as possible to the times
that customers and the seller know already."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from dispatch.planning.plan_check import list_breaches
from dispatch.planning.plan_problem import Plan, PlanProblem, PlanVisit, TimeSpan
from dispatch.planning.plan_value import visits_by_engineer


def with_starts_near(problem: PlanProblem, plan: Plan, wanted: Mapping[int, int]) -> Plan:
    """The same visits in the same order, each as near to its wanted start (by job) as the others leave it, as early as
    possible without one. A day that this would break stays as it is."""
    starts: dict[int, int] = {}
    for engineer, visits in enumerate(visits_by_engineer(problem, plan)):
        starts.update(_starts(problem, engineer, visits, wanted))
    changed = [visit._replace(start=starts[visit.job]) for visit in plan.visits]
    broken = {breach.engineer for breach in list_breaches(problem, replace(plan, visits=tuple(changed)))}
    return replace(
        plan,
        visits=tuple(
            _unbroken(before, after, broken) for before, after in zip(plan.visits, changed, strict=True)
        ),
    )


def delayed_problem(problem: PlanProblem) -> PlanProblem:
    """With today's visits as they will be: where an earlier one takes longer, those after it begin later, if their
    windows allow it."""
    present = Plan(problem.present)
    starts = {visit.job: visit.start for visit in present.visits}
    return replace(problem, present=with_starts_near(problem, present, starts).visits)


def _unbroken(before: PlanVisit, after: PlanVisit, broken: set[int]) -> PlanVisit:
    return before if before.engineer in broken else after


def _starts(
    problem: PlanProblem, engineer: int, visits: Sequence[tuple[TimeSpan, int]], wanted: Mapping[int, int]
) -> Iterator[tuple[int, int]]:
    """Job and start of each visit that is not fixed."""
    day, matrix = problem.engineers[engineer], problem.travel_seconds
    latest = dict(_latest_starts(problem, engineer, visits))
    free_at, location = day.shift.start, None if not problem.is_commute_in_shift else day.home
    for span, number in visits:
        job = problem.jobs[number]
        if job.fixed:
            free_at, location = max(free_at, span.end), job.location
            continue
        arrives_at = free_at + (0 if location is None else int(matrix[location, job.location]))
        earliest = max(arrives_at, _window(problem, number, span.start)[0])
        start = max(earliest, min(wanted.get(number, earliest), latest[number]))
        yield number, start
        free_at, location = start + job.length_seconds, job.location


def _latest_starts(
    problem: PlanProblem, engineer: int, visits: Sequence[tuple[TimeSpan, int]]
) -> Iterator[tuple[int, int]]:
    day, matrix = problem.engineers[engineer], problem.travel_seconds
    until, location = day.shift.end, None if not problem.is_commute_in_shift else day.home
    for span, number in reversed(visits):
        job = problem.jobs[number]
        if job.fixed:
            until, location = min(until, span.start), job.location
            continue
        leaves_at = until - (0 if location is None else int(matrix[job.location, location]))
        until = min(leaves_at - job.length_seconds, _window(problem, number, span.start)[1])
        location = job.location
        yield number, until


def _window(problem: PlanProblem, number: int, start: int) -> tuple[int, int]:
    """The one in which the visit begins now; of a visit that keeps none, only this moment."""
    windows = problem.jobs[number].start_windows
    return next((window for window in windows if window[0] <= start <= window[1]), (start, start))
