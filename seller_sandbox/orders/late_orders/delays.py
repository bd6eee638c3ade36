"""Delays of an order: a code, a reason, and the recommended next best action (order-provisioning.md, Other codes).

Several may be open at once (D16; open_delays.py). `delay_code` is that of the newest; when it ends, the one before it
goes on.
"""

from typing import Any

from seller_sandbox import due_actions
from seller_sandbox.jobs.exceptions import ActionNotPossible
from seller_sandbox.network import locations
from seller_sandbox.orders import lifecycle, limits, reasons, steps
from seller_sandbox.orders.complex import complex_members
from seller_sandbox.orders.late_orders.open_delays import (
    BY_BUYER,
    LASTING,
    is_open,
    list_open,
    outlasts_appointment,
)
from seller_sandbox.orders.models import Course, Order, OrderKind
from seller_sandbox.orders.reasons import Reason
from seller_sandbox.orders.states import OrderCondition, OrderEventKind, OrderState

# these say that the buyer has 30 days
BUYER_WAITS = (
    reasons.DELAY_APPOINTMENT,
    reasons.DELAY_DATE,
    reasons.DELAY_REAPPOINT,
    reasons.DELAY_SELLER,
)
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


def next_best_action(order: Order, code: str) -> str:
    """What the buyer is advised to do; an engineer whose ONT was not provisioned comes again by a new appointment."""
    needs_visit = code == reasons.DELAY_ACTIVATION.code and order.is_appointed
    return NEXT_BEST_ACTIONS[reasons.DELAY_REAPPOINT.code if needs_visit else code]


def as_members(order: Order, reason: Reason) -> dict[str, Any]:
    """The `delay` member of a notification."""
    return {
        "code": reason.code,
        "reason": reason.message,
        "next_best_action": next_best_action(order, reason.code),
    }


def delay(order: Order, reason: Reason, **members: Any) -> None:
    """Delay an order and tell the buyer why and what to do."""
    order.delay_code = reason.code
    lifecycle.record(order, OrderEventKind.DELAYED, delay=as_members(order, reason), **members)


def is_surveyed_first(order: Order) -> bool:
    """Whether it is an extended install; a complex order has had its survey (D8)."""
    return order.course != Course.COMPLEX and locations.is_extended_install(order.location)


def mark_delayed(order: Order, reason: Reason) -> None:
    """An order that is delayed from its KCI2 on: the code rides on that notification."""
    order.delay_code = reason.code
    lifecycle.mark(order, OrderCondition.DELAY)


def has_failed_activation(order: Order) -> bool:
    """Whether an activation without an engineer has failed, and none has succeeded since."""
    is_remote = order.kind == OrderKind.NEW_INSTALL and not order.is_appointed
    return is_remote and is_open(order, reasons.DELAY_ACTIVATION)


def list_endable(order: Order) -> list[Reason]:
    """The delays that a person may end, the newest last: a failed activation needs one that succeeds."""
    newest = reasons.by_code().get(order.delay_code)
    found = list_open(order)
    if newest and newest not in found:
        # 236, when the visit whose pack was refused has ended since
        found = [*found, newest]
    is_failed = has_failed_activation(order)
    return [reason for reason in found if not (is_failed and reason == reasons.DELAY_ACTIVATION)]


def delay_by_hand(order: Order, reason: Reason) -> None:
    """A person delays an order; one that has the buyer act within 30 days begins them. Raises ActionNotPossible."""
    if order.state in {OrderState.ACKNOWLEDGED, OrderState.COMMITTED} and _gives_window(order, reason):
        _begin_waiting(order, reason)
    else:
        delay(order, reason)


def _gives_window(order: Order, reason: Reason) -> bool:
    return reason in BUYER_WAITS or (reason == reasons.DELAY_ACTIVATION and order.is_appointed)


