"""The planner on days with more work than they hold: value assigned, time limit, memory; and a greedy slot finder."""

import statistics
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from dispatch.planning.engine.plan_check import list_breaches
from dispatch.planning.engine.plan_value import plan_value
from dispatch.planning.engine.routing_problem import Plan, PlanLimits, RoutingProblem
from dispatch.planning.plan_runner import run_engine
from tests.bench.plan_bounds import most_percent
from tests.bench.plan_greedy import greedy_plan
from tests.bench.plan_instances import make_instance
from tests.bench.rows import Row

SEEDS = (1, 2, 3)
TOLERANCE_POINTS = 0.3
MOST_OVERSHOOT_SECONDS = 0.5
MOST_MEGABYTES = 600
LOOK_SECONDS = 0.2


@dataclass
class Measured:
    """One limit on one instance after the other."""

    percents: list[float] = field(default_factory=list)
    travel_minutes: list[int] = field(default_factory=list)
    assigned: list[int] = field(default_factory=list)
    overshoots: list[float] = field(default_factory=list)
    megabytes: list[float] = field(default_factory=list)


def measure(
    _folder: Path,
    *,
    engineers: int,
    jobs: int,
    goals: dict[float, float],
    seeds: tuple[int, ...] = SEEDS,
) -> Iterator[Row]:
    """`goals`: the least percent of the value after so many seconds."""
    problems = [make_instance(engineers, jobs, seed=seed) for seed in seeds]
    started = time.monotonic()
    greedy = _measured(problems, [greedy_plan(problem) for problem in problems])
    greedy_seconds = (time.monotonic() - started) / len(problems)
    name = f"plan_{engineers}x{jobs}"
    most = statistics.median(most_percent(problem) for problem in problems)
    for seconds, goal in goals.items():
        found = _run(problems, seconds=seconds)
        row = _value_row(
            f"{name}_{seconds:g}s", found, greedy, goal=goal, greedy_seconds=greedy_seconds, jobs=jobs
        )
        yield (
            replace(row, goal=f"{row.goal}; no plan can hold more than {most:.1f} %") if most < goal else row
        )
    yield _limit_row(f"{name}_limit", found.overshoots)
    yield _memory_row(f"{name}_memory", found.megabytes)


def _run(problems: list[RoutingProblem], *, seconds: float) -> Measured:
    plans, overshoots, megabytes = list[Plan](), list[float](), list[float]()
    for problem in problems:
        with PeakMemory() as peak:
            started = time.monotonic()
            plans.append(run_engine(problem, PlanLimits(seconds)))
            overshoots.append(time.monotonic() - started - seconds)
        megabytes.append(peak.megabytes)
    found = _measured(problems, plans)
    found.overshoots, found.megabytes = overshoots, megabytes
    return found


def _measured(problems: list[RoutingProblem], plans: list[Plan]) -> Measured:
    found = Measured()
    for problem, plan in zip(problems, plans, strict=True):
        breaches = list_breaches(problem, plan)
        assert not breaches, f"the plan breaks {breaches[0]}"
        value = plan_value(problem, plan)
        found.percents.append(round(value.percent, 2))
        found.travel_minutes.append(value.travel_seconds // 60)
        found.assigned.append(value.assigned)
    return found


def _value_row(
    name: str, found: Measured, greedy: Measured, *, goal: float, greedy_seconds: float, jobs: int
) -> Row:
    value, baseline = statistics.median(found.percents), statistics.median(greedy.percents)
    travel, travel_of_greedy = (
        statistics.median(found.travel_minutes),
        statistics.median(greedy.travel_minutes),
    )
    return Row(
        name=name,
        value=value,
        unit=f"% of the value assigned, median of {found.percents}; {statistics.median(found.assigned):g} of "
        f"{jobs} jobs, travel {travel:g} min",
        compared_with=f"{baseline:g} %, {statistics.median(greedy.assigned):g} jobs and {travel_of_greedy:g} min "
        f"of a greedy slot finder in {greedy_seconds:.1f} s",
        ratio=round(value / baseline, 3),
        goal=f"at least {goal:g} %, tolerance {TOLERANCE_POINTS:g} points",
        is_within_limit=value >= goal - TOLERANCE_POINTS,
    )


def _limit_row(name: str, overshoots: list[float]) -> Row:
    longest = round(max(overshoots), 2)
    return Row(
        name=name,
        value=longest,
        unit="s over the time limit, the longest",
        compared_with="",
        ratio=None,
        goal=f"at most {MOST_OVERSHOOT_SECONDS:g} s",
        is_within_limit=longest <= MOST_OVERSHOOT_SECONDS,
    )


def _memory_row(name: str, megabytes: list[float]) -> Row:
    most = round(max(megabytes))
    return Row(
        name=name,
        value=most,
        unit="MB of all processes of the planner together (PSS)",
        compared_with="",
        ratio=None,
        goal=f"at most {MOST_MEGABYTES} MB",
        is_within_limit=most <= MOST_MEGABYTES,
    )


class PeakMemory:
    """The most that the descendants of this process have together while it is open."""

    def __enter__(self) -> "PeakMemory":
        self.megabytes = 0.0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look)
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._ended.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._ended.wait(LOOK_SECONDS):
            own = sum(map(_proportional_megabytes, _descendants()))
            self.megabytes = max(self.megabytes, own)


def _descendants() -> list[int]:
    found, parents = [], ["self"]
    while parents:
        tasks = [task for parent in parents for task in Path(f"/proc/{parent}/task").glob("*/children")]
        children = [pid for task in tasks for pid in _read(task).split()]
        found += [int(pid) for pid in children]
        parents = children
    return found


def _proportional_megabytes(pid: int) -> float:
    for line in _read(Path(f"/proc/{pid}/smaps_rollup")).splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1024
    return 0.0


def _read(path: Path) -> str:
    """Empty for a process that has ended."""
    try:
        return path.read_text()
    except OSError:
        return ""
