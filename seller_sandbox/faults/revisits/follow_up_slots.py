"""The slot of the next visit, chosen by the supplier, and slots that have been used up."""

from seller_sandbox.faults import appointing, holds
from seller_sandbox.faults.models import FaultReport
from seller_sandbox.faults.revisits import visits
from seller_sandbox.faults.states import FaultEventKind, FaultState
from seller_sandbox.network import appointments
from seller_sandbox.network.appointments import AppointmentNotPossible
from seller_sandbox.network.models import Appointment, AppointmentState, AppointmentType

NO_SLOT = "No repair slot is free. We agree an appointment with the end user."


def on_fault_changed(*, report: FaultReport, **_: object) -> None:
    """A ticket has changed: a slot that has begun before its visit could be planned is replaced by a later one."""
    if visits.is_too_late(report):
        replace_late(report)


def replace_late(report: FaultReport) -> None:
    """The buyer is notified of both; the pack of the new slot goes out with its booking."""
    appointing.give_up(report, reason="The slot has begun before the visit was planned")
    book_next(report)


def book_next(report: FaultReport) -> None:
    """The first free repair slot; without one the ticket waits for an appointment that is agreed with the end user.

    A slot that the ticket has by now, booked when the visit counted as missed, is kept.
    """
    if report.appointment and report.appointment.state == AppointmentState.BOOKED:
        return
    service = report.service
    subject = {
        "location": service.location,
        "product": service.product,
        "buyer": report.buyer,
        "appointment_type": AppointmentType.REPAIR,
    }
    report.is_visit_needed = True
    try:
        slot = appointments.list_slots(appointments_from=None, **subject)[0]
        reserved = appointments.reserve(slot=slot, **subject)
    except AppointmentNotPossible:
        _wait_for_appointment(report)
        return
    appointing.book(report, reserved)
    if report.state == FaultState.ON_HOLD:
        holds.end(report, FaultEventKind.APPOINTMENT_BOOKED)


def _wait_for_appointment(report: FaultReport) -> None:
    """A ticket that is on hold already stays so, for another reason."""
    if report.state == FaultState.ON_HOLD:
        report.hold_reason = NO_SLOT
        report.save_changes()
    else:
        holds.begin(report, reason=NO_SLOT)


def forget(report: FaultReport, *, keep: Appointment | None = None) -> None:
    """The slot is used up, whoever came; `keep` is another one that the ticket has by now."""
    if report.appointment:
        appointments.mark_used(appointment=report.appointment)
    report.appointment = keep
    report.appointment_reservation_key = str(keep.key) if keep else ""
    report.save(update_fields=["appointment", "appointment_reservation_key"])
