"""cancelOrder, and every other end of an order without a service (order-provisioning.md, States; D5, D14, D15)."""

from typing import Any

from django.db import transaction

from seller_sandbox import clock, due_actions
from seller_sandbox.compiled_queries import CompiledQuery, Parameter
from seller_sandbox.due_actions import due_action
from seller_sandbox.jobs.exceptions import ActionNotPossible
from seller_sandbox.network import appointments
from seller_sandbox.network.models import Buyer
from seller_sandbox.orders import lifecycle, reasons, steps, takeovers, visits
from seller_sandbox.orders.appointments import missed_appointments
from seller_sandbox.orders.complex import complex_liability
from seller_sandbox.orders.courses import SWITCH
from seller_sandbox.orders.late_orders import late_provision
from seller_sandbox.orders.lifecycle import RejectedUpFront
from seller_sandbox.orders.models import Cancellation, Course, Order, OrderKind, RequestState
from seller_sandbox.orders.reasons import Reason
from seller_sandbox.orders.states import OrderEventKind, OrderState
from seller_sandbox.orders.wire.requests import CancelOrderRequest

MAX_CODE = 10
_WAITING = CompiledQuery(
    lambda: Cancellation.objects.filter(order=Parameter("order"), state=RequestState.PENDING)
)


@transaction.atomic
def receive(request: CancelOrderRequest, *, buyer: Buyer) -> Order:
    """Take a cancellation: pending in the answer, then a notification. Raises RejectedUpFront."""
    order = lifecycle.find_open_order(
        request.target_seller_order_reference,
        buyer=buyer,
        buyer_reference=request.header.buyer_order_reference,
    )
    if refusal := _refusal(order, request.reason_code):
        raise RejectedUpFront(refusal)
    order.cancellations.create(
        code=request.reason_code, message=request.reason_message, received_at=clock.now()
    )
    lifecycle.record(order, OrderEventKind.CANCELLATION_RECEIVED)
    due_actions.schedule(
        steps.SETTLE_CANCELLATIONS, at=steps.next_step(), subject=order.seller_order_reference
    )
    return order


def _refusal(order: Order, code: str) -> Reason | None:
    """An unsolicited cease is cancelled by its provider only when that of a WLTO says that its end user is not moving
    (9190); nothing else of a Switch, and no cease that a provider ordered itself, is cancelled with that code (D15).
    """
    is_not_moving = code == reasons.NOT_MOVING.code
    if order.is_unsolicited:
        takes_over = order.linked_order is not None and order.linked_order.course == Course.WLTO
        return None if takes_over and is_not_moving else reasons.CANCEL_UNSOLICITED
    is_of_no_wlto = order.kind == OrderKind.CEASE or order.new_order_type == SWITCH
    return reasons.CANCEL_NOT_MOVING if is_not_moving and is_of_no_wlto else None


@due_action(steps.SETTLE_CANCELLATIONS)
def settle(subject: str) -> None:
    """Decide on what waits; while the order is pending it waits for validation (D14)."""
    settle_waiting(lifecycle.lock(subject))


def settle_waiting(order: Order) -> None:
    """The first one that succeeds ends the order, and every other one comes too late."""
    if order.state == OrderState.PENDING:
        return
    for waiting in _WAITING.all(order=order.pk):
        if not _decide(order, waiting):
            return


def settle_of_ceases(order: Order) -> bool:
    """Decide on what losing providers wait for, when the visit of a WLTO has ended; whether the order ended by that."""
    waiting = _ceases_that_wait(order)
    for reference in waiting:
        settle_waiting(lifecycle.lock(reference))
    if waiting:
        order.refresh_from_db(fields=["state"])
    return not order.is_in_flight


def reject_waiting(order: Order, reason: Reason) -> None:
    """The visit of a locked order stands: nobody cancels it, or the WLTO to which it belongs."""
    for found in (order, *map(lifecycle.lock, _ceases_that_wait(order))):
        for waiting in _WAITING.all(order=found.pk):
            reject(found, waiting, reason)


