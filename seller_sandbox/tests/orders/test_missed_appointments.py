"""KCI 2.1 of real orders (order-provisioning.md, Missed Appointment Notification, Events, Timing rules; D17, D20)."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.conf import LazySettings
from hypothesis import example as tried
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from seller_sandbox import clock
from seller_sandbox.jobs.exceptions import ActionNotPossible
from seller_sandbox.orders import lifecycle, limits, missed_appointments, notifying, reappointments
from seller_sandbox.orders.models import MissedAppointment
from seller_sandbox.orders.states import OrderCondition
from seller_sandbox.tests.orders.appointed_orders import (
    AppointedOrder,
    committed,
    local,
    morning,
    placed,
    run_until,
)

NONE_MISSED: list[Any] = []
DAY = timedelta(days=1)


@pytest.fixture
def example(network: None) -> AppointedOrder:
    """Committed, with a morning appointment ten days from now."""
    return committed()


def flags(example: AppointedOrder) -> list[dict[str, bool]]:
    """Those that are Y, of each notification."""
    return [
        {name for name, value in members["missed_appointment"].items() if value is True}
        for members in example.notifications("missedAppointment")
    ]


def settle(example: AppointedOrder) -> None:
    """A week later every flag is settled."""
    run_until(clock.now() + 7 * DAY)


def stored(example: AppointedOrder) -> MissedAppointment:
    return example.order.missed_appointments.get()


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
    with pytest.raises(ActionNotPossible, match="Record first what happened"):
        missed_appointments.declare_mborc(lifecycle.lock(example.reference), appointment=example.appointment)


# --- changes by the buyer -----------------------------------------------------------------------------------
def test_buyer_amended_late(example: AppointedOrder) -> None:
    """Rule 1: one second after 1 pm on the day before."""
    example.amend(example.at(13, 0, 1, days=-1), morning(15))
    settle(example)

    assert flags(example) == [{"is_amended", "is_end_user_pre_agreed"}]
    assert not stored(example).is_compensation_due


def test_buyer_amended_at_one_pm_exactly(example: AppointedOrder) -> None:
    """Limits, D17: 13:00:00 is not late, also when the partner's answer lets the seller settle it later."""
    example.amend(example.at(13, days=-1), morning(15))
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
    """Events: neither before the slot nor inside it."""
    example.cancel(example.at(13))
    settle(example)

    assert flags(example) == NONE_MISSED


# --- changes by the seller ----------------------------------------------------------------------------------
def test_seller_cancelled_late(example: AppointedOrder) -> None:
    """Rules 4, 5 and 7."""
    example.seller_cancels(example.at(15, days=-1))
    settle(example)

    assert flags(example) == [{"is_cancelled"}]
    assert stored(example).is_compensation_due


def test_seller_cancelled_early(example: AppointedOrder) -> None:
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
    """Closure NAPUV: the engineer came, the seller cancels the order, and nobody missed anything."""
    example.close(example.at(10), "NAPUV")
    settle(example)

    assert example.notifications("cancelled")
    assert flags(example) == NONE_MISSED


# --- visits outside the slot --------------------------------------------------------------------------------
def test_visit_outside_the_slot_was_agreed(example: AppointedOrder) -> None:
    """Rule 3: all other flags N."""
    run_until(example.at(15))
    missed_appointments.record_agreed_visit(lifecycle.lock(example.reference), example.visit)
    example.close(example.at(16), "CON")
    settle(example)

    assert flags(example) == [{"is_end_user_pre_agreed"}]
    assert not stored(example).is_compensation_due


def test_agreed_visit_at_which_the_end_user_was_not_in(example: AppointedOrder) -> None:
    """Rules 3 and 4: another flag is Y, so Pre-agreed is N; the appointment has one notification."""
    run_until(example.at(15))
    missed_appointments.record_agreed_visit(lifecycle.lock(example.reference), example.visit)
    example.close(example.at(16), "RNA/NA")
    settle(example)

    assert flags(example) == [{"is_end_user_missed"}]


def test_visit_inside_the_slot_needs_no_agreement(example: AppointedOrder) -> None:
    visit = example.visit
    example.close(example.at(10), "CON")
    visit.refresh_from_db()

    with pytest.raises(ActionNotPossible, match="inside its slot"):
        missed_appointments.record_agreed_visit(lifecycle.lock(example.reference), visit)


