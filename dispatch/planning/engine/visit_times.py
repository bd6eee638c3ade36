"""When the visits of a plan begin, once it is decided who does them in which order: as near as possible to the times
that customers and the seller know already."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from dispatch.planning.engine.plan_check import list_breaches
from dispatch.planning.engine.plan_value import visits_by_engineer
from dispatch.planning.engine.routing_problem import Plan, PlanSpan, RoutingProblem
from dispatch.planning.engine.team_jobs import find_seconds

# a team that waits can make another one wait
MOST_ROUNDS = 10


def with_starts_near(problem: RoutingProblem, plan: Plan, wanted: Mapping[int, int]) -> Plan:
    """The same visits in the same order, each as near to its wanted start (by job) as the others leave it, as early as
    possible without one; what begins then already stays. A day that this would break stays as it is, and so do those of
    whoever is in a team there."""
    problem = _with_kept_starts(problem, plan, wanted)
    starts = _all_starts(problem, plan, wanted)
    changed, broken = plan, set[int]()
    while True:
        changed = replace(
            plan,
            visits=tuple(
                visit if visit.engineer in broken else visit._replace(start=starts[visit.job])
                for visit in plan.visits
            ),
        )
        found = {breach.engineer for breach in list_breaches(problem, changed)} - broken
        if not found:
            return changed
        broken |= found


def _with_kept_starts(problem: RoutingProblem, plan: Plan, wanted: Mapping[int, int]) -> RoutingProblem:
    """In which the visits that begin when they are wanted can begin at no other time, but for days that break a rule:
    else one that was moved for them would move them in turn."""
    broken = {breach.engineer for breach in list_breaches(problem, plan)}
    kept_jobs = {
        visit.job
        for visit in plan.visits
        if wanted.get(visit.job) == visit.start and visit.engineer not in broken
    }
    jobs = (
        replace(job, start_windows=((wanted[number], wanted[number]),)) if number in kept_jobs else job
        for number, job in enumerate(problem.jobs)
    )
    return replace(problem, jobs=tuple(jobs))


def _all_starts(problem: RoutingProblem, plan: Plan, wanted: Mapping[int, int]) -> dict[int, int]:
    """By job. Whoever is there first waits for the other of the team."""
    days, teams = visits_by_engineer(problem, plan), find_seconds(problem).items()
    earliest: dict[int, int] = {}
    starts: dict[int, int] = {}
    for _ in range(MOST_ROUNDS):
        for engineer, visits in enumerate(days):
            starts.update(_starts(problem, engineer, visits, wanted, earliest))
        apart = [team for team in teams if starts.get(team[0], 0) != starts.get(team[1], 0)]
        if not apart:
            break
        for team in apart:
            together = max(starts.get(part, 0) for part in team)
            earliest |= dict.fromkeys(team, together)
    return starts


def delayed_problem(problem: RoutingProblem) -> RoutingProblem:
    """With today's visits as they will be: where an earlier one takes longer, those after it begin later, if their
    windows allow it."""
    present = Plan(problem.present)
    starts = {visit.job: visit.start for visit in present.visits}
    return replace(problem, present=with_starts_near(problem, present, starts).visits)


def _starts(
    problem: RoutingProblem,
    engineer: int,
    visits: Sequence[tuple[PlanSpan, int]],
    wanted: Mapping[int, int],
    earliest_of: Mapping[int, int],
) -> Iterator[tuple[int, int]]:
    """Job and start of each visit that is not fixed."""
    day, matrix = problem.engineers[engineer], problem.travel_seconds
    latest = dict(_latest_starts(problem, engineer, visits))
    free_at, location = day.shift.start, day.home if problem.is_first_drive_timed(engineer) else None
    for span, number in visits:
        job = problem.jobs[number]
        if job.fixed:
            free_at, location = max(free_at, span.end), job.location
            continue
        arrives_at = free_at + (0 if location is None else int(matrix[location, job.location]))
        earliest = max(arrives_at, _window(problem, number, span.start)[0], earliest_of.get(number, 0))
        start = max(earliest, min(wanted.get(number, earliest), latest[number]))
        yield number, start
        free_at, location = start + job.length_seconds, job.location


def _latest_starts(
    problem: RoutingProblem, engineer: int, visits: Sequence[tuple[PlanSpan, int]]
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


def _window(problem: RoutingProblem, number: int, start: int) -> tuple[int, int]:
    """The one in which the visit begins now; of a visit that keeps none, only this moment."""
    windows = problem.jobs[number].start_windows
    return next((window for window in windows if window[0] <= start <= window[1]), (start, start))
