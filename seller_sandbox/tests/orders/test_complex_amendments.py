"""What a buyer may ask of a complex order, and when (order-provisioning.md, complexOrder, Limits)."""

from datetime import date

import pytest
from django.conf import settings

from seller_sandbox import clock
from seller_sandbox.network import appointments, business_days
from seller_sandbox.network.models import AppointmentType
from seller_sandbox.orders import limits, queries
from seller_sandbox.orders.models import Order, VisitPurpose
from seller_sandbox.orders.states import OrderState
from seller_sandbox.orders.wire.requests import AppointmentsQuery, ReserveAppointmentRequest
from seller_sandbox.tests.orders import complex_samples, samples
from seller_sandbox.tests.orders.complex_samples import UPRN, course, job_of, key, key_for, progress

pytestmark = pytest.mark.usefixtures("network")
SURVEY, EXTERNAL, INTERNAL = AppointmentType.SURVEY, AppointmentType.EXTERNAL, AppointmentType.INTERNAL


def assert_rejected(order: Order, code: str) -> None:
    newest = samples.last_members(order)
    assert (newest["kind"], newest["reason"]["code"]) == ("amendmentRejected", code)


# --- lower bounds ---------------------------------------------------------------------------------------------
def test_survey_before_the_earliest_date_is_rejected() -> None:
    """complexOrder, earliestSurveyDate: no requested survey date may be earlier."""
    order = complex_samples.estimated(estimate_pence=1, earliest_survey_date=samples.days_ahead(20))

    samples.amend(order, complex_answer="acceptEstimate", reservation_key=key(SURVEY))

    assert_rejected(order, "549")
    assert progress(order).estimate_accepted_at is None
    assert course(order)["awaiting_buyer_action"] == ["answerEstimate", "bookSurveyAppointment"]


def test_build_before_the_earliest_date_is_rejected() -> None:
    """complexOrder, earliestAppointmentDate: the earliest bookable date for Build to Wall."""
    order = complex_samples.priced()
    assert course(order)["earliest_appointment_date"] == (
        business_days.add_business_days(clock.today(), 10).isoformat()
    )

    samples.amend(order, complex_answer="acceptCost", reservation_key=key(EXTERNAL))

    assert_rejected(order, "549")


def test_build_before_civils_could_be_done_is_rejected() -> None:
    """complexOrder, earliestAppointmentDate: civils come first, however late the buyer books."""
    order = complex_samples.surveyed()
    complex_samples.record_physical(
        order, cost_pence=1, needs_civils=True, earliest_appointment_date=samples.days_ahead(1)
    )

    samples.amend(order, complex_answer="acceptCost", reservation_key=key(EXTERNAL))

    assert_rejected(order, "549")
    earliest = business_days.add_business_days(clock.today(), 2)
    assert course(order)["earliest_appointment_date"] == earliest.isoformat()
    order = samples.amend(order, complex_answer="acceptCost", reservation_key=key(EXTERNAL, first=earliest))
    assert course(order)["stage"] == "Civils"


def test_install_before_the_earliest_date_is_rejected() -> None:
    """complexOrder, earliestAppointmentDate: the earliest bookable date for Standard Install."""
    order = complex_samples.built()
    row = progress(order)
    row.earliest_appointment_date = samples.days_ahead(30)
    row.save()

    samples.amend(order, reservation_key=key(INTERNAL))

    assert_rejected(order, "549")


@pytest.mark.parametrize(
    ("stage", "kind"), [("estimated", SURVEY), ("priced", EXTERNAL), ("built", INTERNAL)]
)
def test_slots_are_offered_from_the_earliest_date(stage: str, kind: AppointmentType) -> None:
    """complexOrder: the earliest dates, also while the buyer looks for a slot."""
    order = getattr(complex_samples, stage)()
    name = "earliest_survey_date" if kind == SURVEY else "earliest_appointment_date"
    query = AppointmentsQuery(
        samples.header(), uprn=UPRN, product_name=samples.COMPLEX, appointment_type=kind.value
    )

    slots = queries.list_appointments(query, buyer=order.buyer).slots

    assert slots[0].day == date.fromisoformat(course(order)[name])


def test_build_cannot_be_reserved_before_the_earliest_date() -> None:
    """complexOrder, earliestAppointmentDate; Errors, appointment not possible."""
    order = complex_samples.priced()
    free = appointments.find(key=key(EXTERNAL), buyer=order.buyer)
    local = [moment.astimezone(settings.LOCAL_ZONE) for moment in (free.starts_at, free.ends_at)]
    request = ReserveAppointmentRequest(
        samples.header(),
        slot_date=local[0].date(),
        slot_start=local[0].time(),
        slot_end=local[1].time(),
        uprn=UPRN,
        product_name=samples.COMPLEX,
        appointment_type="orderExternal",
    )

    answer = queries.reserve_appointment(request, buyer=order.buyer)

    assert answer.appointment is None
    assert course(order)["earliest_appointment_date"] in answer.reason