def test_nothing_is_sent_for_an_event_at_order_completion(example: AppointedOrder) -> None:
    """Timing rules: "only for events not at order completion"."""
    run_until(example.at(15))
    missed_appointments.record_agreed_visit(lifecycle.lock(example.reference), example.visit)
    example.close(example.at(16), "SP")
    settle(example)

    assert example.notifications("completed")
    assert flags(example) == NONE_MISSED
    assert stored(example).settled_at
    assert stored(example).notified_at is None


# --- when, and how many -------------------------------------------------------------------------------------
def test_several_for_one_order(example: AppointedOrder) -> None:
    """Timing rules: "several may be sent for one order"."""
    example.close(example.at(10), "FTA")
    example.amend(clock.now() + timedelta(hours=1), morning(5))
    example.close(example.at(9), "RNA/NA")
    settle(example)

    assert flags(example) == [{"is_seller_missed"}, {"is_end_user_missed"}]


def test_soft_appointment_has_none(network: None, settings: LazySettings) -> None:
    """Timing rules, D17: the buyer has not been sent the appointment yet."""
    settings.ORDER_STEP_SECONDS = 3600
    slot = morning(5)
    noon = local(slot.day - DAY, 12)
    run_until(noon)
    with clock.at(noon):
        example = placed(slot)

    # acknowledged at 13:00, to be committed at 14:00
    example.seller_cancels(noon + timedelta(minutes=90))
    settle(example)

    assert example.notifications("acknowledged")
    assert example.notifications("cancelled")
    assert flags(example) == NONE_MISSED


def test_sent_one_day_after_the_event(example: AppointedOrder) -> None:
    """D17: by default one day later, at the same time."""
    event = example.at(10)
    example.close(event, "FTA")

    run_until(event + DAY - timedelta(minutes=1))
    assert flags(example) == NONE_MISSED

    run_until(event + DAY)
    assert flags(example) == [{"is_seller_missed"}]
    assert stored(example).notified_at == event + DAY


@pytest.mark.parametrize("days", [0, 9])
def test_sent_by_the_ninth_day(example: AppointedOrder, settings: LazySettings, days: int) -> None:
    """Timing rules: "on or before the 9th calendar day after the appointment event"."""
    settings.MISSED_APPOINTMENT_DAYS = days
    event = example.at(23)
    example.close(event, "FTA")
    run_until(event + days * DAY)

    assert (limits.local_day(stored(example).notified_at) - limits.local_day(event)).days == days


# 23:30 on 28 March 2026
@tried(86 * 24 * 60 + 23 * 60 + 30)
@given(st.integers(0, 2 * 365 * 24 * 60))
def test_ninth_day_is_kept_when_the_clocks_change(minutes: int) -> None:
    """Timing rules: an event late in the evening before the clocks go forward."""
    moment = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=minutes)

    due = missed_appointments.settles_at(moment, days=limits.MISSED_APPOINTMENT_LAST_DAY)

    assert (limits.local_day(due) - limits.local_day(moment)).days == 9


# --- the message --------------------------------------------------------------------------------------------
def test_message_carries_the_thirteen_fields(example: AppointedOrder) -> None:
    """Missed Appointment Notification fields: all 13, in the document's order."""
    appointment, order = example.appointment, example.order
    example.close(example.at(10), "RNA/NA")
    settle(example)
    messages = order.thread.outbound.filter(members__kind="missedAppointment")

    envelope = etree.fromstring(notifying.compose(messages.get()).encode())
    fields = envelope.find(".//{*}missedAppointment")

    starts_at = appointment.starts_at.astimezone().isoformat()
    ends_at = appointment.ends_at.astimezone().isoformat()
    assert [(etree.QName(field).localname, field.text) for field in fields] == [
        ("buyerOrderReference", order.buyer_order_reference),
        ("sellerOrderReference", order.seller_order_reference),
        ("serviceIdentifier", order.service_identifier),
        ("appointmentReservationKey", str(appointment.key)),
        ("appointmentDate", starts_at[:10]),
        ("appointmentStartTime", starts_at[11:]),
        ("appointmentEndTime", ends_at[11:]),
        ("sellerMissed", "N"),
        ("amended", "N"),
        ("cancelled", "N"),
        ("endUserMissed", "Y"),
        ("endUserPreAgreed", "N"),
        ("mborc", "N"),
    ]
