"""CSV files as people's spreadsheets read and write them. Pure.

No cell that is written is a formula: a guard stands before what would be one, and is taken off when it is read.
"""

import codecs
import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from django.utils.translation import gettext as _

# a spreadsheet takes a text that begins so for a formula
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")
GUARD = "'"
BYTE_ORDER_MARK = "\ufeff"
UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
DELIMITERS = ";,\t"
QUOTE = '"'


class UnreadableSheet(ValueError):
    """The file as a whole cannot be read; the message says why and what to do."""


def write_csv(rows: Iterable[Sequence[Any]], *, delimiter: str = ";") -> bytes:
    """As German and English spreadsheets open it at a double click; `read_csv` gives each cell back."""
    return b"".join(stream_csv(rows, delimiter=delimiter))


def stream_csv(rows: Iterable[Sequence[Any]], *, delimiter: str = ";") -> Iterator[bytes]:
    """The same piece by piece, for files of any length."""
    yield BYTE_ORDER_MARK.encode()
    for row in rows:
        line = io.StringIO(newline="")
        csv.writer(line, delimiter=delimiter).writerow([_guarded(cell) for cell in row])
        yield line.getvalue().encode()


def decode_csv(raw: bytes) -> str:
    """UTF-8, UTF-16 with its byte-order mark, or what Windows writes; without the mark. Raises UnreadableSheet."""
    encodings = ("utf-16",) if raw[:2] in UTF_16_MARKS else ("utf-8", "cp1252")
    for encoding in encodings:
        with suppress(UnicodeDecodeError):
            text = raw.decode(encoding).removeprefix(BYTE_ORDER_MARK)
            if "\0" not in text:
                return text
    raise UnreadableSheet(_("This is not a text file. In the spreadsheet, save it as CSV."))


def read_csv(text: str, *, delimiter: str = "") -> Iterator[tuple[int, list[str]]]:
    """(the row's first line in the file, cells) of each row, the first line included; the `delimiter` is the one that
    is most frequent there, unless it is known. Raises UnreadableSheet."""
    first = text.partition("\n")[0]
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter or max(DELIMITERS, key=first.count))
    # a quotation mark that is never closed makes one row of all lines to the end
    line, open_until = 1, _line_count(text) if text.count(QUOTE) % 2 else 0
    try:
        for cells in lines:
            if line < lines.line_num == open_until:
                raise UnreadableSheet(_("Line %(line)d: a quotation mark is not closed.") % {"line": line})
            yield line, [_remove_guard(cell.strip()) for cell in cells]
            line = lines.line_num + 1
    except csv.Error as problem:
        sentence = _("Line %(line)d can't be read as CSV.")
        raise UnreadableSheet(sentence % {"line": lines.line_num}) from problem


def _line_count(text: str) -> int:
    return sum(1 for _line in io.StringIO(text, newline=""))


def _remove_guard(cell: str) -> str:
    return cell[1:] if cell.startswith(GUARD) and _needs_guard(cell[1:]) else cell


def _guarded(cell: Any) -> Any:
    """Numbers are no formulas."""
    return f"{GUARD}{cell}" if isinstance(cell, str) and _needs_guard(cell) else cell


def _needs_guard(cell: str) -> bool:
    return cell.startswith((*FORMULA_STARTS, GUARD))
