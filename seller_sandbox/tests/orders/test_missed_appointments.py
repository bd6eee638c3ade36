"""KCI 2.1 of real orders (order-provisioning.md, Missed Appointment Notification, Events, Timing rules; D17, D20)."""

from datetime import timedelta

import pytest

from seller_sandbox.jobs.exceptions import ActionNotPossible
from seller_sandbox.orders import lifecycle
from seller_sandbox.orders.appointments import missed_appointments, reappointments
from seller_sandbox.orders.states import OrderCondition
from seller_sandbox.tests.orders.appointed_orders import AppointedOrder, morning, run_until
from seller_sandbox.tests.orders.missed_appointment_samples import NONE_MISSED, flags, settle, stored


# --- who missed ---------------------------------------------------------------------------------------------
def test_seller_missed(example: AppointedOrder) -> None:
    """Rules 6 and 7; closure FTA: Seller Missed, compensation due, and the condition is marked (States)."""
    example.close(example.at(10), "FTA")

    assert OrderCondition.MISSED_APPOINTMENT in example.order.conditions

    settle(example)

    assert flags(example) == [{"is_seller_missed"}]
    assert stored(example).is_compensation_due


def test_end_user_missed(example: AppointedOrder) -> None:
    """Rule 6; closure RNA/NA."""
    example.close(example.at(10), "RNA/NA")
    settle(example)

    assert flags(example) == [{"is_end_user_missed"}]
    assert not stored(example).is_compensation_due


def test_missed_beyond_control(example: AppointedOrder) -> None:
    """Rule 7 and MBORC rules; closure MBORC: the seller missed, and nothing is due."""
    example.close(example.at(10), "MBORC")
    settle(example)

    assert flags(example) == [{"is_seller_missed", "is_mborc"}]
    assert not stored(example).is_compensation_due


def test_mborc_can_be_declared_until_the_flags_are_settled(example: AppointedOrder) -> None:
    """D17: flags are settled later; afterwards the seller cannot change them."""
    appointment = example.appointment
    example.close(example.at(10), "FTA")

    missed_appointments.declare_mborc(lifecycle.lock(example.reference), appointment=appointment)
    settle(example)

    assert flags(example) == [{"is_seller_missed", "is_mborc"}]
    with pytest.raises(ActionNotPossible, match="cannot change"):
        missed_appointments.declare_mborc(lifecycle.lock(example.reference), appointment=appointment)


def test_mborc_needs_something_that_happened(example: AppointedOrder) -> None:
    """MBORC rules."""
    with pytest.raises(ActionNotPossible, match="Record first what happened"):
        missed_appointments.declare_mborc(lifecycle.lock(example.reference), appointment=example.appointment)


# --- changes by the buyer -----------------------------------------------------------------------------------
def test_buyer_amended_late(example: AppointedOrder) -> None:
    """Rule 1: one second after 1 pm on the day before."""
    example.amend(example.at(13, 0, 1, days=-1), morning(25))
    settle(example)

    assert flags(example) == [{"is_amended", "is_end_user_pre_agreed"}]
    assert not stored(example).is_compensation_due


def test_buyer_amended_at_one_pm_exactly(example: AppointedOrder) -> None:
    """Limits, D17: 13:00:00 is not late, also when the partner's answer lets the seller settle it later."""
    example.amend(example.at(13, days=-1), morning(25))
    settle(example)

    assert flags(example) == NONE_MISSED
    assert example.notifications("amendmentAccepted")


def test_buyer_cancelled_inside_the_slot(example: AppointedOrder) -> None:
    """Rules 2 and 5; Events: "or inside it"."""
    example.cancel(example.at(9))
    settle(example)

    assert flags(example) == [{"is_cancelled", "is_end_user_pre_agreed"}]
    assert not stored(example).is_compensation_due


def test_buyer_cancelled_at_one_pm_exactly(example: AppointedOrder) -> None:
    """Limits, D17."""
    example.cancel(example.at(13, days=-1))
    settle(example)

    assert example.notifications("cancellationAccepted")
    assert flags(example) == NONE_MISSED


def test_buyer_cancelled_after_the_slot(example: AppointedOrder) -> None:
    """Events: neither before the slot nor inside it; it was missed when it ended, and the cancellation adds nothing."""
    example.cancel(example.at(13, 0, 1))
    settle(example)

    assert flags(example) == [{"is_seller_missed"}]


# --- changes by the seller ----------------------------------------------------------------------------------
def test_seller_cancelled_late(example: AppointedOrder) -> None:
    """Rules 4, 5 and 7."""
    example.seller_cancels(example.at(15, days=-1))
    settle(example)

    assert flags(example) == [{"is_cancelled"}]
    assert stored(example).is_compensation_due


def test_seller_cancelled_early(example: AppointedOrder) -> None:
    """Missed Appointment rules 5; Limits, lateness threshold."""
    example.seller_cancels(example.at(11, days=-1))
    settle(example)

    assert flags(example) == NONE_MISSED


@pytest.mark.parametrize(("hour", "expected"), [(12, NONE_MISSED), (14, [{"is_amended"}])])
def test_cabinet_slip(example: AppointedOrder, hour: int, expected: list[set[str]]) -> None:
    """D17: before 1 pm on the day before no KCI 2.1, later Amended Y and Pre-agreed N, which is due (rule 7)."""
    run_until(example.at(hour, days=-1))

    reappointments.move_release(example.order.location.cabinet, day=example.day + timedelta(days=1))
    settle(example)

    assert flags(example) == expected
    assert [row.is_compensation_due for row in example.order.missed_appointments.all()] == [True] * len(
        expected
    )


def test_attended_appointment_was_not_cancelled_late(example: AppointedOrder) -> None:
    """Closure NAPUV: the engineer came, the seller cancels the order, and nobody missed anything.

    Missed Appointment rules 5.
    """
    example.close(example.at(10), "NAPUV")
    settle(example)

    assert example.notifications("cancelled")
    assert flags(example) == NONE_MISSED
