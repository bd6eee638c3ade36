"""What an amendment may change, rule by rule (order-provisioning.md, Amendment rules, Switch and WLTO, Regrade)."""

from collections.abc import Iterator
from datetime import date, datetime
from typing import Any

from seller_sandbox.network import appointments, locations, products
from seller_sandbox.network.appointments import KeyCheck
from seller_sandbox.orders import limits, reasons, takeovers, visits
from seller_sandbox.orders.complex import complex_orders
from seller_sandbox.orders.configurations import check_configuration
from seller_sandbox.orders.courses import Plan
from seller_sandbox.orders.models import Course, Order
from seller_sandbox.orders.reasons import Reason
from seller_sandbox.orders.states import OrderEventKind
from seller_sandbox.orders.validation import KEY_REASONS, check_auxiliary_services, earliest_date

Changes = dict[str, Any]
_DATE_AND_CASE = {"requested_date", "case_comment", "case_reference"}
# what a regrade and a cease may amend (Regrade rules 6; Amendment rules 3 and 7)
DATED_ONLY: dict[str, set[str]] = {
    Course.REGRADE: {
        *_DATE_AND_CASE,
        "appointment_type",
        "configuration",
        "reservation_key",
        "site",
        "cancelled_auxiliary_services",
    },
    Course.CEASE: _DATE_AND_CASE,
}
# what an amendment may repeat of its order, so that it is for the right one (Amendment rules 2 and 4)
NAMING = {"product_name", "uprn"}
FIXED_AFTER_NO_RETURN = {"requested_date", "reservation_key", "configuration"}


def check(order: Order, changes: Changes, *, received_at: datetime) -> list[Reason]:
    """All reasons against an amendment; none accepts it. It counts when it was received, however late it is decided."""
    return list(dict.fromkeys(reason for rule in RULES for reason in rule(order, changes, received_at)))


def allows(order: Order, name: str) -> bool:
    """Whether an order of this course has something of that kind to amend."""
    allowed = DATED_ONLY.get(order.course)
    return allowed is None or name in allowed


def requested_day(order: Order, changes: Changes, *, received_at: datetime) -> date | None:
    """The date that an amendment asks for, as it counts on this order."""
    if "requested_date" not in changes:
        return None
    day = date.fromisoformat(changes["requested_date"])
    if order.course != Course.REGRADE:
        return day
    return limits.regrade_day(day, ordered_on=limits.local_day(received_at))


def rejection_kind(order: Order, changes: Changes, reason: Reason) -> OrderEventKind:
    """Dates of a takeover have rejections of their own (Switch and WLTO rules 3 to 5; Errors)."""
    is_date_only = changes.keys() - NAMING == {"requested_date"} and reason != reasons.AMEND_PRODUCT_OR_UPRN
    if order.is_unsolicited and is_date_only:
        return OrderEventKind.REQUESTED_DATE_REJECTED
    if reason in {
        reasons.AMEND_AFTER_PONR,
        reasons.LEAD_TIME,
        reasons.AMEND_BEFORE_CEASE,
        reasons.DATE_IN_PAST,
    }:
        if "requested_date" in changes:
            return OrderEventKind.REQUESTED_DATE_REJECTED
        if "reservation_key" in changes and order.is_takeover:
            return OrderEventKind.APPOINTMENT_DATE_REJECTED
    return OrderEventKind.AMENDMENT_REJECTED


def _no_return(order: Order, changes: Changes, received_at: datetime) -> Iterator[Reason]:
    """From the point of no return on dates and configuration stand (rules 4, 5; for a losing provider rules 6)."""
    gaining = order.linked_order if order.is_unsolicited else order
    if gaining is None or not gaining.is_takeover or not changes.keys() & FIXED_AFTER_NO_RETURN:
        return
    if gaining != order and (gaining.course != Course.WLTO or gaining.is_appointed):
        # its date cannot be moved at all, or moving it delays the managed install
        return
    if takeovers.is_past_no_return(gaining, at=received_at):
        yield reasons.AMEND_AFTER_PONR


def _product_and_premises(order: Order, changes: Changes, _: datetime) -> Iterator[Reason]:
    """The order's own are no amendment (Amendment rules 2 and 4)."""
    has_other_product = "product_name" in changes and products.find(changes["product_name"]) != order.product
    if has_other_product or ("uprn" in changes and locations.find(changes["uprn"]) != order.location):
        yield reasons.AMEND_PRODUCT_OR_UPRN


