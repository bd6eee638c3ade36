"""Surveys and costs of a complex order (order-provisioning.md, Complex-order rules, Limits)."""

import pytest

from seller_sandbox import clock
from seller_sandbox.jobs.models import JobType
from seller_sandbox.models import DueAction
from seller_sandbox.network import business_days
from seller_sandbox.network.models import AppointmentState, AppointmentType
from seller_sandbox.orders import limits, steps
from seller_sandbox.orders.models import VisitPurpose
from seller_sandbox.orders.states import OrderState
from seller_sandbox.tests.orders import complex_samples, samples
from seller_sandbox.tests.orders.complex_samples import (
    assert_cancelled,
    course,
    job_of,
    key_for,
    progress,
    to_window_end,
)
from seller_sandbox.tests.orders.visit_samples import due_names

pytestmark = pytest.mark.usefixtures("network")
SURVEY = AppointmentType.SURVEY


# --- the desktop survey -------------------------------------------------------------------------------------
def test_desktop_survey_is_done_within_ten_working_days() -> None:
    """Limits: remote survey within 10 working days of the order."""
    order = complex_samples.acknowledged()
    assert samples.kinds(order) == ["pending", "acknowledged"]

    last_day = business_days.add_business_days(limits.local_day(order.placed_at), 10)
    samples.at_midnight(order, last_day)

    assert samples.kinds(order)[2:] == ["complexMilestone"]
    assert course(order)["milestones"] == ["Desktop Survey Completed"]
    assert progress(order).estimate_pence == 180_000


@pytest.mark.parametrize("days", [0, 10])
def test_setting_says_when_the_sandbox_surveys_by_itself(settings, days: int) -> None:
    """Limits: remote survey within 10 working days; SANDBOX_SURVEY_WORKING_DAYS moves it within these."""
    settings.SURVEY_WORKING_DAYS = days
    order = complex_samples.acknowledged()
    due = DueAction.objects.filter(name=steps.DESKTOP_SURVEY, subject=order.seller_order_reference).get()

    day = business_days.add_business_days(limits.local_day(order.placed_at), days)
    assert limits.local_day(due.due_at) == day
    assert (due.done_at is not None) == (days == 0)


def test_estimate_asks_the_buyer_for_answer_and_survey_appointment() -> None:
    """complexOrder: stage, awaitingBuyerAction, earliestSurveyDate, milestones."""
    order = complex_samples.estimated(estimate_pence=123_450)

    earliest = business_days.add_business_days(clock.today(), 5)
    assert samples.last_members(order)["notes"] == "Estimate: £1,234.50"
    assert course(order) == {
        "stage": "Desktop Survey Completed",
        "awaiting_buyer_action": ["answerEstimate", "bookSurveyAppointment"],
        "earliest_survey_date": earliest.isoformat(),
        "confirmed_survey_date": None,
        "earliest_appointment_date": None,
        "milestones": ["Desktop Survey Completed"],
    }


def test_skipped_desktop_survey_has_its_milestone_and_no_estimate() -> None:
    """Complex-order rules 4: the physical survey is booked without accepting an estimate."""
    order = complex_samples.estimated(is_skipped=True)
    assert course(order)["milestones"] == ["Desktop Survey Completed"]
    assert course(order)["awaiting_buyer_action"] == ["bookSurveyAppointment"]

    order = samples.amend(order, reservation_key=key_for(order, SURVEY))

    assert samples.kinds(order)[-1] == "amendmentAccepted"
    assert course(order)["stage"] == "Physical Survey"
    assert job_of(order, VisitPurpose.SURVEY)


def test_impossible_desktop_survey_cancels_the_order() -> None:
    """Complex-order rules 2: the seller may cancel if a survey finds that the installation is not possible."""
    order = complex_samples.acknowledged()

    complex_samples.record_desktop(order, is_possible=False)

    assert_cancelled(order, "577")
    samples.after(order, seconds=15 * samples.A_DAY)
    assert samples.kinds(order) == ["pending", "acknowledged", "cancelled"]


# --- estimate and survey appointment: one window --------------------------------------------------------------
def test_no_answer_to_the_estimate_cancels_the_order_after_45_days() -> None:
    """Complex-order rules 1, D9: open until the last second of day 45."""
    order = complex_samples.estimated()

    order = to_window_end(order, days=45)
    assert order.state == OrderState.ACKNOWLEDGED
    clock.move(seconds=5)

    assert_cancelled(order, "574")


