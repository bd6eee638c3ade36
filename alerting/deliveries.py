"""Sends what is due and records what became of it. Only the worker imports it.

At least once: an attempt that ends with its process is repeated with the same delivery_id after LEASE_SECONDS. A failed
delivery is shown on the page of contacts and raises no alarm, which would need a delivery of its own.
"""

from collections.abc import Callable
from datetime import timedelta
from time import monotonic

import structlog
from django.db.models import F, QuerySet
from django.utils import timezone
from structlog.contextvars import bound_contextvars

from alerting.channels import AlarmNotDelivered, send_mail, send_sms, send_webhook
from alerting.models import LONGEST_WAIT, AlarmDelivery, AlarmDeliveryState, AlarmEvent, Channel
from monitoring import request_ids
from monitoring.coded_texts import CodedText, coded_text

log = structlog.get_logger("alerting")
SENDERS: dict[str, Callable[[AlarmDelivery], None]] = {
    Channel.MAIL: send_mail,
    Channel.WEBHOOK: send_webhook,
    Channel.SMS: send_sms,
}
LEASE_SECONDS = 60
# after each failed attempt; 4 h in all, then a person must have seen the board
RETRY_MINUTES = (1, 2, 4, 8, 15, 30, 60, LONGEST_WAIT // timedelta(minutes=1))

# of which nobody has recorded how it ended
INTERRUPTED = coded_text("interrupted")


def deliver_due(*, seconds: float) -> int:
    """Everything that is due, for so long; how many attempts were made. The next run goes on."""
    until, attempts = monotonic() + seconds, 0
    _give_up_interrupted()
    while monotonic() < until:
        delivery = claim_next()
        if delivery is None:
            break
        attempts += 1
        attempt(delivery)
    return attempts


def _give_up_interrupted() -> None:
    """Each attempt may have ended with its process, as one does that takes longer than a task may."""
    tried = AlarmDelivery.objects.due(timezone.now()).filter(attempts__gt=len(RETRY_MINUTES))
    for delivery in tried:
        log.warning("alarm not delivered", delivery=str(delivery.delivery_id), reason=INTERRUPTED.log_text())
        _settle(_waiting(delivery), AlarmDeliveryState.FAILED, INTERRUPTED)


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


def attempt(delivery: AlarmDelivery) -> None:
    """Of a delivery that is leased to us; each line of the log names the requests that raised its alarms."""
    with bound_contextvars(**{request_ids.NAME: " ".join(delivery.request_ids())}):
        _attempt(delivery)


def _attempt(delivery: AlarmDelivery) -> None:
    is_open = delivery.alarms.filter(cleared_at=None)
    if delivery.event == AlarmEvent.RAISED and not is_open.exists():
        _settle(_to_this_address(delivery), AlarmDeliveryState.CLEARED)
        return
    # first: nobody records anything of an attempt that ends with its process
    if not _waiting(delivery).update(may_have_arrived=True):
        # its contact was corrected or deleted after we claimed it
        return
    try:
        SENDERS[delivery.channel](delivery)
    except AlarmNotDelivered as problem:
        _record_failure(delivery, problem)
    else:
        log.info("alarm delivered", delivery=str(delivery.delivery_id))
        _settle(_to_this_address(delivery), AlarmDeliveryState.DELIVERED)


def _to_this_address(delivery: AlarmDelivery) -> QuerySet[AlarmDelivery]:
    """Empty once its contact was corrected: how an attempt at the old address ended says nothing of the new one."""
    return AlarmDelivery.objects.filter(pk=delivery.pk, channel=delivery.channel, address=delivery.address)


def _waiting(delivery: AlarmDelivery) -> QuerySet[AlarmDelivery]:
    """Empty too once its contact was deleted, which is the reason that the page names."""
    return _to_this_address(delivery).filter(state=AlarmDeliveryState.WAITING)


def _record_failure(delivery: AlarmDelivery, problem: AlarmNotDelivered) -> None:
    log.warning("alarm not delivered", delivery=str(delivery.delivery_id), reason=problem.reason.log_text())
    if problem.is_certain:
        # as before this attempt
        _to_this_address(delivery).update(may_have_arrived=delivery.may_have_arrived)
    if problem.is_permanent or delivery.attempts > len(RETRY_MINUTES):
        _settle(_waiting(delivery), AlarmDeliveryState.FAILED, problem.reason)
        return
    due_at = timezone.now() + timedelta(minutes=RETRY_MINUTES[delivery.attempts - 1])
    _waiting(delivery).update(due_at=due_at, last_error=problem.reason.as_json())


def _settle(
    deliveries: QuerySet[AlarmDelivery], state: AlarmDeliveryState, reason: CodedText | None = None
) -> None:
    deliveries.update(state=state, last_error=reason.as_json() if reason else {}, settled_at=timezone.now())
