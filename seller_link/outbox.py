"""Messages to the seller: written in the transaction of the fact, watched and replayed by people."""

import uuid
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from dispatch.models import Job, JobEvent
from dispatch.problems import ActionRefused, Problem
from dispatch.states import EventKind
from engineers import staff
from engineers.models import User
from monitoring import request_ids
from seller_link import message_states, outbox_queue, wire
from seller_link.event_messages import MESSAGES
from seller_link.models import OutboundMessage, OutboundQuerySet, OutboundState
from seller_link.wire.v1.outgoing import MessageEnvelope

ASSIGNMENT_EVENTS = frozenset({EventKind.ENGINEER_ASSIGNED, EventKind.RESCHEDULED})
# what a message is about: a correction changes what it says of it
SAME_MEMBERS = ("providerJobId", "sellerJobId", "event", "scanId")


class AlreadyDelivered(ActionRefused):
    """There is nothing to replay; nothing has changed."""


class BeingSent(ActionRefused):
    """A relay holds it this moment; another copy, or another body, must not overtake that one."""


class ReasonMissing(ActionRefused):
    """A correction without a reason."""


class CorrectionBroken(ActionRefused):
    """A corrected body that breaks the contract, or is about something else; each place is named."""


def enqueue_for_event(*, event: JobEvent, **_signal: object) -> OutboundMessage | None:
    """Receiver of `job_event_recorded`: a row for an event that the seller must be notified of.

    Called under the job's lock, so the next `seq` is free; raising here undoes the fact itself.
    """
    build = MESSAGES.get(event.kind)
    if build is None:
        return None
    now = timezone.now()
    seq, not_before = _next_sequence(event.job)
    envelope = MessageEnvelope(
        message_id=uuid.uuid4(),
        sent_at=now,
        occurred_at=event.occurred_at,
        provider_job_id=event.job.provider_job_id,
        seller_job_id=event.job.seller_job_id,
        not_before=not_before,
    )
    operation, body = build(envelope, event)
    outbox_queue.notify_relay()
    return OutboundMessage.objects.create(
        job=event.job,
        event=event,
        seq=seq,
        message_id=envelope.message_id,
        operation=operation,
        request_id=request_ids.current_request_id(),
        body=body,
        created_at=now,
        next_try_at=now,
    )


def _next_sequence(job: Job) -> tuple[int, datetime | None]:
    """The job's next number, and the time of its newest state event as the seller has it: times never run backwards
    for the seller, whatever two phones' clocks say. A repeated engineerAssigned is no state event."""
    sent = job.outbound_messages.order_by("seq").values_list(
        "seq", "event__kind", "event__occurred_at", "created_at"
    )
    last, newest = 0, None
    for seq, kind, occurred_at, created_at in sent:
        if newest is None or kind not in ASSIGNMENT_EVENTS:
            moment = min(occurred_at, created_at)
            newest = moment if newest is None else max(newest, moment)
        last = seq
    return last + 1, newest


def stuck_messages() -> OutboundQuerySet:
    """Held by a refusal, or tried several times in vain: what a dispatcher should look at."""
    unsent = OutboundMessage.objects.unsent()
    stuck = unsent.filter(state=OutboundState.HELD) | unsent.filter(
        failures__gte=message_states.STUCK_AFTER_FAILURES
    )
    return stuck.order_by("created_at")


@transaction.atomic
def replay_message(
    *, message: OutboundMessage, by: User, reason: str = "", body: dict[str, Any] | None = None
) -> OutboundMessage:
    """Send a held or failing message again now, with a corrected body if one is given; many: replays.py.

    The id stays unless the body changed (the same id with another body is a conflict at the seller:
    job-messages.md, Members of every request). A correction needs `reason`. Audited; the refused body is kept
    beside the new one. Raises AlreadyDelivered, BeingSent, ReasonMissing or CorrectionBroken, and then nothing has
    changed.
    """
    row = OutboundMessage.objects.select_for_update().select_related("job").get(pk=message.pk)
    is_corrected = body is not None and body != row.body
    _refuse_replay(row, reason=reason, is_corrected=is_corrected)
    before = {"message_id": str(row.message_id), "state": row.state, "held_reason": row.held_reason}
    if body is not None and is_corrected:
        _refuse_broken(row, body)
        _correct(row, body)
    message_states.make_due(row)
    outbox_queue.notify_relay()
    message_states.clear_alarms_of_resent([row.job.provider_job_id])
    after = {"message_id": str(row.message_id), "corrected": is_corrected, "reason": reason.strip()}
    staff.record_audit(
        actor=by, action="replayed", subject=f"{row.operation} {row.job}", before=before, after=after
    )
    return row


def _refuse_replay(row: OutboundMessage, *, reason: str, is_corrected: bool) -> None:
    if row.state == OutboundState.SENT:
        raise AlreadyDelivered(
            [Problem("already_delivered", "message", _("The seller has already received this message."))]
        )
    if row.lease_expires_at and row.lease_expires_at > timezone.now():
        raise BeingSent([Problem("being_sent", "message", _("This message is being sent right now."))])
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
