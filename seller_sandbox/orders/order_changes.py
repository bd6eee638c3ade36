"""Carries out an accepted amendment (order-provisioning.md, Amendment rules)."""

from copy import copy
from datetime import datetime
from typing import Any

from seller_sandbox import clock, due_actions
from seller_sandbox.network import appointments
from seller_sandbox.orders import (
    amendment_rules,
    cases,
    lifecycle,
    limits,
    order_packs,
    steps,
    takeovers,
    visits,
)
from seller_sandbox.orders.appointments import missed_appointments, reappointments
from seller_sandbox.orders.complex import complex_orders
from seller_sandbox.orders.configurations import merge
from seller_sandbox.orders.late_orders import delays, late_provision
from seller_sandbox.orders.models import Course, Order, VisitPurpose
from seller_sandbox.orders.notification_members import appointment_members, date_text
from seller_sandbox.orders.states import OrderEventKind, OrderState

Changes = dict[str, Any]


def moves_visit(order: Order, changes: Changes) -> bool:
    """Whether a visit that is planned gets another time."""
    visit = visits.planned(order) if changes.keys() & {"reservation_key", "survey_date"} else None
    # civils stay, whatever the day of the build that they precede
    return visit is not None and visit.purpose != VisitPurpose.CIVILS


def replaces_visit(order: Order, changes: Changes) -> bool:
    """Whether a visit that is planned has to be cancelled first: it moves, or its pack says what is true no longer."""
    if moves_visit(order, changes):
        return True
    visit = visits.planned(order)
    if visit is None:
        return False
    amended = copy(order)
    _apply_details(amended, changes)
    purpose = VisitPurpose(visit.purpose)
    return order_packs.amendable_members(amended, purpose) != order_packs.amendable_members(order, purpose)


def apply(order: Order, changes: Changes, *, received_at: datetime) -> None:
    """Change everything that was asked for, and say so in one notification."""
    changes = complex_orders.reserve_survey_day(order, changes)
    _apply_details(order, changes)
    if day := amendment_rules.requested_day(order, changes, received_at=received_at):
        order.requested_date = day
    has_appointment = "reservation_key" in changes
    if has_appointment:
        _replace_appointment(order, changes["reservation_key"])
    complex_orders.note_amendment(order, changes)
    lifecycle.record(
        order,
        OrderEventKind.AMENDMENT_ACCEPTED,
        appointment=appointment_members(order.appointment) if has_appointment else None,
        requested_date=date_text(day),
    )
    if has_appointment:
        _continue_with_appointment(order)
    elif day:
        _continue_with_date(order, received_at=received_at)
    if "case_comment" in changes:
        case = order.cases.get(reference=changes["case_reference"])
        cases.comment(order, case, text=changes["case_comment"], by_buyer=True)
    complex_orders.apply_amendment(order, changes, received_at=received_at)


def _apply_details(order: Order, changes: Changes) -> None:
    if "site" in changes:
        order.site = merge(order.site, changes["site"])
    if "configuration" in changes:
        order.configuration = merge(order.configuration, changes["configuration"])
    cancelled = set(changes.get("cancelled_auxiliary_services", []))
    wanted = [*order.auxiliary_services, *changes.get("auxiliary_services", [])]
    order.auxiliary_services = [code for code in dict.fromkeys(wanted) if code not in cancelled]


def _replace_appointment(order: Order, key: str) -> None:
    """Book the new one; a change after 1 pm of the day before the old one was late (Missed Appointment rules 1)."""
    previous = order.appointment
    if previous:
        missed_appointments.record_amended(order, previous)
        appointments.release(appointment=previous)
    order.appointment = appointments.find(key=key, buyer=order.buyer)
    order.is_appointment_confirmed = True
    appointments.book(appointment=order.appointment)
    late_provision.record_choice(order, previous=previous)


def _continue_with_appointment(order: Order) -> None:
    if order.course == Course.COMPLEX and order.state == OrderState.ACKNOWLEDGED:
        # complex_orders.apply_amendment knows what the appointment is for
        return
    steps.close_windows(order)
    takeovers.move_cease(order, day=limits.local_day(order.appointment.starts_at))
    if order.state == OrderState.ACKNOWLEDGED:
        due_actions.schedule(steps.COMMIT, at=clock.now(), subject=order.seller_order_reference)
        return
    delays.record_appointed(order, OrderEventKind.REAPPOINTED, by_buyer=True, notify=False)
    reappointments.plan_visit(order)


def _continue_with_date(order: Order, *, received_at: datetime) -> None:
    if order.course == Course.CEASE:
        _continue_cease(order, received_at=received_at)
    elif order.course in takeovers.CEASING:
        takeovers.move_cease(order, day=order.requested_date)
    if order.state == OrderState.ACKNOWLEDGED:
        steps.close_windows(order)
        due_actions.schedule(steps.COMMIT, at=clock.now(), subject=order.seller_order_reference)
    takeovers.reschedule(order)
    lifecycle.record(
        order,
        OrderEventKind.NOTED,
        details={"text": f"Requested date is {date_text(order.requested_date)}"},
    )


def _continue_cease(order: Order, *, received_at: datetime) -> None:
    """A provider controls the date of an unsolicited cease from now on; its own costs notice by its new date."""
    if order.is_unsolicited:
        order.is_date_controlled = True
    else:
        order.notice_charge_days = limits.notice_charge(
            order.requested_date, asked_at=received_at, notice_days=order.buyer.notice_days
        )
    order.save_changes()
    takeovers.follow_cease(order, day=order.requested_date)
