"""A day of which a part is assigned already: what a plan that moves few visits is worth, next to a new one."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from dispatch.planning.engine.plan_check import list_breaches
from dispatch.planning.engine.plan_value import plan_value
from dispatch.planning.engine.routing_problem import PlanLimits, RoutingProblem
from dispatch.planning.plan_runner import run_engine
from tests.bench.plan_greedy import greedy_plan
from tests.bench.plan_instances import make_instance
from tests.bench.rows import Row

SEEDS = (1, 2)
# the board's default
CHANGE_SECONDS = 1800
MOST_POINTS = 1.0
# by work, not by time: the plan is the same on a machine that is busy
NEIGHBOURHOODS, SECONDS = 200, 600


def measure(
    _folder: Path,
    *,
    engineers: int = 20,
    jobs: int = 100,
    present: tuple[int, ...] = (1, 40),
    seeds: tuple[int, ...] = SEEDS,
    neighbourhoods: int = NEIGHBOURHOODS,
) -> Iterator[Row]:
    for number in present:
        new, few, greedy = list[float](), list[float](), list[float]()
        for seed in seeds:
            problem = make_instance(engineers, jobs, seed=seed)
            plan = run_engine(problem, PlanLimits(SECONDS, neighbourhoods))
            new.append(plan_value(problem, plan).percent)
            greedy.append(plan_value(problem, greedy_plan(problem)).percent)
            today = replace(problem, present=plan.visits[:number])
            few.append(_percent(today, neighbourhoods=neighbourhoods))
        yield _row(number, new=new, few=few, greedy=greedy)


def _percent(problem: RoutingProblem, *, neighbourhoods: int) -> float:
    plan = run_engine(problem, PlanLimits(SECONDS, neighbourhoods, change_seconds=CHANGE_SECONDS))
    assert not list_breaches(problem, plan)
    return plan_value(problem, plan).percent


def _row(number: int, *, new: list[float], few: list[float], greedy: list[float]) -> Row:
    points = max(best - found for best, found in zip(new, few, strict=True))
    is_above_greedy = all(found >= least for found, least in zip(few, greedy, strict=True))
    return Row(
        name=f"plan_few_changes_{number}",
        value=round(points, 2),
        unit=f"points below a new plan at most, with {number} visits of today: {_text(few)} % of the value",
        compared_with=f"{_text(new)} % of a new plan, {_text(greedy)} % of a greedy slot finder",
        ratio=None,
        goal=f"at most {MOST_POINTS:g}, and not below the slot finder",
        is_within_limit=points <= MOST_POINTS and is_above_greedy,
    )


def _text(percents: list[float]) -> str:
    return ", ".join(f"{percent:.1f}" for percent in percents)
