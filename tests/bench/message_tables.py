"""The tables of messages and events after years: how long daily work takes with millions of rows in them."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.bench.rows import Row

ROWS = 5_000_000
GOAL_MILLISECONDS = 500


def measure(name: str, *, url: str, folder: Path, rows: int = ROWS) -> list[Row]:
    """A row for each operation. On PostgreSQL only."""
    environment = {
        **os.environ,
        "DEPLOYMENT": "demo",
        "DATABASE_URL": url,
        "LOG_LEVEL": "ERROR",
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }
    command = [sys.executable, "-m", "tests.bench.message_tables_page", str(rows)]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    found = json.loads(done.stdout)
    (folder / "message_tables.json").write_text(json.dumps(found, indent=2))
    sizes = ", ".join(f"{table} {megabytes} MB" for table, megabytes in found["megabytes"].items())
    filled = Row(
        name=name,
        value=found["filled_seconds"],
        unit=f"s to make {found['rows']} rows",
        compared_with=sizes,
        ratio=None,
        goal="",
        is_within_limit=None,
    )
    return [filled, *(_row(name, operation) for operation in found["operations"])]


def _row(name: str, operation: dict[str, Any]) -> Row:
    read_whole, is_frequent = operation["read_whole"], operation["is_frequent"]
    is_quick = operation["milliseconds"] <= GOAL_MILLISECONDS and not read_whole
    return Row(
        name=f"{name}: {operation['name']}",
        value=operation["milliseconds"],
        unit=f"ms; quickest {operation['quickest']}, longest {operation['longest']}; {operation['pages']} pages read",
        compared_with=f"reads all of {', '.join(read_whole)}" if read_whole else "",
        ratio=None,
        goal=f"at most {GOAL_MILLISECONDS} ms, no table read whole" if is_frequent else "",
        is_within_limit=is_quick if is_frequent else None,
    )
