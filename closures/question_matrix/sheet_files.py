"""CSV and XLSX files as rows of cells, within limits; nothing in a file is calculated.

The web processes do not load the library that reads XLSX: xlsx_process.py does, in a process of its own.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from closures.safe_csv import DELIMITERS, UnreadableSheet, decode_csv, read_csv
from monitoring.middleware import ServiceBusy

MAX_BYTES = 2_000_000
MAX_ROWS = 2_000
MAX_COLUMNS = 100
MAX_CELL_CHARACTERS = 5_000
ZIP_START = b"PK\x03\x04"
# above it stand texts of people, with any number of delimiters
CSV_HEADER = re.compile(rf'^ *"? *code *"? *([{DELIMITERS}])', re.IGNORECASE | re.MULTILINE)
XLSX_PROCESS = Path(__file__).with_name("xlsx_process.py")
XLSX_SECONDS = 40
# exit code of xlsx_process.py
TOO_LARGE = 4
Row = list[Any]


class XlsxBusy(ServiceBusy):
    """The machine is too slow at the moment; the same file can be sent again."""

    part = "xlsx"


def read_sheet(raw: bytes) -> list[Row]:
    """The rows of the first sheet, cells as text or number, empty ones as "". Raises UnreadableSheet, XlsxBusy."""
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
    text = decode_csv(raw)
    header = CSV_HEADER.search(text)
    for _line, cells in read_csv(text, delimiter=header[1] if header else ""):
        yield cells


def _read_xlsx(raw: bytes) -> list[Row]:
    done = _run("read", str(MAX_ROWS + 1), str(MAX_COLUMNS + 1), content=raw)
    if done.returncode == TOO_LARGE:
        raise UnreadableSheet(_("This XLSX file is too large when unpacked."))
    if done.returncode:
        # a limit or a crash of the library ends it by a signal
        raise UnreadableSheet(_("This is not a readable XLSX file. Save the sheet again."))
    rows: list[Row] = json.loads(done.stdout)
    return rows


def write_xlsx(rows: Iterable[Row], *, title: str) -> bytes:
    """One sheet; a text that begins like a formula stays a text. Raises XlsxBusy."""
    done = _run("write", title, content=json.dumps([*rows]).encode())
    done.check_returncode()
    return done.stdout


def _run(*arguments: str, content: bytes) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-I", str(XLSX_PROCESS), *arguments]
    # where numpy is installed the library loads it, and its threads take addresses from the limit of memory
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    try:
        return subprocess.run(  # noqa: S603  # our own command
            command, input=content, capture_output=True, timeout=XLSX_SECONDS, check=False, env=environment
        )
    except subprocess.TimeoutExpired as problem:
        raise XlsxBusy from problem
