"""A CSV file with one named column for each fact, as the import of engineers takes it."""

from collections.abc import Iterable, Sequence

from django.utils.translation import gettext as _

from closures.safe_csv import UnreadableSheet, decode_csv, read_csv

MAX_BYTES = 500_000
MAX_ROWS = 1000


def decode(raw: bytes) -> str:
    """The text of a file that is not too large. Raises UnreadableSheet."""
    if len(raw) > MAX_BYTES:
        raise UnreadableSheet(
            _("This file is larger than %(kilobytes)d kB.") % {"kilobytes": MAX_BYTES // 1000}
        )
    return decode_csv(raw)


def read_rows(text: str, columns: Iterable[str]) -> list[tuple[int, dict[str, str]]]:
    """(line in the file, cell by column) of each row that is not empty; columns may be missing and in any order.

    Raises UnreadableSheet for unknown or repeated columns, too many rows, or a row that is longer than the header.
    """
    lines = read_csv(text)
    header = [_column(cell) for cell in next(lines, (0, []))[1]]
    _check_header(header, set(columns))
    rows = [(line, _cells(header, cells, line)) for line, cells in lines if any(cells)]
    if len(rows) > MAX_ROWS:
        raise UnreadableSheet(_("The file has more than %(number)d rows.") % {"number": MAX_ROWS})
    return rows


def _column(cell: str) -> str:
    return "_".join(cell.lower().replace("-", " ").split())


def _check_header(header: Sequence[str], known: set[str]) -> None:
    named = [column for column in header if column]
    unknown = [column for column in named if column not in known]
    if not named:
        raise UnreadableSheet(_("The first line must name the columns. Start from the template."))
    if unknown:
        parameters = {"columns": ", ".join(unknown[:5])}
        raise UnreadableSheet(_("Unknown columns: %(columns)s. Start from the template.") % parameters)
    if len(set(named)) < len(named):
        raise UnreadableSheet(_("A column is named twice in the first line."))


def _cells(header: Sequence[str], cells: Sequence[str], line: int) -> dict[str, str]:
    if any(cells[len(header) :]):
        text = _("Line %(line)d has more cells than the first line has columns.")
        raise UnreadableSheet(text % {"line": line})
    found = dict(zip(header, (*cells, *[""] * len(header)), strict=False))
    return {column: cell for column, cell in found.items() if column}
