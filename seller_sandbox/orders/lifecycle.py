"""The one writer of an order's state: state, event and notification row commit together."""

from typing import Any
from uuid import uuid4

import structlog
from django.db import transaction
from django.db.models import QuerySet

from seller_sandbox import clock
from seller_sandbox.compiled_queries import CompiledQuery, Parameter
from seller_sandbox.messages import outbox
from seller_sandbox.network.models import Buyer
from seller_sandbox.orders import reasons
from seller_sandbox.orders.complex import complex_members
from seller_sandbox.orders.models import Order, OrderEvent
from seller_sandbox.orders.notification_kinds import NotificationKind
from seller_sandbox.orders.reasons import Reason
from seller_sandbox.orders.states import TRANSITIONS, OrderCondition, OrderEventKind, OrderState

# when an order reached a state
REACHED_AT = {
    OrderState.ACKNOWLEDGED: "acknowledged_at",
    OrderState.COMMITTED: "committed_at",
    OrderState.COMPLETED: "ended_at",
    OrderState.REJECTED: "ended_at",
    OrderState.CANCELLED: "ended_at",
}
NOTIFY = "notifyOfOrderStatus"
# what most steps need of an order's surroundings
RELATED = ("buyer", "thread", "location__cabinet", "location__product_group", "product", "appointment")

log = structlog.get_logger("sandbox.orders")


def _rows_to_lock(reference: str | Parameter) -> "QuerySet[Order, Any]":
    rows = Order.objects.select_for_update().order_by()
    return rows.filter(seller_order_reference=reference).values_list("pk")


_LOCK_UNLINKED = CompiledQuery(lambda: _rows_to_lock(Parameter("reference")).filter(linked_order=None))
_WITH_RELATED = CompiledQuery(
    lambda: Order.objects.select_related(*RELATED).filter(seller_order_reference=Parameter("reference"))
)


class EventNotPossible(Exception):
    """The table of orders/states.py has no such event in the order's state; the text names both."""


class RejectedUpFront(Exception):
    """The answer to an amendment or a cancellation says no at once, and there is no notification (D5)."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason.message)
        self.reason = reason


def find_open_order(reference: str, *, buyer: Buyer, buyer_reference: str = "") -> Order:
    """A locked order of this buyer that has not ended. Raises RejectedUpFront.

    A buyer's own reference, where it is given, must be the order's; one that we made (an unsolicited cease) has none.
    """
    own = Order.objects.filter(seller_order_reference=reference, buyer=buyer)
    if buyer_reference:
        own = own.filter(buyer_order_reference__in=("", buyer_reference))
    if not own.exists():
        raise RejectedUpFront(reasons.ORDER_UNKNOWN)
    order = lock(reference)
    if not order.is_in_flight:
        raise RejectedUpFront(reasons.ORDER_ENDED)
    return order


def lock(reference: str) -> Order:
    """The order with this seller order reference, locked until the transaction ends: every change begins here."""
    lock_row(reference)
    return read(reference)


def read(reference: str) -> Order:
    """An order that this transaction has locked, with its job's or by lock_row.

    It is read after that: a row that had to be waited for would come with what was related to it before.
    """
    return _WITH_RELATED.get(reference=reference)


def lock_row(reference: str) -> None:
    """Lock an order without reading it: first the one that it is linked to (the order of locks: transactions.py)."""
    if _LOCK_UNLINKED.is_found(reference=reference):
        return
    linked = Order.objects.filter(linked_ceases__seller_order_reference=reference)
    Order.objects.select_for_update().filter(pk__in=linked.values("pk")).values_list("pk").first()
    _rows_to_lock(reference).first()


@transaction.atomic(savepoint=False)
def record(
    order: Order,
    kind: OrderEventKind,
    *,
    details: dict[str, Any] | None = None,
    notify: bool = True,
    **members: Any,
) -> OrderEvent:
    """Record that something happened to a locked order; `members` are what its notification carries.

    Raises EventNotPossible. `details` stay with us, `notify=False` keeps an event from the buyer.
    """
    transition = TRANSITIONS[kind]
    is_possible = order.state in transition.sources if order.pk else not transition.sources
    if not is_possible:
        raise EventNotPossible(f"{kind.label} is not possible while an order is {order.get_state_display()}")
    now = clock.now()
    _move(order, kind, now=now)
    event = OrderEvent.add(
        order=order, kind=kind, state=order.state, at=now, details={**(details or {}), **_plain(members)}
    )
    if notify and transition.notification:
        notify_buyer(order, transition.notification, **members)
    log.info("order event", order=order.seller_order_reference, kind=kind, state=order.state)
    return event


def _move(order: Order, kind: OrderEventKind, *, now: Any) -> None:
    transition = TRANSITIONS[kind]
    marks = [mark for mark in order.conditions if OrderCondition(mark) not in transition.clears]
    if transition.sets and transition.sets not in marks:
        marks.append(transition.sets.value)
    order.conditions = marks
    if OrderCondition.DELAY not in marks:
        order.delay_code = ""
    if transition.target:
        order.state = transition.target
        if name := REACHED_AT.get(transition.target):
            setattr(order, name, now)
    order.save_changes()


def notify_buyer(order: Order, kind: NotificationKind, **members: Any) -> None:
    """Queue a notification about an order; wire/notifications.py says which members a kind has."""
    outbox.enqueue(
        thread=order.thread,
        operation=NOTIFY,
        members={
            "kind": kind.value,
            "correlation_id": order.correlation_id or str(uuid4()),
            "buyer_identifier": order.buyer.identifier,
            "buyer_order_reference": order.buyer_order_reference,
            "seller_order_reference": order.seller_order_reference,
            "state": order.state,
            "service_identifier": order.service_identifier,
            "configuration": order.configuration,
            **_plain({"complex_order": complex_members.members_of(order), **members}),
        },
    )


def mark(order: Order, condition: OrderCondition) -> None:
    """Set a mark that no event of its own sets, and save what else has changed."""
    if condition not in order.conditions:
        order.conditions = [*order.conditions, condition.value]
    order.save_changes()


def _plain(members: dict[str, Any]) -> dict[str, Any]:
    """Members without those that are None."""
    return {name: value for name, value in members.items() if value is not None}
