"""What a plan is worth: first the priorities of the jobs that it assigns, then as little travel as possible."""

from collections.abc import Iterable
from dataclasses import dataclass

from dispatch.planning.engine.routing_problem import Plan, PlanSpan, RoutingProblem


@dataclass(frozen=True)
class PlanValue:
    """`value` and `possible`: priorities of the jobs assigned and of all that are not fixed, a team's counted once.
    `travel_seconds`: home to home, of everybody who has a visit."""

    value: int
    possible: int
    assigned: int
    jobs: int
    travel_seconds: int

    @property
    def percent(self) -> float:
        return 100 * self.value / self.possible if self.possible else 100.0


def plan_value(problem: RoutingProblem, plan: Plan) -> PlanValue:
    to_plan = [job for job in problem.jobs if job.fixed is None and not job.is_second]
    assigned = [job for visit in plan.visits if not (job := problem.jobs[visit.job]).is_second]
    return PlanValue(
        value=sum(job.priority for job in assigned),
        possible=sum(job.priority for job in to_plan),
        assigned=len(assigned),
        jobs=len(to_plan),
        travel_seconds=sum(
            travel_of_day(problem, engineer, [job for _span, job in visits])
            for engineer, visits in enumerate(visits_by_engineer(problem, plan))
        ),
    )


def travel_of_day(problem: RoutingProblem, engineer: int, jobs: Iterable[int]) -> int:
    """Seconds from home over these jobs (indices, in order) and home again; 0 without a job."""
    home = problem.engineers[engineer].home
    stops = [home, *(problem.jobs[job].location for job in jobs), home]
    if len(stops) == 2:
        return 0
    return int(problem.travel_seconds[stops[:-1], stops[1:]].sum())


def visits_by_engineer(problem: RoutingProblem, plan: Plan) -> list[list[tuple[PlanSpan, int]]]:
    """For each engineer the visits of the plan and the fixed ones, in order: span and job (index)."""
    days: list[list[tuple[PlanSpan, int]]] = [[] for _ in problem.engineers]
    for visit in plan.visits:
        span = PlanSpan(visit.start, visit.start + problem.jobs[visit.job].length_seconds)
        days[visit.engineer].append((span, visit.job))
    for number, job in enumerate(problem.jobs):
        if job.fixed:
            days[job.fixed.engineer].append((job.fixed.span, number))
    return [sorted(day) for day in days]
