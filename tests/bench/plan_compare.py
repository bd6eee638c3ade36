"""The planner next to plain greedy, PyVRP and OR-Tools on the same days: jobs assigned, travel, seconds, memory.

PyVRP and OR-Tools are no part of the product: BENCH_COMPARE_PYTHON names a Python that has them (docs/numbers.md).
"""

import json
import os
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from dispatch.planning.engine.plan_check import list_breaches
from dispatch.planning.engine.plan_value import plan_value
from dispatch.planning.engine.routing_problem import Plan, PlanLimits, PlanVisit, RoutingProblem
from dispatch.planning.plan_runner import run_engine
from tests.bench.plan import PeakMemory
from tests.bench.plan_greedy import greedy_plan, starts_of
from tests.bench.plan_instances import make_instance
from tests.bench.rows import Row

VARIABLE = "BENCH_COMPARE_PYTHON"
SCRIPT = Path(__file__).with_name("compare_engines.py")
SEEDS = (1, 2)
# building the model of a large day takes longer than solving it
GRACE_SECONDS = 300


@dataclass(frozen=True)
class Result:
    """Of one engine on one day."""

    percent: float
    assigned: int
    travel_minutes: int
    seconds: float
    megabytes: float


Solve = Callable[[RoutingProblem, float], tuple[Plan, float]]


def compare_missing() -> str:
    return "" if os.environ.get(VARIABLE) else f"{VARIABLE} names no Python with pyvrp and ortools"


def measure(
    _folder: Path, *, sizes: dict[tuple[int, int], float], seeds: tuple[int, ...] = SEEDS
) -> Iterator[Row]:
    """`sizes`: engineers and jobs, with the seconds that each engine has."""
    for (engineers, jobs), seconds in sizes.items():
        problems = [make_instance(engineers, jobs, seed=seed) for seed in seeds]
        ours = [_result(problem, _ours, seconds) for problem in problems]
        for name, solve in OTHERS.items():
            theirs = [_result(problem, solve, seconds) for problem in problems]
            yield _row(f"plan_against_{name}_{engineers}x{jobs}", ours, theirs, jobs=jobs, limit=seconds)


def _result(problem: RoutingProblem, solve: Solve, seconds: float) -> Result:
    with PeakMemory() as peak:
        started = time.monotonic()
        plan, megabytes = solve(problem, seconds)
        used = time.monotonic() - started
    breaches = list_breaches(problem, plan)
    assert not breaches, f"the plan breaks {breaches[0]}"
    value = plan_value(problem, plan)
    return Result(
        round(value.percent, 2),
        value.assigned,
        value.travel_seconds // 60,
        used,
        megabytes or peak.megabytes,
    )


def _ours(problem: RoutingProblem, seconds: float) -> tuple[Plan, float]:
    return run_engine(problem, PlanLimits(seconds)), 0


def _greedy(problem: RoutingProblem, _seconds: float) -> tuple[Plan, float]:
    return greedy_plan(problem), 0


def _other(engine: str) -> Solve:
    def solve(problem: RoutingProblem, seconds: float) -> tuple[Plan, float]:
        done = subprocess.run(
            [os.environ[VARIABLE], str(SCRIPT), engine, f"{seconds:g}"],
            input=json.dumps(_as_json(problem)),
            capture_output=True,
            text=True,
            check=True,
            timeout=seconds + GRACE_SECONDS,
        )
        answer = json.loads(done.stdout)
        visits = [
            PlanVisit(job, engineer, start)
            for engineer, route in enumerate(answer["routes"])
            for job, start in _with_break(problem, engineer, route)
        ]
        return Plan(tuple(sorted(visits))), answer["megabytes"]

    return solve


OTHERS: dict[str, Solve] = {"greedy": _greedy, "pyvrp": _other("pyvrp"), "ortools": _other("ortools")}


def _with_break(problem: RoutingProblem, engineer: int, route: list[int]) -> list[tuple[int, int]]:
    """Jobs and starts with the engineer's break, without the least important jobs where it does not fit otherwise."""
    remaining = list(route)
    while (starts := starts_of(problem, engineer, remaining)) is None:
        remaining.remove(min(remaining, key=lambda job: problem.jobs[job].priority))
    return list(zip(remaining, starts, strict=True))


def _as_json(problem: RoutingProblem) -> dict[str, object]:
    """Of a day of plan_instances: one window a job, one break a day."""
    jobs = [
        {
            "location": job.location,
            "length": job.length_seconds,
            "first": job.start_windows[0][0],
            "last": job.start_windows[0][1],
            "skills": sorted(job.skills),
            "priority": job.priority,
        }
        for job in problem.jobs
    ]
    engineers = [
        {
            "home": engineer.home,
            "shift": engineer.shift,
            "break": engineer.breaks[0].length_seconds,
            "break_starts": engineer.breaks[0][:2],
            "skills": sorted(engineer.skills),
            "max_jobs": engineer.max_jobs,
        }
        for engineer in problem.engineers
    ]
    return {"jobs": jobs, "engineers": engineers, "travel_seconds": problem.travel_seconds.tolist()}


def _row(name: str, ours: list[Result], theirs: list[Result], *, jobs: int, limit: float) -> Row:
    value, other = (statistics.median(result.percent for result in results) for results in (ours, theirs))
    return Row(
        name=name,
        value=value,
        unit=f"% of the value assigned within {limit:g} s; {_figures(ours, jobs=jobs)}",
        compared_with=f"{other:g} %; {_figures(theirs, jobs=jobs)}",
        ratio=round(value / other, 3) if other else None,
        goal="not below",
        is_within_limit=value >= other,
    )


def _figures(results: list[Result], *, jobs: int) -> str:
    assigned, travel, seconds, megabytes = (
        statistics.median(figures)
        for figures in zip(
            *(
                (result.assigned, result.travel_minutes, result.seconds, result.megabytes)
                for result in results
            ),
            strict=True,
        )
    )
    return f"{assigned:g} of {jobs} jobs, travel {travel:g} min, {seconds:.1f} s, {megabytes:.0f} MB"
