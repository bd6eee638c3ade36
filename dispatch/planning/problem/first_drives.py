"""Who is still at home although the shift has begun can leave only now: the drive to a first visit takes of its time.
Before a shift people drive to its first visit in their own: see departures."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from dispatch.planning.engine.routing_problem import EngineerDay, PlanJob, RoutingProblem


def still_at_home(engineers: Sequence[EngineerDay], fixed: Iterable[PlanJob]) -> tuple[EngineerDay, ...]:
    """The days, of which those are no longer at home that one of these fixed visits has begun already."""
    visits = [job.fixed for job in fixed if job.fixed]
    out = {visit.engineer for visit in visits if visit.span.start <= engineers[visit.engineer].shift.start}
    return tuple(
        replace(day, is_at_home=day.is_at_home and number not in out) for number, day in enumerate(engineers)
    )


def with_head_start(problem: RoutingProblem, seconds: int) -> RoutingProblem:
    """The drives from home of those who are still there so much shorter: a scope that begins later today leaves them
    that time before it."""
    homes = [day.home for day in problem.engineers if day.is_at_home]
    if not homes or not seconds:
        return problem
    travel_seconds = problem.travel_seconds.copy()
    drives = travel_seconds[homes]
    travel_seconds[homes] = drives - np.minimum(drives, seconds).astype(drives.dtype)
    return replace(problem, travel_seconds=travel_seconds)


def with_first_drives(problem: RoutingProblem) -> RoutingProblem:
    """With today's first visit of whoever is at home no earlier than they can be there; a team's for both."""
    starts: dict[int, int] = {}
    seen: set[int] = set()
    for visit in sorted(problem.present, key=lambda visit: (visit.start, visit.job)):
        day, job = problem.engineers[visit.engineer], problem.jobs[visit.job]
        if day.is_at_home and visit.engineer not in seen:
            arrives_at = day.shift.start + int(problem.travel_seconds[day.home, job.location])
            starts[abs(job.key)] = max(visit.start, arrives_at, starts.get(abs(job.key), 0))
        seen.add(visit.engineer)
    present = (
        visit._replace(start=starts.get(abs(problem.jobs[visit.job].key), visit.start))
        for visit in problem.present
    )
    return replace(problem, present=tuple(present))
