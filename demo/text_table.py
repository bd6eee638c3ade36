"""A table for a terminal; needs no Django, so that tools may print one before anything starts."""

from collections.abc import Iterable, Sequence


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Columns as wide as their widest cell; the last one runs on."""
    everything = [list(heads), *map(list, rows)]
    widths = [max(len(row[column]) for row in everything) for column in range(len(heads) - 1)]
    return "\n".join(_line(row, widths) for row in everything)


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
    return "  ".join([*cells, row[-1]])
