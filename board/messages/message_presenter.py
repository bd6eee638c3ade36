"""One message: what it says, where it stands, every try, and what can be done about it."""

from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from board import formatting
from board.messages.job_messages import AttemptLine, FaultView, fault_view, format_json, outcome_of
from board.messages.message_list import message_state, message_title
from engineers.models import Role, User
from seller_link import delivery_attempts, outbox
from seller_link.message_log import Times, load_times, mask_personal_data
from seller_link.models import DeliveryAttempt, InboundMessage, OutboundMessage, OutboundState
from seller_link.wire import outgoing
from seller_link.wire.v1.stored_text import read_wrong_clock


@dataclass(frozen=True)
class AttemptDetail:
    line: AttemptLine
    answer: str


@dataclass(frozen=True)
class MessageField:
    label: str
    value: str


@dataclass(frozen=True)
class MessagePage:
    """`is_masked`: personal members are hidden, and this person may have them shown."""

    pk: int
    message_id: str
    is_to_seller: bool
    title: str
    operation: str
    job_id: str
    tone: str
    icon: str
    state: str
    explanation: str
    fault: FaultView | None
    times: list[MessageField]
    facts: list[MessageField]
    body: str
    body_before: str
    answer: str
    attempts: list[AttemptDetail]
    attempt_count: int
    is_masked: bool
    can_replay: bool
    can_correct: bool
    draft: str
    reason: str
    problems: list[str]
    wrong_field: str
    # an event with answers, which the closing carries again
    has_answers: bool = False
    can_stop: bool = False
    stop_reason: str = ""
    stop_problems: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Draft:
    """A correction, or a stop, that was refused: what was typed, why, and where (`reason`, or `/plannedEnd`)."""

    body: str = ""
    reason: str = ""
    problems: list[str] = field(default_factory=list)
    wrong_field: str = ""


def may_see_personal_data(user: User) -> bool:
    """Supervisors answer for personal data; a dispatcher asks for it, message by message, and it is audited."""
    return user.role == Role.SUPERVISOR


def outbound_page(
    message: OutboundMessage, *, is_shown: bool, draft: Draft | None = None, stop: Draft | None = None
) -> MessagePage:
    """`draft` and `stop`: a correction, or a stop, that was refused."""
    delivery_attempts.load_attempts([message], with_answers=True)
    tone, icon, state = message_state(message)
    is_held = message.state == OutboundState.HELD
    body = _text(message.body, is_shown=is_shown)
    return MessagePage(
        pk=message.pk,
        message_id=str(message.message_id),
        is_to_seller=True,
        title=message_title(message),
        operation=message.operation,
        job_id=message.job.provider_job_id,
        tone=tone,
        icon=icon,
        state=state,
        explanation=_why(message),
        fault=fault_view(message.held_reason),
        times=_times(load_times(message), acknowledged=_("Acknowledged by the seller")),
        facts=_outbound_facts(message),
        body=body,
        body_before=_text(message.body_before, is_shown=is_shown) if message.body_before else "",
        answer="",
        attempts=[_attempt_detail(attempt, is_shown=is_shown) for attempt in message.newest_attempts],
        attempt_count=message.attempt_count,
        is_masked=not is_shown,
        can_replay=not message.purged_at,
        can_correct=bool(draft) or (is_held and is_shown),
        draft=draft.body if draft else body,
        reason=draft.reason if draft else "",
        problems=draft.problems if draft else [],
        wrong_field=draft.wrong_field if draft else "",
        has_answers=message.operation == outgoing.NOTIFY
        and bool(outgoing.answer_keys(message.body, is_masked=message.purged_at is not None)),
        can_stop=bool(stop) or outbox.is_stuck(message),
        stop_reason=stop.reason if stop else "",
        stop_problems=stop.problems if stop else [],
    )


def inbound_page(message: InboundMessage, *, is_shown: bool) -> MessagePage:
    tone, icon, state = message_state(message)
    return MessagePage(
        pk=message.pk,
        message_id=message.raw_message_id,
        is_to_seller=False,
        title=message_title(message),
        operation=message.operation,
        job_id=message.job.provider_job_id if message.job else "",
        tone=tone,
        icon=icon,
        state=state,
        explanation="",
        fault=None,
        times=_times(load_times(message), acknowledged=_("Acknowledged by us")),
        facts=_inbound_facts(message),
        body=_text(message.body, is_shown=is_shown),
        body_before="",
        answer=format_json(message.response),
        attempts=[],
        attempt_count=0,
        is_masked=not is_shown,
        can_replay=False,
        can_correct=False,
        draft="",
        reason="",
        problems=[],
        wrong_field="",
    )


