"""Messages to the seller: written in the transaction of the fact, watched and replayed by people."""

import uuid
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from dispatch import job_events
from dispatch.models import Job, JobEvent
from dispatch.problems import ActionRefused, Problem
from dispatch.states import EventKind
from engineers.audit import record_audit
from engineers.models import AuditEntry, User
from monitoring import request_ids
from seller_link import answer_sources, message_alarms, message_states, outbox_queue, wire
from seller_link.event_messages import MESSAGES
from seller_link.models import OutboundMessage, OutboundQuerySet, OutboundState
from seller_link.wire.v1.outgoing import MessageEnvelope

ASSIGNMENT_EVENTS = frozenset({EventKind.ENGINEER_ASSIGNED, EventKind.RESCHEDULED})
MESSAGE_STOPPED = "message_stopped"
# what a message is about: a correction changes what it says of it
SAME_MEMBERS = ("providerJobId", "sellerJobId", "event", "scanId")


class AlreadyDelivered(ActionRefused):
    """There is nothing to replay; nothing has changed."""


class MessagePurged(ActionRefused):
    """Its personal data has ended, so the seller would get a masked body; nothing has changed."""


class BeingSent(ActionRefused):
    """A relay holds it this moment; another copy, or another body, must not overtake that one."""


class NotStuck(ActionRefused):
    """It is neither held nor failing: delivered, stopped, or on its way as usual; nothing has changed."""


class MessagesChanged(ActionRefused):
    """Others wait than those that somebody decided about; nothing has changed."""


class ReasonMissing(ActionRefused):
    """A correction, or the end of sending, without a reason."""


class CorrectionBroken(ActionRefused):
    """A corrected body that breaks the contract, or is about something else; each place is named."""


def enqueue_for_event(*, event: JobEvent, **_signal: object) -> OutboundMessage | None:
    """Receiver of `job_event_recorded`: a row for an event that the seller must be notified of.

    Called under the job's lock, so the next `seq` is free; raising here undoes the fact itself.
    """
    build = MESSAGES.get(event.kind)
    if build is None:
        return None
    now, earlier = timezone.now(), _earlier_messages(event)
    envelope = MessageEnvelope(
        message_id=uuid.uuid4(),
        sent_at=now,
        occurred_at=event.occurred_at,
        provider_job_id=event.job.provider_job_id,
        seller_job_id=event.job.seller_job_id,
        not_before=_newest_time(earlier),
        carried=answer_sources.carried_answers(earlier) if event.kind == EventKind.CLOSED else (),
    )
    operation, body = build(envelope, event)
    outbox_queue.notify_relay()
    return OutboundMessage.objects.create(
        job=event.job,
        event=event,
        seq=earlier[-1]["seq"] + 1 if earlier else 1,
        message_id=envelope.message_id,
        operation=operation,
        request_id=request_ids.current_request_id(),
        body=body,
        created_at=now,
        next_attempt_at=now,
    )


def _earlier_messages(event: JobEvent) -> Sequence[dict[str, Any]]:
    """Of the event's job, in their order, as far as the next one depends on them; one query."""
    columns = ["seq", "event__kind", "event__occurred_at", "created_at"]
    if event.kind == EventKind.CLOSED:
        columns += answer_sources.COLUMNS
    return list(event.job.outbound_messages.order_by("seq").values(*columns))


def _newest_time(messages: Iterable[Mapping[str, Any]]) -> datetime | None:
    """Of the newest state event as the seller has it: times never run backwards for the seller, whatever two phones'
    clocks say. A repeated engineerAssigned is no state event."""
    newest = None
    for message in messages:
        if newest is None or message["event__kind"] not in ASSIGNMENT_EVENTS:
            moment = min(message["event__occurred_at"], message["created_at"])
            newest = moment if newest is None else max(newest, moment)
    return newest


def stuck_messages() -> OutboundQuerySet:
    """Held by a refusal, or tried several times in vain: what a dispatcher should look at."""
    unsent = OutboundMessage.objects.unsent()
    stuck = unsent.filter(state=OutboundState.HELD) | unsent.filter(
        failures__gte=message_states.STUCK_AFTER_FAILURES
    )
    return stuck.order_by("created_at")


def is_stuck(message: OutboundMessage) -> bool:
    """One of stuck_messages, which a person may stop."""
    return stuck_messages().filter(pk=message.pk).exists()


def has_stuck_messages(job: Job) -> bool:
    """Whether a person may stop all that wait."""
    return stuck_messages().filter(job=job).exists()


@transaction.atomic
def replay_message(
    *, message: OutboundMessage, by: User, reason: str = "", body: dict[str, Any] | None = None
) -> OutboundMessage:
    """Send a held or failing message again now, with a corrected body if one is given; many: replays.py.

    The id stays unless the body changed (the same id with another body is a conflict at the seller:
    job-messages.md, Members of every request). A correction needs `reason`. Audited; the refused body is kept
    beside the new one. Raises AlreadyDelivered, MessagePurged, BeingSent, ReasonMissing or CorrectionBroken, and then
    nothing has changed.
    """
    row = _locked(message)
    is_corrected = body is not None and body != row.body
    _refuse_replay(row, reason=reason, is_corrected=is_corrected)
    before = _audited(row)
    if body is not None and is_corrected:
        _refuse_broken(row, body)
        _correct(row, body)
    message_states.make_due(row)
    answer_sources.correct_unsent_closing(row.job)
    outbox_queue.notify_relay()
    message_alarms.clear_message_alarms([row.job.provider_job_id])
    after = {"message_id": str(row.message_id), "corrected": is_corrected, "reason": reason.strip()}
    record_audit(actor=by, action="replayed", subject=_subject(row), before=before, after=after)
    return row