def test_accepted_estimate_without_a_survey_appointment_ends_with_the_same_window() -> None:
    """Complex-order rules 1: no orderSurvey appointment in the window; the answer opens no window of its own."""
    order = complex_samples.estimated()
    samples.after(order, seconds=40 * samples.A_DAY)
    order = samples.amend(order, complex_answer="acceptEstimate")
    assert course(order)["awaiting_buyer_action"] == ["bookSurveyAppointment"]

    order = to_window_end(order, days=45)
    assert order.state == OrderState.ACKNOWLEDGED
    clock.move(seconds=5)

    assert_cancelled(order, "574")


def test_survey_appointment_without_an_answer_ends_with_the_same_window() -> None:
    """Complex-order rules 1: no response in 45 days cancels the order; the reservation is given back."""
    order = complex_samples.estimated()
    order = samples.amend(order, reservation_key=key_for(order, SURVEY))
    assert course(order)["awaiting_buyer_action"] == ["answerEstimate"]
    assert order.visits.count() == 0
    appointment = order.appointment

    to_window_end(order, days=45)
    clock.move(seconds=5)

    assert_cancelled(order, "574")
    appointment.refresh_from_db()
    assert appointment.state == AppointmentState.RELEASED


def test_rejected_estimate_cancels_the_order() -> None:
    """Complex-order rules 1: rejection of an estimate cancels the order."""
    order = complex_samples.estimated()

    order = samples.amend(order, complex_answer="rejectEstimate")

    assert samples.kinds(order)[-3:] == ["amendmentPending", "amendmentAccepted", "cancelled"]
    assert_cancelled(order, "575")


def test_answer_and_appointment_may_come_in_one_amendment_and_close_the_window() -> None:
    """Limits: accept the estimate and add the orderSurvey appointment; then nothing falls due."""
    order = complex_samples.survey_planned()

    confirmed = limits.local_day(order.appointment.starts_at).isoformat()
    assert course(order)["confirmed_survey_date"] == confirmed
    assert course(order)["awaiting_buyer_action"] == []
    assert steps.TIME_OUT not in due_names(order)


# --- the physical survey ----------------------------------------------------------------------------------------
def test_physical_survey_is_an_external_job_with_the_flag_sur() -> None:
    """Issue, 3: orderSurvey becomes an external job with flag SUR; sent while Acknowledged."""
    order = complex_samples.survey_planned()
    job = job_of(order, VisitPurpose.SURVEY)

    assert order.state == OrderState.ACKNOWLEDGED
    assert job.job_type == JobType.EXTERNAL
    assert "SUR" in job.pack["property"]["flags"]
    assert job.pack["appointment"]["reservationKey"] == str(order.appointment.key)


def test_closed_survey_is_a_milestone_and_the_cost_comes_later() -> None:
    """Closure codes, EXTCOMP: the next milestone; two working days later the cost is final by itself."""
    order = complex_samples.surveyed()
    assert course(order)["stage"] == "Physical Survey Completed"
    assert course(order)["awaiting_buyer_action"] == []

    samples.after(order, seconds=6 * samples.A_DAY)

    assert course(order)["stage"] == "Cost Finalised"
    assert course(order)["awaiting_buyer_action"] == ["answerCost", "bookExternalAppointment"]
    assert samples.last_members(order)["notes"] == "Finalised cost: £1,800.00"
    assert progress(order).cost_pence == 180_000


def test_impossible_physical_survey_cancels_the_order() -> None:
    """Complex-order rules 2: the seller may cancel if a survey finds that the installation is not possible."""
    order = complex_samples.surveyed()

    complex_samples.record_physical(order, is_possible=False)

    assert_cancelled(order, "577")


@pytest.mark.parametrize("answer", [{}, {"complex_answer": "acceptCost"}])
def test_cost_and_external_appointment_have_one_window_of_45_days(answer: dict[str, str]) -> None:
    """Limits, D9: accept or reject the finalised cost, then add the orderExternal appointment: 45 days for both."""
    order = complex_samples.priced()
    if answer:
        samples.after(order, seconds=40 * samples.A_DAY)
        order = samples.amend(order, **answer)
        assert course(order)["awaiting_buyer_action"] == ["bookExternalAppointment"]

    order = to_window_end(order, days=45)
    assert order.state == OrderState.ACKNOWLEDGED
    clock.move(seconds=5)

    assert_cancelled(order, "574")


def test_rejected_cost_cancels_the_order() -> None:
    """Limits: reject the finalised cost."""
    order = samples.amend(complex_samples.priced(), complex_answer="rejectCost")

    assert_cancelled(order, "576")
