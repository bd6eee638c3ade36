"""Messages are first a row, made once for each reason, and sent at most once.

A repetition would annoy a customer more than a message that is missing: what may have arrived is not sent again.
"""

import uuid
from collections.abc import Iterator, Sequence
from datetime import datetime, time, timedelta
from typing import Any

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import OuterRef, Q, Subquery
from django.utils import timezone

from customer_messages.message_texts import compose
from customer_messages.models import CustomerMessage, CustomerMessageKind, MessageChannel, MessageState
from customer_messages.recipients import recipient_of
from dispatch.event_readers import forget_reader, read_events
from dispatch.models import Job, JobEvent, Visit
from dispatch.states import EventKind, JobState
from engineers.shifts import TimeSpan, day_span, local_time
from monitoring.coded_texts import coded_text
from monitoring.mail_server import NotMailed, send_mail
from monitoring.signed_post import NotPosted
from monitoring.sms_gateway import send_sms
from monitoring.transaction_numbers import SETTLED_AFTER_SECONDS

log = structlog.get_logger("customer_messages")
READER = "customer_messages"
# a phone that was offline reports later that the engineer has set off: after this long nobody wants to know
FRESH_FOR = timedelta(minutes=15)
# nobody is woken by the message of the day
DAY_MESSAGES_FROM = time(7, 0)
RETRY_AFTER = timedelta(minutes=2)
LEASE = timedelta(minutes=2)
# a run ends well within WORKER_TASK_SECONDS, with a channel that does not answer, too
RUN_FOR = timedelta(seconds=15)


def enqueue_new(now: datetime, *, settled_after: float = SETTLED_AFTER_SECONDS) -> None:
    """Write the messages that are due. Without channels nothing is written, and what happens then is never sent
    later."""
    if not settings.CUSTOMER_MESSAGES.channels:
        forget_reader(READER)
        return
    read_events(READER, lambda events: _enqueue_on_the_way(events, now), settled_after=settled_after)
    _enqueue_today(now)


def _enqueue_on_the_way(events: Sequence[JobEvent], now: datetime) -> None:
    set_off = [event for event in events if event.kind == EventKind.EN_ROUTE]
    keys = {_key(event): event for event in set_off}
    known = set(CustomerMessage.objects.filter(key__in=list(keys)).values_list("key", flat=True))
    for key, event in keys.items():
        if key not in known:
            expires_at = event.occurred_at + FRESH_FOR
            enqueue_message(key, CustomerMessageKind.ON_THE_WAY, event.job, now=now, expires_at=expires_at)


def _key(event: JobEvent) -> str:
    return f"on the way {event.pk}"


@transaction.atomic
def _enqueue_today(now: datetime) -> None:
    local = local_time(now)
    if local.time() < DAY_MESSAGES_FROM:
        return
    today = day_span(local.date())
    announced = [
        (job, announced_at(job, agreed)) for job, agreed in _announced_jobs(TimeSpan(now, today.end))
    ]
    jobs = {f"today {job.pk} {at.isoformat()}": (job, at) for job, at in announced if now < at < today.end}
    rows = CustomerMessage.objects.filter(key__in=list(jobs))
    # the job stands again as one says that was withdrawn, as after a hold
    rows.filter(state=MessageState.WITHDRAWN).update(state=MessageState.READY, next_attempt_at=now)
    known = set(rows.values_list("key", flat=True))
    for key, (job, at) in jobs.items():
        if key not in known:
            enqueue_message(key, CustomerMessageKind.TODAY, job, now=now, expires_at=at)


def _announced_jobs(span: TimeSpan) -> Iterator[tuple[Job, datetime | None]]:
    """Whose window, or agreed start, begins in this span, each with its agreed start; one query."""
    agreed = Visit.objects.current().filter(job=OuterRef("pk"), is_start_agreed=True)
    jobs = Job.objects.filter(state=JobState.ASSIGNED, on_hold_since=None).annotate(
        agreed_at=Subquery(agreed.values("planned_start")[:1])
    )
    is_in_window = Q(window_start__gt=span.start, window_start__lt=span.end)
    is_agreed = Q(agreed_at__gt=span.start, agreed_at__lt=span.end)
    found: list[Any] = list(jobs.filter(is_in_window | is_agreed))
    return ((job, job.agreed_at) for job in found)


