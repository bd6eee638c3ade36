"""Build to wall, civils before it, and KCI2 of a complex order (order-provisioning.md, Complex-order rules)."""

from datetime import timedelta

import pytest

from seller_sandbox import clock
from seller_sandbox.jobs.models import JobType
from seller_sandbox.network import locations
from seller_sandbox.network.models import AppointmentState, AppointmentType
from seller_sandbox.orders import lifecycle, limits
from seller_sandbox.orders.lifecycle import EventNotPossible
from seller_sandbox.orders.models import VisitPurpose
from seller_sandbox.orders.states import OrderEventKind, OrderState
from seller_sandbox.tests.orders import appointed_orders, complex_samples, samples
from seller_sandbox.tests.orders.complex_samples import (
    assert_cancelled,
    course,
    finish,
    job_of,
    key_for,
    to_window_end,
)

pytestmark = pytest.mark.usefixtures("network")
EXTERNAL, INTERNAL = AppointmentType.EXTERNAL, AppointmentType.INTERNAL


# --- build to wall ------------------------------------------------------------------------------------------------
def test_external_visit_is_an_external_job_without_the_flag() -> None:
    """Issue, 3: orderExternal becomes an external job."""
    order = complex_samples.build_planned()
    job = job_of(order, VisitPurpose.EXTERNAL)

    assert (job.job_type, order.state) == (JobType.EXTERNAL, OrderState.ACKNOWLEDGED)
    assert "SUR" not in job.pack["property"]["flags"]
    assert course(order)["stage"] == "Build to Wall"


def test_civils_precede_the_build_to_wall_when_the_survey_says_so() -> None:
    """Issue, 3: preceded by civils; CIVCOMP is a milestone and sends the external job."""
    order = complex_samples.build_planned(needs_civils=True)
    civils = job_of(order, VisitPurpose.CIVILS)
    assert civils.job_type == JobType.CIVILS
    assert limits.local_day(civils.starts_at) < limits.local_day(order.appointment.starts_at)
    assert not order.visits.filter(purpose=VisitPurpose.EXTERNAL).exists()

    finish(order, "CIVCOMP")

    assert course(order)["milestones"][-1] == "Civils Completed"
    job = job_of(order, VisitPurpose.EXTERNAL)
    assert (job.starts_at, job.ends_at) == (order.appointment.starts_at, order.appointment.ends_at)


def test_civils_that_take_until_the_build_ask_for_another_appointment() -> None:
    """Issue, 3: the build comes after the civils."""
    order = complex_samples.build_planned(needs_civils=True)
    samples.until(order, order.appointment.starts_at)

    finish(order, "CIVCOMP")

    assert samples.kinds(order)[-2:] == ["complexMilestone", "delay"]
    assert course(order)["awaiting_buyer_action"] == ["bookExternalAppointment"]
    order = samples.amend(samples.fresh(order), reservation_key=key_for(order, EXTERNAL))
    assert job_of(order, VisitPurpose.EXTERNAL)
    assert order.conditions == []


def test_refused_permission_for_civils_cancels_the_order() -> None:
    """Closure codes, CIVWAY: the seller cancels, and the appointment of the build is given back.

    States, seller cancel.
    """
    order = complex_samples.build_planned(needs_civils=True)
    appointment = order.appointment

    finish(order, "CIVWAY")

    assert_cancelled(order, "580")
    appointment.refresh_from_db()
    assert appointment.state == AppointmentState.RELEASED


def test_build_is_a_milestone_and_opens_30_days_for_the_internal_appointment() -> None:
    """Limits: add the orderInternal appointment after the external build within 30 days."""
    order = complex_samples.built()
    assert course(order)["stage"] == "Build to Wall Completed"
    assert course(order)["awaiting_buyer_action"] == ["bookInternalAppointment"]

    order = to_window_end(order, days=30)
    assert order.state == OrderState.ACKNOWLEDGED
    clock.move(seconds=5)

    assert_cancelled(order, "570")


# --- KCI2 ---------------------------------------------------------------------------------------------------------
def test_order_is_committed_only_when_the_internal_appointment_is_booked() -> None:
    """States: for a complex order only after the Standard Install appointment is booked; rules 5 for the milestones."""
    order = complex_samples.committed()

    assert order.state == OrderState.COMMITTED
    sent = [message.members for message in order.thread.outbound.order_by("seq")]
    assert [entry["kind"] for entry in sent if entry["kind"] != "enniReserved"][-1] == "committed"
    assert samples.kinds(order).count("committed") == 1
    committed = next(entry for entry in sent if entry["kind"] == "committed")
    assert committed["appointment"]["key"] == str(order.appointment.key)
    assert committed["complex_order"]["stage"] == "Standard Install"
    milestones = [event for event in order.events.all() if event.kind == OrderEventKind.MILESTONE]
    assert [event.details["milestone"] for event in milestones] == [
        "Desktop Survey Completed",
        "Physical Survey Completed",
        "Cost Finalised",
        "Build to Wall Completed",
    ]
    assert {event.state for event in milestones} == {OrderState.ACKNOWLEDGED}
    job = job_of(order, VisitPurpose.INTERNAL)
    assert (job.job_type, job.starts_at) == (JobType.INSTALLATION, order.appointment.starts_at)


def test_installed_order_is_completed_and_its_course_is_no_longer_carried() -> None:
    """States, KCI3; complexOrder: in-flight orders only."""
    order = complex_samples.committed()
    appointed_orders.provision(job_of(order, VisitPurpose.INTERNAL))

    order = finish(order, "SP")

    assert (order.state, samples.kinds(order)[-1]) == (OrderState.COMPLETED, "completed")
    assert "complex_order" not in samples.last_members(order)
    assert order.service.product.name == samples.COMPLEX


def test_no_milestone_after_kci2() -> None:
    """Complex-order rules 5: every complex milestone is raised while the order is Acknowledged."""
    order = complex_samples.committed()

    with pytest.raises(EventNotPossible):
        lifecycle.record(order, OrderEventKind.MILESTONE)


def test_pre_order_carries_210_and_an_extended_install_no_203() -> None:
    """States, pre-order; D8: an extended install is not asked about again after its surveys."""
    order = complex_samples.built()
    location = locations.find(complex_samples.UPRN)
    location.rfs_status, location.dr_status, location.loc_codes = "NOT_RFS_2", "DR3", ["WSD"]
    location.save()
    location.cabinet.release_on = clock.today() + timedelta(days=20)
    location.cabinet.save()

    order = samples.amend(order, reservation_key=key_for(order, INTERNAL))

    assert order.delay_code == "210"
    assert order.cases.count() == 0
