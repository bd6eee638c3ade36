"""Delays of an order: a code, a reason, and the recommended next best action (order-provisioning.md, Other codes)."""

from typing import Any

from seller_sandbox.network import locations
from seller_sandbox.orders import lifecycle, limits, reasons, steps
from seller_sandbox.orders.models import Course, Order
from seller_sandbox.orders.reasons import Reason
from seller_sandbox.orders.states import OrderCondition, OrderEventKind

NEXT_BEST_ACTIONS = {
    reasons.DELAY_SURVEY.code: "Wait for the survey and answer the case",
    reasons.DELAY_CABINET.code: "Wait for the cabinet; the appointment stands unless a slip is notified",
    reasons.DELAY_PET.code: "Ask the end customer to keep pets away, then amend with a new appointment",
    reasons.DELAY_APPOINTMENT.code: "Reserve an appointment and amend the order with its key within 30 days",
    reasons.DELAY_DATE.code: "Amend the order with a requested date within 30 days",
    reasons.DELAY_REAPPOINT.code: "Reserve a new appointment and amend the order with its key within 30 days",
    reasons.DELAY_NETWORK.code: "Wait for the repair; a new appointment is made by the seller",
    reasons.DELAY_ACTIVATION.code: "Wait for the seller",
    reasons.DELAY_REVIEW.code: "Wait for the seller",
    reasons.DELAY_PARTNER.code: "Wait for the seller",
    reasons.DELAY_ACCESS.code: "Agree access with the end customer, then amend with a new appointment",
    reasons.DELAY_SAFETY.code: "Ask the end customer to make the premises safe, then amend with a new appointment",
    reasons.DELAY_SELLER.code: "Reserve a new appointment and amend the order with its key within 30 days",
}


def as_members(reason: Reason) -> dict[str, Any]:
    """The `delay` member of a notification."""
    return {
        "code": reason.code,
        "reason": reason.message,
        "next_best_action": NEXT_BEST_ACTIONS[reason.code],
    }


def delay(order: Order, reason: Reason, **members: Any) -> None:
    """Delay an order and tell the buyer why and what to do."""
    order.delay_code = reason.code
    lifecycle.record(order, OrderEventKind.DELAYED, delay=as_members(reason), **members)


def is_surveyed_first(order: Order) -> bool:
    """Whether it is an extended install; a complex order has had its survey (D8)."""
    return order.course != Course.COMPLEX and locations.is_extended_install(order.location)


def mark_delayed(order: Order, reason: Reason) -> None:
    """An order that is delayed from its KCI2 on: the code rides on that notification."""
    order.delay_code = reason.code
    lifecycle.mark(order, OrderCondition.DELAY)


def wait_for_appointment(order: Order) -> None:
    """A new install without an appointment: Delay, and 30 days (States; Limits)."""
    delay(order, reasons.DELAY_APPOINTMENT)
    steps.open_window(order, days=limits.APPOINTMENT_WINDOW_DAYS, reason=reasons.NO_APPOINTMENT)


def wait_for_date(order: Order) -> None:
    """A regrade without a requested date: Delay, and 30 days (Regrade rules 5)."""
    delay(order, reasons.DELAY_DATE)
    steps.open_window(order, days=limits.REGRADE_WINDOW_DAYS, reason=reasons.NO_DATE)


def wait_for_new_appointment(order: Order, reason: Reason) -> None:
    """A visit that did not succeed: Delay, and 30 days for a new appointment."""
    delay(order, reason)
    steps.open_window(order, days=limits.REAPPOINTMENT_WINDOW_DAYS, reason=reasons.NO_NEW_APPOINTMENT)


def delay_reappoint(order: Order) -> None:
    """The losing provider's date has overtaken a managed install (Switch and WLTO rules 6)."""
    order.delay_code = reasons.DELAY_REAPPOINT.code
    lifecycle.record(order, OrderEventKind.DELAY_REAPPOINT, delay=as_members(reasons.DELAY_REAPPOINT))
    steps.open_window(order, days=limits.REAPPOINTMENT_WINDOW_DAYS, reason=reasons.NO_NEW_APPOINTMENT)
