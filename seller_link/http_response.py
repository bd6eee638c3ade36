"""One answer of the seller's, parsed as its bytes come: whole, or known not to be.

By httptools, which the door uses too: http.client's reader takes half of the time of a delivery, and it takes a head
that was cut for a whole one.
"""

import http.client
import socket
from typing import Any

import httptools

MAX_ANSWER_BYTES = 1024 * 1024
MAX_HEAD_BYTES = 64 * 1024
CHUNK_BYTES = 65_536
CONTINUE = 100


class InvalidResponse(ValueError):
    """What came is no answer, or the beginning of one only."""


class ResponseParser:
    """`status` is 0 until the head is there; header names are small letters."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self.is_whole = False
        # something came behind the answer: it cannot be for anything that we have said
        self.has_more = False
        self.stays_open = False
        self._parser = httptools.HttpResponseParser(self)
        self._pieces: list[bytes] = []
        self._came = 0
        self._body = 0

    @property
    def answer(self) -> bytes:
        return b"".join(self._pieces)

    @property
    def complaint(self) -> str:
        """Why this is not a whole answer. Without its own length or chunks nobody can tell half from whole."""
        if self._body > MAX_ANSWER_BYTES:
            return "the answer is too large"
        if "content-length" not in self.headers and "transfer-encoding" not in self.headers:
            return "the answer has no length"
        return "" if self.is_whole else "the answer broke off"

    def listen(self, line: socket.socket) -> None:
        """Until it is whole, too large, or over. Raises OSError and Garbled while there is no head."""
        try:
            while not self.is_whole and self._body <= MAX_ANSWER_BYTES:
                piece = line.recv(CHUNK_BYTES)
                if not piece:
                    self._ended()
                    return
                self._take(piece)
        except (OSError, InvalidResponse):
            if not self.status:
                raise

    def _ended(self) -> None:
        if not self._came:
            raise http.client.RemoteDisconnected("the seller hung up without an answer")
        if not self.status:
            raise InvalidResponse("the answer broke off")

    def _take(self, piece: bytes) -> None:
        self._came += len(piece)
        try:
            self._parser.feed_data(piece)
        except httptools.HttpParserError as problem:
            if not self.is_whole:
                raise InvalidResponse(f"the answer is no HTTP ({problem})") from problem
            self.has_more = True
        if not self.status and self._came > MAX_HEAD_BYTES:
            raise InvalidResponse("the answer's head is too large")

    # --- called by httptools

    def on_message_begin(self) -> None:
        self.has_more = self.is_whole

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self.is_whole:
            self.headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_headers_complete(self) -> None:
        if not self.is_whole:
            self.status = self._parser.get_status_code()

    def on_body(self, piece: bytes) -> None:
        if not self.is_whole:
            self._pieces.append(piece)
            self._body += len(piece)

    def on_message_complete(self) -> None:
        if self.is_whole:
            return
        if self.status == CONTINUE:
            self.status, self.headers = 0, {}
            return
        self.is_whole, self.stays_open = True, self._parser.should_keep_alive()


def request_bytes(host: str, path: str, body: bytes, headers: dict[str, Any]) -> bytes:
    """A POST as it goes over the line."""
    named = {"Host": host, **headers, "Content-Length": len(body)}
    lines = [f"POST {path} HTTP/1.1", *(f"{name}: {value}" for name, value in named.items()), "", ""]
    return "\r\n".join(lines).encode("latin-1") + body
