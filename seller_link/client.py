"""Requests to the seller: deliver one message, and read the seller's record (docs/operating.md, Reconciliation).

Only a whole answer counts, of either.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from time import monotonic
from typing import Any
from urllib.parse import urlencode, urlsplit

from django.utils import timezone
from django.utils.translation import gettext as _

from monitoring.coded_texts import CodedText, coded_text, technical_reason
from seller_link.client_tls import CertificateDistrust
from seller_link.http_client import HttpClient, InvalidResponse, Response, read_http_date

# a seller that asks for more is asked again all the same: one try in a quarter of an hour burdens nobody
MAX_RETRY_AFTER_SECONDS = 900.0
RETRY_STATUSES = {408, 425, 429}
OK, CLIENT_ERROR = range(200, 300), range(400, 500)
# anything else is an answer of a seller who is there and well
ERRORS = range(400, 600)
RECORD_PAGE_SECONDS = 60.0
RECORD_MAX_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True)
class Delivered:
    """2xx with the documented JSON for this message id."""

    status: int
    answer: str


@dataclass(frozen=True)
class RetryLater:
    """It may or may not have arrived; send the same message again, not before `after_seconds`.

    `is_distrust`: one side does not trust the other's certificate, and a person must look. `is_unconfirmed`: a whole
    answer of an endpoint that is well, neither an error nor the confirmation.
    """

    reason: CodedText
    status: int | None = None
    answer: str = ""
    after_seconds: float = 0
    is_distrust: bool = False
    is_unconfirmed: bool = False


@dataclass(frozen=True)
class Rejected:
    """A 4xx that no repetition will change (job-messages.md, Refusals)."""

    status: int
    answer: str


DeliveryOutcome = Delivered | RetryLater | Rejected
AnswerListener = Callable[[str, dict[str, str], datetime], None]


class SellerClient:
    """Keep-alive connections to the seller's endpoints for one thread.

    `on_answer` gets the endpoint, the head's lines and when we asked, for each answer.
    """

    def __init__(self, *, on_answer: AnswerListener | None = None) -> None:
        self._client = HttpClient()
        self._on_answer = on_answer

    def post(self, *, endpoint: str, operation: str, body: dict[str, Any], seconds: float) -> DeliveryOutcome:
        """One try at one endpoint within `seconds`, kept or thrown-away connection included."""
        url, asked_at = f"{endpoint.rstrip('/')}/{operation}", timezone.now()
        try:
            response = self._client.request(
                url, seconds=seconds, body=json.dumps(body, ensure_ascii=False).encode()
            )
        except TimeoutError:
            return RetryLater(_too_late(seconds))
        except OSError as problem:
            distrust = isinstance(problem, CertificateDistrust)
            return RetryLater(failure_reason(problem), is_distrust=distrust)
        if self._on_answer:
            self._on_answer(endpoint, response.headers, asked_at)
        if response.is_late:
            return RetryLater(_too_late(seconds), response.status, _text(response.body))
        outcome = classify_response(response, message_id=body["messageId"])
        if isinstance(outcome, RetryLater) and response.status in OK:
            # whose answer this was nobody knows, and the next one on this line might be for this message
            self._client.close()
        return outcome

    def close(self) -> None:
        self._client.close()


def classify_response(response: Response, *, message_id: str) -> DeliveryOutcome:
    """What an answer means (job-messages.md, what our side does with the seller's answers)."""
    status, text = response.status, _text(response.body)
    if status in OK and not response.complaint:
        if _acknowledges(response.body, message_id):
            return Delivered(status, text)
        return RetryLater(coded_text("seller_answer_invalid"), status, text, is_unconfirmed=True)
    if status in CLIENT_ERROR and status not in RETRY_STATUSES and response.is_readable:
        return Rejected(status, text)
    return RetryLater(
        response.complaint or coded_text("seller_answered", status=status),
        status,
        text,
        _retry_after(response.headers),
        is_unconfirmed=response.is_whole and status not in ERRORS,
    )


def _acknowledges(answer: bytes, message_id: str) -> bool:
    try:
        reply = json.loads(answer)
    except (ValueError, RecursionError):
        return False
    return isinstance(reply, dict) and str(reply.get("messageId", "")).lower() == message_id.lower()


def _retry_after(headers: dict[str, str]) -> float:
    """Seconds, from either form of the header (RFC 9110, 10.2.3), never more than we are ready to wait."""
    text = headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        return min(float(text), MAX_RETRY_AFTER_SECONDS)
    moment = read_http_date(text)
    return (
        0
        if moment is None
        else min(max(0.0, (moment - timezone.now()).total_seconds()), MAX_RETRY_AFTER_SECONDS)
    )


def _text(answer: bytes) -> str:
    """To be kept and read by people; PostgreSQL stores no NUL."""
    return answer.decode("utf-8", errors="replace").replace("\0", "␀")


def _too_late(seconds: float) -> CodedText:
    return coded_text("seller_late", seconds=seconds)


def failure_reason(problem: Exception) -> CodedText:
    """Why a call ended without an answer."""
    if isinstance(problem, CertificateDistrust | InvalidResponse):
        return problem.reason
    return technical_reason(f"{type(problem).__name__}: {problem}")


class RecordUnavailable(Exception):
    """The seller gave no record that could be read; the text says why."""


def iter_record(url: str, *, seconds: float) -> Iterator[str]:
    """The record's lines, page after page; https is called with our certificate. Raises RecordUnavailable.

    A page has RECORD_PAGE_SECONDS and all together `seconds`, however busily the seller drips.
    """
    end, since, more, left = monotonic() + seconds, 0, True, RECORD_MAX_BYTES
    with closing(HttpClient(is_plain=urlsplit(url).scheme == "http")) as client:
        while more:
            raw = _request_record_page(
                client, url, since, end=min(end, monotonic() + RECORD_PAGE_SECONDS), most=left
            )
            left -= len(raw)
            lines, more, last = _parse_record_page(raw)
            if more and last <= since:
                text = _("The seller's log does not continue after ID %(id)s.")
                raise RecordUnavailable(text % {"id": since})
            yield from lines
            since = last


def _request_record_page(client: HttpClient, url: str, since: int, *, end: float, most: int) -> bytes:
    parts, seconds = urlsplit(url), end - monotonic()
    query = "&".join(filter(None, [parts.query, urlencode({"since": since})]))
    page = parts._replace(path=parts.path or "/", query=query).geturl()
    try:
        response = client.request(page, seconds=seconds, max_bytes=most)
    except TimeoutError as problem:
        raise _record_too_late(seconds) from problem
    except OSError as problem:
        raise _record_unanswered(failure_reason(problem)) from problem
    if response.is_late:
        raise _record_too_late(seconds)
    if response.status != HTTPStatus.OK:
        text = _("The seller responded with %(status)d. Ask the seller's team, or ask them for a file.")
        raise RecordUnavailable(text % {"status": response.status})
    if response.is_too_large:
        raise RecordUnavailable(
            _("The seller's log is larger than 64 MiB. Ask the seller's team for a shorter file.")
        )
    if not response.is_whole:
        raise _record_unanswered(coded_text("seller_answer_broke_off"))
    return response.body


def _record_too_late(seconds: float) -> RecordUnavailable:
    text = _("The seller did not respond completely within %(seconds)d s. Ask the seller's team for a file.")
    return RecordUnavailable(text % {"seconds": round(seconds)})


def _record_unanswered(why: CodedText) -> RecordUnavailable:
    text = _("The seller did not respond (%(why)s). Try again later, or ask the seller's team for a file.")
    return RecordUnavailable(text % {"why": why})


def split_record_lines(text: str) -> list[str]:
    """The lines of a record; only a line feed ends one (`splitlines` would cut texts at U+2028, U+0085 and others)."""
    return text.split("\n")


def _parse_record_page(raw: bytes) -> tuple[list[str], bool, int]:
    """The lines, whether more follow, and the last one's id."""
    try:
        page = json.loads(raw)
        lines = page["lines"]
        more = bool(page.get("more") and lines)
        last = int(lines[-1]["id"]) if more else 0
        return [json.dumps(line) for line in lines], more, last
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as problem:
        text = _("The seller's response is not in the documented format (docs/operating.md, Reconciliation).")
        raise RecordUnavailable(text) from problem
