"""Appointment slots of premises: asked for, reserved, booked, given back (order-provisioning.md, Endpoints, Errors).

A reservation uses its area's capacity from the moment it is made until it is released or expires. It expires before
the day of its visit: the job pack goes out up to the day before (job-messages.md, createJob).
"""

import uuid
from datetime import date, datetime, timedelta
from enum import StrEnum

from django.conf import settings
from django.db import transaction
from django.db.models import DateTimeField, UUIDField

from seller_sandbox import clock, due_actions
from seller_sandbox.compiled_queries import CompiledQuery, CompiledUpdate, Parameter
from seller_sandbox.due_actions import due_action
from seller_sandbox.network import business_days, locations, products, services, slots
from seller_sandbox.network.models import (
    Appointment,
    AppointmentState,
    AppointmentType,
    Buyer,
    Location,
    Product,
)
from seller_sandbox.network.slots import Slot, Team

EXPIRY = "network.expire_reservation"
_BY_KEY = CompiledQuery(
    lambda: Appointment.objects.select_related("location", "product", "buyer").filter(
        key=Parameter("key", UUIDField()), buyer=Parameter("buyer")
    )
)
_BOOK = CompiledUpdate(
    lambda: Appointment.objects.filter(
        pk=Parameter("number"),
        state=AppointmentState.RESERVED,
        expires_at__gt=Parameter("now", DateTimeField()),
        starts_at__gt=Parameter("now", DateTimeField()),
    ),
    state=AppointmentState.BOOKED,
)
_RELEASE = CompiledUpdate(
    lambda: Appointment.objects.filter(
        pk=Parameter("number"), state__in=[AppointmentState.RESERVED, AppointmentState.BOOKED]
    ),
    state=AppointmentState.RELEASED,
)
_USE = CompiledUpdate(
    lambda: Appointment.objects.filter(pk=Parameter("number"), state=AppointmentState.BOOKED),
    state=AppointmentState.USED,
)
_LOCKED_STATE = CompiledQuery(
    lambda: Appointment.objects.select_for_update().filter(pk=Parameter("number")).values_list("state")
)


class AppointmentNotPossible(Exception):
    """No appointment, and why; the sentence is for the buyer."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class KeyCheck(StrEnum):
    OK = "ok"
    UNKNOWN = "unknown"
    WRONG_UPRN = "wrong uprn"
    WRONG_PRODUCT = "wrong product"
    EXPIRED = "expired"
    # an order has it already
    IN_USE = "in use"


def list_slots(
    *,
    location: Location,
    product: Product,
    buyer: Buyer,
    appointments_from: date | None,
    appointment_type: AppointmentType,
) -> list[Slot]:
    """Free half days from `appointments_from` (none: from the earliest) to the horizon.

    Raises AppointmentNotPossible when there can be none here, or none is left.
    """
    _check_possible(location, product, buyer, appointment_type)
    earliest, last = _bookable_days(location, appointment_type)
    first = max(appointments_from or earliest, earliest)
    free = _free_slots(Team(location.area, appointment_type), first=first, last=last)
    if not free:
        raise AppointmentNotPossible(
            f"No appointment is free from {first} on; they can be booked from {earliest} to {last}."
        )
    return free


@transaction.atomic
def reserve(
    *, location: Location, product: Product, buyer: Buyer, slot: Slot, appointment_type: AppointmentType
) -> Appointment:
    """Take one visit of this half day; the last one is taken once, however many ask at the same time.

    Raises AppointmentNotPossible when the slot is none that list_slots gives.
    """
    _check_possible(location, product, buyer, appointment_type)
    team = Team(location.area, appointment_type)
    slots.lock(team)
    earliest, last = _bookable_days(location, appointment_type)
    if not earliest <= slot.day <= last or slot not in _free_slots(team, first=slot.day, last=slot.day):
        raise AppointmentNotPossible(
            f"The slot {slot.starts_at.isoformat()} is not free. Query the available slots and choose another."
        )
    return _create(location, product, buyer, slot, appointment_type)


def find(*, key: str, buyer: Buyer) -> Appointment | None:
    """The buyer's own appointment with this reservation key, whatever its state."""
    try:
        number = uuid.UUID(key)
    except ValueError:
        return None
    return _BY_KEY.first(key=number, buyer=buyer.pk)


