"""The board of a day for 60 engineers and 300 jobs: milliseconds and queries."""

import json
import subprocess
import sys
from pathlib import Path

from tests.bench.board_live import environment_of, run_module
from tests.bench.rows import Row

ENGINEERS, JOBS = 60, 300
SMALL = 3
GOAL_MILLISECONDS = 500


def measure(folder: Path, *, engineers: int = ENGINEERS, jobs: int = JOBS) -> list[Row]:
    """Two rows: how long the page takes, and that its queries do not grow with the day."""
    sizes = [str(SMALL), str(SMALL), str(engineers), str(jobs)]
    command = [sys.executable, "-m", "tests.bench.board_page", *sizes]
    done = subprocess.run(command, env=environment_of(folder), stdout=subprocess.PIPE, text=True, check=True)
    small, full = (json.loads(line) for line in done.stdout.splitlines())
    return [
        Row(
            name=f"board_{ENGINEERS}x{JOBS}",
            value=full["milliseconds"],
            unit=f"ms for {engineers} engineers and {jobs} jobs, {full['queries']} queries, {full['kilobytes']} kB",
            compared_with=f"{small['milliseconds']} ms for {SMALL} engineers and {SMALL} jobs",
            ratio=round(full["milliseconds"] / small["milliseconds"], 2),
            goal=f"at most {GOAL_MILLISECONDS} ms",
            is_within_limit=full["milliseconds"] <= GOAL_MILLISECONDS,
        ),
        Row(
            name=f"board_{ENGINEERS}x{JOBS}_queries",
            value=full["queries"],
            unit=f"queries for {engineers} engineers and {jobs} jobs",
            compared_with=f"{small['queries']} for {SMALL} engineers and {SMALL} jobs",
            ratio=round(full["queries"] / small["queries"], 2),
            goal="as many as for the small day",
            is_within_limit=full["queries"] == small["queries"],
        ),
    ]


def measure_road_drives(folder: Path, *, engineers: int = ENGINEERS, jobs: int = JOBS) -> list[Row]:
    """The page reads the drives of its day, however many a travel server has given."""
    found = run_module(folder, "road_drives_page", engineers, jobs)
    stored, estimated = found["stored"], found["estimated"]
    return [
        Row(
            name="board_road_drives",
            value=stored["milliseconds"],
            unit=f"ms with {found['drives']} drives of a travel server stored, {stored['queries']} queries",
            compared_with=f"{estimated['milliseconds']} ms and {estimated['queries']} queries with estimated drives",
            ratio=round(stored["milliseconds"] / estimated["milliseconds"], 2),
            goal=f"at most {GOAL_MILLISECONDS} ms",
            is_within_limit=stored["milliseconds"] <= GOAL_MILLISECONDS,
        )
    ]
