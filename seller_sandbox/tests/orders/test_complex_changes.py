"""Complex orders that change: moved appointments, visits in vain, what comes with the order (order-provisioning.md)."""

from datetime import timedelta

import pytest
from django.db import transaction

from seller_sandbox.models import DueAction
from seller_sandbox.network import locations
from seller_sandbox.network.models import Appointment, AppointmentState, AppointmentType
from seller_sandbox.orders import lifecycle, limits, seller_actions
from seller_sandbox.orders.appointments import reappointments
from seller_sandbox.orders.models import ComplexStage, Course, Order, VisitPurpose
from seller_sandbox.orders.states import OrderCondition, OrderState
from seller_sandbox.tests.orders import complex_samples, samples
from seller_sandbox.tests.orders.complex_samples import UPRN, course, finish, job_of, key, key_for

pytestmark = pytest.mark.usefixtures("network")
SURVEY, EXTERNAL, INTERNAL = AppointmentType.SURVEY, AppointmentType.EXTERNAL, AppointmentType.INTERNAL


@transaction.atomic
def ask_for_appointment(order: Order) -> None:
    """What the seller does when it has looked into a visit in vain."""
    reappointments.reappoint(lifecycle.lock(order.seller_order_reference))


# --- changes of what is booked -----------------------------------------------------------------------------------
def test_moved_survey_cancels_the_job_and_sends_a_new_pack() -> None:
    """Amendment rules 4; Orders and jobs: an amendment sends cancelJob and a new pack."""
    order = complex_samples.survey_planned()
    first, job = order.appointment, samples.accepted(order)

    order = samples.amend(
        order, reservation_key=key(SURVEY, first=limits.local_day(first.starts_at) + timedelta(days=7))
    )
    assert samples.kinds(order)[-1] == "amendmentPending"
    complex_samples.cancel_visit(job)

    order = samples.fresh(order)
    assert samples.kinds(order)[-1] == "amendmentAccepted"
    assert job_of(order, VisitPurpose.SURVEY).starts_at == order.appointment.starts_at
    assert course(order)["confirmed_survey_date"] == limits.local_day(order.appointment.starts_at).isoformat()
    assert Appointment.objects.get(pk=first.pk).state == AppointmentState.RELEASED


def test_moved_build_leaves_the_civils_that_precede_it() -> None:
    """Orders and jobs: the civils are still needed; the build goes to the partner with its new appointment.

    Amendment rules 4.
    """
    order = complex_samples.build_planned(needs_civils=True)
    civils = samples.accepted(order)
    day = limits.local_day(order.appointment.starts_at) + timedelta(days=7)

    order = samples.amend(order, reservation_key=key(EXTERNAL, first=day))
    assert samples.kinds(order)[-1] == "amendmentAccepted"
    assert order.visits.last().job == civils
    samples.until(order, civils.starts_at)
    complex_samples.close(civils, "CIVCOMP")

    assert limits.local_day(job_of(order, VisitPurpose.EXTERNAL).starts_at) >= day


def test_moved_install_is_an_installation_again() -> None:
    """Amendment rules 4: after KCI2 a complex order is amended as any other."""
    order = complex_samples.committed()
    job = samples.accepted(order)
    day = limits.local_day(order.appointment.starts_at) + timedelta(days=7)

    order = samples.amend(order, reservation_key=key(INTERNAL, first=day))
    complex_samples.cancel_visit(job)

    visit = samples.fresh(order).visits.last()
    assert (visit.purpose, visit.ended_at) == (VisitPurpose.INTERNAL, None)
    assert limits.local_day(visit.job.starts_at) >= day


