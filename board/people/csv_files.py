"""CSV files as people's spreadsheets write and read them: semicolon, comma or tab, with or without byte-order mark."""

import csv
import io
from collections.abc import Iterable, Sequence

from django.utils.translation import gettext as _

from closures.safe_csv import BYTE_ORDER_MARK, remove_guard

MAX_BYTES = 500_000
MAX_ROWS = 1000
DELIMITERS = ";,\t"


class UnreadableCsv(ValueError):
    """The file as a whole cannot be read; the message says why."""


def decode(raw: bytes) -> str:
    """UTF-8, UTF-16 with its mark, or what Windows writes. Raises UnreadableCsv."""
    if len(raw) > MAX_BYTES:
        raise UnreadableCsv(
            _("This file is larger than %(kilobytes)d kB.") % {"kilobytes": MAX_BYTES // 1000}
        )
    encodings = ("utf-16",) if raw[:2] in {b"\xff\xfe", b"\xfe\xff"} else ("utf-8-sig", "cp1252")
    for encoding in encodings:
        try:
            text = raw.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            return text.removeprefix(BYTE_ORDER_MARK)
    raise UnreadableCsv(_("This is not a text file. In the spreadsheet, save it as CSV."))


def read_rows(text: str, columns: Iterable[str]) -> list[tuple[int, dict[str, str]]]:
    """(line in the file, cell by column) of each row that is not empty; columns may be missing and in any order.

    Raises UnreadableCsv for unknown or repeated columns, too many rows, or a row that is longer than the header.
    """
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text))
    try:
        header = [_column(cell) for cell in next(lines, [])]
        _check_header(header, set(columns))
        rows = []
        for cells in lines:
            if any(cell.strip() for cell in cells):
                rows.append((lines.line_num, _cells(header, cells, lines.line_num)))
    except csv.Error as problem:
        text = _("Line %(line)d can't be read as CSV.") % {"line": lines.line_num}
        raise UnreadableCsv(text) from problem
    if len(rows) > MAX_ROWS:
        raise UnreadableCsv(_("The file has more than %(number)d rows.") % {"number": MAX_ROWS})
    return rows


def _delimiter(text: str) -> str:
    first = text.partition("\n")[0]
    return max(DELIMITERS, key=first.count)


def _column(cell: str) -> str:
    return "_".join(cell.strip().lower().replace("-", " ").split())


def _check_header(header: Sequence[str], known: set[str]) -> None:
    named = [column for column in header if column]
    unknown = [column for column in named if column not in known]
    if not named:
        raise UnreadableCsv(_("The first line must name the columns. Start from the template."))
    if unknown:
        parameters = {"columns": ", ".join(unknown[:5])}
        raise UnreadableCsv(_("Unknown columns: %(columns)s. Start from the template.") % parameters)
    if len(set(named)) < len(named):
        raise UnreadableCsv(_("A column is named twice in the first line."))


def _cells(header: Sequence[str], cells: Sequence[str], line: int) -> dict[str, str]:
    if any(cell.strip() for cell in cells[len(header) :]):
        text = _("Line %(line)d has more cells than the first line has columns.")
        raise UnreadableCsv(text % {"line": line})
    found = dict(zip(header, (*cells, *[""] * len(header)), strict=False))
    return {column: remove_guard(cell.strip()) for column, cell in found.items() if column}