# --- what is asked for, and in which order ---------------------------------------------------------------------
@pytest.mark.parametrize("answer", ["acceptEstimate", "rejectEstimate", "acceptCost", "rejectCost"])
def test_answer_that_nobody_waits_for_is_rejected(answer: str) -> None:
    """complexOrder, awaitingBuyerAction: nothing is asked of the buyer during the desktop survey."""
    order = complex_samples.acknowledged()

    samples.amend(order, complex_answer=answer)

    assert_rejected(order, "548")


def test_second_answer_is_rejected() -> None:
    """complexOrder, awaitingBuyerAction: an estimate is answered once."""
    order = samples.amend(complex_samples.estimated(), complex_answer="acceptEstimate")

    samples.amend(order, complex_answer="rejectEstimate")

    assert_rejected(order, "548")
    assert samples.fresh(order).state == OrderState.ACKNOWLEDGED


@pytest.mark.parametrize("changes", [{"complex_answer": "acceptEstimate"}, {"survey_date": "2090-01-02"}])
def test_other_orders_have_nothing_to_answer(changes: dict[str, str]) -> None:
    """complexOrder: of complex orders only."""
    order = samples.placed()
    assert "complex_order" not in samples.last_members(order)

    samples.amend(order, **changes)

    assert_rejected(order, "548")


def test_appointment_of_another_stage_is_rejected() -> None:
    """complexOrder, appointment types: orderSurvey, orderExternal, orderInternal in this order."""
    order = complex_samples.estimated()

    samples.amend(order, reservation_key=key(EXTERNAL, first=samples.days_ahead(40)))

    assert_rejected(order, "536")


def test_appointment_type_that_is_not_that_of_the_key_is_rejected() -> None:
    """complexOrder, appointment types."""
    order = complex_samples.estimated()

    samples.amend(order, reservation_key=key_for(order, SURVEY), appointment_type="orderExternal")

    assert_rejected(order, "536")


@pytest.mark.parametrize("stage", ["acknowledged", "surveyed"])
def test_no_appointment_is_added_while_the_seller_works(stage: str) -> None:
    """complexOrder, awaitingBuyerAction: no booking before the result of a survey is there."""
    order = getattr(complex_samples, stage)()

    samples.amend(order, reservation_key=key(SURVEY, first=samples.days_ahead(30)))

    assert_rejected(order, "548")


def test_build_is_booked_after_the_cost_is_accepted() -> None:
    """Limits: accept or reject the finalised cost, then add the orderExternal appointment."""
    order = complex_samples.priced()

    samples.amend(order, reservation_key=key_for(order, EXTERNAL))
    assert_rejected(order, "552")
    order = samples.amend(order, complex_answer="acceptCost")
    order = samples.amend(order, reservation_key=key_for(order, EXTERNAL))

    assert course(order)["stage"] == "Build to Wall"


def test_expired_key_is_rejected() -> None:
    """Errors, D6: in an amendment an expired key is Amendment Rejected; the estimate is not accepted either."""
    order = complex_samples.estimated()
    reserved = key_for(order, SURVEY)
    samples.after(order, seconds=2 * samples.A_DAY)

    samples.amend(order, complex_answer="acceptEstimate", reservation_key=reserved)

    assert_rejected(order, "522")
    assert progress(order).estimate_accepted_at is None


# --- a survey date without a key ---------------------------------------------------------------------------------
def test_requested_survey_date_gets_the_first_free_slot_of_the_day() -> None:
    """complexOrder, earliestSurveyDate and confirmedSurveyDate."""
    order = complex_samples.estimated()
    wanted = business_days.add_business_days(clock.today(), 8)

    order = samples.amend(order, complex_answer="acceptEstimate", survey_date=wanted.isoformat())

    assert course(order)["confirmed_survey_date"] == wanted.isoformat()
    assert limits.local_day(job_of(order, VisitPurpose.SURVEY).starts_at) == wanted
    accepted = samples.last_members(order)
    assert accepted["appointment"]["key"] == str(order.appointment.key)


@pytest.mark.parametrize(("days", "code"), [(1, "549"), (400, "553")])
def test_requested_survey_date_that_cannot_be_is_rejected(days: int, code: str) -> None:
    """complexOrder, earliestSurveyDate: not before it, and not without a free slot."""
    order = complex_samples.estimated()

    samples.amend(order, survey_date=samples.days_ahead(days).isoformat())

    assert samples.last_members(order)["reason"]["code"] == code


def test_requested_survey_date_must_be_the_day_of_the_key() -> None:
    """complexOrder, confirmedSurveyDate."""
    order = complex_samples.estimated()

    samples.amend(
        order, survey_date=samples.days_ahead(60).isoformat(), reservation_key=key_for(order, SURVEY)
    )

    assert_rejected(order, "553")


def test_survey_date_is_not_asked_for_later() -> None:
    """complexOrder: the survey is done."""
    order = complex_samples.priced()

    samples.amend(order, survey_date=samples.days_ahead(30).isoformat())

    assert_rejected(order, "548")
