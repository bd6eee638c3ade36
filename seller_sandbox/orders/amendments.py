"""amendOrder: accepted or rejected in full (order-provisioning.md, Amendment rules; order_changes.py applies)."""

from django.db import transaction

from seller_sandbox import clock, due_actions
from seller_sandbox.compiled_queries import CompiledQuery, Parameter
from seller_sandbox.due_actions import due_action
from seller_sandbox.network import appointments
from seller_sandbox.network.models import Buyer
from seller_sandbox.orders import amendment_rules, lifecycle, order_changes, reasons, steps, visits
from seller_sandbox.orders.lifecycle import RejectedUpFront
from seller_sandbox.orders.models import Amendment, Order, RequestState
from seller_sandbox.orders.reasons import Reason
from seller_sandbox.orders.states import OrderEventKind, OrderState
from seller_sandbox.orders.wire.requests import AmendOrderRequest

_WAITING = CompiledQuery(
    lambda: Amendment.objects.filter(order=Parameter("order"), state=RequestState.PENDING)
)


@transaction.atomic
def receive(request: AmendOrderRequest, *, buyer: Buyer) -> Order:
    """Take an amendment: pending in the answer, then notifications. Raises RejectedUpFront."""
    order = lifecycle.find_open_order(
        request.target_seller_order_reference,
        buyer=buyer,
        buyer_reference=request.header.buyer_order_reference,
    )
    # containers without content name nothing
    changes = {name: value for name, value in request.changes.items() if value not in ({}, [])}
    if not changes.keys() - {"appointment_type"}:
        # a type says something of a key only
        raise RejectedUpFront(reasons.AMEND_EMPTY)
    order.amendments.create(changes=changes, received_at=clock.now())
    lifecycle.record(order, OrderEventKind.AMENDMENT_RECEIVED)
    due_actions.schedule(steps.SETTLE_AMENDMENTS, at=steps.next_step(), subject=order.seller_order_reference)
    # a key that came in time stays valid, however long the partner takes to cancel the visit before
    appointments.extend_reservation(key=changes.get("reservation_key", ""), buyer=buyer)
    return order


@due_action(steps.SETTLE_AMENDMENTS)
def settle(subject: str) -> None:
    """Decide on what waits, in the order in which it came."""
    settle_waiting(lifecycle.lock(subject))


def settle_waiting(order: Order, *, visit_fixed_by: Reason | None = None) -> None:
    """A pending order is validated first; an amendment that needs the partner's answer holds the ones after it.

    `visit_fixed_by`: why the partner has answered that it does not cancel the visit.
    """
    if order.state == OrderState.PENDING:
        return
    for amendment in _WAITING.all(order=order.pk):
        if not _decide(order, amendment, visit_fixed_by=visit_fixed_by):
            return


def is_any_waiting(order: Order) -> bool:
    """Whether the seller has not decided yet on an amendment that came before now."""
    return any(amendment.received_at < clock.now() for amendment in _WAITING.all(order=order.pk))


def _decide(order: Order, amendment: Amendment, *, visit_fixed_by: Reason | None) -> bool:
    """Whether the amendment is settled now."""
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
