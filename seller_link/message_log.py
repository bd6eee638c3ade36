"""Every message in and out, newest first, a page at a time: the two tables are read side by side.

Each page costs the same at the millionth message as at the first: it begins where the last one ended.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, TypeVar
from uuid import UUID

from django.db.models import Exists, Model, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from dispatch.models import Job, has_order, has_reference
from engineers.area_scope import postcode_filter
from engineers.input_values import parse_json, read_instant, read_number
from seller_link import delivery_attempts
from seller_link.models import DeliveryAttempt, InboundMessage, InboundOutcome, OutboundMessage, OutboundState
from seller_link.wire.v1.outgoing import CLOSE, NOTIFY
from seller_link.wire.v1.stored_text import HARMLESS_MEMBERS, read_event_time

PAGE_SIZE = 50
RECENT = timedelta(hours=24)
OPERATIONS = {
    "createJob": _("Job pack"),
    "cancelJob": _("Cancellation"),
    NOTIFY: _("Provisioning result"),
    CLOSE: _("Closure"),
}

Row = TypeVar("Row", bound=Model)


class Direction(StrEnum):
    FROM_SELLER = "in"
    TO_SELLER = "out"


class StatusFilter(StrEnum):
    """What a message may be filtered by: its state, or what happened to it."""

    DELIVERED = "delivered"
    WAITING = "waiting"
    HELD = "held"
    STOPPED = "stopped"
    FAILED_LATELY = "failed"
    ACCEPTED = "accepted"
    REFUSED = "refused"


@dataclass(frozen=True)
class MessageFilter:
    """What to list; whatever is empty is not asked for."""

    text: str = ""
    job: str = ""
    order: str = ""
    direction: str = ""
    operation: str = ""
    status: str = ""
    endpoint: str = ""
    from_at: datetime | None = None
    to_at: datetime | None = None


@dataclass(frozen=True)
class Cursor:
    """Where a page begins: after this message."""

    at: datetime
    direction: Direction
    pk: int

    def __str__(self) -> str:
        return f"{self.at.isoformat()}~{self.direction}~{self.pk}"

    @classmethod
    def read(cls, text: str) -> Cursor | None:
        """None for what is no place: the list begins at its start."""
        try:
            at, direction, pk = text.split("~")
            moment, number = read_instant(at), read_number(pk)
            return cls(moment, Direction(direction), number) if moment and number is not None else None
        except ValueError:
            return None


@dataclass(frozen=True)
class Entry:
    """One message of either kind with its time of recording."""

    cursor: Cursor
    message: InboundMessage | OutboundMessage


@dataclass(frozen=True)
class Page:
    entries: list[Entry]
    following: Cursor | None


def page(wanted: MessageFilter, *, after: Cursor | None = None, size: int = PAGE_SIZE) -> Page:
    """The newest messages that are wanted, older than `after`; at most three queries."""
    entries_found = _first(inbound(wanted), "received_at", Direction.FROM_SELLER, after, size)
    sent = _first(outbound(wanted), "created_at", Direction.TO_SELLER, after, size)
    entries = sorted(entries_found + sent, key=_by_cursor, reverse=True)
    displayed = entries[:size]
    messages = (entry.message for entry in displayed)
    delivery_attempts.count_attempts([each for each in messages if isinstance(each, OutboundMessage)])
    return Page(displayed, displayed[-1].cursor if len(entries) > size else None)


def _by_cursor(entry: Entry) -> tuple[datetime, str, int]:
    return entry.cursor.at, entry.cursor.direction, entry.cursor.pk


def _first(
    rows: QuerySet[Row], clock: str, direction: Direction, after: Cursor | None, size: int
) -> list[Entry]:
    if after is not None:
        rows = rows.filter(_older(clock, direction, after))
    found: list[Any] = list(rows.order_by(f"-{clock}", "-pk")[: size + 1])
    return [Entry(Cursor(getattr(row, clock), direction, row.pk), row) for row in found]


def _older(clock: str, direction: Direction, after: Cursor) -> Q:
    """Strictly behind `after` in the order time, direction, key; begins with what the index by time can seek."""
    older = Q(**{f"{clock}__lt": after.at})
    if direction == after.direction:
        return Q(**{f"{clock}__lte": after.at}) & (older | Q(pk__lt=after.pk))
    return Q(**{f"{clock}__lte": after.at}) if direction < after.direction else older


def inbound(wanted: MessageFilter) -> QuerySet[InboundMessage]:
    """The seller's messages that are wanted; none when something is asked for that only ours have."""
    rows = InboundMessage.objects.select_related("job").filter(_of_job(wanted), postcode_filter("job__"))
    if wanted.text:
        rows = rows.filter(_matching(wanted.text) | _refused_as(wanted.text))
    outcomes = {StatusFilter.ACCEPTED: InboundOutcome.ACCEPTED, StatusFilter.REFUSED: InboundOutcome.REFUSED}
    if wanted.direction == Direction.TO_SELLER or wanted.endpoint or wanted.operation == CLOSE:
        return rows.none()
    if wanted.status:
        if wanted.status not in outcomes:
            return rows.none()
        rows = rows.filter(outcome=outcomes[StatusFilter(wanted.status)])
    return _between(_of_operation(rows, wanted), wanted, "received_at")