def check_key(*, key: str, uprn: str, product: Product, buyer: Buyer) -> KeyCheck:
    """Whether an order may use this key."""
    return check(find(key=key, buyer=buyer), uprn=uprn, product=product)


def check(appointment: Appointment | None, *, uprn: str, product: Product) -> KeyCheck:
    """Whether an order may use what its key has found (Errors; D6: wrong premises or product before expired)."""
    if appointment is None:
        return KeyCheck.UNKNOWN
    if appointment.location.uprn != uprn.strip().lstrip("0"):
        return KeyCheck.WRONG_UPRN
    if appointment.product_id != product.pk:
        return KeyCheck.WRONG_PRODUCT
    if appointment.state in {AppointmentState.BOOKED, AppointmentState.USED}:
        return KeyCheck.IN_USE
    return KeyCheck.OK if _is_bookable(appointment) else KeyCheck.EXPIRED


def book(*, appointment: Appointment) -> None:
    """An order has it now, and it does not expire any more. Raises AppointmentNotPossible when it has expired."""
    with transaction.atomic(savepoint=False):
        # looks, locks and changes: nobody comes between
        is_booked = _BOOK.run(number=appointment.pk, now=clock.now()) == 1
        if is_booked:
            appointment.state = AppointmentState.BOOKED
            due_actions.cancel(EXPIRY, subject=str(appointment.key))
    if not is_booked:
        raise AppointmentNotPossible(
            "The reservation has expired or is in use. Reserve an appointment again."
        )


@transaction.atomic(savepoint=False)
def extend_reservation(*, key: str, buyer: Buyer) -> None:
    """A message waits that brought this key in time: its reservation does not expire before its slot begins."""
    if appointment := find(key=key, buyer=buyer):
        _lock(appointment)
        if _is_bookable(appointment):
            _expire_at(appointment, appointment.starts_at)


@transaction.atomic(savepoint=False)
def end_extension(*, key: str, buyer: Buyer) -> None:
    """The message has not booked it: the reservation ends when it would have ended without it."""
    if appointment := find(key=key, buyer=buyer):
        _lock(appointment)
        if appointment.state == AppointmentState.RESERVED:
            slot = Slot(appointment.starts_at, appointment.ends_at)
            _expire_at(appointment, slots.reservation_end(slot, reserved_at=appointment.reserved_at))


@transaction.atomic(savepoint=False)
def release(*, appointment: Appointment) -> None:
    """Give the visit back to its area; what is used, released or expired stays as it is."""
    if _RELEASE.run(number=appointment.pk):
        appointment.state = AppointmentState.RELEASED
        due_actions.cancel(EXPIRY, subject=str(appointment.key))
    else:
        _lock(appointment)


@transaction.atomic(savepoint=False)
def mark_used(*, appointment: Appointment) -> None:
    """The visit has been made; only a booked appointment can be used."""
    if _USE.run(number=appointment.pk):
        appointment.state = AppointmentState.USED
    else:
        _lock(appointment)


@transaction.atomic(savepoint=False)
def book_again(*, appointment: Appointment) -> None:
    """A slot that counted as used, or was given back, is that of a visit which goes on after all."""
    _lock(appointment)
    if appointment.state in {AppointmentState.USED, AppointmentState.RELEASED}:
        _set_state(appointment, AppointmentState.BOOKED)


@due_action(EXPIRY)
def expire_reservation(key: str) -> None:
    """Give the visit of a reservation back that no order has booked."""
    appointment = Appointment.objects.select_for_update().get(key=key)
    if appointment.state == AppointmentState.RESERVED:
        _set_state(appointment, AppointmentState.EXPIRED)