def _allowed_for_course(order: Order, changes: Changes, _: datetime) -> Iterator[Reason]:
    if not all(allows(order, name) for name in changes.keys() - NAMING):
        yield reasons.AMEND_NOT_FOR_COURSE


def _appointment(order: Order, changes: Changes, received_at: datetime) -> Iterator[Reason]:
    key = changes.get("reservation_key")
    if key is None:
        return
    if not order.is_appointed:
        yield reasons.APPOINTMENT_NOT_NEEDED
        return
    verdict = appointments.check_key(key=key, uprn=order.uprn, product=order.product, buyer=order.buyer)
    if verdict == KeyCheck.EXPIRED:
        yield reasons.KEY_EXPIRED
    elif verdict != KeyCheck.OK:
        yield KEY_REASONS[verdict]
    else:
        yield from _day_of_appointment(order, key, received_at)


def _day_of_appointment(order: Order, key: str, received_at: datetime) -> Iterator[Reason]:
    if not order.is_takeover:
        return
    appointment = appointments.find(key=key, buyer=order.buyer)
    yield from _check_takeover_day(order, limits.local_day(appointment.starts_at), received_at)


def _requested_date(order: Order, changes: Changes, received_at: datetime) -> Iterator[Reason]:
    day = requested_day(order, changes, received_at=received_at)
    if day is None:
        return
    if order.is_appointed:
        yield reasons.AMEND_NOT_FOR_COURSE
    elif order.course == Course.CEASE:
        yield from _check_cease_day(order, day, received_at)
    elif day < limits.local_day(received_at):
        yield reasons.DATE_IN_PAST
    elif order.is_takeover:
        yield from _check_takeover_day(order, day, received_at)
    else:
        yield from _check_lead_time(order, day, received_at)


def _check_cease_day(order: Order, day: date, received_at: datetime) -> Iterator[Reason]:
    """The losing provider may move the cease of a WLTO, not that of a Switch or a regrade (rules 3)."""
    gaining = order.linked_order
    if not order.is_unsolicited or gaining is None:
        return
    if gaining.course != Course.WLTO:
        yield reasons.AMEND_NOT_FOR_COURSE
    elif day < limits.local_day(received_at):
        yield reasons.DATE_IN_PAST
    elif visits.has_engineer_on_site(gaining):
        yield reasons.AMEND_ENGINEER_STARTED


def _check_takeover_day(order: Order, day: date, received_at: datetime) -> Iterator[Reason]:
    """Outside the lead time, and not before what the losing provider's cease leaves to a WLTO."""
    yield from _check_lead_time(order, day, received_at)
    earliest = takeovers.earliest_install(order)
    if earliest and day < earliest:
        yield reasons.AMEND_BEFORE_CEASE


def _check_lead_time(order: Order, day: date, received_at: datetime) -> Iterator[Reason]:
    """That of a takeover counts from the order: it is amended up to its point of no return (rules 4)."""
    plan = Plan(Course(order.course), is_appointed=order.is_appointed)
    ordered_on = limits.local_day(order.placed_at if order.is_takeover else received_at)
    earliest = earliest_date(plan, order.service, order.buyer, ordered_on=ordered_on)
    is_too_near = order.is_takeover and received_at >= limits.no_return(day)
    if is_too_near or (earliest and day < earliest):
        yield reasons.LEAD_TIME


def _configuration(order: Order, changes: Changes, _: datetime) -> Iterator[Reason]:
    configuration = changes.get("configuration")
    if configuration is None:
        return
    yield from check_configuration(
        configuration, buyer=order.buyer, product=order.product, location=order.location
    )


def _auxiliary_services(order: Order, changes: Changes, _: datetime) -> Iterator[Reason]:
    """Added ones must be valid; cancelling is accepted (Amendment rules 6, 7)."""
    added = changes.get("auxiliary_services", [])
    if added:
        yield from check_auxiliary_services(added, buyer=order.buyer, product=order.product)


def _case(order: Order, changes: Changes, _: datetime) -> Iterator[Reason]:
    if "case_comment" not in changes:
        return
    case = order.cases.filter(reference=changes.get("case_reference", "")).first()
    if case is None:
        yield reasons.AMEND_CASE_UNKNOWN
    elif case.closed_at:
        yield reasons.AMEND_CASE_CLOSED


RULES = (
    _no_return,
    _product_and_premises,
    _allowed_for_course,
    _appointment,
    _requested_date,
    _configuration,
    _auxiliary_services,
    _case,
    complex_orders.check_amendment,
)
