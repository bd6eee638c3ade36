"""One POST to the partner over mutual TLS: a deadline for the whole call, no redirects, no proxies.

No HTTP library has a total time-out; a caller who drips bytes holds it for ever. So a timer shuts the socket.
"""

import json
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event, Timer
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from urllib3 import BaseHTTPResponse
from urllib3.connection import HTTPSConnection
from urllib3.exceptions import HTTPError

MAX_ANSWER_BYTES = 1024 * 1024


@dataclass(frozen=True)
class Reply:
    """What came back; without a status nothing complete did, and `error` says why."""

    status: int | None = None
    body: Any = None
    error: str = ""
    retry_after: float | None = None


class IncompleteAnswer(Exception):
    """The answer has no framing that proves its end."""


def post(operation: str, body: dict[str, Any]) -> Reply:
    """Send one message and give back what came, whatever it was; never raises for what the line does."""
    target = urlsplit(f"{settings.PARTNER_URL}/{operation}")
    try:
        connection = HTTPSConnection(
            target.hostname,
            target.port or 443,
            ssl_context=_context(),
            timeout=settings.DEADLINE_SECONDS,
        )
    except (OSError, ssl.SSLError) as problem:
        return Reply(error=f"own certificate unusable: {problem}")
    with _deadline(connection, seconds=settings.DEADLINE_SECONDS) as passed:
        try:
            return _exchange(connection, target.path, json.dumps(body).encode())
        except (HTTPError, OSError, ValueError, IncompleteAnswer) as problem:
            if passed.is_set():
                return Reply(error=f"no complete answer within {settings.DEADLINE_SECONDS:g} s")
            return Reply(error=f"{type(problem).__name__}: {problem}"[:200])
        finally:
            connection.close()


def _context() -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=settings.AUTHORITY)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_cert_chain(settings.CERTIFICATE, settings.KEY)
    return context


def _exchange(connection: HTTPSConnection, path: str, content: bytes) -> Reply:
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    connection.request("POST", path, body=content, headers=headers, preload_content=False)
    response = connection.getresponse()
    answer = _read_all(response)
    retry_after = _seconds(response.headers.get("Retry-After"))
    try:
        return Reply(response.status, json.loads(answer), retry_after=retry_after)
    except ValueError:
        return Reply(response.status, error="the answer is not JSON", retry_after=retry_after)


def _read_all(response: BaseHTTPResponse) -> bytes:
    framed = "Content-Length" in response.headers or "Transfer-Encoding" in response.headers
    if not framed:
        raise IncompleteAnswer("the answer does not say where it ends")
    answer = response.read(MAX_ANSWER_BYTES + 1)
    if len(answer) > MAX_ANSWER_BYTES:
        raise IncompleteAnswer("the answer is longer than 1 MiB")
    return answer


def _seconds(text: str | None) -> float | None:
    return float(text) if text and text.isdecimal() else None


@contextmanager
def _deadline(connection: HTTPSConnection, *, seconds: float) -> Iterator[Event]:
    """Shut the connection's socket when the time is over; the event says that this happened."""
    passed = Event()

    def shut() -> None:
        passed.set()
        if connection.sock is not None:
            _shut(connection.sock)

    timer = Timer(seconds, shut)
    timer.start()
    try:
        yield passed
    finally:
        timer.cancel()


def _shut(sock: socket.socket) -> None:
    try:
        # the plain socket's method: that of the TLS socket drops the session under the reading thread
        socket.socket.shutdown(sock, socket.SHUT_RDWR)
    except OSError:
        return
