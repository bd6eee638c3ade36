"""A complex order that ends late because of its buyer, without a cancelOrder (Missed Appointment rules 2, 5, 7)."""

from datetime import timedelta

import pytest

from seller_sandbox.models import DueAction
from seller_sandbox.network.models import AppointmentType
from seller_sandbox.orders import steps
from seller_sandbox.orders.models import Order
from seller_sandbox.tests.orders import complex_samples, samples

pytestmark = pytest.mark.usefixtures("network")
BY_BUYER = {"is_cancelled", "is_end_user_pre_agreed"}


def booked_before_the_answer() -> Order:
    """Its survey has an appointment, and the estimate is not accepted."""
    order = complex_samples.estimated()
    return samples.amend(order, reservation_key=complex_samples.key_for(order, AppointmentType.SURVEY))


def shortly_before_its_slot(order: Order) -> Order:
    return samples.until(order, order.appointment.starts_at - timedelta(hours=2))


def notified(order: Order) -> tuple[set[str], bool]:
    """The flags that were sent, and whether compensation is due."""
    order = samples.after(order, seconds=2 * samples.A_DAY)
    sent = samples.members_of(order, "missedAppointment")["missed_appointment"]
    flags = {name for name, value in sent.items() if value is True}
    return flags, order.missed_appointments.get().is_compensation_due


def test_estimate_that_is_rejected_late_is_cancelled_by_the_buyer() -> None:
    order = shortly_before_its_slot(booked_before_the_answer())

    order = samples.amend(order, complex_answer="rejectEstimate")

    assert order.end_code == "575"
    assert notified(order) == (BY_BUYER, False)


def test_estimate_that_is_rejected_at_one_pm_exactly_is_not_late(settings: object) -> None:
    """D17: what counts is when the buyer asked."""
    settings.ORDER_STEP_SECONDS = 30
    order = booked_before_the_answer()
    day = samples.limits.local_day(order.appointment.starts_at)
    one_pm = samples.limits.midnight(day) - timedelta(hours=11)
    samples.clock.move(seconds=int((one_pm - samples.clock.now()).total_seconds()))

    order = samples.amend(order, complex_answer="rejectEstimate")

    assert order.end_code == "575"
    assert not order.missed_appointments.exists()


def test_window_that_ends_shortly_before_a_slot_is_cancelled_by_the_buyer() -> None:
    """Complex-order rules 1: no response cancels the order."""
    order = booked_before_the_answer()
    window = DueAction.objects.open().filter(name=steps.TIME_OUT, subject=order.seller_order_reference)
    window.update(due_at=order.appointment.starts_at - timedelta(hours=3))

    order = shortly_before_its_slot(order)

    assert order.end_code == "574"
    assert notified(order) == (BY_BUYER, False)


@pytest.mark.parametrize(
    ("code", "expected"), [("CIVQUO", (BY_BUYER, False)), ("CIVWAY", ({"is_cancelled"}, True))]
)
def test_civils_that_end_the_order_late(code: str, expected: tuple[set[str], bool]) -> None:
    """CIVQUO: the buyer rejected the cost; CIVWAY: a permission is the seller's to get."""
    order = complex_samples.build_planned(needs_civils=True)
    civils = samples.accepted(order)
    order = shortly_before_its_slot(order)

    complex_samples.close(civils, code)

    assert notified(order) == expected
