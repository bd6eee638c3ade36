"""Reads what a control request asks for an order; every mistake is named at once."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from seller_sandbox.console.control_requests import (
    Reader,
    case_of,
    day,
    one_of,
    read_members,
    text,
    text_up_to,
    whole,
    yes_or_no,
)
from seller_sandbox.network.models import Buyer, Ont
from seller_sandbox.orders import cancellations, seller_actions
from seller_sandbox.orders.appointments import missed_visits
from seller_sandbox.orders.completion import ScannedOnt
from seller_sandbox.orders.late_orders.exclusion_codes import ExclusionCode
from seller_sandbox.orders.states import OrderState

# of one answer
MAX_ROWS = 200
NO_BUYERS = "none (load the network first: manage.py load_network)"
ONT_FIELDS = {"fsan": "fsan", "serialNumber": "serial_number"}
pence = whole(0, 100_000_000)

Members = dict[str, Any]


def message_id(value: Any) -> UUID:
    try:
        return UUID(text(value))
    except ValueError as problem:
        raise ValueError("must be the messageId of a notification") from problem


def ont(value: Any) -> ScannedOnt:
    if not isinstance(value, dict) or {*value} != {"fsan", "serialNumber"}:
        raise TypeError("must be an object with fsan and serialNumber")
    longest = {name: Ont._meta.get_field(field).max_length for name, field in ONT_FIELDS.items()}
    for name, most in longest.items():
        if len(text(value[name])) > most:
            raise ValueError(f"{name} must have {most} characters at most")
    return ScannedOnt(fsan=value["fsan"], serial_number=value["serialNumber"])


def count(value: str) -> int:
    if not value.isdecimal():
        raise ValueError("must be a whole number")
    return int(value)


def row_limit(value: str) -> int:
    """At least one row, or asking again while there are more would never end."""
    rows = count(value)
    if rows < 1:
        raise ValueError(f"must be a whole number from 1; {MAX_ROWS} rows come at most")
    return rows


def known_buyer(value: Any) -> str:
    known = list(Buyer.objects.values_list("identifier", flat=True).order_by("identifier"))
    if value not in known:
        raise ValueError(f"must be one of {', '.join(known) or NO_BUYERS}")
    return value


@dataclass(frozen=True)
class OrderAction:
    """A request about one order: the function that does it, and its members by name."""

    act: Callable[..., object]
    required: tuple[str, ...] = ()
    readers: dict[str, Reader] = field(default_factory=dict)

    def run(self, reference: str, members: Members) -> object:
        """Raises InvalidControlRequest, ActionNotPossible."""
        return self.act(reference=reference, **read_members(members, required=self.required, **self.readers))


# by the last part of the path /api/orders/<sellerOrderReference>/<action>
ORDER_ACTIONS: dict[str, OrderAction] = {
    "cancel": OrderAction(
        seller_actions.cancel, readers={"code": text_up_to(cancellations.MAX_CODE), "message": text}
    ),
    "miss": OrderAction(
        seller_actions.miss_appointment, ("code",), {"code": case_of(dict.fromkeys(missed_visits.MISSED))}
    ),
    "reappoint": OrderAction(seller_actions.reappoint, readers={"not_before": day}),
    "complete": OrderAction(seller_actions.complete, readers={"ont": ont}),
    "delay": OrderAction(seller_actions.delay, ("code",), {"code": case_of(seller_actions.DELAYS)}),
    "end-delay": OrderAction(seller_actions.end_delay, readers={"code": case_of(seller_actions.DELAYS)}),
    "repaired": OrderAction(seller_actions.record_repair),
    "activation": OrderAction(seller_actions.record_activation, ("succeeded",), {"succeeded": yes_or_no}),
    "warning": OrderAction(
        seller_actions.note_warning, ("code",), {"code": case_of(seller_actions.WARNINGS)}
    ),
    "open-case": OrderAction(seller_actions.open_case, ("text",), {"text": text}),
    "comment-case": OrderAction(seller_actions.comment_case, ("case", "text"), {"case": text, "text": text}),
    "close-case": OrderAction(seller_actions.close_case, ("case",), {"case": text, "text": text}),
    "desktop-survey": OrderAction(
        seller_actions.record_desktop_survey,
        readers={
            "estimate_pence": pence,
            "is_skipped": yes_or_no,
            "is_possible": yes_or_no,
            "earliest_survey_date": day,
        },
    ),
    "physical-survey": OrderAction(
        seller_actions.record_physical_survey,
        readers={
            "cost_pence": pence,
            "needs_civils": yes_or_no,
            "is_possible": yes_or_no,
            "survey_cost_pence": pence,
            "earliest_appointment_date": day,
        },
    ),
    "agreed-visit": OrderAction(seller_actions.record_agreed_visit, readers={"job": text}),
    "mborc": OrderAction(seller_actions.declare_mborc, readers={"job": text}),
    "exclusion": OrderAction(
        seller_actions.add_exclusion,
        ("code", "starts_on", "ends_on"),
        {"code": one_of(ExclusionCode), "starts_on": day, "ends_on": day},
    ),
    "send-again": OrderAction(seller_actions.send_refused_again),
    "repeat": OrderAction(seller_actions.repeat_notification, readers={"message_id": message_id}),
}


def read_search(query: dict[str, str]) -> Members:
    """What orders are searched by; `after` and `limit` page through them."""
    found = read_members(
        query,
        buyer=known_buyer,
        reference=text,
        uprn=text,
        state=one_of(OrderState),
        after=count,
        limit=row_limit,
    )
    return {"after": 0, "limit": MAX_ROWS, **found}


def read_notification_search(query: dict[str, str]) -> Members:
    found = read_members(query, buyer=known_buyer, order=text, since=count, limit=row_limit)
    return {"since": 0, "limit": MAX_ROWS, **found}
