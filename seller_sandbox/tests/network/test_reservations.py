"""Reservation keys: what they hold, when they end (order-provisioning.md, Errors; order-decisions.md, D6)."""

import uuid
from datetime import datetime, time, timedelta

import pytest
from django.conf import settings
from django.test import override_settings

from seller_sandbox import clock
from seller_sandbox.network import appointments
from seller_sandbox.network.appointments import AppointmentNotPossible, KeyCheck
from seller_sandbox.network.models import Appointment, AppointmentState
from seller_sandbox.network.slots import Slot
from seller_sandbox.tests.network.samples import LOCAL_1000, buyer, list_slots, product, reserve

pytestmark = pytest.mark.usefixtures("network")
DAY = 24 * 3600


def check(appointment: Appointment, *, uprn: str = "1000101", name: str = "", account: str = "A") -> KeyCheck:
    return appointments.check_key(
        key=str(appointment.key),
        uprn=uprn,
        product=product(name) if name else appointment.product,
        buyer=buyer(account),
    )


def state_of(appointment: Appointment) -> str:
    appointment.refresh_from_db()
    return appointment.state


def test_reservation_takes_the_last_visit_of_its_half_day() -> None:
    slot = list_slots(62)[0]

    reserve(62, slot=slot)

    assert slot not in list_slots(62)
    with pytest.raises(AppointmentNotPossible, match="is not free"):
        reserve(62, slot=slot, copy=2, account="B")


def slot_after(days: int) -> Slot:
    return list_slots(first=clock.today() + timedelta(days=days))[0]


def test_reservation_holds_for_a_day_of_sandbox_time() -> None:
    appointment = reserve(slot=slot_after(7))

    assert appointment.expires_at - appointment.reserved_at == timedelta(hours=24)
    assert abs(appointment.reserved_at - clock.now()) < timedelta(seconds=30)


@pytest.mark.parametrize("hour", [0, 15, 23])
def test_reservation_ends_before_the_day_of_its_visit(hour: int) -> None:
    """The pack goes out up to the day before (job-messages.md, createJob)."""
    slot = slot_after(7)
    day_begins = datetime.combine(slot.day, time(), tzinfo=settings.LOCAL_ZONE)
    with clock.at(day_begins - timedelta(hours=24 - hour)):
        appointment = reserve(slot=slot)

    assert appointment.expires_at == day_begins
    with clock.at(day_begins - timedelta(seconds=1)):
        assert check(appointment) == KeyCheck.OK
    with clock.at(day_begins):
        assert check(appointment) == KeyCheck.EXPIRED
        with pytest.raises(AppointmentNotPossible, match="has expired"):
            appointments.book(appointment=appointment)


@override_settings(APPOINTMENT_LEAD_DAYS=0)
def test_reservation_of_the_same_day_ends_when_its_slot_begins() -> None:
    slot = slot_after(7)
    with clock.at(slot.starts_at - timedelta(hours=1)):
        appointment = reserve(slot=slot)

    assert appointment.expires_at == slot.starts_at


def test_slot_that_has_begun_is_not_booked_whenever_its_reservation_ends() -> None:
    appointment = reserve()
    Appointment.objects.update(expires_at=appointment.starts_at + timedelta(days=1))
    appointment.refresh_from_db()

    with clock.at(appointment.starts_at):
        assert check(appointment) == KeyCheck.EXPIRED
        with pytest.raises(AppointmentNotPossible):
            appointments.book(appointment=appointment)


@pytest.mark.parametrize("is_rejected", [False, True])
def test_key_of_a_waiting_amendment_ends_when_its_slot_begins(is_rejected: bool) -> None:
    appointment = reserve()
    before = appointment.expires_at

    reservation = {"key": str(appointment.key), "buyer": appointment.buyer}
    appointments.extend_reservation(**reservation)
    if is_rejected:
        appointments.end_extension(**reservation)
    appointment.refresh_from_db()

    assert appointment.expires_at == (before if is_rejected else appointment.starts_at)