def outbound(wanted: MessageFilter) -> QuerySet[OutboundMessage]:
    """Our messages that are wanted; none when something is asked for that only the seller's have."""
    rows: QuerySet[OutboundMessage] = OutboundMessage.objects.in_scope().select_related("job", "event")
    rows = rows.filter(_of_job(wanted))
    if wanted.direction == Direction.FROM_SELLER or wanted.operation not in ("", NOTIFY, CLOSE):
        return rows.none()
    if wanted.text:
        rows = rows.filter(_matching(wanted.text))
    if wanted.status:
        rows = _with_status(rows, wanted.status)
    if wanted.endpoint:
        tries = DeliveryAttempt.objects.filter(message=OuterRef("pk"), endpoint=wanted.endpoint)
        rows = rows.filter(Exists(tries))
    return _between(_of_operation(rows, wanted), wanted, "created_at")


def _with_status(rows: QuerySet[OutboundMessage], status: str) -> QuerySet[OutboundMessage]:
    states = {
        StatusFilter.WAITING: OutboundState.READY,
        StatusFilter.HELD: OutboundState.HELD,
        StatusFilter.STOPPED: OutboundState.STOPPED,
    }
    if status == StatusFilter.FAILED_LATELY:
        return rows.filter(pk__in=_failed_since(timezone.now() - RECENT).values("message"))
    if status == StatusFilter.DELIVERED:
        return rows.filter(state=OutboundState.SENT)
    if status not in states:
        return rows.none()
    # the few that are not delivered have an index of their own
    undelivered = OutboundMessage.objects.exclude(state=OutboundState.SENT).order_by()
    return rows.filter(pk__in=undelivered.filter(state=states[StatusFilter(status)]).values("pk"))


def _failed_since(moment: datetime) -> QuerySet[DeliveryAttempt]:
    failed = Q(status=None) | Q(status__gte=300) | ~Q(error={})
    return DeliveryAttempt.objects.order_by().filter(failed, started_at__gte=moment)


def _of_operation(rows: QuerySet[Row], wanted: MessageFilter) -> QuerySet[Row]:
    return rows.filter(operation=wanted.operation) if wanted.operation else rows


def _between(rows: QuerySet[Row], wanted: MessageFilter, clock: str) -> QuerySet[Row]:
    if wanted.from_at:
        rows = rows.filter(**{f"{clock}__gte": wanted.from_at})
    return rows.filter(**{f"{clock}__lte": wanted.to_at}) if wanted.to_at else rows


def _of_job(wanted: MessageFilter) -> Q:
    """Jobs are looked up first, so that the few messages of a job are read by their index."""
    found = Q()
    if wanted.job:
        found &= Q(job__in=_jobs(Q(provider_job_id=wanted.job) | Q(seller_job_id=wanted.job)))
    if wanted.order:
        found &= Q(job__in=_jobs(has_order(wanted.order)))
    return found


def _matching(text: str) -> Q:
    try:
        return Q(message_id=UUID(text))
    except ValueError:
        return Q(job__in=_jobs(has_reference(text)))


def _refused_as(text: str) -> Q:
    """A refused message does not hold its id and may have written anything there, a UUID in capitals too."""
    return Q(message_id=None, raw_message_id__in={text, text.lower(), text.upper()})


def _jobs(found: Q) -> list[int]:
    return list(Job.objects.order_by().filter(found).values_list("pk", flat=True)[:1000])


@dataclass(frozen=True)
class Times:
    """When the fact happened, when it was recorded here, and when the other side had it acknowledged."""

    happened: datetime | None
    recorded: datetime
    acknowledged: datetime | None


def load_times(message: InboundMessage | OutboundMessage) -> Times:
    """The seller's messages are acknowledged in the transaction that records them."""
    if isinstance(message, OutboundMessage):
        return Times(message.event.occurred_at, message.created_at, message.sent_at)
    is_accepted = message.outcome == InboundOutcome.ACCEPTED
    happened = read_event_time(message.body, received_at=message.received_at)
    return Times(happened, message.received_at, message.received_at if is_accepted else None)


HIDDEN = "•••"


def mask_personal_data(body: Any) -> Any:
    """The same body with every value hidden that may be personal. A text that is not JSON, or JSON that
    is only a text, may hold anything: hidden whole."""
    if isinstance(body, str):
        return _masked_text(body)
    return _masked(body, HARMLESS_MEMBERS)


def _masked_text(text: str) -> Any:
    try:
        return _masked(parse_json(text), HARMLESS_MEMBERS) if text else ""
    except (ValueError, RecursionError):
        return HIDDEN


def _masked(value: Any, harmless: Any) -> Any:
    """`harmless`: members of an object that stay, or True where the value itself stays."""
    if isinstance(value, dict) and isinstance(harmless, dict):
        return {name: _masked(part, harmless.get(name)) for name, part in value.items()}
    if isinstance(value, list) and harmless:
        return [_masked(part, harmless) for part in value]
    is_value = harmless is True and not isinstance(value, dict)
    return value if is_value or value is None else HIDDEN