def announced_at(job: Job, agreed: datetime | None) -> datetime:
    """Of which day and until when a message of the day is: the beginning of the window, or the start that the customer
    agreed to on a later day of it."""
    is_later_day = agreed is not None and local_time(agreed).date() > local_time(job.window_start).date()
    return agreed if agreed and is_later_day else job.window_start


def enqueue_message(
    key: str, kind: CustomerMessageKind, job: Job, *, now: datetime, expires_at: datetime
) -> CustomerMessage:
    """A row in any case: it says why nothing was sent."""
    recipient = recipient_of(job, settings.CUSTOMER_MESSAGES.channels)
    row = CustomerMessage(
        key=key,
        message_id=uuid.uuid4(),
        job=job,
        kind=kind,
        window_start=job.window_start,
        created_at=now,
        next_attempt_at=now,
        expires_at=expires_at,
    )
    if expires_at <= now:
        row.state = MessageState.EXPIRED
    elif recipient is None:
        row.state, row.reason = MessageState.FAILED, coded_text("no_address").as_json()
    else:
        found = compose(kind, job, now=now)
        row.channel, row.recipient = recipient
        row.subject, row.text = found.subject[:200], found.text
    row.save()
    return row


def send_due(now: datetime) -> None:
    """Send what is due, a bounded number, first what is soon of no use: an engineer on the way before the morning's
    messages of the day. The next run goes on."""
    interrupted = coded_text("interrupted").as_json()
    CustomerMessage.objects.interrupted(now).update(state=MessageState.FAILED, reason=interrupted)
    due = CustomerMessage.objects.due(now).order_by("expires_at", "next_attempt_at")
    for key in list(due.values_list("pk", flat=True)):
        message = _claim(key)
        if message is not None:
            _send(message)
        if timezone.now() - now > RUN_FOR:
            return


@transaction.atomic
def _claim(key: int) -> CustomerMessage | None:
    """Ours alone from now on; None where it must not be sent any more, and the row says why."""
    now = timezone.now()
    found = CustomerMessage.objects.select_for_update(of=("self",)).filter(pk=key, state=MessageState.READY)
    message = found.select_related("job").first()
    if message is None:
        return None
    state = _state_before_sending(message, now)
    message.state, message.attempts, message.lease_expires_at = state, message.attempts + 1, now + LEASE
    message.save(update_fields=["state", "attempts", "lease_expires_at"])
    return message if state == MessageState.SENDING else None


def is_still_true(message: CustomerMessage) -> bool:
    """Whether the job stands as the message says."""
    job = message.job
    expected = {
        CustomerMessageKind.ON_THE_WAY: {JobState.EN_ROUTE},
        CustomerMessageKind.TODAY: {JobState.ASSIGNED, JobState.EN_ROUTE},
    }[CustomerMessageKind(message.kind)]
    return job.state in expected and job.window_start == message.window_start and not job.on_hold_since


def _state_before_sending(message: CustomerMessage, now: datetime) -> MessageState:
    if not is_still_true(message):
        return MessageState.WITHDRAWN
    return MessageState.EXPIRED if message.expires_at <= now else MessageState.SENDING


def _send(message: CustomerMessage) -> None:
    ours = CustomerMessage.objects.filter(pk=message.pk, state=MessageState.SENDING)
    now = timezone.now()
    try:
        _send_by_channel(message)
    except (NotPosted, NotMailed) as problem:
        reason = problem.reason.as_json()
        if problem.is_certain:
            ours.update(state=MessageState.READY, next_attempt_at=now + RETRY_AFTER, reason=reason)
        else:
            ours.update(state=MessageState.FAILED, reason=reason)
        error = problem.reason.log_text()
        log.warning("customer message not sent", kind=message.kind, channel=message.channel, error=error)
    else:
        ours.update(state=MessageState.SENT, sent_at=timezone.now(), reason={})
        log.info("customer message sent", kind=message.kind, channel=message.channel)


def _send_by_channel(message: CustomerMessage) -> None:
    message_id = str(message.message_id)
    if message.channel == MessageChannel.SMS and settings.SMS_GATEWAY:
        send_sms(settings.SMS_GATEWAY, number=message.recipient, text=message.text, message_id=message_id)
    elif message.channel == MessageChannel.MAIL and settings.MAIL_SERVER:
        send_mail(
            settings.MAIL_SERVER,
            to=message.recipient,
            subject=message.subject,
            text=message.text,
            message_id=message_id,
        )
    else:
        raise NotPosted(coded_text("channel_not_set_up"))
