"""An urgent job comes at ten on a full day: how soon three options to do it are there, and what each disturbs."""

import statistics
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from dispatch.planning.engine.plan_check import list_breaches
from dispatch.planning.engine.routing_problem import HIGHEST_PRIORITY, Plan, RoutingProblem
from dispatch.planning.plan_options import plan_options
from dispatch.planning.plan_runner import EngineProcess, run_options
from tests.bench.plan_sick import TEN, disturbed_day, moved_visits
from tests.bench.rows import Row

SEEDS = (1, 2, 3)
GOAL_SECONDS = 1
# of an option, as comparisons requests them
SECONDS = 2
# then the engine that was started ahead waits for its request
READY_SECONDS = 3


def measure(
    _folder: Path, *, engineers: int = 60, jobs: int = 300, seeds: tuple[int, ...] = SEEDS
) -> Iterator[Row]:
    for name, is_ahead in (("plan_urgent", True), ("plan_urgent_cold", False)):
        seconds, moved, placed = list[float](), list[list[int]](), 0
        for seed in seeds:
            problem, urgent = urgent_day(engineers, jobs, seed=seed)
            engine = EngineProcess()
            if is_ahead:
                time.sleep(READY_SECONDS)
            started = time.monotonic()
            plans = run_options(problem, plan_options([urgent], (30, 30, 10), seconds=SECONDS), engine=engine)
            seconds.append(round(time.monotonic() - started, 2))
            assert not any(list_breaches(problem, plan) for plan in plans)
            moved.append([moved_visits(problem, plan) for plan in plans])
            placed += sum(urgent in plan.by_job for plan in plans)
        yield _row(name, seconds, moved, placed=placed)


def urgent_day(engineers: int, jobs: int, *, seed: int) -> tuple[RoutingProblem, int]:
    """At ten, and a job (index) that nobody had time for."""
    day = disturbed_day(engineers, jobs, seed=seed, is_absent=False)
    waiting = Plan(day.problem.present).unassigned(day.problem)
    urgent = next(job for job in waiting if day.problem.jobs[job].start_windows[-1][1] > TEN)
    changed = list(day.problem.jobs)
    changed[urgent] = replace(changed[urgent], priority=HIGHEST_PRIORITY)
    return replace(day.problem, jobs=tuple(changed)), urgent


def _row(name: str, seconds: list[float], moved: list[list[int]], *, placed: int) -> Row:
    value = statistics.median(seconds)
    return Row(
        name=name,
        value=value,
        unit=f"s to three proposals, median of {seconds}; urgent job assigned in {placed} of {3 * len(seconds)}; "
        f"visits moved in each: {moved}",
        compared_with="",
        ratio=None,
        goal=f"at most {GOAL_SECONDS} s, each with the urgent job",
        is_within_limit=value <= GOAL_SECONDS and placed == 3 * len(seconds),
    )
