"""CSV in which no cell is a formula: what a cell may begin with, and the guard before it, taken off again. Pure."""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

# a spreadsheet takes a text that begins so for a formula
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")
GUARD = "'"
BYTE_ORDER_MARK = "\ufeff"


def write_csv(rows: Iterable[Sequence[Any]]) -> bytes:
    """As German and English spreadsheets open it at a double click; `remove_guard` gives each cell back."""
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=";").writerows([_guarded(cell) for cell in row] for row in rows)
    return (BYTE_ORDER_MARK + file.getvalue()).encode()


def remove_guard(cell: str) -> str:
    return cell[1:] if cell.startswith(GUARD) and _needs_guard(cell[1:]) else cell


def _guarded(cell: Any) -> Any:
    """Numbers are no formulas."""
    return f"{GUARD}{cell}" if isinstance(cell, str) and _needs_guard(cell) else cell


def _needs_guard(cell: str) -> bool:
    return cell.startswith((*FORMULA_STARTS, GUARD))
