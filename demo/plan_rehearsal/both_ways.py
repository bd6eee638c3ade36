"""The two days one after the other, each in a process and a database of its own."""

import json
from collections.abc import Callable
from pathlib import Path

from demo.environment import DemoEnvironment, run_command
from demo.plan_rehearsal.day_results import WAYS, DayResult
from demo.ports import free_ports
from demo.rehearsal.rehearsal_folders import empty_folder

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
