"""Spreadsheet files between a browser and a page: one that was chosen for an import, the rows of a CSV file whose
first line names its columns, and one to download.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django import forms
from django.http import HttpRequest, HttpResponse
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _

from closures.safe_csv import UnreadableSheet, decode_csv, read_csv

CSV_TYPE = "text/csv; charset=utf-8"
XLSX_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
MAX_CSV_BYTES = 500_000
MAX_CSV_ROWS = 1000


@dataclass(frozen=True)
class CellChange:
    """What a file changes in one cell; empty where it was or becomes empty."""

    column: str
    before: str
    after: str

    @property
    def text(self) -> str:
        """`Phone number: 07700 900123 → 07700 900124`."""
        return f"{self.column}: {self.before or '–'} → {self.after or '–'}"


class SpreadsheetForm(forms.Form):
    file = forms.FileField()


def read_upload(request: HttpRequest, *, max_bytes: int, missing: str) -> bytes:
    """The chosen file, one byte longer than `max_bytes` at most, so that its reader knows that it is too large.

    Raises UnreadableSheet with the sentence `missing` where no file came, or an empty one.
    """
    form = SpreadsheetForm(request.POST, request.FILES)
    if not form.is_valid():
        raise UnreadableSheet(missing)
    content: bytes = form.cleaned_data["file"].read(max_bytes + 1)
    return content


def download(content: bytes, *, name: str, content_type: str = CSV_TYPE) -> HttpResponse:
    """To save under this name; no browser keeps a copy of its own."""
    headers = {
        "Content-Disposition": content_disposition_header(as_attachment=True, filename=name) or "",
        "Cache-Control": "no-store",
    }
    return HttpResponse(content, content_type=content_type, headers=headers)


def decode(raw: bytes) -> str:
    """The text of a CSV file that is not too large. Raises UnreadableSheet."""
    if len(raw) > MAX_CSV_BYTES:
        raise UnreadableSheet(
            _("This file is larger than %(kilobytes)d kB.") % {"kilobytes": MAX_CSV_BYTES // 1000}
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
    if len(rows) > MAX_CSV_ROWS:
        raise UnreadableSheet(_("The file has more than %(number)d rows.") % {"number": MAX_CSV_ROWS})
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
