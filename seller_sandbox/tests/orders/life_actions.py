"""What people at the seller do in random lives of orders, each with a number to choose by."""

from collections.abc import Callable

from seller_sandbox.orders import network_actions, seller_actions
from seller_sandbox.orders.appointments import missed_visits
from seller_sandbox.orders.late_orders import open_delays
from seller_sandbox.orders.models import Order
from seller_sandbox.tests.orders import samples


def _ask_or_close_case(order: Order, _: int) -> None:
    case = order.cases.filter(closed_at=None).first()
    if case:
        seller_actions.close_case(reference=order.seller_order_reference, case=case.reference)
    else:
        seller_actions.open_case(reference=order.seller_order_reference, text="Is there a dog?")


def _slip(order: Order, days: int) -> None:
    network_actions.move_release(uprn=order.uprn, day=samples.days_ahead(days))


def _reappoint(order: Order, days: int) -> None:
    day = samples.days_ahead(days) if days % 2 else None
    seller_actions.reappoint(reference=order.seller_order_reference, not_before=day)


def _delay(order: Order, days: int) -> None:
    codes = sorted(seller_actions.DELAYS)
    seller_actions.delay(reference=order.seller_order_reference, code=codes[days % len(codes)])


def _end_delay(order: Order, number: int) -> None:
    """The newest, or any that is open."""
    codes = ["", *(reason.code for reason in open_delays.list_open(order))]
    seller_actions.end_delay(reference=order.seller_order_reference, code=codes[number % len(codes)])


def _miss(order: Order, number: int) -> None:
    codes = missed_visits.MISSED
    seller_actions.miss_appointment(reference=order.seller_order_reference, code=codes[number % len(codes)])


def _agree(order: Order, _: int) -> None:
    seller_actions.record_agreed_visit(reference=order.seller_order_reference)


ACTIONS: dict[str, Callable[[Order, int], object]] = {
    "slip": _slip,
    "cancel": lambda order, _: seller_actions.cancel(reference=order.seller_order_reference),
    "case": _ask_or_close_case,
    "reappoint": _reappoint,
    "delay": _delay,
    "end of delay": _end_delay,
    "repair": lambda order, _: seller_actions.record_repair(reference=order.seller_order_reference),
    "activation": lambda order, days: seller_actions.record_activation(
        reference=order.seller_order_reference, succeeded=days % 2 == 0
    ),
    "miss": _miss,
    "agreed visit": _agree,
    "warning": lambda order, _: seller_actions.note_warning(
        reference=order.seller_order_reference, code="591"
    ),
}
