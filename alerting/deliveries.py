"""Sends what is due and records what became of it. Only the worker imports it: `requests` takes 20 MB.

At least once: an attempt that ends with its process is repeated with the same delivery_id after LEASE_SECONDS. A failed
delivery is shown on the page of contacts and raises no alarm, which would need a delivery of its own.
"""

from collections.abc import Callable
from datetime import timedelta
from time import monotonic

import structlog
from django.db.models import F
from django.utils import timezone

from alerting.channels.channel_errors import AlarmNotDelivered
from alerting.channels.mail import send_mail
from alerting.channels.sms import send_sms
from alerting.channels.webhook import send_webhook
from alerting.models import AlarmDelivery, AlarmDeliveryState, AlarmEvent, Channel

log = structlog.get_logger("alerting")
SENDERS: dict[str, Callable[[AlarmDelivery], None]] = {
    Channel.MAIL: send_mail,
    Channel.WEBHOOK: send_webhook,
    Channel.SMS: send_sms,
}
LEASE_SECONDS = 60
# after each failed attempt; 4 h in all, then a person must have seen the board
RETRY_MINUTES = (1, 2, 4, 8, 15, 30, 60, 120)


def deliver_due(*, seconds: float) -> int:
    """Everything that is due, for so long; how many attempts were made. The next run goes on."""
    until, attempts = monotonic() + seconds, 0
    while monotonic() < until:
        delivery = claim_next()
        if delivery is None:
            break
        attempts += 1
        _attempt(delivery)
    return attempts


def claim_next() -> AlarmDelivery | None:
    """The one that has waited longest, leased to us."""
    now = timezone.now()
    for delivery in AlarmDelivery.objects.due(now)[:10]:
        # whoever is later finds another due time
        mine = AlarmDelivery.objects.filter(pk=delivery.pk, state=delivery.state, due_at=delivery.due_at)
        if mine.update(due_at=now + timedelta(seconds=LEASE_SECONDS), attempts=F("attempts") + 1):
            delivery.attempts += 1
            return delivery
    return None


def _attempt(delivery: AlarmDelivery) -> None:
    is_open = delivery.alarms.filter(cleared_at=None)
    if delivery.event == AlarmEvent.RAISED and not is_open.exists():
        _settle(delivery, AlarmDeliveryState.CLEARED)
        return
    try:
        SENDERS[delivery.channel](delivery)
    except AlarmNotDelivered as problem:
        _record_failure(delivery, problem)
    else:
        _settle(delivery, AlarmDeliveryState.DELIVERED)


def _record_failure(delivery: AlarmDelivery, problem: AlarmNotDelivered) -> None:
    log.warning("alarm not delivered", delivery=str(delivery.delivery_id), reason=problem.reason)
    if problem.is_permanent or delivery.attempts > len(RETRY_MINUTES):
        _settle(delivery, AlarmDeliveryState.FAILED, problem.reason)
        return
    due_at = timezone.now() + timedelta(minutes=RETRY_MINUTES[delivery.attempts - 1])
    AlarmDelivery.objects.filter(pk=delivery.pk).update(due_at=due_at, last_error=problem.reason[:200])


def _settle(delivery: AlarmDelivery, state: AlarmDeliveryState, reason: str = "") -> None:
    AlarmDelivery.objects.filter(pk=delivery.pk).update(
        state=state, last_error=reason[:200], settled_at=timezone.now()
    )
