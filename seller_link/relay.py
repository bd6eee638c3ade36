"""Delivers claimed rows of the outbox to the seller, and settles them. Order per job, jobs in parallel."""

import random
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from time import monotonic
from typing import Any

import structlog
from django.conf import settings
from django.db import DataError, IntegrityError, transaction
from django.utils import timezone

from dispatch import fast_insert
from monitoring import alarms
from monitoring.coded_texts import coded_text
from monitoring.models import AlarmKind
from monitoring.uncaught_errors import code_locations
from seller_link import message_alarms, message_states
from seller_link.circuit_breaker import CircuitBreaker
from seller_link.client import (
    ERRORS,
    MAX_RETRY_AFTER_SECONDS,
    Delivered,
    DeliveryOutcome,
    Rejected,
    RetryLater,
    SellerClient,
)
from seller_link.message_states import LONGEST_REASON
from seller_link.models import DeliveryAttempt, OutboundMessage, OutboundState
from seller_link.outbox_queue import Claim
from seller_link.wire import refusals

log = structlog.get_logger("seller_link.relay")
FIRST_BACKOFF_SECONDS = 0.5
LATER_THAN_ASKED = 1.25
# the values of a row, not the database, are the trouble; half of a surrogate pair is a ValueError
NOT_STORABLE = (DataError, IntegrityError, ValueError)


@dataclass(frozen=True)
class NotAttempted:
    """No endpoint was asked: all rest, or the lease would not have lasted. It costs the message nothing."""

    reason: str


@dataclass
class DeliveryResult:
    """One claimed message and what became of it at each endpoint."""

    message: Claim
    outcome: DeliveryOutcome | NotAttempted = field(default_factory=lambda: NotAttempted("not tried"))
    attempts: list[dict[str, Any]] = field(default_factory=list)
    # the longest Retry-After of all endpoints
    asked_seconds: float = 0


def deliver(claimed: Claim, *, client: SellerClient, circuit_breaker: CircuitBreaker) -> DeliveryResult:
    """Try the endpoints one after the other within one deadline, the same message id at each."""
    delivery = DeliveryResult(claimed)
    end = monotonic() + settings.SELLER_DEADLINE_SECONDS
    if end >= claimed.lease_ends:
        delivery.outcome = NotAttempted("the lease would not have lasted")
        return delivery
    order = circuit_breaker.order()
    # a seller who needs more than a share of the time: every other try of a stuck message leaves it all to one endpoint
    if _is_stuck(claimed.failures) and claimed.failures % 2:
        order = order[:1]
    for number, endpoint in enumerate(order):
        seconds = (end - monotonic()) / (len(order) - number)
        if seconds <= 0:
            break
        outcome = _attempt(delivery, endpoint=endpoint, seconds=seconds, client=client)
        circuit_breaker.record_result(endpoint, outcome, job=claimed.provider_job_id)
        if not isinstance(outcome, RetryLater):
            break
    return delivery


def internal_error_result(claimed: Claim, problem: Exception) -> DeliveryResult:
    """A fault of ours on the way: the message waits like after any failure, and others go on."""
    return DeliveryResult(claimed, RetryLater(coded_text("own_fault", error=type(problem).__name__)))


def _attempt(
    delivery: DeliveryResult, *, endpoint: str, seconds: float, client: SellerClient
) -> DeliveryOutcome:
    message, started_at, started = delivery.message, timezone.now(), monotonic()
    outcome = client.post(endpoint=endpoint, operation=message.operation, body=message.body, seconds=seconds)
    if isinstance(outcome, RetryLater):
        delivery.asked_seconds = max(delivery.asked_seconds, outcome.after_seconds)
    delivery.outcome = outcome
    delivery.attempts.append(
        {
            "message_id": message.pk,
            "endpoint": endpoint,
            "started_at": started_at,
            "milliseconds": round((monotonic() - started) * 1000),
            "status": outcome.status,
            "error": outcome.reason.as_json() if isinstance(outcome, RetryLater) else {},
            "response": refusals.shorten_answer(outcome.status, outcome.answer, longest=LONGEST_REASON),
        }
    )
    return outcome


def settle(deliveries: Collection[DeliveryResult]) -> None:
    """Write down what happened, all in one commit; each in its own where the database refuses the values of one.

    A claim that was overtaken (lease over, replayed) changes no state; its tries are kept all the same.
    """
    try:
        _settle_together(deliveries)
    except NOT_STORABLE as problem:
        log.error("not settled together", error=type(problem).__name__, trace=code_locations(problem))
        for delivery in deliveries:
            _settle_alone(delivery)


