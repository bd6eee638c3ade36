"""Asks the seller for the state of a job's line (requestServiceDiagnostics), within limits of time and number.

A read: it changes nothing at the seller, so nothing is stored before it is asked, and a failure is not retried later.
"""

import uuid
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from http import HTTPStatus
from time import monotonic
from urllib.parse import urlsplit

import structlog
from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dispatch.job_events import Performer
from dispatch.line_checks import LineReading, copy_line_check, fresh_line_check, record_line_check
from dispatch.models import Job, LineCheck
from engineers.throttling import RETRY_AFTER_SECONDS, Busy, RateLimit, slow_slot
from seller_link.client import CLIENT_ERROR, RETRY_STATUSES
from seller_link.client_tls import own_common_name
from seller_link.http_client import HttpClient, Response
from seller_link.models import EndpointHealth
from seller_link.wire.diagnostics import messages
from seller_link.wire.diagnostics.envelope import MAX_BYTES, NotReadable
from seller_link.wire.diagnostics.messages import MEDIA_TYPE, OPERATION, ServiceRefused

log = structlog.get_logger("seller_link.line_check")
HEADERS = (f"Content-Type: {MEDIA_TYPE}", "Accept: text/xml, application/xml", 'SOAPAction: ""')


class LineCheckReason(models.TextChoices):
    """Why there is no answer, and what a person can do."""

    SWITCHED_OFF = "switched_off", gettext_lazy("Line checks are switched off.")
    NO_SERVICE = (
        "no_service",
        gettext_lazy("The job pack has no service identifier, so the line can't be checked."),
    )
    REFUSED = "refused", gettext_lazy("The seller refused to check this line.")
    NO_ANSWER = "no_answer", gettext_lazy("The seller gave no usable answer. Try again later.")
    TOO_MANY = "too_many", gettext_lazy("Too many line checks at the moment.")


class LineCheckUnavailable(Exception):
    """There is no result; the visit goes on without. `detail`: for the log and for whoever looks into it; `seconds`:
    when to try again, where that is known."""

    def __init__(self, reason: LineCheckReason, detail: str = "", *, seconds: int = 0) -> None:
        super().__init__(f"{reason.value}: {detail}" if detail else reason.value)
        self.reason, self.detail, self.seconds = reason, detail, seconds

    @property
    def text(self) -> str:
        """For people, in their language."""
        parts = [str(self.reason.label)]
        if self.detail:
            parts.append(_("The reason: %(detail)s.") % {"detail": self.detail.rstrip(".")})
        if self.seconds:
            parts.append(_("Try again in %(seconds)d s.") % {"seconds": self.seconds})
        return " ".join(parts)


@dataclass(frozen=True)
class _NoAnswer:
    """Another endpoint may do better."""

    detail: str


def check_line(job: Job, *, by: Performer) -> LineCheck:
    """Test the line of an open job now, or give the answer of the last seconds again; the row and its event are stored.

    Raises LineCheckUnavailable and nothing else for whatever the seller does. Takes LINE_CHECK_SECONDS at most; never
    call it in a transaction.
    """
    try:
        return _check_line(job, by=by)
    except LineCheckUnavailable as problem:
        log.info("no line check", job=job.provider_job_id, reason=problem.reason.value, detail=problem.detail)
        raise


def line_check_obstacle(job: Job) -> LineCheckReason | None:
    """Why nobody need ask for a check of this line at all."""
    if not settings.LINE_CHECK.is_on:
        return LineCheckReason.SWITCHED_OFF
    return None if job.service_identifier else LineCheckReason.NO_SERVICE


def _check_line(job: Job, *, by: Performer) -> LineCheck:
    obstacle = line_check_obstacle(job)
    if obstacle:
        raise LineCheckUnavailable(obstacle)
    if not job.is_open:
        # the seller would say so too: a partner may ask about open jobs only
        raise LineCheckUnavailable(LineCheckReason.REFUSED, _("the job has ended"))
    known = fresh_line_check(job, now=timezone.now(), seconds=settings.LINE_CHECK.cache_seconds)
    if known:
        return copy_line_check(known, job=job, by=by)
    _count(job)
    try:
        with slow_slot():
            reading = _ask(job.service_identifier)
    except Busy:
        raise LineCheckUnavailable(LineCheckReason.TOO_MANY, seconds=RETRY_AFTER_SECONDS) from None
    check = record_line_check(job=job, reading=reading, by=by, checked_at=timezone.now())
    log.info("line check", job=job.provider_job_id, code=check.code, is_down=check.is_down)
    return check


