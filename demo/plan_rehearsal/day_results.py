"""What came of a rehearsed day, and both ways side by side: two days, each in a process and a database of its own."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from demo.environment import DemoEnvironment, run_command
from demo.ports import free_ports
from demo.rehearsal.rehearsal_folders import empty_folder
from demo.text_table import table

WAYS = GREEDY, PLANNER = "greedy", "planner"


@dataclass(frozen=True)
class DayResult:
    """`in_window`: jobs done that were begun before the end of their window. `late`: visits begun after their window.
    `behind_plan`: begun more than ten minutes after their planned start, as it was when the engineer set off.
    `moved`: visits that changed their engineer after the day had begun, `rescheduled`: only their time.
    `not_visited`: jobs that nobody cancelled and nobody came for. `out_of_time`: proposals that a time limit ended,
    after which no other run need be the same. `seconds`: of the machine."""

    jobs: int
    in_window: int
    driving_seconds: int
    late: int
    behind_plan: int
    moved: int
    rescheduled: int
    not_visited: int
    cancelled: int
    without_access: int
    overtime_seconds: int
    replans: int
    out_of_time: int
    seconds: float


def is_planner_ahead(greedy: DayResult, planner: DayResult) -> bool:
    """In the three figures that count; as many late arrivals as by hand are not ahead, even none."""
    return (
        planner.in_window > greedy.in_window
        and planner.driving_seconds < greedy.driving_seconds
        and planner.late < greedy.late
    )


def results_table(greedy: DayResult, planner: DayResult) -> str:
    rows: Sequence[tuple[str, object, object]] = [
        ("jobs done in their window", greedy.in_window, planner.in_window),
        ("driving hours", _hours(greedy.driving_seconds), _hours(planner.driving_seconds)),
        ("late arrivals", greedy.late, planner.late),
        ("begun more than 10 min behind the plan", greedy.behind_plan, planner.behind_plan),
        ("moves to another engineer in the day", greedy.moved, planner.moved),
        ("moves to another time only", greedy.rescheduled, planner.rescheduled),
        ("jobs nobody came for", greedy.not_visited, planner.not_visited),
        ("cancelled before anybody was on site", greedy.cancelled, planner.cancelled),
        ("visits without access", greedy.without_access, planner.without_access),
        ("work after the shift", _hours(greedy.overtime_seconds), _hours(planner.overtime_seconds)),
        ("changes of plan after a disturbance", greedy.replans, planner.replans),
        ("seconds of this machine", f"{greedy.seconds:.0f}", f"{planner.seconds:.0f}"),
    ]
    heads = (f"of {greedy.jobs} jobs", "by hand, nearest first", "by the planner")
    return table(heads, [(name, str(first), str(second)) for name, first, second in rows])


def _hours(seconds: int) -> str:
    return f"{seconds / timedelta(hours=1).total_seconds():.1f} h"


ENGINEERS, JOBS = 60, 300


def play_both_ways(
    folder: Path, *, engineers: int, jobs: int, seed: int, say: Callable[[str], None]
) -> tuple[DayResult, DayResult]:
    """By hand and by the planner, in SQLite below this folder, which is emptied before. Raises CommandError."""
    greedy, planner = (
        _play(folder / way, way, say=say, engineers=engineers, jobs=jobs, seed=seed) for way in WAYS
    )
    return greedy, planner


def _play(folder: Path, way: str, *, say: Callable[[str], None], **numbers: int) -> DayResult:
    say(f"{way} …\n")
    empty_folder(folder)
    demo = DemoEnvironment(folder=folder, ports=free_ports(), with_sandbox=False, apart=True)
    demo.prepare()
    run_command(demo.manage("migrate", "--verbosity", "0"))
    options = [f"--{name}={number}" for name, number in numbers.items()]
    return DayResult(**json.loads(run_command(demo.manage("rehearse_plan_day", way, *options))))
