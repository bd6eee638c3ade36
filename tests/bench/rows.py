"""One measured figure next to what it is compared with, or the reason why there is none; the file that keeps them."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from demo.text_table import table

FULL, QUICK = "full", "quick"


@dataclass(frozen=True)
class Row:
    """`ratio` is value over the compared figure of the same run; `goal` is the text of what `met` answers.

    The runner adds the rest: the measurement that made the row, its form, when it was made (ISO 8601, UTC) and how many
    seconds after the measurement began. A row that `failed` has the reason in one line and no value. `met` is None
    where nothing is compared with the goal, which belongs to the full form.
    """

    name: str
    value: float | None
    unit: str
    compared_with: str
    ratio: float | None
    goal: str
    is_within_limit: bool | None
    failed: str = ""
    measurement: str = ""
    form: str = FULL
    measured_at: str = ""
    seconds: float = 0


def failure(name: str, reason: str) -> Row:
    return Row(name, None, "", "", None, "", None, failed=reason)


def write(rows: Sequence[Row], path: Path) -> None:
    """Put the rows in the place of earlier ones of the same measurement and form; all others stay.

    The file is replaced as a whole: whoever reads it, at any moment, finds the old rows or the new ones.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    earlier = json.loads(path.read_text()) if path.exists() else []
    # rows from before there were forms say nothing of their measurement
    replaced = {(None, None), *((row.measurement, row.form) for row in rows)}
    others = [row for row in earlier if (row.get("measurement"), row.get("form")) not in replaced]
    written = path.with_suffix(".new")
    written.write_text(json.dumps([*others, *map(asdict, rows)], indent=2, ensure_ascii=False) + "\n")
    written.replace(path)


def show(rows: Sequence[Row]) -> str:
    heads = ("name", "value", "unit", "ratio", "is_within_limit", "goal", "compared with")
    return table(heads, [_cells(row) for row in rows])


def _cells(row: Row) -> tuple[str, ...]:
    if row.failed:
        return row.name, "failed", "", "", "", "", row.failed
    quick = row.form == QUICK
    ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
    verdict = "quick" if quick else {True: "yes", False: "NO", None: ""}[row.is_within_limit]
    goal = f"in full: {row.goal}" if quick else row.goal
    return row.name, f"{row.value:g}", row.unit, ratio, verdict, goal, row.compared_with


def tail(ascending: Sequence[float]) -> tuple[float, str]:
    """The 99th percentile, or of fewer than a hundred values the longest, and what it is called."""
    few = len(ascending) < 100
    text = f"the longest of {len(ascending)}" if few else "99th percentile"
    return ascending[int(len(ascending) * 0.99)], text
