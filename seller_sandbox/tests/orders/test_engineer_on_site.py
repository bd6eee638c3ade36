"""While the engineer is on site nothing cancels the visit (job-messages.md, cancelJob; order-decisions.md, D14)."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client

from seller_sandbox import clock
from seller_sandbox.jobs.exceptions import ActionNotPossible
from seller_sandbox.jobs.signals import JobEvent
from seller_sandbox.orders import lifecycle, seller_actions
from seller_sandbox.orders.appointments import reappointments
from seller_sandbox.orders.models import Order
from seller_sandbox.tests.orders import samples, visit_samples
from seller_sandbox.tests.orders.console_client import page, url
from seller_sandbox.tests.orders.visit_samples import is_cancel_queued, job_of

pytestmark = pytest.mark.usefixtures("network")


@pytest.fixture
def order() -> Order:
    """Its engineer is on site."""
    found = samples.appointed()
    samples.accepted(found)
    found = samples.until(found, found.appointment.starts_at)
    visit_samples.change(job_of(found), JobEvent.ON_SITE)
    return samples.fresh(found)


@pytest.mark.parametrize(
    "act",
    [
        lambda order: seller_actions.cancel(**samples.ref(order)),
        lambda order: seller_actions.reappoint(**samples.ref(order)),
        lambda order: seller_actions.miss_appointment(code="FTA", **samples.ref(order)),
    ],
    ids=["cancel", "reappoint", "miss"],
)
def test_seller_waits_for_the_end_of_the_visit(order: Order, act: Callable[[Order], object]) -> None:
    """States, seller cancel: refused with what to do; order, appointment and job stay as they are."""
    before = samples.kinds(order)

    with pytest.raises(ActionNotPossible, match=r"on site.*[Ww]ait for"):
        act(order)

    order = samples.fresh(order)
    assert (order.state, order.appointment.state, samples.kinds(order)) == ("committed", "booked", before)
    assert not is_cancel_queued(job_of(order))


def test_console_offers_no_button_that_would_be_refused(order: Order, client: Client) -> None:
    """D14: it says what to wait for instead."""
    text = page(client, url(order))

    for label in (
        "Miss the appointment",
        "Make a new appointment",
        "Cancel as the seller",
        "Slip the cabinet",
    ):
        assert label not in text
    assert "An engineer is on site" in text


def test_handover_to_another_engineer_does_not_make_the_visit_cancellable(order: Order) -> None:
    """D14: engineerAssigned again after onSite; the visit has begun all the same."""
    visit_samples.change(job_of(order), JobEvent.ENGINEER_ASSIGNED, engineer_id="E-2")

    order = samples.cancel(samples.fresh(order))

    assert samples.members_of(order, "cancellationRejected")["reason"]["code"] == "560"
    assert not is_cancel_queued(job_of(order))


def test_cabinet_that_slips_leaves_a_visit_that_has_begun(order: Order) -> None:
    """States, cabinet slip: the appointment is being kept."""
    slipped = reappointments.move_release(order.location.cabinet, day=clock.today() + timedelta(days=9))

    order = samples.fresh(order)
    assert order not in slipped
    assert order.appointment is not None
    assert not is_cancel_queued(job_of(order))


def test_window_that_ends_while_the_engineer_works_does_not_cancel_the_order() -> None:
    """Limits: no new appointment within 30 days, but an engineer who came late works on the last of them."""
    order = samples.appointed()
    samples.accepted(order)
    order = samples.until(order, order.appointment.ends_at)
    order = samples.after(order, seconds=29 * samples.A_DAY)
    visit_samples.change(job_of(order), JobEvent.ON_SITE)

    order = samples.after(order, seconds=3 * samples.A_DAY)

    assert order.state == "committed"
    visit_samples.provisioned(job_of(order))
    assert visit_samples.close(order, "SP").state == "completed"


def test_losing_provider_cannot_end_or_move_a_takeover_whose_engineer_is_on_site() -> None:
    """Switch and WLTO rules 3, 6; D15: 9190 and another date come too late for an engineer who came early."""
    order = managed_wlto()
    cease = order.linked_ceases.get()
    samples.accepted(order)
    visit_samples.change(job_of(order), JobEvent.ON_SITE)

    cease = samples.cancel(samples.fresh(cease), code="9190", message="Not moving")
    cease = samples.amend(cease, requested_date=samples.days_ahead(9).isoformat())

    assert samples.members_of(cease, "cancellationRejected")["reason"]["code"] == "560"
    assert samples.members_of(cease, "amendRequestedDateRejected")["reason"]["code"] == "550"
    order = samples.fresh(order)
    assert (order.state, order.appointment.state) == ("committed", "booked")
    assert not is_cancel_queued(job_of(order))


def test_visit_that_had_begun_before_the_seller_cancelled_ends_without_effect(order: Order) -> None:
    """States, seller cancel: what a rule ends, nobody can take back; the partner is sent no cancelJob."""
    samples.end_by_rule(lifecycle.lock(order.seller_order_reference))

    order = samples.fresh(order)
    assert not is_cancel_queued(job_of(order))
    visit_samples.provisioned(job_of(order))
    assert visit_samples.close(order, "SP").state == "cancelled"


def managed_wlto() -> Order:
    """BUYERA takes the line of BUYERB, with an engineer."""
    subject = {"product_name": samples.NATIONAL_160, "uprn": samples.uprn(24)}
    key = samples.reserve(
        at=samples.uprn(24), product=samples.NATIONAL_160, not_before=samples.days_ahead(25)
    ).key
    return samples.placed(
        new_order_type="WLTO", is_engineer_install=True, reservation_key=str(key), **subject
    )
