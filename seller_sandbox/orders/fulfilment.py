"""The seller's own steps with an order: validate, commit, wait, time out (order-provisioning.md, States)."""

from typing import Any

from seller_sandbox import clock, due_actions
from seller_sandbox.due_actions import due_action
from seller_sandbox.network import appointments, locations, products, services
from seller_sandbox.orders import (
    amendments,
    cancellations,
    cases,
    completion,
    complex_orders,
    delays,
    lifecycle,
    reasons,
    steps,
    takeovers,
    validation,
    visits,
)
from seller_sandbox.orders.models import Course, Order, VisitPurpose
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
    amendments.settle_waiting(order)
    cancellations.settle_waiting(order)


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
        completion.modify(order)
        return
    if order.course == Course.CEASE:
        _prepare_cease(order)
    lifecycle.record(order, OrderEventKind.VALIDATED)
    due_actions.schedule(steps.COMMIT, at=steps.next_step(), subject=order.seller_order_reference)


def _prepare_cease(order: Order) -> None:
    """The whole notice period is charged when the date is closer than the contract's notice (Limits, Cease notice)."""
    service = order.service
    in_force = {"nni_identifier": service.nni_identifier, "line_profile": service.line_profile}
    order.configuration = {**order.configuration, **in_force}
    days = (order.requested_date - clock.today()).days if order.requested_date else 0
    if days < order.buyer.notice_days and not order.is_unsolicited:
        order.notice_charge_days = order.buyer.notice_days


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
    elif order.course == Course.REGRADE and order.requested_date is None:
        delays.wait_for_date(order)
    else:
        commit(order)


def commit(order: Order) -> None:
    """KCI2, with the delay codes that begin there, and what leads to completion."""
    steps.close_windows(order)
    reason = _delay_from_start(order)
    order.is_appointment_confirmed = order.is_appointed and order.appointment is not None
    lifecycle.record(
        order,
        OrderEventKind.COMMITTED,
        appointment=appointment_members(order.appointment),
        requested_date=date_text(order.requested_date),
        delay=delays.as_members(reason) if reason else None,
    )
    _reserve_nni(order)
    if reason:
        delays.mark_delayed(order, reason)
    if reason == reasons.DELAY_CABINET:
        steps.watch_cabinet(order, day=order.location.cabinet.release_on)
    if reason == reasons.DELAY_SURVEY:
        cases.open_case(
            order, text="The premises need an extended install. Tell us of a shared drive or wayleave."
        )
    if order.course in takeovers.CEASING:
        takeovers.begin_cease(order)
    begin_fulfilment(order)


def _delay_from_start(order: Order) -> reasons.Reason | None:
    """203 for an extended install, 210 for a pre-order (States); a complex order has had its survey (D8)."""
    if order.kind != "alaNewInstall" or not order.is_appointed:
        return None
    if locations.is_extended_install(order.location) and order.course != Course.COMPLEX:
        return reasons.DELAY_SURVEY
    if locations.is_pre_order(order.location, clock.today()):
        return reasons.DELAY_CABINET
    return None


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
        purpose = VisitPurpose.INTERNAL if order.course == Course.COMPLEX else VisitPurpose.INSTALL
        visits.plan(order, purpose=purpose, appointment=order.appointment)
    elif not order.is_appointed:
        steps.schedule_completion(order)


@due_action(steps.TIME_OUT)
def time_out_order(subject: str, code: str, message: str) -> None:
    """A window ended without the buyer's answer; one that an engineer has meanwhile begun to work in is done with."""
    order = lifecycle.lock(subject)
    if visits.has_engineer_on_site(order):
        return
    if order.state in {OrderState.ACKNOWLEDGED, OrderState.COMMITTED}:
        cancellations.end(order, OrderEventKind.TIMED_OUT, {"code": code, "message": message})


def seller_cancels(order: Order, reason: Any) -> None:
    """The order can no longer progress (States, seller cancel)."""
    cancellations.end(order, OrderEventKind.SELLER_CANCELLED, reason.as_members())
