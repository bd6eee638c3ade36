"""What an amendment may ask of a complex order, and when (order-provisioning.md, complexOrder, Limits)."""

from collections.abc import Iterator
from datetime import date
from typing import Any

from seller_sandbox.network import appointments
from seller_sandbox.network.appointments import AppointmentNotPossible
from seller_sandbox.network.models import Appointment, AppointmentType, Buyer, Location
from seller_sandbox.network.slots import Slot
from seller_sandbox.orders import limits, reasons
from seller_sandbox.orders.complex.complex_members import BOOKINGS, awaited_actions, earliest_day, load
from seller_sandbox.orders.models import ComplexOrder, ComplexStage, Course, Order
from seller_sandbox.orders.notification_kinds import BuyerAction
from seller_sandbox.orders.reasons import Reason

Changes = dict[str, Any]
SURVEY = AppointmentType.SURVEY
ONLY_COMPLEX = {"complex_answer", "survey_date"}
ANSWERED_BY = {
    "acceptEstimate": BuyerAction.ANSWER_ESTIMATE,
    "rejectEstimate": BuyerAction.ANSWER_ESTIMATE,
    "acceptCost": BuyerAction.ANSWER_COST,
    "rejectCost": BuyerAction.ANSWER_COST,
}


def check(order: Order, changes: Changes) -> Iterator[Reason]:
    """Reasons against an amendment: what only a complex order has, and appointments of another type.

    A key that is unknown, expired or of other premises is another rule's.
    """
    if order.course != Course.COMPLEX:
        if changes.keys() & ONLY_COMPLEX:
            yield reasons.AMEND_NOT_ASKED
        if _types_of(changes, _appointment_of(order, changes)) - {AppointmentType.INSTALL}:
            yield reasons.KEY_WRONG_TYPE
        return
    progress = load(order)
    yield from _check_answer(order, progress, changes)
    yield from _check_appointment(order, progress, changes)
    yield from _check_survey_date(order, progress, changes)


def survey_slots_on(order: Order, day: date) -> list[Slot]:
    """Free slots of that very day, in order."""
    try:
        free = appointments.list_slots(
            location=order.location,
            product=order.product,
            buyer=order.buyer,
            appointments_from=day,
            appointment_type=SURVEY,
        )
    except AppointmentNotPossible:
        return []
    return [slot for slot in free if slot.day == day]


def first_bookable_day(*, buyer: Buyer, location: Location, appointment_type: AppointmentType) -> date | None:
    """The lower bound of the buyer's order in flight here, when it waits for an appointment of this type."""
    for order in Order.objects.in_flight().filter(buyer=buyer, location=location, course=Course.COMPLEX):
        progress = load(order)
        booking = BOOKINGS.get(ComplexStage(progress.stage))
        if booking and booking.appointment_type == appointment_type:
            return earliest_day(order, progress)
    return None


def _appointment_of(order: Order, changes: Changes) -> Appointment | None:
    return appointments.find(key=changes.get("reservation_key", ""), buyer=order.buyer)


def _types_of(changes: Changes, appointment: Appointment | None) -> set[str]:
    """The type that the message names, and that of what its key has reserved."""
    found = {appointment.appointment_type} if appointment else set()
    return found | ({changes["appointment_type"]} if "appointment_type" in changes else set())


def _check_answer(order: Order, progress: ComplexOrder, changes: Changes) -> Iterator[Reason]:
    answer = changes.get("complex_answer")
    if answer and ANSWERED_BY[answer] not in awaited_actions(order, progress):
        yield reasons.AMEND_NOT_ASKED


def _check_appointment(order: Order, progress: ComplexOrder, changes: Changes) -> Iterator[Reason]:
    appointment = _appointment_of(order, changes)
    if appointment is None:
        return
    booking = BOOKINGS.get(ComplexStage(progress.stage))
    if booking is None:
        yield reasons.AMEND_NOT_ASKED
        return
    if _types_of(changes, appointment) != {booking.appointment_type}:
        yield reasons.KEY_WRONG_TYPE
    yield from _check_order_of_answers(order, progress, changes)
    yield from _check_day(order, progress, limits.local_day(appointment.starts_at))


def _check_order_of_answers(order: Order, progress: ComplexOrder, changes: Changes) -> Iterator[Reason]:
    """First the finalised cost is accepted, then the build to wall is booked; one amendment may do both (Limits)."""
    is_open = BuyerAction.ANSWER_COST in awaited_actions(order, progress)
    if is_open and changes.get("complex_answer") != "acceptCost":
        yield reasons.AMEND_COST_FIRST


def _check_day(order: Order, progress: ComplexOrder, day: date) -> Iterator[Reason]:
    earliest = earliest_day(order, progress)
    if earliest and day < earliest:
        yield reasons.AMEND_TOO_EARLY


def _check_survey_date(order: Order, progress: ComplexOrder, changes: Changes) -> Iterator[Reason]:
    """A wanted day; the seller takes the first free slot of it unless a key names one."""
    if "survey_date" not in changes:
        return
    booking = BOOKINGS.get(ComplexStage(progress.stage))
    day = date.fromisoformat(changes["survey_date"])
    if booking is None or booking.appointment_type != SURVEY:
        yield reasons.AMEND_NOT_ASKED
        return
    yield from _check_day(order, progress, day)
    appointment = _appointment_of(order, changes)
    if appointment:
        if limits.local_day(appointment.starts_at) != day:
            yield reasons.AMEND_SURVEY_DAY
    elif not survey_slots_on(order, day):
        yield reasons.AMEND_SURVEY_DAY
