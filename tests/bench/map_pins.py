"""The map of a day with thousands of pins, dragged by a mouse in Chromium: the longest frame."""

import json
import subprocess
import sys
from pathlib import Path

from tests.bench.board_live import environment_of
from tests.bench.rows import Row

PINS, ROUNDS = 5000, 5
FEW = 50
GOAL_MILLISECONDS = 50


def measure(folder: Path, *, pins: int = PINS, rounds: int = ROUNDS) -> list[Row]:
    environment = {**environment_of(folder), "RATE_LIMIT_SCALE": "1000"}
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
