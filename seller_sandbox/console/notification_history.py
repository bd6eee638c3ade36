"""What went over the wire about an order or a ticket: each notification with its attempts, and the buyer's requests."""

from dataclasses import dataclass
from typing import Any

from seller_sandbox.console import text_formats
from seller_sandbox.console.orders.order_wording import NOTIFICATIONS
from seller_sandbox.faults.states import FaultNotificationKind
from seller_sandbox.messages.models import (
    InboundMessage,
    MessageLogEntry,
    MessageThread,
    OutboundMessage,
    OutboundState,
)
from seller_sandbox.orders.notification_kinds import NotificationKind

REQUESTS = {
    "order": "Order",
    "orderModify": "Order to modify",
    "ceaseOrder": "Order to cease",
    "amendOrder": "Amendment",
    "cancelOrder": "Cancellation",
    "addFaultReport": "Fault report",
    "amendFaultReport": "Amendment of a fault report",
    "resolveResponse": "Reply to the resolution",
    "requestFaultReportUpdate": "Request for an update",
}


@dataclass(frozen=True)
class AttemptRow:
    """One attempt to deliver a notification."""

    at: str
    address: str
    outcome: str
    is_trouble: bool
    answer: str


@dataclass(frozen=True)
class NotificationRow:
    """A notification: its XML as it was sent, empty before the first attempt."""

    id: int
    label: str
    message_id: str
    state: str
    is_trouble: bool
    body: str
    attempts: list[AttemptRow]
    is_repeat: bool


@dataclass(frozen=True)
class RequestRow:
    """A message of the buyer and the answer that it got."""

    id: int
    label: str
    at: str
    message_id: str
    way: str
    outcome: str
    is_trouble: bool
    body: str
    answer: str


def list_messages(thread: MessageThread) -> list[OutboundMessage]:
    """The notifications in their order, each with its attempts, in two queries."""
    return list(thread.outbound.order_by("seq").prefetch_related("entries"))


def make_notification_rows(messages: list[OutboundMessage]) -> list[NotificationRow]:
    rows, known = [], set()
    for message in messages:
        rows.append(_notification(message, is_repeat=message.message_id in known))
        known.add(message.message_id)
    return rows


def make_request_rows(thread: MessageThread) -> list[RequestRow]:
    return [_request(message) for message in thread.inbound.select_related("duplicate_of")]


def notification_label(message: OutboundMessage) -> str:
    """Of an order's notification its kind, of a ticket's its path."""
    if message.operation in FaultNotificationKind.values:
        return FaultNotificationKind(message.operation).label
    return NOTIFICATIONS[NotificationKind(message.members["kind"])]


def delivery_text(message: OutboundMessage) -> str:
    """`delivered`, or what it waits for."""
    if message.state != OutboundState.WAITING:
        return message.get_state_display().lower()
    tried = text_formats.counted(message.attempts, "time", "times")
    when = text_formats.full_time(message.next_attempt_at)
    return f"tried {tried}, next attempt {when}" if message.attempts else "waiting to be sent"


def _notification(message: OutboundMessage, *, is_repeat: bool) -> NotificationRow:
    return NotificationRow(
        id=message.id,
        label=notification_label(message),
        message_id=str(message.message_id),
        state=delivery_text(message),
        is_trouble=message.state == OutboundState.REFUSED
        or (message.state == OutboundState.WAITING and message.attempts > 0),
        body=text_formats.pretty(message.body) if message.body is not None else "",
        attempts=[_attempt(entry) for entry in message.entries.all()],
        is_repeat=is_repeat,
    )


def _attempt(entry: MessageLogEntry) -> AttemptRow:
    is_accepted = entry.status == 200 and not entry.error
    outcome = "accepted" if is_accepted else entry.error or "refused"
    return AttemptRow(
        at=text_formats.full_time(entry.at),
        address=entry.address,
        outcome=f"{entry.status} {outcome}" if entry.status else entry.error or "no answer",
        is_trouble=not is_accepted,
        answer=_body(entry.answer),
    )


def _request(message: InboundMessage) -> RequestRow:
    status = message.answer_status
    again = ", the same message again" if message.duplicate_of_id else ""
    return RequestRow(
        id=message.id,
        label=REQUESTS.get(message.operation, message.operation),
        at=text_formats.full_time(message.received_at),
        message_id=message.message_id,
        way=f"at endpoint {message.endpoint}{again}",
        outcome=str(status) if status else "closed without an answer",
        is_trouble=status is None or status >= 300,
        body=message.raw_body,
        answer=_body(message.answer_body),
    )


def _body(body: Any) -> str:
    return "" if body is None else text_formats.pretty(body)