# --- visits that did not succeed -----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("code", "secondary", "delay"),
    [("EXTHAZ", "EXTHAZ01", "235"), ("EXTHAZ", "EXTHAZ02", "220"), ("SP", "", "235")],
)
def test_survey_in_vain_delays_the_order_until_a_new_appointment(code, secondary, delay) -> None:
    """Closure codes: EXTHAZ waits for a decision, pets have a delay of their own; SP says nothing of a survey.

    Events, Delay.
    """
    order = complex_samples.survey_planned()

    finish(order, code, secondary=secondary)

    order = samples.fresh(order)
    assert (order.state, order.delay_code) == (OrderState.ACKNOWLEDGED, delay)
    assert course(order)["awaiting_buyer_action"] == ([] if delay == "235" else ["bookSurveyAppointment"])
    assert course(order)["confirmed_survey_date"] is None
    order = samples.amend(order, reservation_key=key(SURVEY))
    assert OrderCondition.DELAY not in order.conditions
    assert order.visits.filter(purpose=VisitPurpose.SURVEY).count() == 2


@pytest.mark.parametrize(
    ("code", "awaited"),
    [
        *((code, []) for code in ("203", "210", "234", "236")),
        *((code, ["bookSurveyAppointment"]) for code in ("220", "230", "232", "237", "238", "239")),
    ],
)
def test_newest_delay_that_says_whose_turn_it_is_counts(code: str, awaited: list[str]) -> None:
    """ComplexOrder, awaitingBuyerAction: what else delays the order leaves it with the seller that looks into it (235).

    Other codes; D16.
    """
    order = finish(samples.fresh(complex_samples.survey_planned()), "EXTPOP")

    seller_actions.delay(**samples.ref(order), code=code)

    assert samples.last_members(order)["delay"]["code"] == code
    assert course(order)["awaiting_buyer_action"] == awaited


def test_seller_that_decides_asks_for_a_new_appointment() -> None:
    """States: before KCI2 the buyer chooses the appointment, within 30 days; the seller's choice would be a KCI2."""
    order = samples.fresh(complex_samples.survey_planned())
    order = finish(order, "EXTPOP")

    ask_for_appointment(order)

    order = samples.fresh(order)
    assert (samples.kinds(order)[-1], order.delay_code) == ("delay", "232")
    assert course(order)["awaiting_buyer_action"] == ["bookSurveyAppointment"]
    assert samples.at_midnight(order, samples.days_ahead(31)).end_code == "572"


def test_civils_in_vain_give_back_the_appointment_of_the_build() -> None:
    """Closure codes, CIVCON: delayed; the slot of the build is free again, and civils go first once more.

    Events, Delay.
    """
    order = complex_samples.build_planned(needs_civils=True)
    first = order.appointment

    finish(order, "CIVCON")

    assert course(order)["awaiting_buyer_action"] == []
    assert Appointment.objects.get(pk=first.pk).state == AppointmentState.RELEASED
    ask_for_appointment(order)
    order = samples.amend(order, reservation_key=key_for(order, EXTERNAL))
    assert order.visits.last().purpose == VisitPurpose.CIVILS


# --- the order itself ------------------------------------------------------------------------------------------------
def test_survey_key_of_the_order_is_kept_until_the_estimate_is_accepted() -> None:
    """Order, appointment reservation key: optional at submission."""
    order = complex_samples.acknowledged(reservation_key=key(SURVEY, first=samples.days_ahead(45)))
    complex_samples.record_desktop(order, estimate_pence=1)
    assert course(order)["awaiting_buyer_action"] == ["answerEstimate"]

    order = samples.amend(order, complex_answer="acceptEstimate")

    assert job_of(order, VisitPurpose.SURVEY).starts_at == order.appointment.starts_at