def _begin_waiting(order: Order, reason: Reason) -> None:
    is_for_date = reason == reasons.DELAY_DATE
    if is_for_date and (order.is_appointed or order.requested_date):
        raise ActionNotPossible("The order has a requested date or needs none, so it does not wait for one.")
    if not is_for_date and not _is_bookable(order):
        raise ActionNotPossible(
            "The order has an appointment or can have none now, so its buyer cannot make one. "
            "Choose another delay, or make a new appointment."
        )
    if _is_window_open(order):
        raise ActionNotPossible("The buyer has a window already. It ends the order unless the buyer acts.")
    if is_for_date:
        wait_for_date(order)
    elif reason == reasons.DELAY_APPOINTMENT:
        wait_for_appointment(order)
    else:
        wait_for_new_appointment(order, reason)


def end_by_hand(order: Order, code: str) -> None:
    """A person says that one delay is over; an order that nobody would act for then waits for a new appointment.

    Raises ActionNotPossible.
    """
    if OrderCondition.DELAY not in order.conditions:
        raise ActionNotPossible("The order is not delayed.")
    if code == reasons.DELAY_ACTIVATION.code and has_failed_activation(order):
        raise ActionNotPossible("The activation has failed. Record that one has succeeded.")
    codes = [reason.code for reason in list_endable(order)]
    if code not in codes:
        known = ", ".join(codes) or "none"
        raise ActionNotPossible(
            f"The order is not delayed with the code {code}. Delays that can end: {known}."
        )
    end(order, code)
    if _waits_for_nobody(order):
        wait_for_new_appointment(order, reasons.DELAY_REAPPOINT)


def _waits_for_nobody(order: Order) -> bool:
    """Whether an order needs an appointment, and neither the seller is about to make one nor the buyer has been asked.

    So it is after a visit in vain that only a person had to look into.
    """
    if not _is_bookable(order) or OrderCondition.CABINET_SLIP in order.conditions:
        return False
    is_delayed = any(reason.code not in LASTING for reason in list_open(order))
    return not is_delayed and not _is_window_open(order)


def _is_bookable(order: Order) -> bool:
    """Whether the buyer may add an appointment: a complex order has stages without any."""
    is_complex = order.course == Course.COMPLEX
    is_possible = not is_complex or complex_members.load(order).stage in complex_members.BOOKINGS
    return order.is_appointed and order.appointment is None and is_possible


def _is_window_open(order: Order) -> bool:
    """Whether the buyer must act, or the order is cancelled."""
    return due_actions.is_scheduled(steps.TIME_OUT, subject=order.seller_order_reference)


def end_if_open(order: Order, reason: Reason) -> None:
    """What this delay was about is settled, if there was such a delay."""
    if is_open(order, reason):
        end(order, reason.code)


def end(order: Order, code: str) -> None:
    """One delay is over; no notification says so."""
    others = [reason for reason in list_open(order) if reason.code != code]
    lifecycle.record(order, OrderEventKind.DELAY_ENDED, details={"code": code})
    if others:
        mark_delayed(order, others[-1])


def record_appointed(
    order: Order, kind: OrderEventKind, *, by_buyer: bool = False, notify: bool = True, **members: Any
) -> None:
    """Record that an order has an appointment (again), which ends its delays but those that outlast it."""
    lasting = [reason for reason in list_open(order) if outlasts_appointment(reason.code, by_buyer=by_buyer)]
    delayed_by = as_members(order, lasting[-1]) if lasting else None
    details = {BY_BUYER: True} if by_buyer else None
    lifecycle.record(order, kind, details=details, notify=notify, delay=delayed_by, **members)
    if lasting:
        mark_delayed(order, lasting[-1])


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
    lifecycle.record(order, OrderEventKind.DELAY_REAPPOINT, delay=as_members(order, reasons.DELAY_REAPPOINT))
    steps.open_window(order, days=limits.REAPPOINTMENT_WINDOW_DAYS, reason=reasons.NO_NEW_APPOINTMENT)
