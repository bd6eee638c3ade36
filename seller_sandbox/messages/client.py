"""One POST over mutual TLS: a time limit for the whole call, no redirects, no proxies.

Each thread keeps its connections: a handshake costs more than a message. The other side may close one at any time; one
that is closed already is replaced before it is used. When it breaks under a message, nobody knows whether the message
has arrived: that is an attempt without an answer, and the next one goes over a new connection with the same id.
"""

import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import local
from time import monotonic
from urllib.parse import SplitResult, urlsplit

from django.conf import settings
from urllib3 import BaseHTTPResponse
from urllib3.connection import HTTPSConnection

from seller_sandbox.messages.http_limits import CALL_PROBLEMS, TooLong, read_whole, time_limit

MAX_ANSWER_BYTES = 1024 * 1024
# servers close idle connections after some seconds: a message on its way to one that is being closed would be lost
IDLE_SECONDS = 4.0
# as urllib3 writes it
HTTP_1_1 = 11
# of one thread: a partner and some buyers
MAX_KEPT = 8

# host, port, and the files of the certificates with their times of change
Key = tuple[str, int, tuple[tuple[str, int], ...]]


@dataclass(frozen=True)
class Post:
    """What goes out, to whom, and with which certificate and key."""

    url: str
    content: bytes
    content_type: str
    credentials: tuple[Path, Path]
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Reply:
    """What came back; without a status nothing complete did, and `error` says why."""

    status: int | None = None
    content: bytes = b""
    content_type: str = ""
    error: str = ""
    retry_after: float | None = None


class IncompleteAnswer(Exception):
    """The answer has no framing that proves its end."""


def send(post: Post) -> Reply:
    """Send one message and give back what came, whatever it was; never raises for what the line or the address does.

    Asks no database: many are sent at once.
    """
    try:
        with _connection(post) as connection:
            return _call(connection, post)
    except (OSError, ssl.SSLError) as problem:
        return Reply(error=f"own certificate unusable: {problem}")
    except ValueError as problem:
        return Reply(error=f"address unusable: {problem}"[:200])


def _call(connection: HTTPSConnection, post: Post) -> Reply:
    with time_limit(connection, seconds=settings.DEADLINE_SECONDS) as passed:
        try:
            return _exchange(connection, post)
        except (*CALL_PROBLEMS, IncompleteAnswer) as problem:
            connection.close()
            if passed.is_set():
                return Reply(error=f"no complete answer within {settings.DEADLINE_SECONDS:g} s")
            return Reply(error=f"{type(problem).__name__}: {problem}"[:200])


class _IdleConnections(local):
    """The connections of one thread, each with the time at which it was last used."""

    def __init__(self) -> None:
        self.connections: dict[Key, tuple[HTTPSConnection, float]] = {}


_idle = _IdleConnections()


@contextmanager
def _connection(post: Post) -> Iterator[HTTPSConnection]:
    """This thread's connection to the recipient, or a new one; it is kept unless the call has closed it."""
    target = urlsplit(post.url)
    key = (target.hostname or "", target.port or 443, _version(post.credentials))
    connection, used_at = _idle.connections.pop(key, (None, 0.0))
    if connection is None or monotonic() - used_at > IDLE_SECONDS or not connection.is_connected:
        if connection:
            connection.close()
        connection = _connect(target, post.credentials)
    yield connection
    if connection.sock is not None:
        _keep(key, connection)


def close_idle() -> None:
    """Close what this thread keeps."""
    while _idle.connections:
        _idle.connections.popitem()[1][0].close()


def _keep(key: Key, connection: HTTPSConnection) -> None:
    """The ones to other recipients stay as long as there are few."""
    while len(_idle.connections) >= MAX_KEPT:
        oldest = min(_idle.connections, key=lambda found: _idle.connections[found][1])
        _idle.connections.pop(oldest)[0].close()
    _idle.connections[key] = (connection, monotonic())


def _connect(target: SplitResult, credentials: tuple[Path, Path]) -> HTTPSConnection:
    return HTTPSConnection(
        target.hostname or "",
        target.port or 443,
        ssl_context=_context(credentials),
        timeout=settings.DEADLINE_SECONDS,
    )


def _version(credentials: tuple[Path, Path]) -> tuple[tuple[str, int], ...]:
    """Another certificate, or a new one in the same file, begins a new connection, and so does a new authority."""
    return tuple((str(path), path.stat().st_mtime_ns) for path in (*credentials, Path(settings.AUTHORITY)))


def _context(credentials: tuple[Path, Path]) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=settings.AUTHORITY)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_cert_chain(*credentials)
    return context


def _exchange(connection: HTTPSConnection, post: Post) -> Reply:
    parts = urlsplit(post.url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    accepted = post.content_type.partition(";")[0]
    headers = {"Content-Type": post.content_type, "Accept": accepted, **post.headers}
    connection.request("POST", target, body=post.content, headers=headers, preload_content=False)
    response = connection.getresponse()
    reply = Reply(
        status=response.status,
        content=_read_all(response),
        content_type=response.headers.get("Content-Type", ""),
        retry_after=_seconds(response.headers.get("Retry-After")),
    )
    if response.headers.get("Connection", "").lower() == "close" or response.version < HTTP_1_1:
        connection.close()
    return reply


def _read_all(response: BaseHTTPResponse) -> bytes:
    framed = "Content-Length" in response.headers or "Transfer-Encoding" in response.headers
    if not framed:
        raise IncompleteAnswer("the answer does not say where it ends")
    try:
        return read_whole(response, limit=MAX_ANSWER_BYTES)
    except TooLong as problem:
        raise IncompleteAnswer("the answer is longer than 1 MiB") from problem


def _seconds(text: str | None) -> float | None:
    return float(text) if text and text.isdecimal() else None