def test_skipped_desktop_survey_goes_on_with_the_survey_key_of_the_order() -> None:
    """Complex-order rules 4: no answer is awaited, and the appointment is there already."""
    order = complex_samples.acknowledged(reservation_key=key(SURVEY, first=samples.days_ahead(45)))

    complex_samples.record_desktop(order, is_skipped=True)

    order = samples.fresh(order)
    confirmed = limits.local_day(order.appointment.starts_at).isoformat()
    assert course(order)["milestones"] == ["Desktop Survey Completed"]
    assert course(order)["awaiting_buyer_action"] == []
    assert course(order)["confirmed_survey_date"] == confirmed
    assert complex_samples.progress(order).stage == ComplexStage.PHYSICAL_SURVEY
    assert job_of(order, VisitPurpose.SURVEY).starts_at == order.appointment.starts_at
    order = finish(order, "EXTCOMP")
    assert course(order)["milestones"] == ["Desktop Survey Completed", "Physical Survey Completed"]


def test_survey_key_of_the_order_that_is_too_early_is_given_back_when_the_survey_is_skipped() -> None:
    """ComplexOrder, earliestSurveyDate; Complex-order rules 4."""
    order = complex_samples.acknowledged(reservation_key=key(SURVEY))

    complex_samples.record_desktop(order, is_skipped=True)

    assert course(order)["awaiting_buyer_action"] == ["bookSurveyAppointment"]
    assert order.visits.count() == 0


def test_survey_key_of_the_order_that_is_too_early_is_given_back() -> None:
    """complexOrder, earliestSurveyDate: the estimate comes first."""
    order = complex_samples.acknowledged(reservation_key=key(SURVEY))
    first = order.appointment

    complex_samples.record_desktop(order, estimate_pence=1)

    assert course(order)["awaiting_buyer_action"] == ["answerEstimate", "bookSurveyAppointment"]
    assert Appointment.objects.get(pk=first.pk).state == AppointmentState.RELEASED


def test_survey_appointment_that_passed_before_the_answer_is_asked_for_again() -> None:
    """complexOrder, awaitingBuyerAction: nobody came, for the estimate was not accepted."""
    order = complex_samples.estimated()
    order = samples.amend(order, reservation_key=key_for(order, SURVEY))
    samples.until(order, order.appointment.starts_at)

    order = samples.amend(order, complex_answer="acceptEstimate")

    assert course(order)["awaiting_buyer_action"] == ["bookSurveyAppointment"]
    assert order.visits.count() == 0


def test_other_key_of_a_new_complex_order_is_rejected() -> None:
    """complexOrder, appointment types: the build cannot be booked with the order."""
    order = complex_samples.acknowledged(reservation_key=key(EXTERNAL))

    assert (order.state, order.end_code) == (OrderState.REJECTED, "536")


@pytest.mark.parametrize(
    ("values", "members", "code"),
    [({"rfs_status": "RFS_0"}, {}, "519"), ({}, {"new_order_type": "Switch"}, "527")],
)
def test_complex_order_is_validated_as_any_other(values, members, code) -> None:
    """Errors, D1 and D10: RFS status and newOrderType."""
    location = locations.find(UPRN)
    type(location).objects.filter(pk=location.pk).update(**values)

    order = complex_samples.acknowledged(**members)

    assert (order.state, order.end_code) == (OrderState.REJECTED, code)


def test_extended_install_with_a_complex_product_is_a_complex_order() -> None:
    """D8: the product decides, and nothing is committed before the internal appointment."""
    location = locations.find(UPRN)
    type(location).objects.filter(pk=location.pk).update(loc_codes=["WSD", "SUR"])

    order = complex_samples.acknowledged()

    assert (order.course, order.state, order.delay_code) == (Course.COMPLEX, OrderState.ACKNOWLEDGED, "")


def test_cancelled_order_gives_everything_back() -> None:
    """States, buyer cancelOrder: the reservation is released, and nothing falls due any more."""
    order = samples.amend(
        complex_samples.estimated(), reservation_key=key(SURVEY, first=samples.days_ahead(30))
    )

    samples.cancel(order)

    assert samples.kinds(order)[-1] == "cancellationAccepted"
    assert Appointment.objects.get(pk=order.appointment.pk).state == AppointmentState.RELEASED
    assert not DueAction.objects.open().filter(subject=order.seller_order_reference).exists()
