"""What parsing, validating and reading an order message costs, against a plain parse of the same bytes by lxml."""

import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

from demo.environment import BASE_DIR
from tests.bench.rows import Row

ROUNDS = 60
GOAL = 6.0


def measure(folder: Path, *, rounds: int = ROUNDS) -> list[Row]:
    """In a process with the sandbox seller's own settings; the median of the rounds' ratios counts."""
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "seller_sandbox.settings",
        "SANDBOX_DATABASE_PATH": str(folder / "sandbox.sqlite3"),
    }
    command = [sys.executable, "-m", "tests.bench.order_message", "--rounds", str(rounds)]
    done = subprocess.run(
        command, cwd=BASE_DIR, env=environment, stdout=subprocess.PIPE, text=True, check=True
    )
    pairs = json.loads(done.stdout)
    ratio = statistics.median(read / plain for read, plain in pairs)
    read, plain = (statistics.median(column) for column in zip(*pairs, strict=True))
    return [
        Row(
            name="orders_parse",
            value=round(read, 1),
            unit=f"µs of processor time a request, the examples of docs/order-messages.md, {rounds} rounds",
            compared_with=f"{plain:.1f} µs plain lxml parse of the same bytes",
            ratio=round(ratio, 2),
            goal=f"ratio at most {GOAL:g}",
            is_within_limit=ratio <= GOAL,
        )
    ]
