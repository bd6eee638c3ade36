"""Today's visits for which a plan has no place by the rules, but which their engineers still reach inside the windows:
where an earlier visit takes longer, one ends after the customer's window or after the shift, or the break comes later.
They stay as they are: a customer who waits a little longer is better off than one who is called off."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from dispatch.planning.plan_check import list_breaches
from dispatch.planning.plan_problem import EngineerDay, Plan, PlanProblem, PlanVisit
from dispatch.planning.team_jobs import find_seconds
from dispatch.planning.visit_times import with_starts_near

# after the moment at which a break should begin
MOST_BREAK_DELAY_SECONDS = 3600


@dataclass(frozen=True)
class LatePlan:
    """`plan` has late visits at the times that they have today; `late`: when each of them will begin."""

    plan: Plan
    late: tuple[PlanVisit, ...]


def keep_late_visits(problem: PlanProblem, plan: Plan) -> LatePlan:
    """The plan with such visits. All visits of their engineers have the times that they have today; an engineer who
    gets anything new keeps none."""
    today = {visit.job: visit for visit in problem.present}
    looser = _loosened(problem)
    held_up: set[int] = set()
    for parts in _called_off(problem, plan):
        people = {part.engineer for part in parts}
        with_parts = replace(plan, visits=tuple(sorted((*plan.visits, *parts))))
        if _has_only_own(with_parts, people, today) and _can_still_do(looser, with_parts, people):
            plan, held_up = with_parts, held_up | people
    visits = [today[visit.job] if visit.engineer in held_up else visit for visit in plan.visits]
    plan = replace(plan, visits=tuple(visits))
    expected = _as_soon_as_possible(looser, plan).visits if held_up else ()
    late = [visit for visit in expected if visit.engineer in held_up and visit.start > today[visit.job].start]
    return LatePlan(plan, tuple(late))


def _called_off(problem: PlanProblem, plan: Plan) -> Iterator[tuple[PlanVisit, ...]]:
    """Today's visits that are not in the plan, the first ones first; a team's two together."""
    assigned, firsts = plan.by_job, {second: first for first, second in find_seconds(problem).items()}
    found: dict[int, tuple[PlanVisit, ...]] = {}
    for visit in sorted(problem.present, key=lambda visit: (visit.start, visit.job)):
        if visit.job not in assigned:
            job = firsts.get(visit.job, visit.job)
            found[job] = (*found.get(job, ()), visit)
    yield from found.values()


def _has_only_own(plan: Plan, people: Collection[int], today: Mapping[int, PlanVisit]) -> bool:
    own = [visit for visit in plan.visits if visit.engineer in people]
    return all(visit.job in today and today[visit.job].engineer == visit.engineer for visit in own)


def _can_still_do(looser: PlanProblem, plan: Plan, people: Collection[int]) -> bool:
    """Whether these engineers can do it, each visit as soon as they get there."""
    breaches = list_breaches(looser, _as_soon_as_possible(looser, plan))
    return not any(breach.engineer in people for breach in breaches)


def _as_soon_as_possible(looser: PlanProblem, plan: Plan) -> Plan:
    """No visit earlier than today."""
    return with_starts_near(looser, plan, {visit.job: visit.start for visit in looser.present})


def _loosened(problem: PlanProblem) -> PlanProblem:
    jobs = (replace(job, start_windows=job.late_windows or job.start_windows) for job in problem.jobs)
    return replace(problem, jobs=tuple(jobs), engineers=tuple(map(_longer, problem.engineers)))


def _longer(day: EngineerDay) -> EngineerDay:
    later = (pause._replace(latest=pause.latest + MOST_BREAK_DELAY_SECONDS) for pause in day.breaks)
    return replace(day, shift=day.shift._replace(end=day.latest_end or day.shift.end), breaks=tuple(later))
