"""Visits that the end customer has agreed to outside the slot, and what follows (Missed Appointment rules 3; D17)."""

from datetime import datetime, timedelta

import pytest
from django.conf import LazySettings

from seller_sandbox import clock
from seller_sandbox.orders import lifecycle, limits
from seller_sandbox.orders.appointments import missed_visits
from seller_sandbox.orders.states import OrderCondition
from seller_sandbox.tests.orders.appointed_orders import AppointedOrder, morning, run_until
from seller_sandbox.tests.orders.missed_appointment_samples import DAY, NONE_MISSED, flags, settle, stored

AN_HOUR = timedelta(hours=1)


def agree(example: AppointedOrder, at: datetime) -> None:
    run_until(at)
    missed_visits.agree_visit(lifecycle.lock(example.reference), example.visit)


def test_nothing_is_sent_before_the_visit(example: AppointedOrder) -> None:
    """Events: the notification is of an appointment event, and none has happened yet."""
    after_slot = example.at(16)
    agree(example, example.at(9, days=-5))

    run_until(example.at(9))
    assert flags(example) == NONE_MISSED

    example.close(after_slot, "CON")
    settle(example)
    assert flags(example) == [{"is_end_user_pre_agreed"}]


@pytest.mark.parametrize("days", [0, 1, 9])
def test_visit_that_nobody_makes_is_missed_by_the_seller(
    example: AppointedOrder, settings: LazySettings, days: int
) -> None:
    """Rules 6; by the ninth day."""
    settings.MISSED_APPOINTMENT_DAYS = days
    slot_end = example.appointment.ends_at
    agree(example, example.at(9, days=-5))

    run_until(slot_end + max(days, 1) * DAY - AN_HOUR)
    assert (example.order.delay_code, flags(example)) == ("", NONE_MISSED)

    run_until(slot_end + max(days, 1) * DAY + AN_HOUR)
    assert (example.order.delay_code, example.appointment) == ("239", None)
    assert OrderCondition.MISSED_APPOINTMENT in example.order.conditions
    assert flags(example) == [{"is_seller_missed"}]
    assert stored(example).is_compensation_due


@pytest.mark.parametrize(("days", "agreed", "missed"), [(1, 20, 44), (3, 48, 120), (9, 100, 216)])
def test_visit_has_some_days_from_the_agreement_on(
    example: AppointedOrder, settings: LazySettings, days: int, agreed: int, missed: int
) -> None:
    """A slot that has passed in silence, in hours; the ninth day after it is the last (Timing rules)."""
    settings.MISSED_APPOINTMENT_DAYS = days
    slot_end, visit = example.appointment.ends_at, example.visit
    run_until(slot_end + agreed * AN_HOUR)
    missed_visits.agree_visit(lifecycle.lock(example.reference), visit)
    visit.job.thread.outbound.filter(operation="cancelJob").delete()

    run_until(slot_end + (missed - 1) * AN_HOUR)
    assert (example.order.delay_code, flags(example)) == ("", NONE_MISSED)

    run_until(slot_end + (missed + 1) * AN_HOUR)
    assert (example.order.delay_code, flags(example)) == ("239", [{"is_seller_missed"}])
    assert (limits.local_day(stored(example).notified_at) - limits.local_day(slot_end)).days <= 9


def test_late_change_after_an_early_agreement_is_notified(example: AppointedOrder) -> None:
    """Rules 1: the flags are settled after the slot, so later events belong to them."""
    agree(example, example.at(9, days=-5))

    example.amend(example.at(14, days=-1), morning(25))
    settle(example)

    assert flags(example) == [{"is_amended", "is_end_user_pre_agreed"}]


def test_agreement_of_an_appointment_that_was_moved_in_time_is_forgotten(example: AppointedOrder) -> None:
    """Rules 3: no engineer visited."""
    agree(example, example.at(9, days=-5))

    example.amend(clock.now() + AN_HOUR, morning(25))
    run_until(clock.now() + 10 * DAY)

    assert flags(example) == NONE_MISSED
    assert not example.order.missed_appointments.exists()
