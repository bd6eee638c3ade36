"""The old service of a managed Switch or WLTO ends with the engineer's visit (Switch and WLTO rules 2; D14)."""

from datetime import timedelta

import pytest

from seller_sandbox.network import services
from seller_sandbox.orders import limits
from seller_sandbox.orders.models import Order
from seller_sandbox.orders.states import OrderState
from seller_sandbox.tests.orders import samples, visit_samples
from seller_sandbox.tests.orders.test_takeovers import business_day, cease_of, managed

pytestmark = pytest.mark.usefixtures("network")


def on_the_morning(kind: str) -> Order:
    """07:00 of the slot's day; the partner has accepted the visit."""
    order = managed(kind)
    samples.accepted(order)
    day = limits.local_day(order.appointment.starts_at)
    return samples.until(order, limits.midnight(day) + timedelta(hours=7))


def live_buyer(order: Order) -> str:
    return services.find_live(order.location).buyer.identifier


@pytest.mark.parametrize("kind", ["Switch", "WLTO"])
def test_cancel_on_the_morning_of_the_visit_leaves_the_old_service(kind: str) -> None:
    """Rules 2: the cease is cancelled automatically; D14: until the engineer is on site."""
    order = on_the_morning(kind)

    samples.cancel(order)
    order = visit_samples.partner_cancels(order)

    cease = cease_of(order)
    assert (order.state, cease.state) == (OrderState.CANCELLED, OrderState.CANCELLED)
    assert live_buyer(order) == "BUYERB"


@pytest.mark.parametrize("kind", ["Switch", "WLTO"])
def test_missed_visit_leaves_the_old_service(kind: str) -> None:
    """The losing provider is notified that there is no day any more (Events)."""
    order = on_the_morning(kind)

    order = samples.until(order, order.appointment.ends_at)

    cease = cease_of(order)
    assert (order.delay_code, order.appointment) == ("239", None)
    assert (cease.state, cease.requested_date) == (OrderState.COMMITTED, None)
    assert samples.kinds(cease)[-1] == "linkedDateChanged"
    assert live_buyer(order) == "BUYERB"


@pytest.mark.parametrize("kind", ["Switch", "WLTO"])
def test_engineer_ends_the_old_service(kind: str) -> None:
    order = on_the_morning(kind)
    order = samples.until(order, order.appointment.starts_at)
    visit_samples.provisioned(visit_samples.job_of(order))

    order = visit_samples.close(order, "SP")

    assert (order.state, cease_of(order).state) == (OrderState.COMPLETED, OrderState.COMPLETED)
    assert live_buyer(order) == "BUYERA"


def test_losing_provider_that_controls_the_date_ends_its_service_on_it() -> None:
    """Rules 3."""
    order = managed("WLTO")
    day = business_day(11)

    cease = samples.amend(cease_of(order), requested_date=day.isoformat())

    assert samples.at_midnight(cease, day).state == OrderState.COMPLETED
    assert samples.fresh(order).state == OrderState.COMMITTED
