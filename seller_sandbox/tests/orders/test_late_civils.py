"""Civils that are not done before the appointment of the build that they precede (order-provisioning.md, Events)."""

import pytest

from seller_sandbox import clock
from seller_sandbox.models import DueAction
from seller_sandbox.network.models import AppointmentState, AppointmentType
from seller_sandbox.orders.models import Order, VisitPurpose
from seller_sandbox.orders.states import OrderCondition, OrderState
from seller_sandbox.tests.orders import complex_samples, samples
from seller_sandbox.tests.orders.complex_samples import close, course, job_of, key, key_for

pytestmark = pytest.mark.usefixtures("network")
EXTERNAL = AppointmentType.EXTERNAL


def missed() -> Order:
    """The slot of the build has passed, and nobody has closed the civils."""
    order = complex_samples.build_planned(is_skipped=True, needs_civils=True)
    samples.accepted(order)
    return samples.until(order, order.appointment.ends_at)


def test_slot_of_the_build_that_passes_before_its_civils_is_missed() -> None:
    """Missed Appointment rules 6 and 7, D17: by the seller, compensation is due, and the order has a next step."""
    order = complex_samples.build_planned(is_skipped=True, needs_civils=True)
    appointment = order.appointment
    samples.accepted(order)

    order = samples.after(samples.until(order, appointment.ends_at), seconds=5 * samples.A_DAY)

    assert (order.appointment, order.delay_code) == (None, "239")
    event = order.missed_appointments.get(appointment=appointment)
    assert (event.missed_by, event.is_compensation_due) == ("seller", True)
    assert samples.kinds(order)[-2:] == ["delay", "missedAppointment"]
    assert samples.members_of(order, "delay")["delay"]["next_best_action"].startswith("Reserve a new")
    assert course(order)["awaiting_buyer_action"] == ["bookExternalAppointment"]
    appointment.refresh_from_db()
    assert appointment.state == AppointmentState.USED


def test_missed_build_without_a_new_appointment_ends_the_order() -> None:
    """Limits: 30 days for a new appointment."""
    order = missed()

    assert samples.at_midnight(order, samples.days_ahead(31)).end_code == "572"


def test_civils_that_are_done_late_name_no_past_appointment() -> None:
    """Events, Complex milestones."""
    order = missed()
    civils = job_of(order, VisitPurpose.CIVILS)

    close(civils, "CIVCOMP")

    order = samples.fresh(order)
    assert samples.kinds(order)[-1] == "complexMilestone"
    assert samples.last_members(order).get("appointment") is None
    order = samples.amend(order, reservation_key=key_for(order, EXTERNAL))
    assert job_of(order, VisitPurpose.EXTERNAL).starts_at == order.appointment.starts_at
    assert OrderCondition.DELAY not in order.conditions


def test_new_appointment_waits_for_the_same_civils() -> None:
    """They are still needed, and the next slot can be missed as the first. Events, Missed Appointment."""
    order = missed()
    civils = job_of(order, VisitPurpose.CIVILS)

    order = samples.amend(order, reservation_key=key(EXTERNAL))

    assert (order.delay_code, samples.fresh(order).visits.last().job) == ("", civils)
    due = DueAction.objects.open().filter(subject=order.seller_order_reference)
    assert not due.filter(name="orders.time_out").exists()
    order = samples.until(order, order.appointment.ends_at)
    assert order.appointment is None
    assert order.missed_appointments.filter(missed_by="seller").count() == 2


def test_moved_build_is_missed_only_in_its_new_slot() -> None:
    """Events, Missed Appointment."""
    order = complex_samples.build_planned(is_skipped=True, needs_civils=True)
    first = order.appointment
    order = samples.amend(order, reservation_key=key(EXTERNAL, first=samples.days_ahead(60)))

    order = samples.until(order, first.ends_at)

    assert order.missed_appointments.count() == 0
    assert order.appointment is not None


def test_cancellation_after_the_slot_names_no_past_appointment() -> None:
    """Events, Cancellation status."""
    order = missed()

    order = samples.cancel(order)
    complex_samples.cancel_visit(job_of(order, VisitPurpose.CIVILS))

    order = samples.fresh(order)
    assert order.state == OrderState.CANCELLED
    assert samples.last_members(order).get("appointment") is None
    clock.move(seconds=2 * samples.A_DAY)
    assert samples.kinds(order)[-1] == "missedAppointment"
