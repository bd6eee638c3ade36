"""Limits of an HTTP call, its whole time and the size of its answer, and what such a call raises.

No HTTP library has a total time-out: a server that drips bytes holds its caller for ever. So a timer shuts the socket.
"""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPException
from threading import Event, Timer
from typing import Protocol

from urllib3 import BaseHTTPResponse
from urllib3.exceptions import HTTPError

CHUNK_BYTES = 64 * 1024
# whatever the line, the address or the other side's answer does
CALL_PROBLEMS = (HTTPError, HTTPException, OSError, ValueError)


class TooLong(Exception):
    """The answer is longer than the limit."""


class HasSocket(Protocol):
    sock: socket.socket | None


@contextmanager
def time_limit(connection: HasSocket, *, seconds: float) -> Iterator[Event]:
    """Shut the connection's socket when the time is over; the event says that this happened."""
    passed = Event()

    def shut() -> None:
        passed.set()
        if connection.sock is not None:
            _shut(connection.sock)

    timer = Timer(seconds, shut)
    timer.daemon = True
    timer.start()
    try:
        yield passed
    finally:
        timer.cancel()


def read_whole(response: BaseHTTPResponse, *, limit: int) -> bytes:
    """All bytes, or TooLong; a connection that ends before the announced length raises IncompleteRead."""
    content = bytearray()
    while chunk := response.read(CHUNK_BYTES, decode_content=False):
        content += chunk
        if len(content) > limit:
            raise TooLong
    return bytes(content)


def _shut(sock: socket.socket) -> None:
    try:
        # the plain socket's method: that of the TLS socket drops the session under the reading thread
        socket.socket.shutdown(sock, socket.SHUT_RDWR)
    except OSError:
        return