def _count(job: Job) -> None:
    """Each job and the whole installation has its limit; checks that nobody answered count too."""
    limits = (
        RateLimit("line_check_job", settings.LINE_CHECK.per_job).seconds_to_wait(job.pk),
        RateLimit("line_check", settings.LINE_CHECK.per_minute).seconds_to_wait(0),
    )
    if any(limits):
        raise LineCheckUnavailable(LineCheckReason.TOO_MANY, seconds=max(limits))


def _ask(service: str) -> LineReading:
    """One endpoint after the other within the time, until one answers."""
    outcome: LineReading | ServiceRefused | _NoAnswer = _NoAnswer("")
    try:
        request = _Request.to_test(service)
        with closing(HttpClient(headers=HEADERS)) as client:
            for url, seconds in _tries():
                outcome = request.send(client, url, seconds=seconds)
                if not isinstance(outcome, _NoAnswer):
                    break
    except OSError as problem:
        # our certificate can't be used
        outcome = _NoAnswer(str(problem))
    except ValueError:
        outcome = ServiceRefused(_("the service identifier has characters that can't be sent"))
    match outcome:
        case _NoAnswer(detail):
            raise LineCheckUnavailable(LineCheckReason.NO_ANSWER, detail)
        case ServiceRefused(reason):
            raise LineCheckUnavailable(LineCheckReason.REFUSED, reason)
        case reading:
            return reading


def _tries() -> Iterator[tuple[str, float]]:
    """Address and seconds of each try: the time that is left is shared by the endpoints that are left; those that rest
    come last."""
    open_circuits = set(
        EndpointHealth.objects.filter(open_until__gt=timezone.now()).values_list("endpoint", flat=True)
    )
    endpoints = sorted(settings.SELLER_ENDPOINTS, key=lambda endpoint: endpoint in open_circuits)
    end = monotonic() + settings.LINE_CHECK.seconds
    for number, endpoint in enumerate(endpoints):
        seconds = (end - monotonic()) / (len(endpoints) - number)
        if seconds > 0:
            path = f"{settings.LINE_CHECK.path}/{OPERATION}"
            yield urlsplit(endpoint)._replace(path=path).geturl(), seconds


@dataclass(frozen=True)
class _Request:
    service: str
    message_id: uuid.UUID
    body: bytes

    @classmethod
    def to_test(cls, service: str) -> "_Request":
        message_id = uuid.uuid4()
        body = messages.request(service=service, partner=own_common_name(), message_id=message_id)
        return cls(service, message_id, body)

    def send(
        self, client: HttpClient, url: str, *, seconds: float
    ) -> LineReading | ServiceRefused | _NoAnswer:
        try:
            response = client.request(url, seconds=seconds, body=self.body, max_bytes=MAX_BYTES)
        except TimeoutError:
            return _NoAnswer(_too_late(seconds))
        except OSError as problem:
            return _NoAnswer(str(problem) or type(problem).__name__)
        if response.is_late:
            return _NoAnswer(_too_late(seconds))
        if response.complaint:
            return _NoAnswer(str(response.complaint))
        return self._read(response)

    def _read(self, response: Response) -> LineReading | ServiceRefused | _NoAnswer:
        if response.status == HTTPStatus.TOO_MANY_REQUESTS:
            raise LineCheckUnavailable(LineCheckReason.TOO_MANY)
        if response.status != HTTPStatus.OK:
            detail = f"{response.status} {messages.refusal(response.body)}".strip()
            is_final = response.status in CLIENT_ERROR and response.status not in RETRY_STATUSES
            return ServiceRefused(detail) if is_final else _NoAnswer(detail)
        try:
            return messages.answer(response.body, service=self.service, message_id=self.message_id)
        except NotReadable as problem:
            return _NoAnswer(str(problem))


def _too_late(seconds: float) -> str:
    return _("no answer within %(seconds)s s") % {"seconds": f"{seconds:.2g}"}
