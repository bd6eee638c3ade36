"""Reads an XLSX file (standard input) as rows in JSON (standard output), or the other way: run as a process of its own.

The library takes long to load and much memory, and a file made to harm ends this process only. Nothing in a file is
calculated. It imports nothing of ours and no Django.
"""

import ctypes
import io
import json
import re
import resource
import signal
import sys
import zipfile
from collections.abc import Callable
from string import ascii_uppercase
from typing import Any

from openpyxl import Workbook, load_workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.styles import Alignment, Font

UNREADABLE, TOO_LARGE = 3, 4
MAX_UNPACKED_BYTES = 20_000_000
MAX_PARTS = 200
COLUMN_WIDTH = 24
MEMORY_BYTES = 1024**3
CPU_SECONDS = 20
PR_SET_PDEATHSIG = 1
# openpyxl's ILLEGAL_CHARACTERS_RE, and what is no XML either
NOT_IN_XML = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


class TooLarge(ValueError):
    """More than a matrix needs, once it is unpacked."""


def read(raw: bytes, arguments: list[str]) -> bytes:
    """The first sheet's cells as text or number, empty ones as ""; up to as many rows and columns as are asked for."""
    max_rows, max_columns = map(int, arguments)
    _check_archive(raw)
    book = load_workbook(io.BytesIO(raw), read_only=True, data_only=True, keep_links=False)
    sheet = book.worksheets[0]
    # what a file says of its own size is not believed
    sheet.reset_dimensions()
    rows, size = [], 0
    for values in sheet.iter_rows(max_row=max_rows, max_col=max_columns, values_only=True):
        rows.append(_without_end([_cell(value) for value in values]))
        # many cells may show one long text
        size += sum(len(cell) for cell in rows[-1] if isinstance(cell, str))
        if size > MAX_UNPACKED_BYTES:
            raise TooLarge
    return json.dumps(rows).encode()


def _check_archive(raw: bytes) -> None:
    """A small archive may unpack to gigabytes, and its XML may name entities that do."""
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        parts = archive.infolist()
        if len(parts) > MAX_PARTS or sum(part.file_size for part in parts) > MAX_UNPACKED_BYTES:
            raise TooLarge
        for part in parts:
            if b"<!DOCTYPE" in archive.read(part)[:2_000]:
                raise ValueError("a document type")


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return value
    return "" if value is None else str(value).strip()


def _without_end(cells: list[Any]) -> list[Any]:
    while cells and cells[-1] == "":
        cells.pop()
    return cells


def write(raw: bytes, arguments: list[str]) -> bytes:
    """One sheet; a text that begins like a formula stays a text."""
    book = Workbook(write_only=True)
    sheet = book.create_sheet(*arguments)
    for column in ascii_uppercase:
        sheet.column_dimensions[column].width = COLUMN_WIDTH
    for row in json.loads(raw):
        sheet.append([_written(sheet, cell, is_header=bool(row) and row[0] == "code") for cell in row])
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def _written(sheet: Any, value: Any, *, is_header: bool) -> Any:
    if isinstance(value, str):
        value = NOT_IN_XML.sub("", value)
    cell = WriteOnlyCell(sheet, value=None if value == "" else value)
    if isinstance(value, str) and value:
        cell.data_type = "s"
    cell.alignment = Alignment(wrap_text=True, vertical="top")
    cell.font = Font(bold=is_header)
    return cell


WORK: dict[str, Callable[[bytes, list[str]], bytes]] = {"read": read, "write": write}


def main() -> None:
    if sys.platform.startswith("linux"):
        # a web process that is killed leaves nothing behind
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        content = WORK[sys.argv[1]](sys.stdin.buffer.read(), sys.argv[2:])
    except TooLarge:
        sys.exit(TOO_LARGE)
    except Exception:  # whatever the library raises over a broken or hostile file
        sys.exit(UNREADABLE)
    sys.stdout.buffer.write(content)


if __name__ == "__main__":
    main()