def _ceases_that_wait(order: Order) -> list[str]:
    if order.course != Course.WLTO:
        return []
    waiting = order.linked_ceases.filter(is_unsolicited=True, cancellations__state=RequestState.PENDING)
    return list(waiting.distinct().values_list("seller_order_reference", flat=True))


def _decide(order: Order, waiting: Cancellation) -> bool:
    """Whether the cancellation is settled now; it is not while the partner's answer is awaited."""
    visited = _order_with_visit(order)
    if not order.is_in_flight:
        reject(order, waiting, reasons.ORDER_ENDED)
    elif visits.has_engineer_on_site(visited):
        reject(order, waiting, reasons.CANCEL_TOO_LATE)
    elif visits.request_cancellation(visited, code="BUYER", message="The buyer has cancelled the order"):
        return False
    else:
        accept(order, waiting)
    return True


def _order_with_visit(order: Order) -> Order:
    """The order itself, or the WLTO that is cancelled with its losing provider's cease."""
    gaining = order.linked_order if order.is_unsolicited else None
    return gaining if gaining and gaining.is_in_flight else order


def accept(order: Order, waiting: Cancellation) -> None:
    """No visit stands in the way: the order is cancelled."""
    waiting.settle(RequestState.ACCEPTED)
    reason = {"code": waiting.code, "message": waiting.message}
    is_not_moving = order.is_unsolicited and waiting.code == reasons.NOT_MOVING.code
    gaining = order.linked_order if is_not_moving else None
    end(order, OrderEventKind.BUYER_CANCELLED, reason)
    if gaining and gaining.is_in_flight:
        end(
            lifecycle.lock(gaining.seller_order_reference),
            OrderEventKind.SELLER_CANCELLED,
            reasons.NOT_MOVING.as_members(),
        )


def reject(order: Order, waiting: Cancellation, reason: Reason) -> None:
    """The order stays in its state."""
    waiting.settle(RequestState.REJECTED, reason=reason.message)
    lifecycle.record(order, OrderEventKind.CANCELLATION_REJECTED, reason=reason.as_members())


def reason_of_seller(code: str, message: str) -> dict[str, str]:
    """Code and text of a person at the seller, with what is usual for what was left out. Raises ActionNotPossible."""
    if len(code) > MAX_CODE:
        raise ActionNotPossible(f"code: has {len(code)} characters. Give {MAX_CODE} at most.")
    known = reasons.by_code().get(code or reasons.NOT_SERVICEABLE.code)
    if known is None and not message:
        raise ActionNotPossible(f"code: {code!r} is not known. Give its message too, or leave the code out.")
    return {"code": code or known.code, "message": message or known.message}


def end(order: Order, kind: OrderEventKind, reason: dict[str, Any]) -> None:
    """Cancel a locked order: visit, reservation, windows and the unsolicited cease go with it.

    A visit that has begun is not cancelled: it ends without effect. Whoever can wait for its end does so instead.
    """
    steps.stop(order)
    order.end_code, order.end_reason = reason.get("code", "")[:10], reason.get("message", "")
    if not visits.has_engineer_on_site(order):
        visits.request_cancellation(order, code="SELLER", message="The order has been cancelled")
    if order.appointment:
        missed_appointments.record_cancelled(order, order.appointment)
        appointments.release(appointment=order.appointment)
    complex_liability.settle(order)
    lifecycle.record(order, kind, reason=reason)
    steps.settle_requests(order)
    late_provision.schedule(order)
    for found in takeovers.ceases_in_flight(order).filter(is_unsolicited=True):
        cease = lifecycle.lock(found.seller_order_reference)
        end(cease, OrderEventKind.SELLER_CANCELLED, reasons.LINKED_CANCELLED.as_members())
    if order.course == Course.CEASE and order.service:
        takeovers.cease_again(order)
