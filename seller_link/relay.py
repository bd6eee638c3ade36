"""Carries rows of the outbox to the seller: claim heads, deliver, settle. Order per job, jobs in parallel."""

import random
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from time import monotonic

import structlog
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from seller_link.client import Delivered, Line, Outcome, Refused, TryAgain
from seller_link.models import DeliveryAttempt, OutboundMessage, OutboundState

log = structlog.get_logger("seller_link.relay")
FIRST_WAIT_SECONDS = 0.5


@dataclass
class Journey:
    """One claimed message and what became of it at each endpoint."""

    message: OutboundMessage
    outcome: Outcome = field(default_factory=lambda: TryAgain("not tried"))
    tries: list[DeliveryAttempt] = field(default_factory=list)


def is_work_due() -> bool:
    """A cheap look without a lock."""
    return OutboundMessage.objects.due(timezone.now()).exists()


@transaction.atomic
def claim(limit: int) -> list[OutboundMessage]:
    """Up to `limit` heads, leased to us; no other relay sends them until the lease is over."""
    now = timezone.now()
    due = OutboundMessage.objects.due(now).order_by("next_try_at", "pk")
    rows = list(due.select_for_update(skip_locked=True, of=("self",)).select_related("job")[:limit])
    for row in rows:
        row.attempts += 1
        row.claimed_until = now + timedelta(seconds=settings.RELAY_LEASE_SECONDS)
        row.save(update_fields=["attempts", "claimed_until"])
    return rows


def deliver(message: OutboundMessage, *, line: Line) -> Journey:
    """Try the endpoints one after the other within one deadline, the same message id at each."""
    journey = Journey(message)
    end = monotonic() + settings.SELLER_DEADLINE_SECONDS
    endpoints = settings.SELLER_ENDPOINTS
    for number, endpoint in enumerate(endpoints):
        seconds = (end - monotonic()) / (len(endpoints) - number)
        if seconds <= 0:
            break
        journey.outcome = _try(journey, endpoint=endpoint, seconds=seconds, line=line)
        if not isinstance(journey.outcome, TryAgain):
            break
    return journey


def _try(journey: Journey, *, endpoint: str, seconds: float, line: Line) -> Outcome:
    message, started_at, started = journey.message, timezone.now(), monotonic()
    outcome = line.post(endpoint=endpoint, operation=message.operation, body=message.body, seconds=seconds)
    journey.tries.append(
        DeliveryAttempt(
            message=message,
            endpoint=endpoint,
            started_at=started_at,
            milliseconds=round((monotonic() - started) * 1000),
            status=outcome.status,
            error=outcome.reason if isinstance(outcome, TryAgain) else "",
            answer=outcome.answer[:10_000],
        )
    )
    return outcome


@transaction.atomic
def settle(journey: Journey) -> None:
    """Write down what happened. A claim that was overtaken (lease over, replayed) changes no state."""
    message, now = journey.message, timezone.now()
    DeliveryAttempt.objects.bulk_create(journey.tries)
    mine = OutboundMessage.objects.filter(pk=message.pk, attempts=message.attempts).exclude(
        state=OutboundState.SENT
    )
    match journey.outcome:
        case Delivered():
            mine.update(state=OutboundState.SENT, sent_at=now, claimed_until=None, failures=0, held_reason="")
        case Refused(status, answer):
            mine.update(
                state=OutboundState.HELD, claimed_until=None, held_reason=f"{status} {answer}"[:10_000]
            )
        case TryAgain() as outcome:
            mine.update(
                claimed_until=None,
                failures=message.failures + 1,
                next_try_at=next_try(message, outcome, now=now),
            )
    log.info(
        "message",
        job=message.job.provider_job_id,
        operation=message.operation,
        message_id=str(message.message_id),
        outcome=type(journey.outcome).__name__,
        attempt=message.attempts,
    )


def next_try(message: OutboundMessage, outcome: TryAgain, *, now: datetime) -> datetime:
    """Doubling waits with jitter up to the cap; never sooner than the seller asked for."""
    longest = min(settings.RELAY_BACKOFF_CAP_SECONDS, FIRST_WAIT_SECONDS * 2 ** min(message.failures, 20))
    jittered = longest * random.uniform(0.5, 1)  # noqa: S311  # spreads load, guards nothing
    return now + timedelta(seconds=max(jittered, outcome.after_seconds))
