"""The page of two weeks' capacity for 200 engineers and 5,000 jobs: milliseconds and queries."""

import json
import subprocess
import sys
from pathlib import Path

from tests.bench.board_live import environment_of
from tests.bench.rows import Row

ENGINEERS, JOBS = 200, 5_000
SMALL = 3
GOAL_MILLISECONDS = 1_000


def measure(folder: Path, *, engineers: int = ENGINEERS, jobs: int = JOBS) -> list[Row]:
    """Two rows: how long the page takes, and that its queries do not grow with what is ahead."""
    sizes = [str(SMALL), str(SMALL), str(engineers), str(jobs)]
    command = [sys.executable, "-m", "tests.bench.capacity_page", *sizes]
    done = subprocess.run(command, env=environment_of(folder), stdout=subprocess.PIPE, text=True, check=True)
    small, full = (json.loads(line) for line in done.stdout.splitlines())
    return [
        Row(
            name=f"capacity_{ENGINEERS}",
            value=full["milliseconds"],
            unit=f"ms for {engineers} engineers and {jobs} jobs, {full['short']} short, {full['kilobytes']} kB",
            compared_with=f"{full['counting']} ms of it to read and count; the worker's watch does the same",
            ratio=round(full["milliseconds"] / full["counting"], 2),
            goal=f"at most {GOAL_MILLISECONDS} ms",
            is_within_limit=full["milliseconds"] <= GOAL_MILLISECONDS,
        ),
        Row(
            name=f"capacity_{ENGINEERS}_queries",
            value=full["queries"],
            unit=f"queries for {engineers} engineers and {jobs} jobs",
            compared_with=f"{small['queries']} for {SMALL} engineers and {SMALL} jobs",
            ratio=round(full["queries"] / small["queries"], 2),
            goal="as many as for the small one",
            is_within_limit=full["queries"] == small["queries"],
        ),
    ]
