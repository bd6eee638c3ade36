"""A person ends a delay: an order that needs an appointment always waits for somebody (Issue 13, 4; Limits)."""

import pytest

from seller_sandbox.orders import seller_actions
from seller_sandbox.orders.models import Order, VisitPurpose
from seller_sandbox.orders.states import OrderState
from seller_sandbox.tests.orders import complex_samples, samples, visit_samples
from seller_sandbox.tests.orders.samples import ref

pytestmark = pytest.mark.usefixtures("network")


def end_delay(order: Order, **code: str) -> Order:
    seller_actions.end_delay(**ref(order), **code)
    return samples.fresh(order)


def assert_buyer_books(order: Order) -> None:
    """It was told so, and has 30 days."""
    delay = samples.members_of(order, "delay")["delay"]
    assert (order.delay_code, delay["code"]) == ("232", "232")
    assert "within 30 days" in delay["next_best_action"]
    order = samples.at_midnight(order, samples.days_ahead(31))
    assert (order.state, order.end_code) == (OrderState.CANCELLED, "572")


@pytest.mark.parametrize(
    ("purpose", "code"),
    [(VisitPurpose.SURVEY, "EXTHAZ"), (VisitPurpose.EXTERNAL, "EXTCON"), (VisitPurpose.CIVILS, "CIVCON")],
)
def test_buyer_of_a_complex_order_books_again_after_a_review(purpose: VisitPurpose, code: str) -> None:
    """Closure codes: Delay 235 until a person at the seller decides."""
    stages = {
        VisitPurpose.SURVEY: complex_samples.survey_planned,
        VisitPurpose.EXTERNAL: complex_samples.build_planned,
        VisitPurpose.CIVILS: lambda: complex_samples.build_planned(needs_civils=True),
    }
    order = complex_samples.finish(stages[purpose](), code)
    assert order.delay_code == "235"

    order = end_delay(order)

    assert complex_samples.course(order)["awaiting_buyer_action"] == [
        "bookSurveyAppointment" if purpose == VisitPurpose.SURVEY else "bookExternalAppointment"
    ]
    assert_buyer_books(order)


@pytest.mark.parametrize("code", ["OTHER", "CON"])
def test_buyer_of_a_committed_order_books_again(code: str) -> None:
    """235, and a repair (233) of which a person says that nothing is awaited."""
    order = visit_samples.close(visit_samples.visited(), code)

    assert_buyer_books(end_delay(order))


def test_last_delay_of_the_seller_decides() -> None:
    order = visit_samples.close(visit_samples.visited(), "CON")
    seller_actions.delay(**ref(order), code="235")

    order = end_delay(order, code="233")
    assert order.delay_code == "235"

    assert_buyer_books(end_delay(order))


def test_survey_underway_goes_on() -> None:
    """203 lasts until the case is settled."""
    order = visit_samples.close(visit_samples.visited(situation=50), "OTHER")

    assert end_delay(order, code="235").delay_code == "232"


def test_order_with_an_appointment_goes_on() -> None:
    order = samples.appointed()
    seller_actions.delay(**ref(order), code="235")

    order = end_delay(order)

    assert (order.delay_code, order.appointment is not None) == ("", True)


def test_order_whose_desktop_survey_is_not_done_waits_for_that() -> None:
    """Limits: the seller has 10 working days."""
    order = complex_samples.acknowledged()
    seller_actions.delay(**ref(order), code="235")

    assert end_delay(order).delay_code == ""


def test_window_of_a_stage_stays_as_it_was() -> None:
    """Limits: 45 days for answer and appointment."""
    order = complex_samples.estimated()
    seller_actions.delay(**ref(order), code="235")

    order = end_delay(order)

    assert order.delay_code == ""
    assert samples.at_midnight(order, samples.days_ahead(32)).state == OrderState.ACKNOWLEDGED
