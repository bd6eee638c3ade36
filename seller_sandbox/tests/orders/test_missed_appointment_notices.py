"""Which KCI 2.1 are sent, when, and what they carry (order-provisioning.md, Missed Appointment Notification; D17)."""

from datetime import UTC, datetime, timedelta

import pytest
from django.conf import LazySettings
from hypothesis import example as tried
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from seller_sandbox import clock
from seller_sandbox.jobs.exceptions import ActionNotPossible
from seller_sandbox.orders import lifecycle, limits, notifying
from seller_sandbox.orders.appointments import missed_appointments, missed_visits
from seller_sandbox.tests.orders.appointed_orders import (
    AppointedOrder,
    local,
    morning,
    placed,
    run_until,
)
from seller_sandbox.tests.orders.missed_appointment_samples import DAY, NONE_MISSED, flags, settle, stored


# --- visits outside the slot --------------------------------------------------------------------------------
def test_visit_outside_the_slot_was_agreed(example: AppointedOrder) -> None:
    """Rule 3: all other flags N."""
    run_until(example.at(15))
    missed_visits.agree_visit(lifecycle.lock(example.reference), example.visit)
    example.close(example.at(16), "CON")
    settle(example)

    assert flags(example) == [{"is_end_user_pre_agreed"}]
    assert not stored(example).is_compensation_due


def test_visit_that_was_agreed_before_is_not_missed_at_the_end_of_the_slot(example: AppointedOrder) -> None:
    """Rule 3, against a slot that passes in silence: no Delay, no cancelJob."""
    run_until(example.at(9))
    missed_visits.agree_visit(lifecycle.lock(example.reference), example.visit)

    run_until(example.at(15))

    assert example.order.delay_code == ""
    assert not example.visit.job.thread.outbound.filter(operation="cancelJob").exists()


def test_agreed_visit_at_which_the_end_user_was_not_in(example: AppointedOrder) -> None:
    """Rules 3 and 4: another flag is Y, so Pre-agreed is N; the appointment has one notification."""
    run_until(example.at(15))
    missed_visits.agree_visit(lifecycle.lock(example.reference), example.visit)
    example.close(example.at(16), "RNA/NA")
    settle(example)

    assert flags(example) == [{"is_end_user_missed"}]


def test_visit_inside_the_slot_needs_no_agreement(example: AppointedOrder) -> None:
    """Missed Appointment rules 3."""
    visit = example.visit
    example.close(example.at(10), "CON")
    visit.refresh_from_db()

    with pytest.raises(ActionNotPossible, match="inside its slot"):
        missed_appointments.record_agreed_visit(lifecycle.lock(example.reference), visit)


def test_visit_inside_the_slot_needs_no_agreement_however_late_it_is_reported(
    example: AppointedOrder,
) -> None:
    """Missed Appointment rules 3."""
    visit = example.visit
    arrive(example)
    example.close(example.at(20), "CON", closed_at=example.at(10))
    visit.refresh_from_db()

    with pytest.raises(ActionNotPossible, match="inside its slot"):
        missed_appointments.record_agreed_visit(lifecycle.lock(example.reference), visit)


def arrive(example: AppointedOrder) -> None:
    """The engineer's onSite has come through, and nothing after it for a while."""
    example.order.visits.update(arrived_at=example.at(9))


def test_nothing_is_sent_for_an_event_at_order_completion(example: AppointedOrder) -> None:
    """Timing rules: "only for events not at order completion"."""
    run_until(example.at(15))
    missed_visits.agree_visit(lifecycle.lock(example.reference), example.visit)
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


@pytest.mark.parametrize(("report_days", "notified_days"), [(3, 9), (12, 12)])
def test_days_count_from_the_event_and_not_from_its_report(
    example: AppointedOrder, settings: LazySettings, report_days: int, notified_days: int
) -> None:
    """Timing rules: a phone without signal closes at once and reports days later."""
    settings.MISSED_APPOINTMENT_DAYS = 9
    event = example.at(10)
    arrive(example)
    example.close(event + report_days * DAY, "RNA/NA", closed_at=event)
    run_until(event + 13 * DAY)

    assert flags(example) == [{"is_end_user_missed"}]
    assert stored(example).occurred_at == event
    assert limits.local_day(stored(example).notified_at) - limits.local_day(event) == notified_days * DAY


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