def test_expired_reservation_gives_its_visit_back() -> None:
    appointment = reserve(61)
    slot = Slot(appointment.starts_at, appointment.ends_at)
    with pytest.raises(AppointmentNotPossible):
        list_slots(61)

    clock.move(seconds=DAY + 60)

    assert (state_of(appointment), list_slots(61)) == (AppointmentState.EXPIRED, [slot])


def test_booked_appointment_does_not_expire() -> None:
    appointment = reserve(61)
    appointments.book(appointment=appointment)

    clock.move(seconds=3 * DAY)

    assert state_of(appointment) == AppointmentState.BOOKED
    with pytest.raises(AppointmentNotPossible):
        list_slots(61)


@pytest.mark.parametrize("is_booked", [False, True])
def test_released_appointment_gives_its_visit_back_once(is_booked: bool) -> None:
    appointment = reserve(61)
    if is_booked:
        appointments.book(appointment=appointment)

    appointments.release(appointment=appointment)
    appointments.release(appointment=appointment)

    assert (state_of(appointment), len(list_slots(61))) == (AppointmentState.RELEASED, 1)


def test_used_appointment_cannot_be_released() -> None:
    appointment = reserve()
    appointments.book(appointment=appointment)
    appointments.mark_used(appointment=appointment)

    appointments.release(appointment=appointment)

    assert state_of(appointment) == AppointmentState.USED


def test_reservation_that_no_order_booked_is_not_used() -> None:
    appointment = reserve()

    appointments.mark_used(appointment=appointment)

    assert state_of(appointment) == AppointmentState.RESERVED


def test_key_is_right_for_its_premises_and_product() -> None:
    assert check(reserve()) == KeyCheck.OK
    assert check(reserve(), uprn="000001000101") == KeyCheck.OK


def test_key_for_other_premises_or_another_product_is_named() -> None:
    appointment = reserve()

    assert check(appointment, uprn="1000102") == KeyCheck.WRONG_UPRN
    assert check(appointment, name=LOCAL_1000) == KeyCheck.WRONG_PRODUCT


def test_key_of_another_buyer_is_unknown() -> None:
    assert check(reserve(), account="B") == KeyCheck.UNKNOWN


@pytest.mark.parametrize("key", ["", "no key", str(uuid.UUID(int=7)), "é" * 40])
def test_key_that_never_was_is_unknown(key: str) -> None:
    checked = appointments.check_key(key=key, uprn="1000101", product=product(), buyer=buyer())

    assert checked == KeyCheck.UNKNOWN


def test_expired_key_is_expired_before_anybody_has_noted_it() -> None:
    appointment = reserve()

    with clock.at(appointment.expires_at):
        assert check(appointment) == KeyCheck.EXPIRED
        with pytest.raises(AppointmentNotPossible, match="has expired or is in use"):
            appointments.book(appointment=appointment)


def test_expired_key_of_other_premises_is_wrong_rather_than_expired() -> None:
    appointment = reserve()
    clock.move(seconds=DAY + 60)

    assert check(appointment) == KeyCheck.EXPIRED
    assert check(appointment, uprn="1000102") == KeyCheck.WRONG_UPRN


def test_released_key_counts_as_expired() -> None:
    appointment = reserve()
    appointments.release(appointment=appointment)

    assert check(appointment) == KeyCheck.EXPIRED


def test_key_on_an_order_is_in_use() -> None:
    appointment = reserve()
    appointments.book(appointment=appointment)

    assert check(appointment) == KeyCheck.IN_USE
    with pytest.raises(AppointmentNotPossible):
        appointments.book(appointment=Appointment.objects.get(pk=appointment.pk))


def test_slot_that_is_none_is_refused() -> None:
    slot = list_slots()[0]
    odd = Slot(slot.starts_at + timedelta(hours=1), slot.ends_at)
    past = Slot(slot.starts_at - timedelta(days=364), slot.ends_at - timedelta(days=364))
    far = Slot(slot.starts_at + timedelta(days=364), slot.ends_at + timedelta(days=364))

    for impossible in (odd, past, far):
        with pytest.raises(AppointmentNotPossible, match="is not free"):
            reserve(slot=impossible)
