"""A plain GET of a partner's file: within a time limit and a size limit, no redirects, no cookies, no proxies."""

import ssl
from urllib.parse import urlsplit

from django.conf import settings
from urllib3.connection import HTTPConnection, HTTPSConnection

from seller_sandbox.jobs.evidence_rules import Fetched
from seller_sandbox.messages.http_limits import CALL_PROBLEMS, TooLong, read_whole, time_limit

MAX_FILE_BYTES = 25 * 1024 * 1024


def fetch(url: str) -> Fetched:
    """What came back, whatever it was; never raises for what the line or the address does."""
    try:
        connection = _connect(url)
    except (ValueError, OSError) as problem:
        return Fetched(status=400, error=f"not an address: {problem}"[:200])
    with time_limit(connection, seconds=settings.FETCH_SECONDS) as passed:
        try:
            return _get(connection, url)
        except CALL_PROBLEMS as problem:
            if passed.is_set():
                return Fetched(error=f"no complete answer within {settings.FETCH_SECONDS:g} s")
            return Fetched(error=f"{type(problem).__name__}: {problem}"[:200])
        finally:
            connection.close()


def _connect(url: str) -> HTTPConnection:
    parts = urlsplit(url)
    if not parts.hostname:
        raise ValueError("no host")
    if parts.scheme == "http":
        return HTTPConnection(parts.hostname, parts.port or 80, timeout=settings.FETCH_SECONDS)
    if parts.scheme != "https":
        raise ValueError(f"scheme {parts.scheme}")
    context = ssl.create_default_context()
    context.load_verify_locations(settings.AUTHORITY)
    return HTTPSConnection(
        parts.hostname, parts.port or 443, timeout=settings.FETCH_SECONDS, ssl_context=context
    )


def _get(connection: HTTPConnection, url: str) -> Fetched:
    parts = urlsplit(url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    connection.request("GET", target, headers={"Accept": "*/*"}, preload_content=False)
    response = connection.getresponse()
    try:
        content = read_whole(response, limit=MAX_FILE_BYTES)
    except TooLong:
        return Fetched(status=413, error=f"longer than {MAX_FILE_BYTES // 2**20} MiB")
    return Fetched(
        status=response.status,
        content=content,
        content_type=response.headers.get("Content-Type", ""),
        disposition=response.headers.get("Content-Disposition", ""),
    )