@transaction.atomic
def stop_message(*, message: OutboundMessage, by: User, reason: str) -> OutboundMessage:
    """Never send a held or failing message again: the seller can't accept it, and the job's later ones go on.

    Audited with `reason`. Raises NotStuck, BeingSent or ReasonMissing, and then nothing has changed.
    """
    row = _locked(message)
    if not is_stuck(row):
        raise NotStuck([Problem("not_stuck", "message", _("This message is no longer held."))])
    _stop([row], by=by, reason=reason)
    return row


@transaction.atomic
def stop_job_messages(*, job: Job, seen: Collection[int], by: User, reason: str) -> Sequence[OutboundMessage]:
    """Never send any message of this job again that waits, all or none: one is stuck, and the seller can accept no
    other. `seen`: the keys of those that somebody has read before deciding.

    Audited with `reason`, a line for each. Raises NotStuck, MessagesChanged, BeingSent or ReasonMissing, and then
    nothing has changed.
    """
    job_events.lock_job(job)
    waiting = OutboundMessage.objects.unsent().filter(job=job).order_by("pk")
    rows = list(waiting.select_for_update(of=("self",)).select_related("job"))
    if not has_stuck_messages(job):
        text = _("No message of this job is held or failing. Nothing was stopped.")
        raise NotStuck([Problem("not_stuck", "message", text)])
    if {row.pk for row in rows} != set(seen):
        text = _("The messages of this job have changed since you opened the page. Look at the list again.")
        raise MessagesChanged([Problem("messages_changed", "message", text)])
    _stop(rows, by=by, reason=reason)
    return rows


def _stop(rows: Sequence[OutboundMessage], *, by: User, reason: str) -> None:
    """Locked rows of one locked job."""
    for row in rows:
        _refuse_being_sent(row)
    if not reason.strip():
        raise ReasonMissing([Problem("reason_missing", "reason", _("Enter a reason for stopping."))])
    for row in rows:
        before = _audited(row)
        message_states.stop(row)
        after = {"message_id": str(row.message_id), "reason": reason.strip()}
        record_audit(actor=by, action=MESSAGE_STOPPED, subject=_subject(row), before=before, after=after)
    answer_sources.correct_unsent_closing(rows[0].job)
    outbox_queue.notify_relay()
    message_alarms.clear_message_alarms([rows[0].job.provider_job_id])


def find_stop(message: OutboundMessage) -> AuditEntry | None:
    """Who stopped it last, when and why."""
    entries = AuditEntry.objects.filter(action=MESSAGE_STOPPED, subject=_subject(message))
    newest_first = entries.select_related("actor").order_by("-recorded_at")
    number = str(message.message_id)
    return next((entry for entry in newest_first if (entry.after or {}).get("message_id") == number), None)


def _subject(row: OutboundMessage) -> str:
    return f"{row.operation} {row.job}"


def _audited(row: OutboundMessage) -> dict[str, str]:
    """Of the refusal only the code: the seller may have written anything beside it, also about people."""
    code = wire.refusals.fault_code(row.held_reason)
    return {"message_id": str(row.message_id), "state": row.state, "held_reason": code}


def _locked(message: OutboundMessage) -> OutboundMessage:
    """The job before its message, as a replay of several does; nobody closes the job meanwhile."""
    job_events.lock_job(message.job)
    rows = OutboundMessage.objects.select_for_update(of=("self",)).select_related("job")
    return rows.get(pk=message.pk)


def _refuse_being_sent(row: OutboundMessage) -> None:
    if row.lease_expires_at and row.lease_expires_at > timezone.now():
        raise BeingSent([Problem("being_sent", "message", _("This message is being sent right now."))])


def _refuse_replay(row: OutboundMessage, *, reason: str, is_corrected: bool) -> None:
    if row.state == OutboundState.SENT:
        raise AlreadyDelivered(
            [Problem("already_delivered", "message", _("The seller has already received this message."))]
        )
    if row.purged_at:
        text = _("The personal data of this message was removed. It can't be resent.")
        raise MessagePurged([Problem("message_purged", "message", text)])
    _refuse_being_sent(row)
    if is_corrected and not reason.strip():
        raise ReasonMissing([Problem("reason_missing", "reason", _("Enter a reason for the correction."))])


def _refuse_broken(row: OutboundMessage, body: dict[str, Any]) -> None:
    """The seller would only refuse it again, and count it. The new id and time are ours to write."""
    details = wire.outgoing.problems(row.operation, {**body, "messageId": str(row.message_id)})
    found = [Problem("contract", detail.field, f"{detail.field}: {detail.message}") for detail in details]
    for member in SAME_MEMBERS:
        if body.get(member) != row.body.get(member):
            message = _("%(member)s: this must not change. Original value: %(value)s.")
            parameters = {"member": f"/{member}", "value": row.body.get(member, "–")}
            found.append(Problem("another_message", f"/{member}", message % parameters))
    if found:
        raise CorrectionBroken(found)


def _correct(row: OutboundMessage, body: dict[str, Any]) -> None:
    """Another body is another message: a new id, and no acknowledgement of the old one counts for it."""
    row.body_before = row.body_before or row.body
    row.message_id = uuid.uuid4()
    row.body = {**body, "messageId": str(row.message_id)}
    row.sent_at = None
