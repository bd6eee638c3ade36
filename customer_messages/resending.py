"""A message to a customer once more, because somebody of the office asks for it: a new text, as a row of its own."""

from datetime import datetime

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from customer_messages.message_queue import FRESH_FOR, announced_at, enqueue_message, is_still_true
from customer_messages.models import CustomerMessage, CustomerMessageKind, MessageState
from customer_messages.recipients import recipient_of
from dispatch.agreed_starts import agreed_start
from dispatch.visits import current_visit
from engineers.audit import record_audit
from engineers.models import User
from engineers.shifts import local_time

# what was sent is not sent again, and what was withdrawn is wrong
RESENDABLE = frozenset({MessageState.FAILED, MessageState.EXPIRED})


def resent_key(message: CustomerMessage) -> str:
    """Of the row that stands for it: a message is sent again once, and then its successor can be."""
    return f"resent {message.pk}"


def is_resendable(message: CustomerMessage, *, now: datetime) -> bool:
    """It was not sent, is still true, and the customer can be reached. Whether it was sent again is not looked at."""
    return (
        message.state in RESENDABLE
        and is_still_true(message)
        and _expires_at(message, now) > now
        and recipient_of(message.job, settings.CUSTOMER_MESSAGES.channels) is not None
    )


def _expires_at(message: CustomerMessage, now: datetime) -> datetime:
    if message.kind == CustomerMessageKind.ON_THE_WAY:
        return now + FRESH_FOR
    # its text says "today"
    at = announced_at(message.job, agreed_start(current_visit(message.job)))
    return at if local_time(at).date() == local_time(now).date() else now


@transaction.atomic
def resend(*, message: CustomerMessage, by: User) -> CustomerMessage | None:
    """The new row, which the worker sends; None where it is not sensible any more, or was done already."""
    now = timezone.now()
    rows = CustomerMessage.objects.select_for_update(of=("self",)).select_related("job")
    locked = rows.get(pk=message.pk)
    key = resent_key(locked)
    if not is_resendable(locked, now=now) or CustomerMessage.objects.filter(key=key).exists():
        return None
    kind = CustomerMessageKind(locked.kind)
    made = enqueue_message(key, kind, locked.job, now=now, expires_at=_expires_at(locked, now))
    subject = locked.job.provider_job_id
    record_audit(actor=by, action="customer_message_resent", subject=subject, after={"kind": str(kind)})
    return made
