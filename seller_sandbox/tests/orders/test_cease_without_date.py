"""The cease of a managed Switch or WLTO without an appointment waits for the next one (Switch and WLTO rules 1)."""

from collections.abc import Callable
from datetime import date

import pytest

from seller_sandbox.jobs.signals import JobEvent
from seller_sandbox.network import services
from seller_sandbox.orders import limits, network_actions, seller_actions
from seller_sandbox.orders.models import Order
from seller_sandbox.orders.states import OrderState
from seller_sandbox.tests.orders import samples, visit_samples
from seller_sandbox.tests.orders.samples import uprn

pytestmark = pytest.mark.usefixtures("network")
KINDS = ["Switch", "WLTO"]


def key_from(day: date) -> str:
    return str(samples.reserve(at=uprn(24), product=samples.NATIONAL_160, not_before=day).key)


def managed(kind: str) -> Order:
    """BUYERA takes the line of BUYERB with an engineer."""
    order = samples.placed(
        uprn=uprn(24),
        product_name=samples.NATIONAL_160,
        new_order_type=kind,
        is_engineer_install=True,
        reservation_key=key_from(samples.days_ahead(20)),
    )
    return samples.after(order, seconds=samples.A_MINUTE)


def slip(order: Order) -> None:
    network_actions.move_release(uprn=order.uprn, day=samples.days_ahead(40))


def find_no_slot(order: Order) -> None:
    visit_samples.take_all_slots(order)
    seller_actions.reappoint(**samples.ref(order))


def close_early(order: Order) -> None:
    """The engineer was there before the day."""
    samples.accepted(order)
    visit_samples.close(order, "RNA/NA")


WITHDRAWALS = [slip, find_no_slot, close_early]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("withdraw", WITHDRAWALS)
def test_cease_has_no_day_without_an_appointment(withdraw: Callable[[Order], None], kind: str) -> None:
    """The losing provider is notified, and its service does not end on the day that was withdrawn."""
    order = managed(kind)
    day = limits.local_day(order.appointment.starts_at)

    withdraw(order)

    cease = order.linked_ceases.get()
    assert (cease.requested_date, samples.kinds(cease)[-1]) == (None, "linkedDateChanged")
    assert "requested_date" not in samples.last_members(cease)
    assert "no appointment" in samples.last_members(cease)["notes"]
    cease = samples.at_midnight(cease, day)
    assert cease.state == OrderState.COMMITTED
    assert services.find_live(order.location) == cease.service


def test_cease_keeps_its_day_when_a_refused_pack_is_replaced() -> None:
    order = managed("Switch")
    day = limits.local_day(order.appointment.starts_at)

    samples.amend(order, site={"hazards": "A loose step"})
    visit_samples.refuse_pack(order)

    assert order.linked_ceases.get().requested_date == day
    assert samples.fresh(order).visits.filter(ended_at=None).count() == 1


def test_cease_follows_the_new_appointment() -> None:
    order = managed("Switch")
    close_early(order)

    order = samples.amend(samples.fresh(order), reservation_key=key_from(samples.days_ahead(30)))

    day = limits.local_day(order.appointment.starts_at)
    cease = order.linked_ceases.get()
    assert cease.requested_date == day
    assert samples.last_members(cease)["requested_date"] == day.isoformat()


def test_cease_follows_the_appointment_after_a_slip() -> None:
    """States, cabinet slip."""
    order = managed("Switch")
    slip(order)
    visit_samples.tell(order, JobEvent.CANCELLED)

    order = samples.at_midnight(order, samples.days_ahead(41))

    assert order.linked_ceases.get().requested_date == limits.local_day(order.appointment.starts_at)


def test_date_that_the_losing_provider_controls_stays() -> None:
    """Rules 3."""
    order, day = managed("WLTO"), samples.days_ahead(15)
    cease = samples.amend(order.linked_ceases.get(), requested_date=day.isoformat())

    close_early(order)

    assert samples.fresh(cease).requested_date == day
    assert samples.at_midnight(cease, day).state == OrderState.COMPLETED


def test_losing_provider_of_an_order_without_appointment_may_name_its_day() -> None:
    """Rules 3: it takes control of the date; rules 6."""
    order = managed("WLTO")
    close_early(order)
    day = samples.days_ahead(15)

    cease = samples.amend(order.linked_ceases.get(), requested_date=day.isoformat())

    assert (cease.requested_date, cease.is_date_controlled) == (day, True)
    assert samples.fresh(order).appointment is None
