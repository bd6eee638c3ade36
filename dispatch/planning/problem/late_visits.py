"""Today's visits for which a plan has no place by the rules, but which their engineers still reach inside the windows:
where an earlier visit takes longer, one ends after the customer's window or after the shift, or the break comes later.
They stay as they are: a customer who waits a little longer is better off than one who is called off."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from dispatch.planning.engine.late_starts import LateDays
from dispatch.planning.engine.plan_check import list_breaches
from dispatch.planning.engine.routing_problem import (
    EngineerDay,
    FixedVisit,
    Plan,
    PlanJob,
    PlanSpan,
    PlanVisit,
    RoutingProblem,
)
from dispatch.planning.engine.visit_times import delayed_problem


@dataclass(frozen=True)
class LatePlan:
    """`plan` has late visits at the times that they have today; `late`: when each of them will begin."""

    plan: Plan
    late: tuple[PlanVisit, ...] = ()


@dataclass(frozen=True)
class HeldDays:
    """`problem` with today's visits as they will be (delayed_problem), and without the days of engineers who are late:
    they are fixed, and nothing is added. `visits`: theirs, at the times of today; `late`: when those begin that begin
    later."""

    problem: RoutingProblem
    visits: tuple[PlanVisit, ...] = ()
    late: tuple[PlanVisit, ...] = ()

    def completed(self, plan: Plan) -> Plan:
        """A plan of this problem with the days that were left out of it."""
        return replace(plan, visits=tuple(sorted([*plan.visits, *self.visits])))


def hold_late_days(problem: RoutingProblem, *, free: Collection[int] = ()) -> HeldDays:
    """Else the engine would give somebody else's job the time of a visit that only ends too late. Days of which a visit
    is lost all the same are not held. `free`: jobs (indices) for whose engineers somebody else is looked for first."""
    days, delayed = LateDays(problem), delayed_problem(problem).present
    broken = {breach.engineer for breach in list_breaches(problem, Plan(delayed))}
    broken -= days.with_partners(delayed, {visit.engineer for visit in delayed if visit.job in free})
    people = days.with_partners(delayed, broken)
    others = tuple(visit for visit in problem.present if visit.engineer not in people)
    found = _keep(days, Plan(others))
    lost = {visit.engineer for visit in problem.present if visit.job not in found.plan.by_job}
    people -= days.with_partners(problem.present, lost)
    visits = tuple(visit for visit in found.plan.visits if visit.engineer in people)
    late = tuple(visit for visit in found.late if visit.engineer in people)
    starts = {visit.job: visit.start for visit in (*visits, *late)}
    fixed = dict(_fixed(days, visits, starts))
    held = replace(
        problem,
        jobs=tuple(fixed.get(number, job) for number, job in enumerate(problem.jobs)),
        engineers=tuple(_closed(days, number, people) for number in range(len(problem.engineers))),
        present=tuple(visit for visit in delayed if visit.job not in fixed),
    )
    return HeldDays(held, visits, late)


def keep_late_visits(problem: RoutingProblem, plan: Plan) -> LatePlan:
    """The plan with such visits. All visits of their engineers have the times that they have today; an engineer who
    gets anything new keeps none."""
    return _keep(LateDays(problem), plan)


def _keep(days: LateDays, plan: Plan) -> LatePlan:
    today = {visit.job: visit for visit in days.problem.present}
    found = LatePlan(plan)
    for parts in _called_off(days, plan):
        visits = [*found.plan.visits, *parts]
        people = days.with_partners(visits, {part.engineer for part in parts})
        own = [visit for visit in visits if visit.engineer in people]
        if any(visit.job not in today or today[visit.job].engineer != visit.engineer for visit in own):
            continue
        as_today = [today[visit.job] for visit in own]
        expected = days.expected(as_today)
        if expected is not None:
            others = [visit for visit in found.plan.visits if visit.engineer not in people]
            late = [visit for visit in found.late if visit.engineer not in people]
            late += [visit for visit in expected if visit.start > today[visit.job].start]
            found = LatePlan(replace(plan, visits=tuple(sorted([*others, *as_today]))), tuple(sorted(late)))
    return found


def _called_off(days: LateDays, plan: Plan) -> Iterable[Sequence[PlanVisit]]:
    """Today's visits that are not in the plan, the first ones first; a team's two together."""
    assigned, firsts = plan.by_job, {second: first for first, second in days.seconds.items()}
    found: dict[int, list[PlanVisit]] = {}
    for visit in sorted(days.problem.present, key=lambda visit: (visit.start, visit.job)):
        if visit.job not in assigned:
            found.setdefault(firsts.get(visit.job, visit.job), []).append(visit)
    return found.values()


def _fixed(
    days: LateDays, visits: Iterable[PlanVisit], starts: Mapping[int, int]
) -> Iterable[tuple[int, PlanJob]]:
    """Job (index) and what it is then; with a job for two that somebody does alone, the other part as well."""
    for visit in visits:
        start, second = starts[visit.job], days.seconds.get(visit.job)
        for number in (visit.job, *([] if second is None or second in starts else [second])):
            job = days.problem.jobs[number]
            span = PlanSpan(start, start + job.length_seconds)
            yield number, replace(job, fixed=FixedVisit(visit.engineer, span))


def _closed(days: LateDays, engineer: int, people: Collection[int]) -> EngineerDay:
    day = days.problem.engineers[engineer]
    return replace(day, max_jobs=0) if engineer in people else day