def _text(body: Any, *, is_shown: bool) -> str:
    if is_shown:
        return format_json(body)
    hidden = mask_personal_data(body)
    return hidden if isinstance(hidden, str) else format_json(hidden)


def _attempt_detail(attempt: DeliveryAttempt, *, is_shown: bool) -> AttemptDetail:
    line = AttemptLine(
        endpoint=attempt.endpoint,
        at=formatting.format_exact_moment(attempt.started_at),
        milliseconds=attempt.milliseconds,
        outcome=outcome_of(attempt),
    )
    return AttemptDetail(line, _text(attempt.response, is_shown=is_shown) if attempt.response else "")


def _times(times: Times, *, acknowledged: str) -> list[MessageField]:
    details = [
        (_("Occurred"), times.happened),
        (_("Recorded"), times.recorded),
        (acknowledged, times.acknowledged),
    ]
    return [
        MessageField(label, formatting.format_exact_moment(at) if at else _("not yet"))
        for label, at in details
    ]


def _outbound_facts(message: OutboundMessage) -> list[MessageField]:
    facts = [MessageField(_("Sequence in job"), str(message.seq))]
    if message.state == OutboundState.READY:
        facts.append(MessageField(_("Next attempt"), formatting.format_exact_moment(message.next_attempt_at)))
    if message.purged_at:
        removed = _("removed %(at)s; this message can't be resent")
        at = formatting.format_exact_moment(message.purged_at)
        facts.append(MessageField(_("Personal data"), removed % {"at": at}))
    if message.replay:
        facts.append(MessageField(_("Reason for resending"), message.replay.reason))
    return [*facts, *_stop_facts(message)]


def _stop_facts(message: OutboundMessage) -> list[MessageField]:
    """Who stopped it, when and why."""
    entry = outbox.find_stop(message) if message.state == OutboundState.STOPPED else None
    if entry is None:
        return []
    by = entry.actor.display_name if entry.actor else "–"
    return [
        MessageField(_("Sending stopped"), f"{formatting.format_exact_moment(entry.recorded_at)}, {by}"),
        MessageField(_("Reason for stopping"), (entry.after or {}).get("reason", "")),
    ]


def _inbound_facts(message: InboundMessage) -> list[MessageField]:
    facts = [
        MessageField(_("Response status"), str(message.response_status)),
        MessageField(_("Certificate"), message.peer_subject or _("none")),
        MessageField(_("Caller address"), message.peer_address),
    ]
    written = read_wrong_clock(message.body, received_at=message.received_at)
    if written:
        wrong = _(
            "sentAt was %(written)s, more than 24 hours from our clock. The time of receipt is used instead."
        )
        facts.append(MessageField(_("Clock skew"), wrong % {"written": written}))
    if message.repeats and message.repeated_at:
        repeats_text = ngettext(
            "%(number)s time, last on %(at)s. Duplicates get the first response and change nothing.",
            "%(number)s times, last on %(at)s. Duplicates get the first response and change nothing.",
            message.repeats,
        )
        repeated = {"number": message.repeats, "at": formatting.format_exact_moment(message.repeated_at)}
        facts.append(MessageField(_("Duplicates"), repeats_text % repeated))
    return facts


def _why(message: OutboundMessage) -> str:
    if message.state == OutboundState.HELD:
        fault = fault_view(message.held_reason or _("no reason given"))
        waiting = _("Later messages for this job are waiting. Nothing is lost.")
        return f"{fault.sentence.rstrip('.')}. {waiting}" if fault else waiting
    if message.state == OutboundState.SENT and message.held_reason:
        return _("The seller had acknowledged this message, and rejected it when it was resent.")
    if message.state == OutboundState.STOPPED:
        return _(
            "It is not sent again. The seller has not confirmed it. Later messages for this job are sent."
        )
    if message.state == OutboundState.READY and message.failures:
        text = ngettext(
            "%(number)s failed attempt. It is retried automatically.",
            "%(number)s failed attempts. It is retried automatically.",
            message.failures,
        )
        return text % {"number": message.failures}
    return ""
