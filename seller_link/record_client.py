"""The seller's record, asked for at the address where the seller offers it (docs/operating.md, Reconciliation)."""

import http.client
import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from time import monotonic
from urllib.parse import urlencode, urlsplit

from django.utils.translation import gettext as _

from seller_link.client_tls import Credentials, certificate_error_message
from seller_link.connection import WATCHDOG, Connection

PAGE_SECONDS = 60.0
MAX_BYTES = 64 * 1024 * 1024
CHUNK_BYTES = 65536


class RecordUnavailable(Exception):
    """The seller gave no record that could be read; the words say why."""


class PlainConnection(http.client.HTTPConnection):
    """For a record without TLS, such as the sandbox's."""

    def cut(self) -> None:
        if self.sock is not None:
            with suppress(OSError):
                self.sock.shutdown(socket.SHUT_RDWR)


def iter_record(url: str, *, seconds: float) -> Iterator[str]:
    """The record's lines, page after page; https is called with our certificate. Raises NoRecord.

    A page has PAGE_SECONDS and all together `seconds`, however busily the seller drips.
    """
    end, since, more, left = monotonic() + seconds, 0, True, MAX_BYTES
    while more:
        raw = _request_pages(url, since, end=min(end, monotonic() + PAGE_SECONDS), most=left)
        left -= len(raw)
        lines, more, last = _page(raw)
        if more and last <= since:
            raise RecordUnavailable(_("The seller's log does not continue after id %(id)s.") % {"id": since})
        yield from lines
        since = last


def _request_pages(url: str, since: int, *, end: float, most: int) -> bytes:
    parts = urlsplit(url)
    query = "&".join(filter(None, [parts.query, urlencode({"since": since})]))
    begun = monotonic()
    try:
        with _line_to(url, end=end) as line:
            line.request("GET", f"{parts.path or '/'}?{query}")
            whole = _whole(line.getresponse(), most)
        _enforce_deadline(end)
    except (OSError, http.client.HTTPException, ValueError) as problem:
        if monotonic() >= end:
            words = _(
                "The seller did not respond completely within %(seconds)d s. Ask the seller's team "
                "for a file."
            )
            raise RecordUnavailable(words % {"seconds": round(end - begun)}) from problem
        words = _(
            "The seller did not respond (%(why)s). Try again later, or ask the seller's team for a file."
        )
        why = certificate_error_message(problem) or f"{type(problem).__name__}: {problem}"
        raise RecordUnavailable(words % {"why": why}) from problem
    return whole


@contextmanager
def _line_to(url: str, *, end: float) -> Iterator[Connection | PlainConnection]:
    parts, left = urlsplit(url), _enforce_deadline(end)
    line: Connection | PlainConnection
    if parts.scheme == "https":
        line = Connection(parts.hostname or "", parts.port or 443, credentials=Credentials())
        line.end = end
    else:
        line = PlainConnection(parts.hostname or "", parts.port or 80, timeout=left)
    try:
        with WATCHDOG.watch(line, end=end):
            yield line
    finally:
        line.close()


def _enforce_deadline(end: float) -> float:
    """What is left of it. http.client takes the head of an answer that was cut for a whole one."""
    left = end - monotonic()
    if left <= 0:
        raise TimeoutError("the time is up")
    return left


def _whole(answer: http.client.HTTPResponse, most: int) -> bytes:
    if answer.status != http.HTTPStatus.OK:
        words = _("The seller responded with %(status)d. Ask the seller's team, or ask them for a file.")
        raise RecordUnavailable(words % {"status": answer.status})
    pieces, size = [], 0
    while piece := answer.read1(CHUNK_BYTES):
        size += len(piece)
        if size > most:
            raise RecordUnavailable(
                _("The seller's log is larger than 64 MiB. Ask the seller's team for a shorter file.")
            )
        pieces.append(piece)
    if answer.length:
        raise http.client.IncompleteRead(b"", answer.length)
    return b"".join(pieces)


def split_lines(text: str) -> list[str]:
    """The lines of a record; only a line feed ends one (`splitlines` would cut texts at U+2028, U+0085 and others)."""
    return text.split("\n")


def _page(raw: bytes) -> tuple[list[str], bool, int]:
    """The lines, whether more follow, and the last one's id."""
    try:
        page = json.loads(raw)
        lines = page["lines"]
        more = bool(page.get("more") and lines)
        last = int(lines[-1]["id"]) if more else 0
        return [json.dumps(line) for line in lines], more, last
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as problem:
        words = _(
            "The seller's response is not in the documented format (docs/operating.md, Reconciliation)."
        )
        raise RecordUnavailable(words) from problem
