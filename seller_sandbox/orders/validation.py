"""Validation of an order (order-provisioning.md, Errors): all reasons at once, and the course of a sound one."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date

from seller_sandbox.network import appointments, locations, products, projects, services
from seller_sandbox.network.appointments import KeyCheck
from seller_sandbox.network.models import (
    FTTH,
    Appointment,
    AppointmentType,
    AuxiliaryService,
    Buyer,
    Location,
    Product,
    Service,
)
from seller_sandbox.orders import limits, reasons, regrades, takeovers
from seller_sandbox.orders.configurations import check_configuration
from seller_sandbox.orders.courses import OrderSituation, Plan, plan_install
from seller_sandbox.orders.models import Course, Order, OrderKind
from seller_sandbox.orders.reasons import Reason

KEY_REASONS = {
    KeyCheck.UNKNOWN: reasons.KEY_UNKNOWN,
    KeyCheck.WRONG_UPRN: reasons.KEY_WRONG_UPRN,
    KeyCheck.WRONG_PRODUCT: reasons.KEY_WRONG_PRODUCT,
    KeyCheck.IN_USE: reasons.KEY_IN_USE,
}


@dataclass
class Validated:
    """What validation found out about an order; it is rejected when there are reasons."""

    reasons: list[Reason] = field(default_factory=list)
    plan: Plan | None = None
    location: Location | None = None
    product: Product | None = None
    service: Service | None = None
    appointment: Appointment | None = None
    # an expired key is removed from the order (Errors), as if it had named none
    has_key: bool = False
    requested_date: date | None = None

    def reject(self, found: Reason | None) -> None:
        if found and found not in self.reasons:
            self.reasons.append(found)


def validate(order: Order) -> Validated:
    """Check everything that the document rejects; nothing is changed."""
    result = Validated()
    for reason in _check_reference(order):
        result.reject(reason)
    for reason in _check_project(order):
        result.reject(reason)
    CHECKS[OrderKind(order.kind)](order, result)
    return result


# --- the three kinds ----------------------------------------------------------------------------------------
def _validate_install(order: Order, result: Validated) -> None:
    result.location = _find_location(order, result)
    result.product = _find_product(order, result)
    if not (result.location and result.product):
        return
    result.service = services.find_live(result.location)
    for reason in (
        *check_product(order.buyer, result.location, result.product),
        *_check_extras(order, result),
    ):
        result.reject(reason)
    _check_key(order, result)
    _choose_plan(order, result)
    _check_dates(order, result)


def _validate_modify(order: Order, result: Validated) -> None:
    result.service = _find_own_service(order, result)
    if result.service is None:
        return
    result.location, result.product = result.service.location, result.service.product
    result.plan = Plan(Course.MODIFY, is_appointed=False)
    if not any(order.configuration.values()):
        result.reject(reasons.NOTHING_TO_MODIFY)
    for reason in _check_extras(order, result):
        result.reject(reason)
    if cease_in_flight(result.service):
        result.reject(reasons.CEASE_IN_FLIGHT)


def _validate_cease(order: Order, result: Validated) -> None:
    result.service = _find_own_service(order, result)
    if result.service is None:
        return
    result.location, result.product = result.service.location, result.service.product
    result.plan = Plan(Course.CEASE, is_appointed=False)
    result.requested_date = order.requested_date
    if cease_in_flight(result.service, apart_from=order):
        result.reject(reasons.CEASE_IN_FLIGHT)


CHECKS = {
    OrderKind.NEW_INSTALL: _validate_install,
    OrderKind.MODIFY: _validate_modify,
    OrderKind.CEASE: _validate_cease,
}


def cease_in_flight(service: Service, *, apart_from: Order | None = None) -> Order | None:
    """The cease of a service that has not ended, whoever asked for it."""
    ceases = Order.objects.in_flight().filter(kind=OrderKind.CEASE, service=service)
    return ceases.exclude(pk=apart_from.pk if apart_from else None).first()


# --- single checks ------------------------------------------------------------------------------------------
def _check_reference(order: Order) -> Iterator[Reason]:
    reference = order.buyer_order_reference
    if order.is_unsolicited:
        # the seller's own order
        return
    if not reference:
        yield reasons.REFERENCE_MISSING
    elif len(reference) > limits.REFERENCE_CHARACTERS:
        yield reasons.REFERENCE_TOO_LONG
    elif not order.holds_reference:
        # the reference is held by the buyer's earlier order (orders/placing.py)
        yield reasons.REFERENCE_DUPLICATE


def _check_project(order: Order) -> Iterator[Reason]:
    if not order.project_reference:
        return
    ordered_on = limits.local_day(order.placed_at)
    if not projects.find_running(buyer=order.buyer, reference=order.project_reference, day=ordered_on):
        yield reasons.PROJECT


def _find_location(order: Order, result: Validated) -> Location | None:
    if not (order.uprn.isascii() and order.uprn.isdecimal()):
        result.reject(reasons.UPRN_INVALID)
        return None
    location = locations.find(order.uprn)
    if location is None:
        result.reject(reasons.UPRN_UNKNOWN)
    elif location.property_type != FTTH:
        result.reject(reasons.PROPERTY_TYPE)
    return location


def _find_product(order: Order, result: Validated) -> Product | None:
    product = products.find(order.request.get("product_name", ""))
    if product is None or not product.is_ftth:
        result.reject(reasons.PRODUCT_NOT_FTTH)
        return None
    return product


def check_product(buyer: Buyer, location: Location, product: Product) -> Iterator[Reason]:
    """Whether the account may have the product, and the location."""
    if not products.is_permitted(product=product, buyer=buyer):
        yield reasons.PRODUCT_NOT_FOR_ACCOUNT
    elif not products.is_offered_at(product=product, location=location):
        yield reasons.PRODUCT_NOT_FOR_LOCATION


def _check_extras(order: Order, result: Validated) -> Iterator[Reason]:
    yield from check_auxiliary_services(order.auxiliary_services, buyer=order.buyer, product=result.product)
    yield from check_configuration(
        order.configuration, buyer=order.buyer, product=result.product, location=result.location
    )


def check_auxiliary_services(codes: list[str], *, buyer: Buyer, product: Product) -> Iterator[Reason]:
    """Recognised, permitted with the product, permitted for the account (Errors; Amendment rules 6)."""
    if not codes:
        return
    known = {found.code: found for found in AuxiliaryService.objects.filter(code__in=codes)}
    with_product = {found.code for found in product.auxiliary_services.all()}
    for_account = {found.code for found in buyer.auxiliary_services.all()}
    for code in codes:
        if code not in known:
            yield reasons.AUXILIARY_UNKNOWN
        elif code not in with_product:
            yield reasons.AUXILIARY_NOT_FOR_PRODUCT
        elif code not in for_account:
            yield reasons.AUXILIARY_NOT_FOR_ACCOUNT


def _find_own_service(order: Order, result: Validated) -> Service | None:
    service = services.find_own(order.request.get("service_identifier", ""), buyer=order.buyer)
    if service is None:
        result.reject(reasons.SERVICE_UNKNOWN)
    return service


def _choose_plan(order: Order, result: Validated) -> None:
    situation = OrderSituation(
        buyer=order.buyer,
        location=result.location,
        product=result.product,
        service=result.service,
        ont=products.find_ont(result.location),
        new_order_type=order.new_order_type,
        wants_engineer=bool(order.request.get("is_engineer_install") or order.request.get("is_cpe_install")),
        has_key=result.has_key,
    )
    plan = plan_install(situation)
    if isinstance(plan, Reason):
        result.reject(plan)
        return
    result.plan = plan
    if plan.course in takeovers.CEASING and takeovers.is_line_taken(result.service, by_others_than=order):
        result.reject(reasons.LINE_TAKEN)
    if plan.course == Course.REGRADE:
        for reason in _check_regrade(result.service.product, result.product):
            result.reject(reason)


def _check_regrade(before: Product, after: Product) -> Iterator[Reason]:
    if before == after:
        yield reasons.PRODUCT_SAME
    elif not regrades.is_offered(before, after):
        yield reasons.REGRADE_PAIR


def _check_key(order: Order, result: Validated) -> None:
    """Wrong UPRN or product: rejected; expired: the order goes on without it (Errors, D6)."""
    key = order.request.get("reservation_key", "")
    if not key or result.product is None:
        return
    appointment = appointments.find(key=key, buyer=order.buyer)
    check = appointments.check(appointment, uprn=order.uprn, product=result.product)
    result.has_key = check != KeyCheck.EXPIRED
    if check == KeyCheck.OK:
        result.appointment = appointment
        if result.appointment.appointment_type != _first_appointment(result):
            result.reject(reasons.KEY_WRONG_TYPE)
    elif result.has_key:
        result.reject(KEY_REASONS[check])


def _first_appointment(result: Validated) -> AppointmentType:
    """What an order may bring: a complex one the appointment of its survey."""
    is_complex = products.is_complex_at(product=result.product, location=result.location)
    return AppointmentType.SURVEY if is_complex else AppointmentType.INSTALL


def _check_dates(order: Order, result: Validated) -> None:
    wanted = result.requested_date = order.requested_date
    # an order of the last second before midnight is validated on the next day
    ordered_on = limits.local_day(order.placed_at)
    if wanted and wanted < ordered_on:
        result.reject(reasons.DATE_IN_PAST)
    if result.plan is None:
        return
    earliest = earliest_date(result.plan, result.service, order.buyer, ordered_on=ordered_on)
    day = wanted
    if result.plan.is_appointed and result.plan.course != Course.REGRADE:
        day = limits.local_day(result.appointment.starts_at) if result.appointment else None
    if result.plan.course == Course.REGRADE and day:
        day = result.requested_date = limits.regrade_day(day, ordered_on=ordered_on)
    if earliest and day and day < earliest:
        result.reject(reasons.LEAD_TIME)
    if result.plan.course in {Course.SWITCH, Course.WLTO, Course.ACTIVATION} and not result.plan.is_appointed:
        result.requested_date = wanted or earliest


def earliest_date(plan: Plan, service: Service | None, buyer: Buyer, *, ordered_on: date) -> date | None:
    """The first day outside the lead time of this course; None where none is named (Limits)."""
    match plan.course:
        case Course.ACTIVATION:
            return limits.earliest_activation(ordered_on)
        case Course.REGRADE:
            return limits.earliest_regrade(ordered_on)
        case Course.SWITCH | Course.WLTO:
            return limits.earliest_takeover(
                ordered_on,
                is_wlto=plan.course == Course.WLTO,
                is_appointed=plan.is_appointed,
                is_own=service is not None and service.buyer_id == buyer.id,
            )
    return None
