"""The messages of a job as people read them: what was sent or received, its outcome, every attempt."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from board import formatting
from dispatch.models import Job
from engineers.input_values import parse_json, write_json
from monitoring.coded_texts import reason_text
from seller_link import delivery_attempts, outbox
from seller_link.message_log import Direction, mask_personal_data
from seller_link.models import DeliveryAttempt, InboundMessage, InboundOutcome, OutboundMessage, OutboundState
from seller_link.wire import refusals

# of the seller's messages as many as the page of a job lists
MOST_INBOUND = 50
MOST_STUCK = 50
# and of each as much; its own page has it whole
MOST_CHARACTERS = 20_000


OUTBOUND_TONES = {
    OutboundState.SENT: "good",
    OutboundState.HELD: "alarm",
    OutboundState.READY: "warning",
    OutboundState.STOPPED: "warning",
}


@dataclass(frozen=True)
class AttemptLine:
    """One try to deliver: where, when, how long, with what answer."""

    endpoint: str
    at: str
    milliseconds: int
    outcome: str


@dataclass(frozen=True)
class FaultView:
    """Why the seller rejected a message: `sentence`, the `details` as (field, sentence), and the JSON as it came.

    A detail of the whole message has no field, and is none where it only repeats the sentence.
    """

    sentence: str
    details: list[tuple[str, str]]
    raw: str


def fault_view(reason: str) -> FaultView | None:
    """From `<status> <body>` as a held message keeps it; None without one."""
    if not reason:
        return None
    sentence = _("Rejected by the seller: %(why)s")
    fault = refusals.read_fault(reason)
    if fault is None:
        return FaultView(sentence % {"why": reason}, [], "")
    why = fault.message or fault.code or fault.status
    details = [("" if detail.field == "/" else detail.field, detail.message) for detail in fault.details]
    details = [detail for detail in details if detail != ("", why)]
    return FaultView(sentence % {"why": why}, details, format_json(reason.partition(" ")[2]))


@dataclass(frozen=True)
class MessageLine:
    """One message in either direction, without what is personal: the message's own page has it whole.

    `event_pk` is the event that it reports to the seller.
    """

    direction: str
    title: str
    operation: str
    message_id: str
    at: datetime
    at_words: str
    tone: str
    outcome: str
    url: str
    body: str
    answer: str
    attempts: list[AttemptLine]
    attempt_count: int = 0
    event_pk: int | None = None
    is_held: bool = False
    is_waiting: bool = False
    reported: str = ""
    fault: FaultView | None = None


@dataclass(frozen=True)
class StuckLine:
    """A message that a dispatcher should look at."""

    message_id: str
    job_id: str
    premises: str
    operation: str
    title: str
    reason: str
    fault: FaultView | None
    age: str
    since: str
    attempt_count: int
    attempts: list[AttemptLine]


def format_json(body: Any) -> str:
    """A body with line breaks; one that is not JSON, or is nested too deeply for it, stays as it came."""
    try:
        return write_json(parse_json(body) if isinstance(body, str) else body, indent=2)
    except (ValueError, RecursionError):
        return str(body)


@dataclass(frozen=True)
class JobMessages:
    """Both directions in the order of our clock; `older` counts the seller's messages before these, which the message
    log at `log_url` has."""

    lines: list[MessageLine]
    older: int
    log_url: str
    # those that wait
    can_stop: bool

    @property
    def number(self) -> int:
        return len(self.lines) + self.older


def list_job_messages(job: Job) -> JobMessages:
    """All of ours, which are as many as events, and the newest of the seller's, who may repeat a message without end;
    three queries, and one more where there are older ones of either, or where ours wait."""
    ours = list(job.outbound_messages.select_related("event"))
    delivery_attempts.load_attempts(ours)
    sent = [_outbound_line(message) for message in ours]
    newest = list(job.inbound_messages.order_by("-received_at", "-pk")[: MOST_INBOUND + 1])
    received = [_inbound_line(message) for message in reversed(newest[:MOST_INBOUND])]
    older = job.inbound_messages.count() - MOST_INBOUND if len(newest) > MOST_INBOUND else 0
    query = urlencode({"job": job.provider_job_id, "direction": Direction.FROM_SELLER.value})
    return JobMessages(
        lines=sorted(sent + received, key=lambda line: line.at),
        older=older,
        log_url=f"{reverse('board:messages')}?{query}",
        can_stop=any(line.is_waiting for line in sent) and outbox.has_stuck_messages(job),
    )


def _outbound_line(message: OutboundMessage) -> MessageLine:
    state = OutboundState(message.state)
    at = f" {formatting.format_exact_moment(message.sent_at)}" if message.sent_at else ""
    return MessageLine(
        direction=_("To the seller"),
        title=str(message.event.get_kind_display()),
        operation=message.operation,
        message_id=str(message.message_id),
        at=message.created_at,
        at_words=formatting.format_exact_moment(message.created_at),
        tone=OUTBOUND_TONES[state],
        outcome=f"{state.label}{at}",
        url=reverse("board:message", args=[message.message_id]),
        body=format_json(mask_personal_data(message.body)),
        answer="",
        fault=fault_view(message.held_reason),
        attempts=attempt_lines(message.newest_attempts),
        attempt_count=message.attempt_count,
        event_pk=message.event_id,
        is_held=state == OutboundState.HELD,
        is_waiting=state in {OutboundState.HELD, OutboundState.READY},
        reported=formatting.format_exact_moment(message.sent_at) if message.sent_at else str(state.label),
    )


def _inbound_line(message: InboundMessage) -> MessageLine:
    accepted = message.outcome == InboundOutcome.ACCEPTED
    return MessageLine(
        direction=_("From the seller"),
        title="",
        operation=message.operation,
        message_id=message.raw_message_id,
        at=message.received_at,
        at_words=formatting.format_exact_moment(message.received_at),
        tone="good" if accepted else "alarm",
        outcome=f"{InboundOutcome(message.outcome).label} ({message.response_status})",
        url=reverse("board:inbound-message", args=[message.pk]),
        body=_shortened(format_json(mask_personal_data(message.body))),
        answer=format_json(message.response),
        attempts=[],
    )


def _shortened(text: str) -> str:
    return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}\n…"


def attempt_lines(attempts: Iterable[DeliveryAttempt]) -> list[AttemptLine]:
    return [
        AttemptLine(
            endpoint=attempt.endpoint,
            at=formatting.format_exact_moment(attempt.started_at),
            milliseconds=attempt.milliseconds,
            outcome=outcome_of(attempt),
        )
        for attempt in attempts
    ]


def outcome_of(attempt: DeliveryAttempt) -> str:
    status = _("response %(status)s") % {"status": attempt.status} if attempt.status else ""
    return ", ".join(part for part in (status, reason_text(attempt.error)) if part) or _("no response")


@dataclass(frozen=True)
class StuckPage:
    """`later` and `earlier` are the numbers of these pages, 0 where there is none."""

    lines: list[StuckLine]
    later: int
    earlier: int


def stuck_page(*, now: datetime, page: int = 1) -> StuckPage:
    """The messages in trouble, the oldest first, some at a time; two queries, and one more for many attempts. The last
    page that has some, where there are fewer by now."""
    start = (page - 1) * MOST_STUCK
    stuck = outbox.stuck_messages().in_scope().select_related("job", "event").order_by("created_at", "pk")
    found = list(stuck[start : start + MOST_STUCK + 1])
    if not found and page > 1:
        return stuck_page(now=now, page=max(math.ceil(stuck.count() / MOST_STUCK), 1))
    messages = found[:MOST_STUCK]
    delivery_attempts.load_attempts(messages)
    lines = [_stuck_line(message, now=now) for message in messages]
    return StuckPage(lines, later=page + 1 if len(found) > MOST_STUCK else 0, earlier=page - 1)


def _stuck_line(message: OutboundMessage, *, now: datetime) -> StuckLine:
    attempts = attempt_lines(message.newest_attempts)
    return StuckLine(
        message_id=str(message.message_id),
        job_id=message.job.provider_job_id,
        premises=message.job.postcode,
        operation=message.operation,
        title=str(message.event.get_kind_display()),
        reason=_waiting_reason(message, last=attempts[-1] if attempts else None),
        fault=fault_view(message.held_reason) if message.state == OutboundState.HELD else None,
        age=formatting.format_duration(max(now - message.created_at, timedelta())),
        since=formatting.format_exact_moment(message.created_at),
        attempt_count=message.attempt_count,
        attempts=attempts,
    )


def _waiting_reason(message: OutboundMessage, *, last: AttemptLine | None) -> str:
    if message.state == OutboundState.HELD:
        fault = fault_view(message.held_reason or _("no reason given"))
        return fault.sentence if fault else ""
    after = formatting.format_moment(message.next_attempt_at)
    outcome = last.outcome if last else _("no attempts yet")
    return _("Not delivered: %(outcome)s. Next retry: %(after)s.") % {
        "outcome": outcome,
        "after": after,
    }
