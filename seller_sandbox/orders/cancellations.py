"""cancelOrder, and every other end of an order without a service (order-provisioning.md, States; D5, D14, D15)."""

from datetime import datetime
from typing import Any

from django.db import transaction

from seller_sandbox import clock
from seller_sandbox.jobs.exceptions import ActionNotPossible
from seller_sandbox.network import appointments
from seller_sandbox.network.models import Buyer
from seller_sandbox.orders import lifecycle, reasons, steps, takeovers, visits
from seller_sandbox.orders.appointments import missed_appointments
from seller_sandbox.orders.appointments.appointment_flags import Party
from seller_sandbox.orders.complex import complex_liability
from seller_sandbox.orders.courses import WLTO
from seller_sandbox.orders.late_orders import late_provision
from seller_sandbox.orders.lifecycle import RejectedUpFront
from seller_sandbox.orders.models import Cancellation, Course, Order, RequestState
from seller_sandbox.orders.reasons import Reason
from seller_sandbox.orders.states import OrderEventKind, OrderState
from seller_sandbox.orders.wire.requests import CancelOrderRequest

MAX_CODE = 10


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
    steps.schedule_decision(order, linked=takeovers.list_linked(order))
    return order


def _refusal(order: Order, code: str) -> Reason | None:
    """9190 (end user not moving) is of a WLTO: with it a losing provider cancels its unsolicited cease, which nothing
    else does (D15). A modify, a Switch, an own cease or any other order is not cancelled with it.
    """
    is_not_moving = code == reasons.NOT_MOVING.code
    if order.is_unsolicited:
        takes_over = order.linked_order is not None and order.linked_order.course == Course.WLTO
        return None if takes_over and is_not_moving else reasons.CANCEL_UNSOLICITED
    return reasons.CANCEL_NOT_MOVING if is_not_moving and order.new_order_type != WLTO else None


def decide(order: Order, waiting: Cancellation, *, visit_fixed_by: Reason | None) -> bool:
    """Whether the cancellation is settled now; it is not while the partner's answer is awaited.

    `visit_fixed_by`: why the partner has answered that it does not cancel the visit.
    """
    visited = _order_with_visit(order)
    if not order.is_in_flight:
        reject(order, waiting, reasons.ORDER_ENDED)
    elif visits.has_engineer_on_site(visited):
        reject(order, waiting, reasons.CANCEL_TOO_LATE)
    elif visit_fixed_by:
        reject(order, waiting, visit_fixed_by)
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
    end(order, OrderEventKind.BUYER_CANCELLED, reason, by=Party.BUYER, asked_at=waiting.received_at)
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


def end(
    order: Order,
    kind: OrderEventKind,
    reason: dict[str, Any],
    *,
    by: Party = Party.SELLER,
    asked_at: datetime | None = None,
) -> None:
    """Cancel a locked order: visit, reservation, windows and the unsolicited cease go with it.

    A visit that has begun is not cancelled: it ends without effect. Whoever can wait for its end does so instead.
    `by` is whose doing it is, also by a rejection or by silence, and `asked_at` when the buyer asked for it.
    """
    steps.stop(order)
    if order.state == OrderState.PENDING:
        # its key, if it brought one, has booked nothing
        appointments.end_extension(key=order.request.get("reservation_key", ""), buyer=order.buyer)
    # of a cease: the service goes on (D20)
    order.notice_charge_days = 0
    order.end_code, order.end_reason = reason.get("code", "")[:10], reason.get("message", "")
    if not visits.has_engineer_on_site(order):
        visits.request_cancellation(order, code="SELLER", message="The order has been cancelled")
    if order.appointment:
        moment = asked_at or clock.now()
        missed_appointments.record_cancelled(order, order.appointment, by=by, moment=moment)
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
