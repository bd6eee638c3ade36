"""Repair appointments: free slots of a timeframe, and their reservation (Endpoints; FN 4.1: Saturdays included)."""

from dataclasses import dataclass, field
from datetime import date

from seller_sandbox.faults.wire.requests import RepairSlotsQuery, ReserveRepairRequest
from seller_sandbox.network import appointments, subjects
from seller_sandbox.network.appointments import AppointmentNotPossible
from seller_sandbox.network.models import Appointment, AppointmentType, Buyer
from seller_sandbox.network.slots import Slot


@dataclass(frozen=True)
class RepairSlotsAnswer:
    """Free slots, or a reason for none."""

    slots: list[Slot] = field(default_factory=list)
    reason: str = ""


@dataclass(frozen=True)
class RepairReservationAnswer:
    """The reserved appointment, or a reason for none."""

    appointment: Appointment | None = None
    reason: str = ""


def list_slots(query: RepairSlotsQuery, *, buyer: Buyer) -> RepairSlotsAnswer:
    """Accepted with slots of the timeframe, or rejected with a reason."""
    last = query.appointments_to or date.max
    if query.appointments_from and query.appointments_from > last:
        return RepairSlotsAnswer(reason="appointmentsTo is before appointmentsFrom. Change one of them.")
    try:
        location, product = subjects.find(query.uprn, query.product_name)
        found = appointments.list_slots(
            location=location,
            product=product,
            buyer=buyer,
            appointments_from=query.appointments_from,
            appointment_type=AppointmentType.REPAIR,
        )
    except AppointmentNotPossible as problem:
        return RepairSlotsAnswer(reason=problem.reason)
    within = [slot for slot in found if slot.day <= last]
    reason = "" if within else f"No appointment is free until {last}. The next one is on {found[0].day}."
    return RepairSlotsAnswer(within, reason)


def reserve(request: ReserveRepairRequest, *, buyer: Buyer) -> RepairReservationAnswer:
    """A reservation key for a chosen slot, or a reason."""
    try:
        location, product = subjects.find(request.uprn, request.product_name)
        found = appointments.reserve(
            location=location,
            product=product,
            buyer=buyer,
            slot=Slot(request.starts_at, request.ends_at),
            appointment_type=AppointmentType.REPAIR,
        )
    except AppointmentNotPossible as problem:
        return RepairReservationAnswer(reason=problem.reason)
    return RepairReservationAnswer(appointment=found)
