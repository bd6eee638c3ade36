"""Amendments and cancellations that wait for the seller or the partner: decided in the order in which they came.

They are decided before a deadline that they came before (steps.schedule_decision); for the partner's answer they wait
longer.
"""

from seller_sandbox.compiled_queries import CompiledQuery, Parameter
from seller_sandbox.due_actions import due_action
from seller_sandbox.orders import amendments, cancellations, lifecycle, steps, takeovers
from seller_sandbox.orders.appointments import reappointments
from seller_sandbox.orders.models import Amendment, Cancellation, Course, Order, RequestState
from seller_sandbox.orders.reasons import FixedVisit
from seller_sandbox.orders.states import OrderState

_PENDING = {"order": Parameter("order"), "state": RequestState.PENDING}
_AMENDMENTS = CompiledQuery(lambda: Amendment.objects.filter(**_PENDING))
_CANCELLATIONS = CompiledQuery(lambda: Cancellation.objects.filter(**_PENDING))

Request = Amendment | Cancellation


@due_action(steps.SETTLE_REQUESTS)
def settle(subject: str) -> None:
    """Decide on what waits."""
    settle_waiting(lifecycle.lock(subject))


def settle_waiting(order: Order, *, fixed: FixedVisit | None = None) -> None:
    """A pending order is validated first (D14); a request that needs the partner's answer holds the ones after it.

    `fixed`: why the partner has answered that it does not cancel the visit.
    """
    if order.state == OrderState.PENDING:
        return
    waiting = _list_waiting(order)
    for request in waiting:
        if not _decide(order, request, fixed):
            return
    if waiting:
        reappointments.replace_refused_pack(order)
    takeovers.resume_ceases(order)


def _decide(order: Order, request: Request, fixed: FixedVisit | None) -> bool:
    if isinstance(request, Amendment):
        return amendments.decide(order, request, visit_fixed_by=fixed and fixed.amend)
    return cancellations.decide(order, request, visit_fixed_by=fixed and fixed.cancel)


def _list_waiting(order: Order) -> list[Request]:
    if not steps.has_requests(order):
        return []
    waiting = [*_AMENDMENTS.all(order=order.pk), *_CANCELLATIONS.all(order=order.pk)]
    return sorted(waiting, key=lambda request: request.received_at)


def settle_of_ceases(order: Order, *, fixed: FixedVisit | None = None) -> bool:
    """Decide on the 9190 of losing providers, when the visit of a WLTO has ended; whether the order ended by that."""
    waiting = _ceases_not_moving(order)
    for reference in waiting:
        settle_waiting(lifecycle.lock(reference), fixed=fixed)
    if waiting:
        order.refresh_from_db(fields=["state"])
    return not order.is_in_flight


def _ceases_not_moving(order: Order) -> list[str]:
    if order.course != Course.WLTO:
        return []
    waiting = order.linked_ceases.filter(is_unsolicited=True, cancellations__state=RequestState.PENDING)
    return list(waiting.distinct().values_list("seller_order_reference", flat=True))


# --- something falls due while the partner's answer is awaited ------------------------------------------------
def is_any_waiting(order: Order) -> bool:
    """Whether something waits of an order, or of one that it ends or falls with."""
    orders = Order.objects.filter(seller_order_reference__in=takeovers.list_linked(order))
    return any(_list_waiting(found) for found in (order, *orders))


def is_appointment_waiting(order: Order) -> bool:
    """Whether the buyer has named another appointment, and the visit that it replaces is still to be cancelled."""
    return any(
        {"reservation_key", "survey_date"} & row.changes.keys() for row in _AMENDMENTS.all(order=order.pk)
    )


def is_cancellation_waiting(order: Order) -> bool:
    """Whether the buyer has asked to cancel, and nothing is decided."""
    return _CANCELLATIONS.first(order=order.pk) is not None


def accept_cancellation(order: Order) -> bool:
    """The order ends now whatever the partner answers: as its buyer or, by 9190, the losing provider has asked.

    Whether anybody had.
    """
    for found in (order, *map(lifecycle.lock, _ceases_not_moving(order))):
        if waiting := _CANCELLATIONS.first(order=found.pk):
            cancellations.accept(found, waiting)
            return True
    return False
