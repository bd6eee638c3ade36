"""What a buyer sends in the last second is in time: the seller's thinking does not count (Limits; D7, D9)."""

from datetime import datetime, timedelta

import pytest
from django.conf import LazySettings

from seller_sandbox.models import DueAction
from seller_sandbox.network import business_days, services
from seller_sandbox.network.models import Appointment, AppointmentState, AppointmentType
from seller_sandbox.orders import limits, network_actions, reasons, seller_actions, steps
from seller_sandbox.orders.models import ComplexStage, Order, OrderKind
from seller_sandbox.orders.states import OrderState
from seller_sandbox.tests.orders import complex_samples, samples
from seller_sandbox.tests.orders.samples import uprn

pytestmark = pytest.mark.usefixtures("network")


@pytest.fixture(autouse=True)
def _slow_seller(settings: LazySettings) -> None:
    """It takes longer over everything than these tests."""
    settings.ORDER_STEP_SECONDS = 20


def wait_until_just_before(moment: datetime) -> None:
    samples.clock.move(seconds=int((moment - samples.clock.now()).total_seconds()) - 5)


def wait_until_late_tonight() -> samples.date:
    """The day that is about to end."""
    today = samples.clock.today()
    wait_until_just_before(limits.midnight(today + timedelta(days=1)))
    return today


def takeover(kind: str, **members: object) -> Order:
    """BUYERA takes the line of BUYERB."""
    return samples.placed(uprn=uprn(24), product_name=samples.NATIONAL_160, new_order_type=kind, **members)


# --- orders ---------------------------------------------------------------------------------------------------
def test_project_that_ends_on_the_day_of_the_order_is_running() -> None:
    """Errors, 511."""
    today = samples.clock.today()
    network_actions.agree_project(
        buyer=samples.buyer(), reference="PRJ-TODAY", starts_on=today, ends_on=today
    )
    wait_until_late_tonight()

    assert samples.placed(project_reference="PRJ-TODAY").state == OrderState.ACKNOWLEDGED


def test_notice_of_a_cease_counts_from_the_day_of_the_order() -> None:
    """Limits, Cease notice: BUYERA has 30 days."""
    line = services.find_live(samples.locations.find(uprn(20))).service_identifier
    day = wait_until_late_tonight() + timedelta(days=30)

    order = samples.placed(
        kind="alaCease", uprn="", product_name="", service_identifier=line, requested_date=day
    )

    assert (order.state, order.notice_charge_days) == (OrderState.COMMITTED, 0)


def test_key_of_an_order_of_the_last_second_is_not_too_late() -> None:
    """Errors, D6."""
    reserved = about_to_expire()

    order = samples.placed(reservation_key=str(reserved.key))

    assert (order.appointment, order.state) == (reserved, OrderState.COMMITTED)


def test_key_of_a_rejected_order_ends_as_if_it_had_not_come() -> None:
    reserved = about_to_expire()

    assert samples.placed(reservation_key=str(reserved.key), project_reference="?").state == "rejected"

    reserved.refresh_from_db()
    assert reserved.state == AppointmentState.EXPIRED


def test_key_of_an_order_that_the_seller_cancels_at_once_ends_as_if_it_had_not_come() -> None:
    """States, seller cancel: somebody else can have the slot."""
    reserved = about_to_expire()
    order = samples.pending(reservation_key=str(reserved.key))

    seller_actions.cancel(**samples.ref(order))
    samples.after(order, seconds=samples.A_MINUTE)

    reserved.refresh_from_db()
    assert reserved.state == AppointmentState.EXPIRED


def about_to_expire() -> Appointment:
    """Reserved for the first day: at the latest when that begins it ends."""
    reserved = samples.reserve()
    wait_until_just_before(reserved.expires_at)
    return reserved


# --- amendments -----------------------------------------------------------------------------------------------
def test_lead_time_counts_from_the_day_of_the_amendment() -> None:
    """Endpoints 3, 525: the next working day."""
    order = samples.placed(uprn=uprn(10), requested_date=samples.days_ahead(20))
    day = business_days.add_business_days(wait_until_late_tonight(), 1)

    order = samples.amend(order, requested_date=day.isoformat())

    assert samples.members_of(order, "amendmentAccepted")["requested_date"] == day.isoformat()


def test_point_of_no_return_of_the_new_date_counts_when_the_amendment_came() -> None:
    """Switch and WLTO rules 4, 525."""
    order = takeover("Switch", requested_date=samples.days_ahead(20))
    day = business_days.add_business_days(samples.clock.today(), 3)
    wait_until_just_before(limits.no_return(day))

    order = samples.amend(order, requested_date=day.isoformat())

    assert order.requested_date == day


def test_todays_date_is_not_in_the_past_after_midnight() -> None:
    """Switch and WLTO rules 3, 526: the losing provider moves its cease."""
    cease = Order.objects.get(linked_order=takeover("WLTO"), kind=OrderKind.CEASE)
    today = wait_until_late_tonight()

    cease = samples.amend(cease, requested_date=today.isoformat())

    assert samples.members_of(cease, "amendmentAccepted")["requested_date"] == today.isoformat()


# --- windows --------------------------------------------------------------------------------------------------
def wait_until_the_window_ends(order: Order) -> None:
    """The last seconds of the last day."""
    end = DueAction.objects.open().get(name=steps.TIME_OUT, subject=order.seller_order_reference).due_at
    wait_until_just_before(end)


def test_appointment_of_the_last_second_is_not_too_late() -> None:
    """Limits, 30 days; D9: still open at 23:59:59."""
    order = samples.placed()
    wait_until_the_window_ends(order)

    order = samples.amend(order, reservation_key=str(samples.reserve().key))

    assert order.state == OrderState.COMMITTED


def test_answer_of_the_last_second_to_an_estimate_is_not_too_late() -> None:
    """Complex-order rules 1, 45 days: the appointment was there already."""
    order = complex_samples.estimated()
    key = complex_samples.key(AppointmentType.SURVEY, first=samples.days_ahead(60))
    order = samples.amend(order, reservation_key=key)
    wait_until_the_window_ends(order)

    order = samples.amend(order, complex_answer="acceptEstimate")

    assert order.state == OrderState.ACKNOWLEDGED
    assert complex_samples.progress(order).stage == ComplexStage.PHYSICAL_SURVEY


def test_other_amendment_of_the_last_second_does_not_close_the_window() -> None:
    """Limits, Wait for appointment; D9."""
    order = samples.placed()
    wait_until_the_window_ends(order)

    order = samples.amend(order, site={"hazards": "None"})

    assert samples.kinds(order)[-2:] == ["amendmentAccepted", "cancelled"]
    assert order.end_code == reasons.NO_APPOINTMENT.code
