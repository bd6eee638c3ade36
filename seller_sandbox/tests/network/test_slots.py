"""Which half days are offered (order-provisioning.md, Endpoints 2 and queryAppointmentAvailability; Errors)."""

from datetime import date, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.test import override_settings

from seller_sandbox import clock
from seller_sandbox.network import business_days, slots
from seller_sandbox.network.appointments import AppointmentNotPossible
from seller_sandbox.network.models import AppointmentType, Half, SlotCapacity
from seller_sandbox.network.slots import Team, free_slots, slot_on
from seller_sandbox.tests.network.samples import (
    BUSINESS,
    COMPLEX,
    LOCAL_160,
    REMOTE,
    list_slots,
    premises,
    reserve,
)

pytestmark = pytest.mark.usefixtures("network")
LONDON = ZoneInfo("Europe/London")
TEAM = Team("KWL-TEST", AppointmentType.INSTALL)


def test_slots_are_both_half_days_of_business_days_from_the_next_one() -> None:
    offered = list_slots()

    first = business_days.add_business_days(clock.today(), 1)
    assert offered[:2] == [slot_on(first, Half.AM), slot_on(first, Half.PM)]
    assert all(business_days.is_business_day(slot.day) for slot in offered)
    assert offered[-1].day <= first + timedelta(days=90)


def test_slot_keeps_its_local_hours_when_the_clocks_change() -> None:
    before, after = slot_on(date(2027, 3, 25), Half.PM), slot_on(date(2027, 3, 30), Half.PM)

    hours = [(slot.starts_at.astimezone(LONDON).hour, slot.ends_at.hour) for slot in (before, after)]
    assert hours == [(13, 18), (13, 18)]
    assert before.starts_at.utcoffset() != after.starts_at.utcoffset()


def test_bank_holidays_and_weekends_have_no_slots() -> None:
    offered = free_slots(TEAM, first=date(2026, 12, 24), last=date(2026, 12, 29))

    # Christmas, Boxing Day (Saturday) with its substitute on Monday, Sunday
    assert [slot.day for slot in offered] == [date(2026, 12, day) for day in (24, 24, 29, 29)]


@override_settings(SATURDAY_APPOINTMENTS=True)
def test_saturdays_have_slots_by_setting_but_not_on_bank_holidays() -> None:
    days = {slot.day for slot in free_slots(TEAM, first=date(2026, 12, 19), last=date(2026, 12, 26))}

    assert date(2026, 12, 19) in days
    assert {date(2026, 12, 20), date(2026, 12, 26)} & days == set()


@override_settings(APPOINTMENT_LEAD_DAYS=3, APPOINTMENT_HORIZON_DAYS=7)
def test_lead_time_and_horizon_are_settings() -> None:
    offered = list_slots()

    first = business_days.add_business_days(clock.today(), 3)
    assert (offered[0].day, offered[-1].day <= first + timedelta(days=7)) == (first, True)


@override_settings(APPOINTMENT_LEAD_DAYS=0)
def test_half_day_that_has_begun_is_neither_offered_nor_reserved() -> None:
    day = business_days.add_business_days(clock.today(), 1)
    morning, afternoon = slot_on(day, Half.AM), slot_on(day, Half.PM)

    with clock.at(morning.starts_at):
        assert list_slots()[0] == afternoon
        with pytest.raises(AppointmentNotPossible, match="is not free"):
            reserve(slot=morning)


def test_slots_begin_where_the_buyer_asks() -> None:
    later = list_slots()[20].day

    assert list_slots(first=later)[0].day == later
    assert list_slots(first=date(2000, 1, 1)) == list_slots()


def test_pre_order_has_slots_after_the_cabinet_release_date_only() -> None:
    release_on = premises(30).cabinet.release_on

    offered = list_slots(30)

    assert release_on
    assert offered[0].day > release_on
    assert offered[0].day <= business_days.add_business_days(release_on, 1)
    assert offered[-1].day > release_on + timedelta(days=60)


def test_release_date_that_moves_moves_the_slots() -> None:
    cabinet = premises(1).cabinet
    cabinet.release_on = clock.today() + timedelta(days=50)
    cabinet.save()

    assert list_slots()[0].day > cabinet.release_on


def test_capacity_of_a_day_replaces_the_usual_one() -> None:
    day = list_slots()[0].day
    rows = SlotCapacity.objects.filter(area="KWL-TEST", appointment_type="install")
    rows.create(area="KWL-TEST", appointment_type="install", day=day, half="am", capacity=0)

    assert list_slots()[0] == slot_on(day, Half.PM)


def test_exactly_one_slot_is_free_in_the_single_area() -> None:
    offered = list_slots(61)

    assert offered == [slot_on(business_days.add_business_days(clock.today(), 10), Half.AM)]


def test_scarce_area_has_mornings_only() -> None:
    assert {slot.starts_at.hour for slot in list_slots(62)} == {8}


@pytest.mark.parametrize(
    ("situation", "name", "account", "appointment_type", "reason"),
    [
        (60, LOCAL_160, "A", AppointmentType.INSTALL, "No appointment is free from"),
        (40, LOCAL_160, "A", AppointmentType.INSTALL, "The premises 1004001 cannot be ordered"),
        (31, LOCAL_160, "A", AppointmentType.INSTALL, "The premises 1003101 cannot be ordered"),
        (42, LOCAL_160, "A", AppointmentType.INSTALL, "The premises 1004201 cannot be ordered"),
        (4, BUSINESS, "B", AppointmentType.INSTALL, "not permitted for this account"),
        (1, BUSINESS, "A", AppointmentType.INSTALL, "not available at 1000101"),
        (10, REMOTE, "A", AppointmentType.INSTALL, "activated without an appointment"),
        (6, COMPLEX, "A", AppointmentType.INSTALL, "needs the appointment type orderSurvey"),
        (1, LOCAL_160, "A", AppointmentType.SURVEY, "needs the appointment type install"),
    ],
)
def test_impossible_appointment_has_its_reason(
    situation: int, name: str, account: str, appointment_type: AppointmentType, reason: str
) -> None:
    with pytest.raises(AppointmentNotPossible, match=reason):
        list_slots(situation, name=name, account=account, appointment_type=appointment_type)


@pytest.mark.parametrize(
    "appointment_type", [AppointmentType.SURVEY, AppointmentType.EXTERNAL, AppointmentType.INTERNAL]
)
def test_complex_product_has_slots_of_its_three_stages(appointment_type: AppointmentType) -> None:
    assert list_slots(6, name=COMPLEX, appointment_type=appointment_type)


def test_date_after_the_horizon_has_no_slots() -> None:
    with pytest.raises(AppointmentNotPossible, match="No appointment is free from 9999-12-31"):
        list_slots(first=date.max)


def test_working_days_follow_the_business_days() -> None:
    assert [slots.is_working_day(date(2026, 11, day)) for day in (27, 28, 29, 30)] == [
        True,
        False,
        False,
        True,
    ]