def _settle_alone(delivery: DeliveryResult) -> None:
    """What cannot be written down counts as a fault of ours: the message is tried again after its back-off."""
    try:
        _settle_together([delivery])
    except NOT_STORABLE as problem:
        log.error("not settled", job=delivery.message.provider_job_id, error=type(problem).__name__)
        _settle_together([internal_error_result(delivery.message, problem)])


@transaction.atomic(savepoint=False)
def _settle_together(deliveries: Collection[DeliveryResult]) -> None:
    fast_insert.insert_all(
        DeliveryAttempt, [attempt for delivery in deliveries for attempt in delivery.attempts]
    )
    now = timezone.now()
    delivered = [each.message for each in deliveries if isinstance(each.outcome, Delivered)]
    message_states.mark_sent([(message.pk, message.claims) for message in delivered], now=now)
    if confirmed := [message.provider_job_id for message in delivered if _is_stuck(message.failures)]:
        alarms.clear_alarms(AlarmKind.MESSAGE_UNCONFIRMED, confirmed)
    for delivery in _has_lease(
        [delivery for delivery in deliveries if not isinstance(delivery.outcome, Delivered)]
    ):
        _settle_undelivered(delivery, now)
    for delivery in deliveries:
        _log_delivery(delivery)


def _has_lease(deliveries: Collection[DeliveryResult]) -> list[DeliveryResult]:
    """Those whose row nobody has claimed, replayed or settled since; the rows stay locked until the commit."""
    if not deliveries:
        return []
    claimed = OutboundMessage.objects.filter(pk__in=[delivery.message.pk for delivery in deliveries])
    claims = dict(claimed.unsent().order_by("pk").select_for_update(of=("self",)).values_list("pk", "claims"))
    return [delivery for delivery in deliveries if claims.get(delivery.message.pk) == delivery.message.claims]


def _settle_undelivered(delivery: DeliveryResult, now: datetime) -> None:
    message, job = delivery.message, delivery.message.provider_job_id
    row = OutboundMessage.objects.filter(pk=message.pk)
    match delivery.outcome:
        case NotAttempted():
            row.update(lease_expires_at=None)
        case Rejected(status, answer):
            reason = f"{status} {answer}"
            alarms.clear_alarm(AlarmKind.MESSAGE_UNCONFIRMED, job)
            if message_states.record_rejection(message.pk, reason=reason) == OutboundState.HELD:
                message_alarms.raise_held(job, reason=reason)
        case RetryLater() as outcome:
            row.update(
                lease_expires_at=None,
                failures=message.failures + 1,
                next_attempt_at=next_attempt_at(message.failures, delivery.asked_seconds, now=now),
            )
            if _is_stuck(message.failures + 1) and outcome.status and outcome.status not in ERRORS:
                message_alarms.raise_unconfirmed(job, reason=outcome.reason)


def _is_stuck(failures: int) -> bool:
    return failures >= message_states.STUCK_AFTER_FAILURES


def _log_delivery(delivery: DeliveryResult) -> None:
    message = delivery.message
    log.info(
        "message",
        job=message.provider_job_id,
        operation=message.operation,
        request_id=message.request_id,
        message_id=message.body["messageId"],
        outcome=type(delivery.outcome).__name__,
        claim=message.claims,
    )


def next_attempt_at(failures: int, asked_seconds: float, *, now: datetime) -> datetime:
    """Doubling waits up to the cap; never sooner than the seller asked for. Both with jitter, since many wait."""
    longest = min(settings.RELAY_BACKOFF_CAP_SECONDS, FIRST_BACKOFF_SECONDS * 2 ** min(failures, 20))
    jittered = longest * random.uniform(0.5, 1)  # noqa: S311  # spreads load, guards nothing
    asked = asked_seconds * random.uniform(1, LATER_THAN_ASKED)  # noqa: S311
    return now + timedelta(seconds=max(jittered, asked))


def reset_future_timestamps() -> None:
    """Times further ahead than anybody sets them were written by a clock that has been set back since."""
    now = timezone.now()
    asked = MAX_RETRY_AFTER_SECONDS * LATER_THAN_ASKED
    farthest = now + timedelta(seconds=settings.RELAY_BACKOFF_CAP_SECONDS + asked)
    ready = OutboundMessage.objects.filter(state=OutboundState.READY)
    ready.filter(next_attempt_at__gt=farthest).update(next_attempt_at=now)
    lease = timedelta(seconds=settings.RELAY_LEASE_SECONDS * 2)
    ready.filter(lease_expires_at__gt=now + lease).update(lease_expires_at=None)
