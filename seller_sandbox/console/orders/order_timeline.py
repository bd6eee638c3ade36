"""An order's events and what its buyer was sent for each, in the order of the sandbox's clock."""

from dataclasses import dataclass
from typing import Any

from seller_sandbox.console import text_formats
from seller_sandbox.console.notification_history import delivery_text, notification_label
from seller_sandbox.console.orders.order_wording import Line, lines_of
from seller_sandbox.messages.models import OutboundMessage, OutboundState
from seller_sandbox.orders.models import OrderEvent
from seller_sandbox.orders.states import TRANSITIONS, OrderEventKind


@dataclass(frozen=True)
class TimelineNotification:
    """What the buyer was sent; the id is that of the message further down the page."""

    id: int
    label: str
    state: str
    is_trouble: bool


@dataclass(frozen=True)
class TimelineEntry:
    at: str
    title: str
    # of the order after the event
    state: str
    state_label: str
    is_new_state: bool
    lines: list[Line]
    notification: TimelineNotification | None


def make_timeline(events: list[OrderEvent], messages: list[OutboundMessage]) -> list[TimelineEntry]:
    """Oldest first. Repeated messages stand with the messages only."""
    waiting = _without_repeats(messages)
    entries, state = [], ""
    for event in events:
        found = waiting.pop(0) if waiting and _answers(event, waiting[0]) else None
        entries.append(_entry(event, found, is_new_state=event.state != state))
        state = event.state
    return entries


def _without_repeats(messages: list[OutboundMessage]) -> list[OutboundMessage]:
    first: dict[Any, OutboundMessage] = {}
    for message in messages:
        first.setdefault(message.message_id, message)
    return list(first.values())


def _answers(event: OrderEvent, message: OutboundMessage) -> bool:
    """Whether the buyer was sent this message for this event: of its kind, and saying what the event says.

    Both are written in one order, and some events are kept from the buyer.
    """
    due = TRANSITIONS[OrderEventKind(event.kind)].notification
    return message.members["kind"] == due and all(
        message.members[name] == value for name, value in event.details.items() if name in message.members
    )


def _entry(event: OrderEvent, message: OutboundMessage | None, *, is_new_state: bool) -> TimelineEntry:
    milestone = event.details.get("milestone", "")
    return TimelineEntry(
        at=text_formats.full_time(event.at),
        title=f"{event.get_kind_display()}: {milestone}" if milestone else event.get_kind_display(),
        state=event.state,
        state_label=event.get_state_display(),
        is_new_state=is_new_state,
        lines=lines_of(event.details),
        notification=timeline_notification(message) if message else None,
    )


def timeline_notification(message: OutboundMessage) -> TimelineNotification:
    return TimelineNotification(
        id=message.id,
        label=notification_label(message),
        state=delivery_text(message),
        is_trouble=message.state == OutboundState.REFUSED
        or (message.state == OutboundState.WAITING and message.attempts > 0),
    )
