"""Reads the JSON files of diagnostics/data."""

import json
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "data"


@cache
def read(name: str) -> dict[str, Any]:
    return json.loads((FOLDER / f"{name}.json").read_text())
