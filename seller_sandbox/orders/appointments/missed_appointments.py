"""KCI 2.1: appointments missed, or changed late (order-provisioning.md, Missed Appointment Notification).

Each event is a row; its flags are settled SANDBOX_MISSED_APPOINTMENT_DAYS later and sent (Timing rules; D17).
"""

from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings

from seller_sandbox import clock, due_actions
from seller_sandbox.due_actions import due_action
from seller_sandbox.jobs.exceptions import ActionNotPossible
from seller_sandbox.network import appointments
from seller_sandbox.network.models import Appointment
from seller_sandbox.orders import lifecycle, limits, steps, visits
from seller_sandbox.orders.appointments import appointment_flags
from seller_sandbox.orders.appointments.appointment_flags import Party
from seller_sandbox.orders.models import MissedAppointment, Order, OrderVisit, RequestState
from seller_sandbox.orders.states import OrderEventKind, OrderState

NOTIFY = "orders.notify_missed_appointment"
# rules 3
AGREED_VISIT = appointment_flags.AppointmentFlags(is_end_user_pre_agreed=True)


# --- what happens to appointments ---------------------------------------------------------------------------
def record_amended(order: Order, appointment: Appointment) -> None:
    """The buyer has moved the appointment; it counts when the buyer asked for that (rules 1)."""
    accepted = order.amendments.filter(state=RequestState.ACCEPTED).last()
    moment = accepted.received_at if accepted else clock.now()
    _record_late_change(order, appointment, moment=moment, amended_by=Party.BUYER)


def record_cancelled(order: Order, appointment: Appointment, *, by: Party, moment: datetime) -> None:
    """The order is cancelled (rules 2, 5); `moment` is when the buyer asked for that, if it did."""
    _record_late_change(order, appointment, moment=moment, cancelled_by=by)


def withdraw(order: Order) -> None:
    """The seller gives up the appointment of a locked order: a late change where it is one, and the slot is free."""
    record_slipped(order, order.appointment)
    appointments.release(appointment=order.appointment)
    order.appointment = None


def record_slipped(order: Order, appointment: Appointment) -> None:
    """The seller takes the appointment away itself, as by a cabinet slip: later it is Amended and not agreed (D17)."""
    _record_late_change(order, appointment, moment=clock.now(), amended_by=Party.SELLER)


def record_missed(
    order: Order, appointment: Appointment, *, moment: datetime, by_seller: bool, is_mborc: bool
) -> None:
    """Nobody could work in the slot (rules 6); `moment` is when that was, however late it is reported."""
    missed_by = Party.SELLER if by_seller else Party.BUYER
    # without a word of MBORC, what was declared before stays
    facts = {"missed_by": missed_by, "is_mborc": True} if is_mborc else {"missed_by": missed_by}
    _record(order, appointment, moment=moment, **facts)


def take_back_miss(order: Order, visit: OrderVisit) -> bool:
    """Whether the seller counted as having missed the appointment of a visit whose engineer was there by its end.

    Not when the notification has been settled: what was said stays said.
    """
    appointment = visit.appointment
    if appointment is None or visit.arrived_at is None or visit.arrived_at > appointment.ends_at:
        return False
    missed = order.missed_appointments.open().filter(appointment=appointment, missed_by=Party.SELLER)
    return missed.delete()[0] > 0


def _record_late_change(order: Order, appointment: Appointment, *, moment: datetime, **facts: Any) -> None:
    """An attended appointment is past changing, even if its slot is not over."""
    late = appointment_flags.is_late(moment, starts_at=appointment.starts_at, ends_at=appointment.ends_at)
    if late and not order.visits.attended().filter(appointment=appointment).exists():
        _record(order, appointment, moment=moment, **facts)


def _record(order: Order, appointment: Appointment, *, moment: datetime, **facts: Any) -> None:
    """One row for each appointment: what is known of it before it is settled goes into one notification."""
    if not _is_confirmed(order, appointment):
        return
    missed, is_new = MissedAppointment.objects.get_or_create(
        order=order, appointment=appointment, defaults={"occurred_at": moment, **facts}
    )
    if is_new:
        _schedule(order, missed)
    else:
        MissedAppointment.objects.open().filter(pk=missed.pk).update(**facts)


def _schedule(order: Order, missed: MissedAppointment) -> None:
    due_actions.schedule(
        NOTIFY, at=_settlement_of(missed), subject=order.seller_order_reference, missed=missed.pk
    )


def _settlement_of(missed: MissedAppointment) -> datetime:
    return settles_at(missed.occurred_at, days=settings.MISSED_APPOINTMENT_DAYS)


def _is_confirmed(order: Order, appointment: Appointment) -> bool:
    """Soft appointments have no KCI 2.1; one with a visit was confirmed, also that of a survey (Timing rules, D17)."""
    return order.is_appointment_confirmed or order.visits.filter(appointment=appointment).exists()