def _free_slots(team: Team, *, first: date, last: date) -> list[Slot]:
    """Without lead days the first day is today, whose slots may have begun."""
    now = clock.now()
    return [slot for slot in slots.free_slots(team, first=first, last=last) if slot.starts_at > now]


def _check_possible(
    location: Location, product: Product, buyer: Buyer, appointment_type: AppointmentType
) -> None:
    if appointment_type == AppointmentType.REPAIR:
        _check_repairable(location, product, buyer)
        return
    is_install = appointment_type == AppointmentType.INSTALL
    if not locations.is_orderable(location, clock.today()):
        raise AppointmentNotPossible(f"The premises {location.uprn} cannot be ordered.")
    if not products.is_permitted(product=product, buyer=buyer):
        raise AppointmentNotPossible(f"The product {product.name} is not permitted for this account.")
    if not products.is_offered_at(product=product, location=location):
        raise AppointmentNotPossible(f"The product {product.name} is not available at {location.uprn}.")
    if product.is_remote_only:
        raise AppointmentNotPossible(f"The product {product.name} is activated without an appointment.")
    is_complex = products.is_complex_at(product=product, location=location)
    if is_complex == is_install:
        wanted = "orderSurvey, orderExternal or orderInternal" if is_complex else "install"
        raise AppointmentNotPossible(f"The product {product.name} needs the appointment type {wanted}.")


def _check_repairable(location: Location, product: Product, buyer: Buyer) -> None:
    """Only a live service of the buyer's own can be repaired."""
    service = services.find_live(location)
    if service is None or (service.buyer_id, service.product_id) != (buyer.pk, product.pk):
        raise AppointmentNotPossible(f"You have no live {product.name} at the premises {location.uprn}.")


def _bookable_days(location: Location, appointment_type: AppointmentType) -> tuple[date, date]:
    """The first after the lead time and after the day on which the cabinet goes live (Endpoints 2), and the last."""
    if appointment_type == AppointmentType.REPAIR:
        first = clock.today() + timedelta(days=settings.REPAIR_LEAD_DAYS)
        return first, first + timedelta(days=settings.APPOINTMENT_HORIZON_DAYS)
    first = business_days.add_business_days(clock.today(), settings.APPOINTMENT_LEAD_DAYS)
    if location.cabinet.release_on:
        first = max(first, location.cabinet.release_on + timedelta(days=1))
    return first, first + timedelta(days=settings.APPOINTMENT_HORIZON_DAYS)


def _create(
    location: Location, product: Product, buyer: Buyer, slot: Slot, appointment_type: AppointmentType
) -> Appointment:
    now = clock.now()
    appointment = Appointment.objects.create(
        buyer=buyer,
        location=location,
        product=product,
        appointment_type=appointment_type,
        area=location.area,
        starts_at=slot.starts_at,
        ends_at=slot.ends_at,
        reserved_at=now,
        expires_at=slots.reservation_end(slot, reserved_at=now),
    )
    due_actions.schedule(EXPIRY, at=appointment.expires_at, subject=str(appointment.key))
    return appointment


def _expire_at(appointment: Appointment, moment: datetime) -> None:
    appointment.expires_at = moment
    appointment.save(update_fields=["expires_at"])
    due_actions.cancel(EXPIRY, subject=str(appointment.key))
    due_actions.schedule(EXPIRY, at=moment, subject=str(appointment.key))


def _is_bookable(appointment: Appointment) -> bool:
    ends_at = min(appointment.expires_at, appointment.starts_at)
    return appointment.state == AppointmentState.RESERVED and ends_at > clock.now()


def _lock(appointment: Appointment) -> None:
    """Read again what another process may have changed."""
    (appointment.state,) = _LOCKED_STATE.row(number=appointment.pk)


def _set_state(appointment: Appointment, state: AppointmentState) -> None:
    appointment.state = state
    appointment.save(update_fields=["state"])
