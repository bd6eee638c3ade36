"""Queries of a buyer: addresses, products, appointments, installations (order-provisioning.md, Endpoints)."""

from dataclasses import dataclass, field
from datetime import date
from typing import Any

from seller_sandbox import clock
from seller_sandbox.network import appointments, locations, products, services, subjects
from seller_sandbox.network.appointments import AppointmentNotPossible
from seller_sandbox.network.models import (
    Appointment,
    AppointmentType,
    Buyer,
    Location,
    Service,
)
from seller_sandbox.network.products import AvailableProduct
from seller_sandbox.network.slots import Slot
from seller_sandbox.orders.complex import complex_rules
from seller_sandbox.orders.wire.requests import (
    AddressSearchQuery,
    AppointmentsQuery,
    InstallationDetailsQuery,
    ProductsQuery,
    ReserveAppointmentRequest,
)

# repairs belong to the ticketing interface
ORDER_TYPES = {kind.value: kind for kind in AppointmentType if kind != AppointmentType.REPAIR}


@dataclass(frozen=True)
class FoundLocation:
    """One premises of an address search; `is_pre_order`: an order would be a pre-order."""

    location: Location
    is_pre_order: bool


@dataclass(frozen=True)
class SlotsAnswer:
    """Free slots, or a reason for none."""

    slots: list[Slot] = field(default_factory=list)
    reason: str = ""


@dataclass(frozen=True)
class ReservationAnswer:
    """The reserved appointment, or a reason for none."""

    appointment: Appointment | None = None
    reason: str = ""


def search_addresses(query: AddressSearchQuery) -> list[FoundLocation]:
    """One location for a UPRN, possibly several for a postcode."""
    if query.uprn:
        location = locations.find(query.uprn)
        found = [location] if location else []
    else:
        found = locations.find_by_postcode(query.postcode)
    today = clock.today()
    return [FoundLocation(location, locations.is_pre_order(location, today)) for location in found]


def list_products(query: ProductsQuery, *, buyer: Buyer) -> list[AvailableProduct]:
    """What the buyer may order there; nothing for premises that we do not know."""
    location = locations.find(query.uprn)
    return products.list_available(location=location, buyer=buyer) if location else []


def list_appointments(query: AppointmentsQuery, *, buyer: Buyer) -> SlotsAnswer:
    """Accepted with slots, or rejected with a reason."""
    try:
        location, product = subjects.find(query.uprn, query.product_name)
        kind = _appointment_type(query.appointment_type)
        earliest = complex_rules.first_bookable_day(buyer=buyer, location=location, appointment_type=kind)
        slots = appointments.list_slots(
            location=location,
            product=product,
            buyer=buyer,
            appointments_from=max(query.appointments_from or date.min, earliest or date.min),
            appointment_type=kind,
        )
    except AppointmentNotPossible as problem:
        return SlotsAnswer(reason=problem.reason)
    return SlotsAnswer(slots=slots)


def reserve_appointment(request: ReserveAppointmentRequest, *, buyer: Buyer) -> ReservationAnswer:
    """A reservation key for a chosen slot, or a reason."""
    try:
        location, product = subjects.find(request.uprn, request.product_name)
        kind = _appointment_type(request.appointment_type)
        _check_bookable(request.slot_date, buyer=buyer, location=location, kind=kind)
        appointment = appointments.reserve(
            location=location,
            product=product,
            buyer=buyer,
            slot=Slot(request.starts_at, request.ends_at),
            appointment_type=kind,
        )
    except AppointmentNotPossible as problem:
        return ReservationAnswer(reason=problem.reason)
    return ReservationAnswer(appointment=appointment)


def installation_details(query: InstallationDetailsQuery, *, buyer: Buyer) -> dict[str, Any] | None:
    """ONT serial number and port, and the service where it is the buyer's own (D4); None when there is no ONT."""
    if query.service_identifier:
        service = services.find(query.service_identifier)
        if service is None or service.buyer_id != buyer.pk or service.ended_at:
            return None
        return _details(service.location, service)
    location = locations.find(query.uprn)
    if location is None:
        return None
    service = services.find_live(location)
    return _details(location, service if service and service.buyer_id == buyer.pk else None)


def _details(location: Location, service: Service | None) -> dict[str, Any] | None:
    ont = products.find_ont(location)
    if ont is None:
        return None
    return {"location": location, "ont": ont, "service": service}


def _check_bookable(day: date, *, buyer: Buyer, location: Location, kind: AppointmentType) -> None:
    """The earliest bookable date of a complex order's build and install; a survey's is looked at when it is added.

    Raises AppointmentNotPossible.
    """
    if kind == AppointmentType.SURVEY:
        return
    earliest = complex_rules.first_bookable_day(buyer=buyer, location=location, appointment_type=kind)
    if earliest and day < earliest:
        raise AppointmentNotPossible(f"The earliest bookable date is {earliest}. Choose a slot from then on.")


def _appointment_type(text: str) -> AppointmentType:
    """Raises AppointmentNotPossible for a type that is none."""
    try:
        return ORDER_TYPES[text or AppointmentType.INSTALL]
    except KeyError as problem:
        known = ", ".join(ORDER_TYPES)
        raise AppointmentNotPossible(f"The appointment type {text} is none of {known}.") from problem
