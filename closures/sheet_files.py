"""CSV and XLSX files as rows of cells, within limits; nothing in a file is calculated. Pure."""

import csv
import io
import zipfile
from collections.abc import Iterable, Iterator
from string import ascii_uppercase
from typing import Any

from django.utils.translation import gettext as _
from openpyxl import Workbook, load_workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.styles import Alignment, Font

from closures.safe_csv import remove_guard

MAX_BYTES = 2_000_000
MAX_UNPACKED_BYTES = 20_000_000
MAX_PARTS = 200
MAX_ROWS = 2_000
MAX_COLUMNS = 100
MAX_CELL_CHARACTERS = 5_000
ZIP_START = b"PK\x03\x04"
COLUMN_WIDTH = 24
Row = list[Any]


class UnreadableSheet(ValueError):
    """The file as a whole cannot be read; the message says why and what to do."""


def read_sheet(raw: bytes) -> list[Row]:
    """The rows of the first sheet, cells as text or number, empty ones as "". Raises UnreadableSheet."""
    if len(raw) > MAX_BYTES:
        raise UnreadableSheet(_("This file is larger than %(size)d MB.") % {"size": MAX_BYTES // 1_000_000})
    rows: list[Row] = []
    for number, cells in enumerate(_read_xlsx(raw) if raw.startswith(ZIP_START) else _read_csv(raw), start=1):
        if number > MAX_ROWS:
            raise UnreadableSheet(_("The file has more than %(number)d rows.") % {"number": MAX_ROWS})
        if len(cells) > MAX_COLUMNS:
            raise UnreadableSheet(_("Row %(row)d has too many columns.") % {"row": number})
        if any(len(str(cell)) > MAX_CELL_CHARACTERS for cell in cells):
            parameters = {"row": number, "number": MAX_CELL_CHARACTERS}
            raise UnreadableSheet(
                _("Row %(row)d has a cell of more than %(number)d characters.") % parameters
            )
        rows.append(cells)
    return rows


def _read_csv(raw: bytes) -> Iterator[Row]:
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise UnreadableSheet(_("This file is not UTF-8. Save it as “CSV UTF-8” or as XLSX.")) from problem
    if "\0" in text:
        raise UnreadableSheet(_("This is not a text file. Save the sheet as CSV or XLSX."))
    first = text.partition("\n")[0]
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=max(";,", key=first.count))
    try:
        for cells in lines:
            yield [remove_guard(cell.strip()) for cell in cells]
    except csv.Error as problem:
        sentence = _("Line %(line)d can't be read as CSV.")
        raise UnreadableSheet(sentence % {"line": lines.line_num}) from problem


def _read_xlsx(raw: bytes) -> Iterator[Row]:
    try:
        _check_archive(raw)
        book = load_workbook(io.BytesIO(raw), read_only=True, data_only=True, keep_links=False)
        sheet = book.worksheets[0]
        # what a file says of its own size is not believed
        sheet.reset_dimensions()
        rows = sheet.iter_rows(max_row=MAX_ROWS + 1, max_col=MAX_COLUMNS + 1, values_only=True)
        yield from [_without_end([_cell(value) for value in row]) for row in rows]
    except UnreadableSheet:
        raise
    except Exception as problem:  # whatever the library raises over a broken or hostile file
        raise UnreadableSheet(_("This is not a readable XLSX file. Save the sheet again.")) from problem


def _check_archive(raw: bytes) -> None:
    """A small archive may unpack to gigabytes, and its XML may name entities that do."""
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        parts = archive.infolist()
        if len(parts) > MAX_PARTS or sum(part.file_size for part in parts) > MAX_UNPACKED_BYTES:
            raise UnreadableSheet(_("This XLSX file is too large when unpacked."))
        for part in parts:
            if b"<!DOCTYPE" in archive.read(part)[:2_000]:
                raise UnreadableSheet(_("This is not a readable XLSX file. Save the sheet again."))


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return value
    return "" if value is None else str(value).strip()


def _without_end(cells: Row) -> Row:
    while cells and cells[-1] == "":
        cells.pop()
    return cells


def write_xlsx(rows: Iterable[Row], *, title: str) -> bytes:
    """One sheet; a text that begins like a formula stays a text."""
    book = Workbook(write_only=True)
    sheet = book.create_sheet(title)
    for column in ascii_uppercase:
        sheet.column_dimensions[column].width = COLUMN_WIDTH
    for row in rows:
        sheet.append([_written(sheet, cell, is_header=bool(row) and row[0] == "code") for cell in row])
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def _written(sheet: Any, value: Any, *, is_header: bool) -> Any:
    cell = WriteOnlyCell(sheet, value=None if value == "" else value)
    if isinstance(value, str) and value:
        cell.data_type = "s"
    cell.alignment = Alignment(wrap_text=True, vertical="top")
    cell.font = Font(bold=is_header)
    return cell
