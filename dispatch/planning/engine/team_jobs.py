"""Jobs for a team of two in a planning problem: two parts that begin together, with two engineers, or are not assigned.

An engineer who comes with a second person of their own does such a job alone.
"""

from collections.abc import Iterator, Mapping

from dispatch.planning.engine.routing_problem import EngineerDay, Plan, PlanJob, PlanVisit, RoutingProblem


def find_seconds(problem: RoutingProblem) -> dict[int, int]:
    """By the job (index) the second engineer's part of it, of the jobs that are to be planned."""
    numbers = {job.key: number for number, job in enumerate(problem.jobs) if job.fixed is None}
    return {
        numbers[-key]: number
        for key, number in numbers.items()
        if problem.jobs[number].is_second and -key in numbers
    }


def may_go_alone(job: PlanJob, engineer: EngineerDay) -> bool:
    return job.alone_skills is not None and job.alone_skills <= engineer.skills


def broken_teams(problem: RoutingProblem, plan: Plan) -> Iterator[PlanVisit]:
    """The visits of the plan that lack the other engineer, or that the other begins at another time."""
    visits, seconds = plan.by_job, find_seconds(problem)
    for visit in plan.visits:
        job = problem.jobs[visit.job]
        if job.fixed is not None or job.is_second:
            continue
        second = visits.get(seconds.get(visit.job, -1))
        if second is None and not may_go_alone(job, problem.engineers[visit.engineer]):
            yield visit
        elif second is not None and (second.start != visit.start or second.engineer == visit.engineer):
            yield visit
            yield second
    yield from _without_first(visits, seconds)


def _without_first(visits: Mapping[int, PlanVisit], seconds: Mapping[int, int]) -> Iterator[PlanVisit]:
    return (visits[second] for first, second in seconds.items() if second in visits and first not in visits)
