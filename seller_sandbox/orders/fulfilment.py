"""The seller's own steps with an order: validate, commit, wait, time out (order-provisioning.md, States)."""

from datetime import timedelta

from seller_sandbox import clock, due_actions
from seller_sandbox.due_actions import due_action
from seller_sandbox.network import appointments, locations, products, services
from seller_sandbox.orders import (
    cancellations,
    cases,
    completion,
    lifecycle,
    limits,
    reasons,
    steps,
    takeovers,
    validation,
    visits,
    waiting_requests,
)
from seller_sandbox.orders.appointments import reappointments
from seller_sandbox.orders.appointments.appointment_flags import Party
from seller_sandbox.orders.complex import complex_orders
from seller_sandbox.orders.configurations import in_force
from seller_sandbox.orders.late_orders import delays
from seller_sandbox.orders.models import Course, Order
from seller_sandbox.orders.notification_members import appointment_members, date_text
from seller_sandbox.orders.states import OrderEventKind, OrderState
from seller_sandbox.orders.validation import Validated


@due_action(steps.VALIDATE)
def validate_order(subject: str) -> None:
    """Acknowledge or reject a pending order."""
    order = lifecycle.lock(subject)
    if order.state != OrderState.PENDING:
        return
    result = validation.validate(order)
    if result.reasons:
        _reject(order, result)
    else:
        _acknowledge(order, result)
    if order.appointment is None:
        # its key, if it brought one, has booked nothing
        appointments.end_extension(key=order.request.get("reservation_key", ""), buyer=order.buyer)
    waiting_requests.settle_waiting(order)


def _reject(order: Order, result: Validated) -> None:
    first = result.reasons[0]
    order.end_code, order.end_reason = first.code, first.message
    lifecycle.record(
        order,
        OrderEventKind.REJECTED,
        reason=first.as_members(),
        details={"reasons": [reason.as_members() for reason in result.reasons]},
    )


def _acknowledge(order: Order, result: Validated) -> None:
    order.location, order.product, order.service = result.location, result.product, result.service
    order.course, order.is_appointed = result.plan.course, result.plan.is_appointed
    order.requested_date = result.requested_date
    order.appointment = result.appointment
    if order.appointment:
        appointments.book(appointment=order.appointment)
    if order.service and order.course in {Course.MODIFY, Course.CEASE}:
        order.service_identifier = order.service.service_identifier
    else:
        order.service_identifier = services.new_identifier()
    if order.course == Course.MODIFY:
        _modify(order)
        return
    if order.course == Course.CEASE:
        _prepare_cease(order)
    lifecycle.record(order, OrderEventKind.VALIDATED)
    due_actions.schedule(steps.COMMIT, at=steps.next_step(), subject=order.seller_order_reference)


def _modify(order: Order) -> None:
    """Carried out at once, unless a cancellation has waited for the validation (D14): that is decided next.

    The buyer of a modify is sent no KCI1 (D16).
    """
    if waiting_requests.is_cancellation_waiting(order):
        lifecycle.record(order, OrderEventKind.VALIDATED, notify=False)
    else:
        completion.modify(order)


def _prepare_cease(order: Order) -> None:
    """Its notifications say what is in force; only a provider that ceases itself is charged (Limits, Cease notice)."""
    order.configuration = {**order.configuration, **in_force(order.service)}
    if not order.is_unsolicited:
        order.notice_charge_days = limits.notice_charge(
            order.requested_date, asked_at=order.placed_at, notice_days=order.buyer.notice_days
        )


@due_action(steps.COMMIT)
def commit_order(subject: str) -> None:
    """Commit an acknowledged order, or say what it waits for."""
    order = lifecycle.lock(subject)
    if order.state != OrderState.ACKNOWLEDGED:
        return
    if order.course == Course.COMPLEX and not complex_orders.is_ready_to_commit(order):
        complex_orders.begin(order)
    elif order.is_appointed and order.appointment is None:
        delays.wait_for_appointment(order)
    elif order.course == Course.REGRADE and order.requested_date is None and not order.is_appointed:
        delays.wait_for_date(order)
    else:
        commit(order)


def commit(order: Order) -> None:
    """KCI2, with the delay codes that begin there, and what leads to completion."""
    steps.close_windows(order)
    found = _delays_from_start(order)
    order.is_appointment_confirmed = order.is_appointed and order.appointment is not None
    lifecycle.record(
        order,
        OrderEventKind.COMMITTED,
        appointment=appointment_members(order.appointment),
        requested_date=date_text(order.requested_date),
        delay=delays.as_members(order, found[0]) if found else None,
    )
    _reserve_nni(order)
    if found:
        delays.mark_delayed(order, found[0])
    for reason in found[1:]:
        # KCI2 has room for one
        delays.delay(order, reason)
    if reasons.DELAY_CABINET in found:
        steps.watch_cabinet(order, day=order.location.cabinet.release_on)
    if reasons.DELAY_SURVEY in found:
        cases.open_case(
            order, text="The premises need an extended install. Tell us of a shared drive or wayleave."
        )
    if order.course in takeovers.CEASING:
        takeovers.begin_cease(order)
    begin_fulfilment(order)


def _delays_from_start(order: Order) -> list[reasons.Reason]:
    """203 for an extended install, 210 for a pre-order (States); a complex order has had its survey (D8)."""
    if order.kind != "alaNewInstall" or not order.is_appointed:
        return []
    delayed_by = {
        reasons.DELAY_SURVEY: delays.is_surveyed_first(order),
        reasons.DELAY_CABINET: locations.is_pre_order(order.location, clock.today()),
    }
    return [reason for reason, is_delayed in delayed_by.items() if is_delayed]


def _reserve_nni(order: Order) -> None:
    """The seller chooses an ENNI when the order names none (D16)."""
    if order.kind != "alaNewInstall" or order.configuration.get("nni_identifier"):
        return
    offered = products.list_nni_identifiers(product=order.product, location=order.location, buyer=order.buyer)
    if not offered:
        return
    order.configuration = {**order.configuration, "nni_identifier": offered[0]}
    lifecycle.record(order, OrderEventKind.NNI_RESERVED, nni_identifiers=offered)


def begin_fulfilment(order: Order) -> None:
    """An appointed order gets a visit, every other one is completed at the midnight of its date."""
    if order.is_appointed and order.appointment:
        reappointments.plan_visit(order)
    else:
        takeovers.reschedule(order)


@due_action(steps.TIME_OUT)
def time_out_order(subject: str, code: str, message: str) -> None:
    """A window ended without the buyer's answer; one that an engineer has meanwhile begun to work in is done with.

    A new appointment that waits for the partner's answer came in time: the window stays open for another day.
    """
    order = lifecycle.lock(subject)
    if visits.has_engineer_on_site(order) or order.state not in {
        OrderState.ACKNOWLEDGED,
        OrderState.COMMITTED,
    }:
        return
    if waiting_requests.accept_cancellation(order):
        return
    if waiting_requests.is_appointment_waiting(order):
        tomorrow = limits.midnight(clock.today() + timedelta(days=1))
        due_actions.schedule(steps.TIME_OUT, at=tomorrow, subject=subject, code=code, message=message)
    else:
        reason = {"code": code, "message": message}
        cancellations.end(order, OrderEventKind.TIMED_OUT, reason, by=Party.BUYER)
