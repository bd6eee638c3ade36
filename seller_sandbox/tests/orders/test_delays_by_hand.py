"""Delays that a person at the seller begins: what the buyer is told is true (Other codes, next best action; Limits)."""

from datetime import timedelta

import pytest

from seller_sandbox.jobs.exceptions import ActionNotPossible
from seller_sandbox.orders import network_actions, seller_actions, visits
from seller_sandbox.orders.models import Order
from seller_sandbox.orders.states import OrderCondition, OrderState
from seller_sandbox.tests.orders import complex_samples, samples, visit_samples
from seller_sandbox.tests.orders.samples import ref, uprn

pytestmark = pytest.mark.usefixtures("network")


def reviewed() -> Order:
    """Its visit was in vain, and a person looks into it."""
    return visit_samples.close(visit_samples.visited(), "OTHER")


def delay(order: Order, code: str) -> Order:
    seller_actions.delay(**ref(order), code=code)
    return samples.fresh(order)


@pytest.mark.parametrize(
    ("code", "end_code"), [("230", "570"), ("232", "572"), ("234", "572"), ("239", "572")]
)
def test_delay_of_thirty_days_opens_the_window(code: str, end_code: str) -> None:
    order = delay(reviewed(), code)

    assert "within 30 days" in samples.members_of(order, "delay")["delay"]["next_best_action"]
    order = samples.at_midnight(order, samples.days_ahead(31))
    assert (order.state, order.end_code) == (OrderState.CANCELLED, end_code)


@pytest.mark.parametrize("code", ["230", "231", "232", "234", "239"])
def test_order_whose_appointment_stands_does_not_wait_for_another_one(code: str) -> None:
    with pytest.raises(ActionNotPossible, match="The order has"):
        delay(samples.appointed(), code)


@pytest.mark.parametrize("code", ["230", "231", "232", "239"])
def test_order_without_an_engineer_waits_for_no_appointment(code: str) -> None:
    """And its date stands."""
    with pytest.raises(ActionNotPossible, match="The order has"):
        delay(samples.placed(uprn=uprn(10)), code)


def test_window_that_is_open_stays_as_it_is() -> None:
    """Limits: 45 days of a complex order, and the 30 of a regrade without a date."""
    regrade = samples.placed(uprn=uprn(20), product_name=samples.LOCAL_1000)

    for order, code in ((complex_samples.estimated(), "232"), (regrade, "231")):
        with pytest.raises(ActionNotPossible, match="a window already"):
            delay(order, code)


def test_stage_without_an_appointment_has_none_to_wait_for() -> None:
    with pytest.raises(ActionNotPossible, match="can have none now"):
        delay(complex_samples.acknowledged(), "230")


@pytest.mark.parametrize("code", ["220", "235", "237"])
def test_other_delays_leave_the_visit_as_it_is(code: str) -> None:
    order = delay(samples.appointed(), code)

    assert (order.delay_code, order.appointment is not None) == (code, True)


# --- 235: only a person says what follows (D16) ------------------------------------------------------------------
def slipped(order: Order) -> Order:
    """Its cabinet goes live five days after the appointment."""
    day = order.appointment.starts_at.date() + timedelta(days=5)
    network_actions.move_release(uprn=order.uprn, day=day)
    return samples.fresh(order)


def test_slip_leaves_the_new_appointment_until_a_person_has_decided() -> None:
    """States, cabinet slip: the appointment is made automatically, once nobody looks into the order."""
    order = samples.appointed()
    samples.accepted(order)
    order = visit_samples.partner_cancels(slipped(delay(order, "235")))

    order = samples.at_midnight(order, order.location.cabinet.release_on + timedelta(days=3))
    assert (order.delay_code, order.appointment) == ("235", None)
    assert OrderCondition.CABINET_SLIP in order.conditions

    seller_actions.end_delay(**ref(order))
    order = samples.at_midnight(order, samples.days_ahead(1))
    assert visits.planned(order).appointment == order.appointment
    assert (order.delay_code, samples.kinds(order)[-1]) == ("", "committed")


def test_cancelled_visit_of_a_slip_leaves_the_new_appointment_to_a_person_too() -> None:
    """The partner answers when the cabinet is live already."""
    order = samples.appointed()
    samples.accepted(order)
    order = slipped(order)
    order = samples.at_midnight(order, order.location.cabinet.release_on + timedelta(days=1))

    order = visit_samples.partner_cancels(delay(order, "235"))

    assert (order.delay_code, order.appointment) == ("235", None)
    seller_actions.end_delay(**ref(order))
    assert samples.at_midnight(order, samples.days_ahead(1)).appointment is not None


def test_cherry_picker_is_sent_when_a_person_has_decided() -> None:
    """Closure codes, CPR."""
    order = visit_samples.close(delay(visit_samples.visited(), "235"), "CPR")
    assert (order.delay_code, order.appointment) == ("235", None)
    assert samples.kinds(order)[-1] == "delay"

    seller_actions.reappoint(**ref(order))

    assert "CHP" in visit_samples.flags(samples.fresh(order))


def test_appointment_of_the_buyers_own_leaves_the_order_with_the_seller() -> None:
    """Amendment rules: the visit is planned; the seller still looks into what happened at the one before."""
    order = reviewed()

    order = samples.amend(order, reservation_key=str(samples.reserve(at=order.uprn).key))

    assert visits.planned(order).appointment == order.appointment
    assert (order.delay_code, OrderCondition.DELAY in order.conditions) == ("235", True)
    seller_actions.end_delay(**ref(order))
    order = samples.fresh(order)
    assert (order.delay_code, OrderCondition.DELAY in order.conditions) == ("", False)
    assert visits.planned(order).appointment == order.appointment
