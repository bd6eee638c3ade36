"""How much of a day's value any plan at all can hold: what is no more than arithmetic, whatever the planner does."""

import numpy as np

from dispatch.planning.engine.routing_problem import RoutingProblem


def most_percent(problem: RoutingProblem) -> float:
    """No plan assigns a larger share of the jobs' value, where drives are working time, no visit is fixed and no two
    jobs are at one location of the matrix, as in plan_instances.

    Every job costs its length and at least the shortest way to it, all of them together no more than the shifts without
    their breaks; the jobs that are worth most for their time go first, and the last of them may be cut.
    """
    ways = np.array(problem.travel_seconds, dtype=float)
    np.fill_diagonal(ways, np.inf)
    shortest = ways.min(axis=0)
    jobs = [(job.priority, job.length_seconds + shortest[job.location]) for job in problem.jobs]
    left, value = float(_working_seconds(problem)), 0.0
    for priority, seconds in sorted(jobs, key=lambda job: job[0] / job[1], reverse=True):
        share = min(1.0, left / seconds)
        value, left = value + share * priority, left - share * seconds
    return float(100 * value / sum(priority for priority, _ in jobs))


def _working_seconds(problem: RoutingProblem) -> int:
    return sum(
        day.shift.end - day.shift.start - sum(pause.length_seconds for pause in day.breaks)
        for day in problem.engineers
    )
