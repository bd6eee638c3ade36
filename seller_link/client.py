"""One POST to the seller: mutual TLS, no redirects, one hard deadline, and only a whole answer counts.

On a socket and a parser rather than a library: no Python HTTP client has a total deadline, and several report a
half-sent answer as 200 (docs/adr/0004). A watchdog cuts the connection when the time is up.
"""

import json
import ssl
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

from django.utils import timezone

from seller_link.client_tls import Credentials, certificate_error_message
from seller_link.connection import WATCHDOG, Connection
from seller_link.http_response import InvalidResponse, ResponseParser, request_bytes

# a seller that asks for more is asked again all the same: one try in a quarter of an hour burdens nobody
MAX_RETRY_AFTER_SECONDS = 900.0
# so that another address behind the same name, or a new certificate of ours, is taken up
CONNECTION_MAX_AGE_SECONDS = 300.0
RETRY_STATUSES = {408, 425, 429}
OK, CLIENT_ERROR = range(200, 300), range(400, 500)
HEADERS = {"Content-Type": "application/json", "Accept": "application/json"}


@dataclass(frozen=True)
class Delivered:
    """2xx with the documented JSON for this message id."""

    status: int
    answer: str


@dataclass(frozen=True)
class RetryLater:
    """It may or may not have arrived; send the same message again, not before `after_seconds`.

    `is_distrust`: one side does not trust the other's certificate, and a person must look.
    """

    reason: str
    status: int | None = None
    answer: str = ""
    after_seconds: float = 0
    is_distrust: bool = False


@dataclass(frozen=True)
class Rejected:
    """A 4xx that no repetition will change (job-messages.md, Refusals)."""

    status: int
    answer: str


Outcome = Delivered | RetryLater | Rejected


class SellerClient:
    """Keep-alive connections to the seller's endpoints for one thread."""

    def __init__(self) -> None:
        self._credentials = Credentials()
        self._connections: dict[str, Connection] = {}

    def post(self, *, endpoint: str, operation: str, body: dict[str, Any], seconds: float) -> Outcome:
        """One try at one endpoint within `seconds`, kept or thrown-away connection included."""
        end = time.monotonic() + seconds
        try:
            heard = self._exchange(endpoint, operation, json.dumps(body, ensure_ascii=False).encode(), end)
        except (OSError, ValueError) as problem:
            self._hang_up(endpoint)
            if time.monotonic() >= end:
                return RetryLater(_too_late(seconds))
            words = certificate_error_message(problem)
            return RetryLater(words or _words(problem), is_distrust=bool(words))
        if heard.complaint and time.monotonic() >= end:
            return RetryLater(_too_late(seconds), heard.status, _text(heard.answer))
        outcome = classify_response(heard, message_id=body["messageId"])
        if isinstance(outcome, RetryLater) and heard.status in OK:
            # whose answer this was nobody knows, and the next one on this line might be for this message
            self._hang_up(endpoint)
        return outcome

    def _exchange(self, endpoint: str, operation: str, raw: bytes, end: float) -> ResponseParser:
        known = self._known(endpoint)
        if known is not None:
            # the other side may hang up an idle connection at any time, also while we begin to write
            with suppress(ConnectionError, ssl.SSLEOFError):
                return self._ask(known, endpoint, operation, raw, end)
            self._hang_up(endpoint)
        parts = urlsplit(endpoint)
        fresh = Connection(parts.hostname or "", parts.port or 443, credentials=self._credentials)
        self._connections[endpoint] = fresh
        return self._ask(fresh, endpoint, operation, raw, end)

    def _ask(
        self, connection: Connection, endpoint: str, operation: str, raw: bytes, end: float
    ) -> ResponseParser:
        connection.end = end
        parts = urlsplit(endpoint)
        said = request_bytes(parts.netloc, f"{parts.path.rstrip('/')}/{operation}", raw, HEADERS)
        with WATCHDOG.watch(connection, end=end):
            heard = connection.exchange(said)
        if heard.complaint or heard.has_more or not heard.stays_open or heard.status < OK.start:
            self._hang_up(endpoint)
        return heard

    def _known(self, endpoint: str) -> Connection | None:
        known = self._connections.get(endpoint)
        if known is None:
            return None
        if known.is_usable(oldest_seconds=CONNECTION_MAX_AGE_SECONDS):
            return known
        self._hang_up(endpoint)
        return None

    def _hang_up(self, endpoint: str) -> None:
        connection = self._connections.pop(endpoint, None)
        if connection is not None:
            with suppress(OSError):
                connection.close()

    def close(self) -> None:
        for endpoint in list(self._connections):
            self._hang_up(endpoint)


def classify_response(heard: ResponseParser, *, message_id: str) -> Outcome:
    """What an answer means (job-messages.md, what our side does with the seller's answers)."""
    status, text = heard.status, _text(heard.answer)
    if status in OK and not heard.complaint:
        if _acknowledges(heard.answer, message_id):
            return Delivered(status, text)
        return RetryLater("the answer is not the documented JSON for this message", status, text)
    if status in CLIENT_ERROR and status not in RETRY_STATUSES and not heard.complaint:
        return Rejected(status, text)
    return RetryLater(heard.complaint or f"answered {status}", status, text, _retry_after(heard.headers))


def _acknowledges(answer: bytes, message_id: str) -> bool:
    try:
        said = json.loads(answer)
    except (ValueError, RecursionError):
        return False
    return isinstance(said, dict) and str(said.get("messageId", "")).lower() == message_id.lower()


def _retry_after(headers: dict[str, str]) -> float:
    """Seconds, from either form of the header (RFC 9110, 10.2.3), never more than we are ready to wait."""
    text = headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        return min(float(text), MAX_RETRY_AFTER_SECONDS)
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, IndexError, TypeError, OverflowError):
        return 0
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return min(max(0.0, (moment - timezone.now()).total_seconds()), MAX_RETRY_AFTER_SECONDS)


def _text(answer: bytes) -> str:
    """To be kept and read by people; PostgreSQL stores no NUL."""
    return answer.decode("utf-8", errors="replace").replace("\0", "␀")


def _too_late(seconds: float) -> str:
    return f"no answer within {seconds:g} s"


def _words(problem: Exception) -> str:
    if isinstance(problem, InvalidResponse):
        return str(problem)
    return f"{type(problem).__name__}: {problem}".replace("\0", "␀")
