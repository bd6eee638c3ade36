"""A change anywhere on many open boards, and their return after the stream was away."""

import json
import os
import subprocess
import sys
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from demo.ports import free_ports
from tests.bench.rows import Row, tail

ENGINEERS, JOBS, BOARDS, CHANGES = 60, 300, 200, 40
GOAL_MILLISECONDS, GOAL_SECONDS = 300, 3


def environment_of(folder: Path) -> dict[str, str]:
    """Of a process with a database in this folder; the day that it grows is next week's Monday, at whatever date."""
    today = date.today()  # noqa: DTZ011  # the day need only lie ahead
    return {
        **os.environ,
        "DEPLOYMENT": "demo",
        "DATABASE_URL": f"sqlite:///{folder / 'board.sqlite3'}",
        "LOG_LEVEL": "ERROR",
        "RATE_LIMIT_SCALE": "100",
        "TEST_DAY": (today + timedelta(days=7 - today.weekday())).isoformat(),
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }


def run_module(folder: Path, name: str, *arguments: object) -> dict[str, Any]:
    """What the module prints as JSON in its last line."""
    command = [sys.executable, "-m", f"tests.bench.{name}", *map(str, arguments)]
    done = subprocess.run(command, env=environment_of(folder), stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def measure(
    folder: Path,
    *,
    engineers: int = ENGINEERS,
    jobs: int = JOBS,
    boards: int = BOARDS,
    changes: int = CHANGES,
) -> list[Row]:
    run_module(folder, "board_day", engineers, jobs)
    found = run_module(folder, "board_changes", free_ports().board_stream, boards, changes)
    longest, text = tail(found["milliseconds"])
    return [
        Row(
            name="board_change_seen",
            value=round(longest, 1),
            unit=f"ms, {text}: {changes} changes on {boards} boards of {engineers} engineers and {jobs} jobs",
            compared_with=f"median {found['milliseconds'][len(found['milliseconds']) // 2]:.1f} ms",
            ratio=None,
            goal=f"at most {GOAL_MILLISECONDS} ms",
            is_within_limit=longest <= GOAL_MILLISECONDS,
        ),
        Row(
            name="board_reconnect",
            value=round(found["reconnected"], 2),
            unit=f"s until {boards} boards know the truth again, a browser's pause of 1 s included",
            compared_with="",
            ratio=None,
            goal=f"at most {GOAL_SECONDS} s",
            is_within_limit=found["reconnected"] <= GOAL_SECONDS,
        ),
    ]
