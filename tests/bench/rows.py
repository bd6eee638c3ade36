"""One measured figure beside what it is compared with."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from config.rehearsal.report import table


@dataclass(frozen=True)
class Row:
    """`ratio` is value over the compared figure of the same run; `goal` says in words what `met` answers."""

    name: str
    value: float
    unit: str
    compared_with: str
    ratio: float | None
    goal: str
    met: bool | None


def write(rows: Sequence[Row], path: Path) -> None:
    """Rows of an earlier run that were not measured again stay."""
    path.parent.mkdir(parents=True, exist_ok=True)
    kept = json.loads(path.read_text()) if path.exists() else []
    named = {row["name"]: row for row in [*kept, *map(asdict, rows)]}
    path.write_text(json.dumps(list(named.values()), indent=2, ensure_ascii=False) + "\n")


def show(rows: Sequence[Row]) -> str:
    heads = ("name", "value", "unit", "ratio", "met", "goal", "compared with")
    return table(heads, [_cells(row) for row in rows])


def _cells(row: Row) -> tuple[str, ...]:
    ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
    met = {True: "yes", False: "NO", None: ""}[row.met]
    return row.name, f"{row.value:g}", row.unit, ratio, met, row.goal, row.compared_with
