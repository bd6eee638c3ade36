"""What the partner's refusal of a cancelJob means for the order (job-messages.md, cancelJob, Refusals)."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from seller_sandbox.jobs.channel import CLOSURE_WAIT
from seller_sandbox.jobs.models import Job
from seller_sandbox.messages import worker
from seller_sandbox.network.models import Buyer
from seller_sandbox.orders import seller_actions
from seller_sandbox.orders.models import Order
from seller_sandbox.tests.orders import samples, visit_samples
from seller_sandbox.tests.orders.visit_samples import job_of
from seller_sandbox.tests.partner import Partner, refuse

pytestmark = pytest.mark.usefixtures("network", "buyers_without_address")


@pytest.fixture
def buyers_without_address(network: None) -> None:
    """Their notifications wait: these tests are about the partner."""
    Buyer.objects.update(callback_urls=[])


@pytest.fixture
def order(partner: Partner) -> Order:
    """With a job that the partner has accepted."""
    found = samples.appointed()
    send()
    return samples.fresh(found)


def send() -> None:
    """What waits for the partner goes out."""
    for _ in range(20):
        worker.work_once()


def asked(order: Order, ask: Callable[[Order], Order], partner: Partner, *answer: object) -> Order:
    """The order after its buyer has asked for something, and the partner has answered the cancelJob so."""
    order = ask(order)
    partner.script[:] = [refuse(*answer)]
    send()
    return samples.fresh(order)


def move(order: Order) -> Order:
    return samples.amend(order, reservation_key=str(samples.reserve(number=4).key))


def test_job_that_the_partner_does_not_know_needs_no_cancellation(order: Order, partner: Partner) -> None:
    """404 jobNotFound; D14: nobody is on site, so the order is cancelled."""
    order = asked(order, samples.cancel, partner, 404, "jobNotFound")

    assert (order.state, samples.kinds(order)[-1]) == ("cancelled", "cancellationAccepted")


def test_amendment_of_a_job_that_the_partner_does_not_know_gets_a_new_pack(
    order: Order, partner: Partner
) -> None:
    """404 jobNotFound; Amendment rules 4."""
    order = asked(order, move, partner, 404, "jobNotFound")

    assert samples.kinds(order)[-1] == "amendmentAccepted"
    assert order.visits.count() == 2


@pytest.mark.parametrize(("code", "kind"), [("SP", "cancellationRejected"), ("FTA", "cancellationAccepted")])
def test_cancellation_waits_for_the_closure_of_a_job_that_is_closed(
    order: Order, partner: Partner, code: str, kind: str
) -> None:
    """409 jobClosed; D14: what the closeJob says decides, and not that somebody were on site."""
    order = samples.until(order, order.appointment.starts_at)
    order = asked(order, samples.cancel, partner, 409, "jobClosed")
    assert samples.kinds(order)[-1] == "cancellationPending"

    visit_samples.provisioned(job_of(order))
    order = samples.after(visit_samples.close(order, code), seconds=1)

    assert samples.kinds(order)[-1] == kind
    assert "560" not in str(samples.last_members(order).get("reason"))


def test_closure_that_never_comes_does_not_hold_the_cancellation_for_ever(
    order: Order, partner: Partner
) -> None:
    """409 jobClosed without a closeJob: after a day the job counts as cancelled."""
    order = asked(order, samples.cancel, partner, 409, "jobClosed")

    order = samples.after(order, seconds=int((CLOSURE_WAIT + timedelta(minutes=1)).total_seconds()))

    assert order.state == "cancelled"
    assert Job.objects.get().state == "cancelled"


def test_engineer_on_site_rejects_the_cancellation(order: Order, partner: Partner) -> None:
    """409 installationStarted; D14."""
    order = asked(order, samples.cancel, partner, 409, "installationStarted")

    assert samples.members_of(order, "cancellationRejected")["reason"]["code"] == "560"


@pytest.mark.parametrize(
    ("ask", "kind", "code"),
    [(samples.cancel, "cancellationRejected", "562"), (move, "amendmentRejected", "554")],
)
def test_other_refusal_rejects_without_claiming_an_engineer(
    order: Order, partner: Partner, ask: Callable[[Order], Order], kind: str, code: str
) -> None:
    """order-decisions.md, checklist: the order stays in its state, and what is said is true."""
    order = asked(order, ask, partner, 422, "invalidMessage")

    assert samples.members_of(order, kind)["reason"]["code"] == code
    assert order.state == "committed"


def test_new_appointment_of_the_seller_is_given_back_when_the_engineer_was_faster(
    order: Order, partner: Partner
) -> None:
    """409 installationStarted after the seller has reappointed: the visit goes on in its own appointment."""
    first = order.appointment
    seller_actions.reappoint(**samples.ref(order))
    partner.script[:] = [refuse(409, "installationStarted")]
    send()

    order = samples.fresh(order)
    assert order.appointment == first
    assert samples.last_members(order)["appointment"]["key"] == str(first.key)
    assert visit_samples.used_slots(order) == 1
