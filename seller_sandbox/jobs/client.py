"""One POST to the partner over mutual TLS: a time limit for the whole call, no redirects, no proxies."""

import json
import ssl
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from urllib3 import BaseHTTPResponse
from urllib3.connection import HTTPSConnection
from urllib3.exceptions import HTTPError

from seller_sandbox.endpoints import credentials
from seller_sandbox.jobs.http_limits import TooLong, read_whole, time_limit

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


def address_for(attempt: int) -> str:
    """The partner's addresses in turn: the next attempt of a message goes to another one."""
    return settings.PARTNER_URLS[attempt % len(settings.PARTNER_URLS)]


def post(operation: str, body: dict[str, Any], *, address: str = "") -> Reply:
    """Send one message and give back what came, whatever it was; never raises for what the line does."""
    target = urlsplit(f"{address or address_for(0)}/{operation}")
    try:
        connection = HTTPSConnection(
            target.hostname,
            target.port or 443,
            ssl_context=_context(),
            timeout=settings.DEADLINE_SECONDS,
        )
    except (OSError, ssl.SSLError) as problem:
        return Reply(error=f"own certificate unusable: {problem}")
    with time_limit(connection, seconds=settings.DEADLINE_SECONDS) as passed:
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
    context.load_cert_chain(*credentials.files())
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
    try:
        return read_whole(response, limit=MAX_ANSWER_BYTES)
    except TooLong as problem:
        raise IncompleteAnswer("the answer is longer than 1 MiB") from problem


def _seconds(text: str | None) -> float | None:
    return float(text) if text and text.isdecimal() else None
