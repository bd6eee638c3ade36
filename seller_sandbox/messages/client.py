"""One POST over mutual TLS: a time limit for the whole call, no redirects, no proxies."""

import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings
from urllib3 import BaseHTTPResponse
from urllib3.connection import HTTPSConnection
from urllib3.exceptions import HTTPError

from seller_sandbox.messages.http_limits import TooLong, read_whole, time_limit

MAX_ANSWER_BYTES = 1024 * 1024


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
    """Send one message and give back what came, whatever it was; never raises for what the line does.

    Asks no database: many are sent at once.
    """
    target = urlsplit(post.url)
    try:
        connection = HTTPSConnection(
            target.hostname,
            target.port or 443,
            ssl_context=_context(post.credentials),
            timeout=settings.DEADLINE_SECONDS,
        )
    except (OSError, ssl.SSLError) as problem:
        return Reply(error=f"own certificate unusable: {problem}")
    with time_limit(connection, seconds=settings.DEADLINE_SECONDS) as passed:
        try:
            return _exchange(connection, post)
        except (HTTPError, OSError, ValueError, IncompleteAnswer) as problem:
            if passed.is_set():
                return Reply(error=f"no complete answer within {settings.DEADLINE_SECONDS:g} s")
            return Reply(error=f"{type(problem).__name__}: {problem}"[:200])
        finally:
            connection.close()


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
    return Reply(
        status=response.status,
        content=_read_all(response),
        content_type=response.headers.get("Content-Type", ""),
        retry_after=_seconds(response.headers.get("Retry-After")),
    )


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
