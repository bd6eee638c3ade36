"""Limits that a plan keeps for days which may be beyond them already."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace

from dispatch.planning.engine.routing_problem import RoutingProblem
from dispatch.planning.problem.engineer_days import DayOfEngineer


def with_job_limits(
    problem: RoutingProblem, days: Iterable[DayOfEngineer], limits: Mapping[int, int]
) -> RoutingProblem:
    """Nobody with a limit (by engineer's key) gets more jobs than that in a day; who has more keeps them."""
    fixed = [job.fixed.engineer for job in problem.jobs if job.fixed]
    present = Counter([*fixed, *(visit.engineer for visit in problem.present)])
    keys = [stands_for.engineer.pk for stands_for in days]
    engineers = (
        replace(day, max_jobs=max(limits[key], present[number])) if key in limits else day
        for number, (key, day) in enumerate(zip(keys, problem.engineers, strict=True))
    )
    return replace(problem, engineers=tuple(engineers))
