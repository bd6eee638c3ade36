"""Cases: the seller's questions on an order; the buyer replies by amendment (order-provisioning.md, Events)."""

from typing import Any

from seller_sandbox import clock
from seller_sandbox.orders import lifecycle
from seller_sandbox.orders.models import Case, Order
from seller_sandbox.orders.states import OrderEventKind


def open_case(order: Order, *, text: str) -> Case:
    """Ask the buyer something about a locked order."""
    number = order.cases.count() + 1
    case = order.cases.create(
        reference=f"{order.seller_order_reference}-C{number}", text=text, opened_at=clock.now()
    )
    lifecycle.record(order, OrderEventKind.CASE_OPENED, case=_members(case, text=text))
    return case


def comment(order: Order, case: Case, *, text: str, by_buyer: bool) -> None:
    """One more comment; the buyer's own is not sent back to it."""
    case.comments = [
        *case.comments,
        {"by": "buyer" if by_buyer else "seller", "text": text, "at": clock.now().isoformat()},
    ]
    case.save(update_fields=["comments"])
    lifecycle.record(
        order, OrderEventKind.CASE_COMMENTED, notify=not by_buyer, case=_members(case, text=text)
    )


def close_case(order: Order, case: Case, *, text: str = "") -> None:
    case.closed_at = clock.now()
    case.save(update_fields=["closed_at"])
    lifecycle.record(
        order, OrderEventKind.CASE_CLOSED, case=_members(case, text=text or "The case is closed")
    )


def _members(case: Case, *, text: str) -> dict[str, Any]:
    return {"reference": case.reference, "text": text, "is_open": case.closed_at is None}
