"""Deliveries that are due: claimed under a lease, sent, settled. Order per job and address, addresses in parallel."""

import random
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from time import monotonic
from typing import Any

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from monitoring import alarms
from monitoring.coded_texts import CodedText, coded_text
from monitoring.models import AlarmKind
from monitoring.signed_post import NotPosted, post_signed
from partner_api.models import WebhookAttempt, WebhookDelivery, WebhookState, WebhookSubscription
from partner_api.webhook_subscriptions import lock_subscriptions

log = structlog.get_logger("partner_api.webhooks")
# seconds after the first, second … failure; the last one again and again, until WEBHOOK_RETRY_HOURS are over
RETRY_AFTER_SECONDS = (5, 30, 120, 600, 1800, 3600)
# so many at the same moment to one address, so that a slow one leaves threads to the others; a failing one gets one
MOST_PER_ADDRESS, FAILING_FROM = 3, 3
# a failing address is left alone this long, doubling up to the last
FIRST_OPEN_SECONDS, LONGEST_OPEN_SECONDS = 10, 600
ALARM_FROM = 6
# the call's own limit, and as much again to write down what became of it
LEASE_SLACK_SECONDS = 60
SUCCESS, REDIRECT = 200, 300


@dataclass(frozen=True)
class WebhookClaim:
    """A delivery that is ours until its lease ends."""

    pk: int
    claims: int
    failures: int
    subscription: int
    url: str
    secret: str
    delivery_id: str
    body: dict[str, Any]
    request_id: str


@dataclass(frozen=True)
class WebhookResult:
    """`error`: none for a status of 2xx."""

    claim: WebhookClaim
    started_at: datetime
    milliseconds: int
    status: int | None
    error: CodedText | None


@transaction.atomic
def claim_due(limit: int, *, under_way: Counter[int]) -> list[WebhookClaim]:
    """Up to `limit` deliveries; `under_way` counts those of each subscription (key) that are being sent now."""
    now, chosen = timezone.now(), list[WebhookDelivery]()
    listening = WebhookSubscription.objects.filter(paused_at=None, deleted_at=None)
    # those that answer first, so that failing ones take no thread from them
    for subscription in listening.order_by("failures", "pk"):
        most = 1 if subscription.failures >= FAILING_FROM else MOST_PER_ADDRESS
        free = min(most - under_way[subscription.pk], limit - len(chosen))
        if free > 0:
            due = WebhookDelivery.objects.due(now).filter(subscription=subscription)
            locked = due.select_for_update(of=("self",), skip_locked=True)
            chosen += locked.select_related("subscription", "event").order_by("next_attempt_at", "pk")[:free]
    until = now + timedelta(seconds=settings.WEBHOOKS.seconds + LEASE_SLACK_SECONDS)
    keys = [delivery.pk for delivery in chosen]
    WebhookDelivery.objects.filter(pk__in=keys).update(claims=F("claims") + 1, lease_expires_at=until)
    return [_claim(delivery) for delivery in chosen]


def _claim(delivery: WebhookDelivery) -> WebhookClaim:
    return WebhookClaim(
        pk=delivery.pk,
        claims=delivery.claims + 1,
        failures=delivery.failures,
        subscription=delivery.subscription_id,
        url=delivery.subscription.url,
        secret=delivery.subscription.secret,
        delivery_id=str(delivery.event.event_id),
        body=delivery.event.body,
        request_id=delivery.event.request_id,
    )


def send(claim: WebhookClaim) -> WebhookResult:
    """One try. A repetition has the same `X-Delivery-ID` and a new time stamp. Asks nothing of the database."""
    started_at, started = timezone.now(), monotonic()
    status: int | None = None
    error: CodedText | None = None
    try:
        result = post_signed(
            claim.url,
            claim.body,
            secret=claim.secret,
            delivery_id=claim.delivery_id,
            request_id=claim.request_id,
            seconds=settings.WEBHOOKS.seconds,
            is_private_allowed=settings.WEBHOOKS.private_addresses,
        )
        status = result.status
        if not SUCCESS <= status < REDIRECT:
            error = coded_text("http_status", status=status)
    except NotPosted as problem:
        error = problem.reason
    return WebhookResult(claim, started_at, round((monotonic() - started) * 1000), status, error)


@transaction.atomic
def settle(results: Iterable[WebhookResult]) -> None:
    """Write down what happened. A claim that was overtaken changes no state; its attempt is kept all the same."""
    now, results = timezone.now(), list(results)
    lock_subscriptions({result.claim.subscription for result in results})
    for result in results:
        claim = result.claim
        WebhookAttempt.objects.create(
            delivery_id=claim.pk,
            started_at=result.started_at,
            milliseconds=result.milliseconds,
            status=result.status,
            error=result.error.as_json() if result.error else {},
        )
        ours = WebhookDelivery.objects.filter(pk=claim.pk, claims=claim.claims, state=WebhookState.READY)
        if result.error is None:
            ours.update(state=WebhookState.DELIVERED, delivered_at=now, lease_expires_at=None, failures=0)
            _record_success(claim.subscription)
        else:
            _settle_failure(ours, claim, now)
            _record_failure(claim.subscription, result.error, now)
        error = result.error.log_text() if result.error else ""
        log.info(
            "webhook",
            delivery_id=claim.delivery_id,
            request_id=claim.request_id,
            status=result.status,
            error=error,
        )


def _settle_failure(ours: Any, claim: WebhookClaim, now: datetime) -> None:
    seconds = RETRY_AFTER_SECONDS[min(claim.failures, len(RETRY_AFTER_SECONDS) - 1)]
    jittered = seconds * random.uniform(0.8, 1.2)  # noqa: S311  # spreads load, guards nothing
    ours.filter(give_up_at__lte=now).update(state=WebhookState.FAILED, lease_expires_at=None)
    ours.update(
        failures=claim.failures + 1,
        lease_expires_at=None,
        next_attempt_at=now + timedelta(seconds=jittered),
    )


def _record_success(subscription: int) -> None:
    recovered = WebhookSubscription.objects.filter(pk=subscription, failures__gt=0)
    if recovered.update(failures=0, open_until=None):
        alarms.clear_alarm(AlarmKind.WEBHOOK_FAILING, str(subscription))


def _record_failure(key: int, error: CodedText, now: datetime) -> None:
    subscription = WebhookSubscription.objects.select_for_update().get(pk=key)
    subscription.failures += 1
    over = subscription.failures - FAILING_FROM
    if over >= 0:
        seconds = min(FIRST_OPEN_SECONDS * 2 ** min(over, 10), LONGEST_OPEN_SECONDS)
        subscription.open_until = now + timedelta(seconds=seconds)
    subscription.save(update_fields=["failures", "open_until"])
    is_listening = subscription.deleted_at is None and subscription.paused_at is None
    if subscription.failures >= ALARM_FROM and is_listening:
        text = coded_text("webhook_failing", name=subscription.name, reason=error)
        alarms.raise_alarm(AlarmKind.WEBHOOK_FAILING, str(key), text)
