"""amendOrder: accepted or rejected in full (order-provisioning.md, Amendment rules; order_changes.py applies)."""

from django.db import transaction

from seller_sandbox import clock
from seller_sandbox.network import appointments
from seller_sandbox.network.models import Buyer
from seller_sandbox.orders import amendment_rules, lifecycle, order_changes, reasons, steps, takeovers, visits
from seller_sandbox.orders.lifecycle import RejectedUpFront
from seller_sandbox.orders.models import Amendment, Order, RequestState
from seller_sandbox.orders.reasons import Reason
from seller_sandbox.orders.states import OrderEventKind
from seller_sandbox.orders.wire.requests import AmendOrderRequest

# a type says something of a key only, and a case of a comment
OF_ANOTHER = {"appointment_type", "case_reference"}


@transaction.atomic
def receive(request: AmendOrderRequest, *, buyer: Buyer) -> Order:
    """Take an amendment: pending in the answer, then notifications. Raises RejectedUpFront."""
    order = lifecycle.find_open_order(
        request.target_seller_order_reference,
        buyer=buyer,
        buyer_reference=request.header.buyer_order_reference,
    )
    # elements without content name nothing, as in an order
    changes = {name: value for name, value in request.changes.items() if value not in ({}, [], "")}
    if not changes.keys() - OF_ANOTHER:
        raise RejectedUpFront(reasons.AMEND_EMPTY)
    order.amendments.create(changes=changes, received_at=clock.now())
    lifecycle.record(order, OrderEventKind.AMENDMENT_RECEIVED)
    steps.schedule_decision(order, linked=takeovers.list_linked(order))
    # a key that came in time stays valid, however long the partner takes to cancel the visit before
    appointments.extend_reservation(key=changes.get("reservation_key", ""), buyer=buyer)
    return order


def decide(order: Order, amendment: Amendment, *, visit_fixed_by: Reason | None) -> bool:
    """Whether the amendment is settled now; it is not while the partner's answer is awaited.

    `visit_fixed_by`: why the partner has answered that it does not cancel the visit.
    """
    if not order.is_in_flight:
        reject(order, amendment, reasons.ORDER_ENDED)
        return True
    found = amendment_rules.check(order, amendment.changes, received_at=amendment.received_at)
    if found:
        kind = amendment_rules.rejection_kind(order, amendment.changes, found[0])
        reject(order, amendment, found[0], kind=kind)
        return True
    if order_changes.replaces_visit(order, amendment.changes):
        started = reasons.AMEND_ENGINEER_STARTED if visits.has_engineer_on_site(order) else None
        fixed_by = visit_fixed_by or started
        if fixed_by and order_changes.moves_visit(order, amendment.changes):
            reject(order, amendment, fixed_by)
            return True
        if not fixed_by and visits.request_cancellation(
            order, code="AMENDED", message="The buyer has amended the order"
        ):
            return False
    accept(order, amendment)
    return True


def accept(order: Order, amendment: Amendment) -> None:
    """Nothing stands in the way: everything that it names is changed."""
    amendment.settle(RequestState.ACCEPTED)
    order_changes.apply(order, amendment.changes, received_at=amendment.received_at)


def reject(
    order: Order,
    amendment: Amendment,
    reason: Reason,
    *,
    kind: OrderEventKind = OrderEventKind.AMENDMENT_REJECTED,
) -> None:
    """Nothing of it is changed."""
    amendment.settle(RequestState.REJECTED, reason=reason.message)
    lifecycle.record(order, kind, reason=reason.as_members())
    appointments.end_extension(key=amendment.changes.get("reservation_key", ""), buyer=order.buyer)
