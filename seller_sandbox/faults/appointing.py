"""The appointment of a ticket: booked, given up, replaced; the buyer is told of each (D4; Endpoints, Rules 1)."""

from seller_sandbox.faults import lifecycle, notification_members
from seller_sandbox.faults.models import FaultReport
from seller_sandbox.faults.states import FaultEventKind
from seller_sandbox.network import appointments
from seller_sandbox.network.models import Appointment, AppointmentState


def book(report: FaultReport, appointment: Appointment) -> None:
    """The slot is the ticket's visit. Raises AppointmentNotPossible when it has expired."""
    appointments.book(appointment=appointment)
    report.appointment, report.appointment_reservation_key = appointment, str(appointment.key)
    lifecycle.apply(report, FaultEventKind.APPOINTMENT_CONFIRMED, appointment_status="Confirmed")


def give_up(report: FaultReport, *, reason: str) -> None:
    """Give a slot back that is still ahead; a visit that is planned follows the event."""
    appointment = report.appointment
    if appointment is None or appointment.state != AppointmentState.BOOKED:
        return
    appointments.release(appointment=appointment)
    report.appointment, report.appointment_reservation_key = None, ""
    lifecycle.apply(
        report,
        FaultEventKind.APPOINTMENT_CANCELLED,
        appointment=notification_members.appointment(appointment),
        appointment_status="Cancelled",
        appointment_reason=reason,
    )


def keep(report: FaultReport, appointment: Appointment) -> None:
    """The slot of a visit that goes on, although it counted as over; the buyer is told by whoever calls."""
    appointments.book_again(appointment=appointment)
    report.appointment, report.appointment_reservation_key = appointment, str(appointment.key)
    report.save(update_fields=["appointment", "appointment_reservation_key"])


def complete(report: FaultReport, *, completed_at: str, outcome: str) -> None:
    """The visit has been made, and how."""
    if report.appointment:
        appointments.mark_used(appointment=report.appointment)
    lifecycle.apply(
        report,
        FaultEventKind.APPOINTMENT_COMPLETED,
        completed_appointment={"completed_at": completed_at, "outcome": outcome},
    )


def miss(report: FaultReport, *, missed_at: str, reason: str, missed_by: str, code: str) -> None:
    """Nobody was served in the slot: when, why and by whom (`missed_by` is Supplier or End User)."""
    if report.appointment:
        appointments.mark_used(appointment=report.appointment)
    lifecycle.apply(
        report,
        FaultEventKind.APPOINTMENT_MISSED,
        missed_appointment={
            "missed_at": missed_at,
            "reason": reason,
            "missed_by": missed_by,
            "code": code,
        },
    )
