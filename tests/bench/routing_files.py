"""Public vehicle-routing instances with time windows in Solomon's format (also Homberger and Gehring's), as planning
problems. They are no part of the repository: docs/numbers.md says how to get them.

Distances are cut after the first decimal place, as the published costs of CVRPLIB and the DIMACS challenge are.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dispatch.planning.engine.plan_value import visits_by_engineer
from dispatch.planning.engine.routing_problem import EngineerDay, Plan, PlanJob, PlanSpan, RoutingProblem

# of one unit of distance or time
TENTHS = 10
COLUMNS = 7


class NotReadable(ValueError):
    """The file has another format; the message names it."""


@dataclass(frozen=True)
class RoutingInstance:
    """`best_cost`: the best known distance, in units. `demands`: by job (index)."""

    name: str
    problem: RoutingProblem
    capacity: int
    demands: tuple[int, ...]
    best_cost: float


def read_instance(path: Path) -> RoutingInstance:
    """The instance, with the best known solution in the file of the same name that ends with `.sol`. Raises
    NotReadable, and OSError without that file."""
    numbers = [row for line in path.read_text().splitlines() if (row := _numbers(line))]
    if len(numbers) < 2 or len(numbers[0]) != 2 or any(len(row) != COLUMNS for row in numbers[1:]):
        raise NotReadable(f"{path.name} has not Solomon's format")
    (vehicles, capacity), depot, *customers = numbers
    positions = np.array([row[1:3] for row in numbers[1:]], dtype=np.float64)
    distances = np.hypot(*(positions[:, None] - positions[None, :]).transpose(2, 0, 1))
    shift = PlanSpan(depot[4] * TENTHS, depot[5] * TENTHS)
    problem = RoutingProblem(
        jobs=tuple(_job(number, row) for number, row in enumerate(customers, start=1)),
        engineers=tuple(EngineerDay(str(number), 0, shift) for number in range(vehicles)),
        # a hair more than nothing, so that 3 that is stored as 2.999… stays 3
        travel_seconds=np.floor(distances * TENTHS + 1e-9).astype(np.uint32),
    )
    demands = tuple(row[3] for row in customers)
    return RoutingInstance(path.stem, problem, capacity, demands, _best_cost(path.with_suffix(".sol")))


def _numbers(line: str) -> list[int]:
    """None in a line of text."""
    try:
        return [int(float(text)) for text in line.split()]
    except ValueError:
        return []


def _job(number: int, row: list[int]) -> PlanJob:
    _customer, _x, _y, _demand, ready, due, service = row
    # whoever needs no service is visited all the same
    return PlanJob(number, number, max(service * TENTHS, 1), ((ready * TENTHS, due * TENTHS),))


def _best_cost(path: Path) -> float:
    for line in path.read_text().splitlines():
        name, _space, value = line.partition(" ")
        if name.lower().rstrip(":") == "cost":
            return float(value)
    raise NotReadable(f"{path.name} names no cost")


def is_within_capacity(instance: RoutingInstance, plan: Plan) -> bool:
    """The planner knows no loads: a plan that a vehicle could not carry is compared with nothing."""
    routes = visits_by_engineer(instance.problem, plan)
    return all(sum(instance.demands[job] for _span, job in route) <= instance.capacity for route in routes)
