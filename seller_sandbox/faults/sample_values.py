"""Sample values of the fault interface, read once from data files."""

import json
from datetime import time
from functools import cache
from pathlib import Path
from typing import Any

from seller_sandbox.faults.working_time import Calendar

FOLDER = Path(__file__).parent / "data"


@cache
def read(name: str) -> dict[str, Any]:
    """A data file of this app by its name without .json."""
    return json.loads((FOLDER / f"{name}.json").read_text())


def calendar(row: dict[str, Any]) -> Calendar:
    return Calendar(
        frozenset(row["weekdays"]), time.fromisoformat(row["starts"]), time.fromisoformat(row["ends"])
    )
