"""The map of a day with thousands of pins, dragged by a mouse in Chromium: the longest frame."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.bench.rows import Row

PINS, ROUNDS = 5000, 5
FEW = 50
GOAL_MILLISECONDS = 50


def measure(folder: Path, *, pins: int = PINS, rounds: int = ROUNDS) -> list[Row]:
    environment = {
        **os.environ,
        "DEPLOYMENT": "demo",
        "DATABASE_URL": f"sqlite:///{folder / 'map.sqlite3'}",
        "LOG_LEVEL": "ERROR",
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "RATE_LIMIT_SCALE": "1000",
    }
    command = [sys.executable, "-m", "tests.bench.map_pins_page", *map(str, (rounds, FEW, pins))]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    few, many = (json.loads(line) for line in done.stdout.splitlines())
    return [
        Row(
            name="map_pins",
            value=many["longest"],
            unit=f"ms for the longest frame while {pins} pins are panned, the middle one of {rounds} pans of "
            f"{many['frames']} frames; {many['median']} ms for the middle frame",
            compared_with=f"{few['longest']} ms for {FEW} pins",
            ratio=round(many["longest"] / few["longest"], 2),
            goal=f"at most {GOAL_MILLISECONDS} ms",
            is_within_limit=many["longest"] <= GOAL_MILLISECONDS,
        )
    ]
