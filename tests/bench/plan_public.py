"""The planner on public vehicle-routing instances: how much farther than the best known solution it drives."""

import os
import statistics
from collections.abc import Iterator
from pathlib import Path

from dispatch.planning.engine.plan_check import list_breaches
from dispatch.planning.engine.plan_value import plan_value
from dispatch.planning.engine.routing_problem import PlanLimits
from dispatch.planning.plan_runner import run_engine
from tests.bench.routing_files import TENTHS, RoutingInstance, is_within_capacity, read_instance
from tests.bench.rows import Row

VARIABLE = "BENCH_ROUTING_FILES"


def files_missing() -> str:
    if not os.environ.get(VARIABLE):
        return f"{VARIABLE} names no folder with public routing instances (docs/numbers.md)"
    return "" if instance_files() else f"no instance with its .sol in {VARIABLE}"


def instance_files() -> list[Path]:
    folder = Path(os.environ.get(VARIABLE, ""))
    return [path for path in sorted(folder.glob("*.txt")) if path.with_suffix(".sol").is_file()]


def measure(
    _folder: Path, *, seconds: float = 20, most: int | None = None, neighbourhoods: int | None = None
) -> Iterator[Row]:
    """`most`: of the files, in the order of their names; None is all. `neighbourhoods` as for PlanLimits."""
    gaps: dict[str, float] = {}
    left_out: list[str] = []
    for path in instance_files()[:most]:
        instance = read_instance(path)
        gap = find_gap(instance, PlanLimits(seconds, neighbourhoods=neighbourhoods))
        if gap is None:
            left_out.append(instance.name)
        else:
            gaps[instance.name] = gap
    yield _row(gaps, left_out, seconds=seconds)


def find_gap(instance: RoutingInstance, limits: PlanLimits) -> float | None:
    """In percent; None for a plan that leaves a customer out or that a vehicle could not carry."""
    problem = instance.problem
    plan = run_engine(problem, limits)
    breaches = list_breaches(problem, plan)
    assert not breaches, f"the plan breaks {breaches[0]}"
    if plan.unassigned(problem) or not is_within_capacity(instance, plan):
        return None
    cost = plan_value(problem, plan).travel_seconds / TENTHS
    return 100 * (cost / instance.best_cost - 1)


def _row(gaps: dict[str, float], left_out: list[str], *, seconds: float) -> Row:
    names = ", ".join(f"{name} {gap:.1f}" for name, gap in gaps.items())
    text = f"% farther than the best known, median of {len(gaps)} instances at {seconds:g} s each ({names})"
    if left_out:
        text += f"; left out, since a load or a customer was too much: {', '.join(left_out)}"
    return Row(
        name="plan_public",
        value=round(statistics.median(gaps.values()), 1) if gaps else None,
        unit=text,
        compared_with="best known solutions",
        ratio=None,
        goal="",
        is_within_limit=None,
    )