def settles_at(moment: datetime, *, days: int) -> datetime:
    """The same time by the local clock so many calendar days later: never after the ninth (Timing rules)."""
    return moment.astimezone(settings.LOCAL_ZONE) + timedelta(days=days)


# --- actions of the seller ----------------------------------------------------------------------------------
def record_agreed_visit(order: Order, visit: OrderVisit) -> bool:
    """An engineer comes outside the slot, and the end customer has agreed to that (rules 3); the order is locked.

    Says whether the slot counted as missed by the seller until now, since nobody was there at its end. Raises
    ActionNotPossible.
    """
    appointment = visit.appointment
    if appointment is None:
        raise ActionNotPossible("This visit had no appointment. Choose one that had.")
    if visit.ended_at and appointment.starts_at <= visit.ended_at < appointment.ends_at:
        raise ActionNotPossible(
            "The visit ended inside its slot. Choose a visit that was made outside the slot."
        )
    _refuse_settled(order, appointment)
    if visit.ended_at:
        _record(order, appointment, moment=clock.now(), is_visit_agreed=True)
        return False
    moment = _moment_of_agreed(appointment)
    _record(order, appointment, moment=moment, is_visit_agreed=True)
    found = order.missed_appointments.open().filter(appointment=appointment)
    found.update(occurred_at=moment)
    return found.filter(missed_by=Party.SELLER).update(missed_by="", is_mborc=False) > 0


def _moment_of_agreed(appointment: Appointment) -> datetime:
    """When a visit that is still to come counts as made: it has a day at least from the slot and the agreement on.

    It is settled by the ninth day after the slot all the same (Timing rules).
    """
    days, slot_end = settings.MISSED_APPOINTMENT_DAYS, appointment.ends_at
    last = settles_at(slot_end, days=limits.MISSED_APPOINTMENT_LAST_DAY)
    until = min(settles_at(max(clock.now(), slot_end), days=max(days, 1)), last)
    return settles_at(until, days=-days)


def agreed_until(order: Order, appointment: Appointment) -> datetime | None:
    """Until when the end customer expects the engineer outside the slot: just before the flags are settled."""
    agreed = order.missed_appointments.open().filter(appointment=appointment, is_visit_agreed=True).first()
    return _settlement_of(agreed) - steps.JUST_BEFORE if agreed else None


def declare_mborc(order: Order, *, appointment: Appointment) -> None:
    """What happened to this appointment was beyond reasonable control; the order is locked.

    Raises ActionNotPossible when nothing happened to it, or its notification has gone out.
    """
    _refuse_settled(order, appointment)
    if not order.missed_appointments.open().filter(appointment=appointment).update(is_mborc=True):
        raise ActionNotPossible(
            f"The appointment {appointment.key} was not missed or changed late. Record first what happened to it."
        )


def _refuse_settled(order: Order, appointment: Appointment) -> None:
    if order.missed_appointments.filter(appointment=appointment, settled_at__isnull=False).exists():
        raise ActionNotPossible(
            f"The Missed Appointment Notification of {appointment.key} has been settled and cannot change."
        )


# --- the notification ---------------------------------------------------------------------------------------
@due_action(NOTIFY)
def notify(subject: str, missed: int) -> None:
    """Settle the flags and send them, but not for an event at order completion (Timing rules)."""
    order = lifecycle.lock(subject)
    event = order.missed_appointments.select_related("appointment").filter(pk=missed).first()
    if event is None:
        # it was taken back: somebody was there
        return
    if clock.now() < _settlement_of(event):
        # a visit outside the slot was agreed since
        _schedule(order, event)
        return
    flags = appointment_flags.flags_of(event.facts)
    if flags == AGREED_VISIT and not _is_attended(order, event.appointment):
        # it was called off in good time: what the buyer or the seller changes late is another event
        event.delete()
        return
    event.flags, event.settled_at = asdict(flags), clock.now()
    if not _is_at_completion(order, event):
        event.notified_at = event.settled_at
        event.is_compensation_due = appointment_flags.is_compensation_due(flags)
        lifecycle.record(
            order,
            OrderEventKind.MISSED_APPOINTMENT_NOTIFIED,
            missed_appointment=_members(event),
            details={"is_compensation_due": event.is_compensation_due},
        )
    event.save()


def _is_attended(order: Order, appointment: Appointment) -> bool:
    """Whether an engineer visited (rules 3)."""
    if order.visits.attended().filter(appointment=appointment).exists():
        return True
    planned = visits.planned(order)
    return planned is not None and planned.appointment_id == appointment.pk and visits.has_begun(planned)


def _is_at_completion(order: Order, event: MissedAppointment) -> bool:
    """The order was completed on this very appointment."""
    return order.state == OrderState.COMPLETED and order.appointment_id == event.appointment_id


def _members(event: MissedAppointment) -> dict[str, Any]:
    """Ten of the document's 13 fields; the references of the notification itself are the other three."""
    return {
        "key": str(event.appointment.key),
        "starts_at": event.appointment.starts_at.isoformat(),
        "ends_at": event.appointment.ends_at.isoformat(),
        **event.flags,
    }
