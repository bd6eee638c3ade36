"""Messages that fail for long while the seller is there: an alarm of their job, until the seller confirms them."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.db.models import OuterRef, Q, Subquery
from django.utils import timezone

from monitoring import alarms
from monitoring.coded_texts import stored_reason
from monitoring.models import Alarm, AlarmKind
from seller_link import message_alarms, message_states
from seller_link.models import DeliveryAttempt, OutboundMessage, OutboundQuerySet
from seller_link.seller_silence import SILENCE_KINDS

UNCONFIRMED_AFTER = timedelta(minutes=10)
# a look shares the relay's one database thread with all deliveries
HEADS_AT_ONCE = 20


def watch_unconfirmed() -> None:
    """Raise MESSAGE_UNCONFIRMED for heads of jobs that have failed for long, with what came last, and clear those whose
    job has none that fails. While nobody could reach the seller, and shortly afterwards, that alarm says it."""
    failing = OutboundMessage.objects.unsent().filter(failures__gte=message_states.STUCK_AFTER_FAILURES)
    _clear_ended(failing)
    since = timezone.now() - UNCONFIRMED_AFTER
    if _was_unreachable(since):
        return
    attempts = DeliveryAttempt.objects.filter(message=OuterRef("pk")).order_by("-started_at", "-pk")
    last_error = Subquery(attempts.values("error")[:1])
    # those that are tried next, by the index of what waits: others have their turn at another look
    heads = (
        failing.heads().filter(created_at__lte=since).select_related("job").order_by("next_attempt_at", "pk")
    )
    found: Iterable[Any] = heads.annotate(last_error=last_error)[:HEADS_AT_ONCE]
    texts = {
        head.job.provider_job_id: message_alarms.unconfirmed_text(
            head.job, reason=stored_reason(head.last_error)
        )
        for head in found
    }
    alarms.raise_alarms(AlarmKind.MESSAGE_UNCONFIRMED, texts)


def _clear_ended(failing: OutboundQuerySet) -> None:
    """Whatever ended it; a relay may have delivered it while another one raised the alarm."""
    opened = set(
        alarms.open_alarms().filter(kind=AlarmKind.MESSAGE_UNCONFIRMED).values_list("subject", flat=True)
    )
    if opened:
        jobs = failing.filter(job__provider_job_id__in=opened).order_by()
        ended = opened - set(jobs.values_list("job__provider_job_id", flat=True))
        alarms.clear_alarms(AlarmKind.MESSAGE_UNCONFIRMED, ended)


def _was_unreachable(since: datetime) -> bool:
    over = Q(cleared_at=None) | Q(cleared_at__gt=since)
    return Alarm.objects.filter(over, kind__in=SILENCE_KINDS).exists()
