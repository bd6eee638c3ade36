"""Every amendment and cancellation that was answered with Pending gets its outcome (order-provisioning.md, Events)."""

import pytest

from seller_sandbox.jobs.models import JobState
from seller_sandbox.orders import amendments, cancellations, fulfilment, lifecycle, reasons
from seller_sandbox.orders.models import Order
from seller_sandbox.orders.states import OrderState
from seller_sandbox.orders.wire.requests import AmendOrderRequest, CancelOrderRequest
from seller_sandbox.tests.orders import samples

pytestmark = pytest.mark.usefixtures("network")


def ask_to_cancel(order: Order) -> None:
    wanted = CancelOrderRequest(
        samples.header(reference=""), order.seller_order_reference, "300", "No longer required"
    )
    cancellations.receive(wanted, buyer=order.buyer)


def ask_to_amend(order: Order, **changes: object) -> None:
    wanted = AmendOrderRequest(samples.header(reference=""), order.seller_order_reference, changes)
    amendments.receive(wanted, buyer=order.buyer)


def outcomes(order: Order) -> list[tuple[str, str]]:
    """Kind and reason code of what the buyer was sent about its requests, without those that are pending."""
    messages = order.thread.outbound.filter(members__kind__regex="^(amend|cancel)").order_by("seq")
    settled = [message.members for message in messages if not message.members["kind"].endswith("Pending")]
    return [(members["kind"], members["reason"]["code"]) for members in settled if "reason" in members]


def test_second_cancellation_is_rejected_when_the_first_has_ended_the_order() -> None:
    """While the partner's answer to the first one is awaited."""
    order = samples.appointed()
    job = samples.accepted(order)
    ask_to_cancel(order)
    ask_to_cancel(order)
    order = samples.after(order, seconds=samples.A_MINUTE)

    samples.tell(job, "cancelled")
    order = samples.after(order, seconds=samples.A_MINUTE)

    assert outcomes(order) == [
        ("cancellationAccepted", "300"),
        ("cancellationRejected", reasons.ORDER_ENDED.code),
    ]


def test_requests_that_wait_for_the_partner_are_rejected_when_the_seller_cancels() -> None:
    order = samples.appointed()
    samples.accepted(order)
    ask_to_amend(order, reservation_key=str(samples.reserve(number=3).key))
    ask_to_cancel(order)
    order = samples.after(order, seconds=samples.A_MINUTE)

    fulfilment.seller_cancels(lifecycle.lock(order.seller_order_reference), reasons.NOT_SERVICEABLE)
    order = samples.after(order, seconds=samples.A_MINUTE)

    assert outcomes(order) == [
        ("cancelled", reasons.NOT_SERVICEABLE.code),
        ("amendmentRejected", reasons.ORDER_ENDED.code),
        ("cancellationRejected", reasons.ORDER_ENDED.code),
    ]


@pytest.mark.parametrize("state", [JobState.ON_SITE, JobState.SCANNED, JobState.PROVISIONED])
def test_nothing_is_cancelled_once_the_engineer_is_on_site(state: JobState) -> None:
    """D14: the seller knows it from the partner's onSite, whatever the partner would answer to cancelJob."""
    order = samples.appointed()
    job = samples.accepted(order)
    job.state = state
    job.save()

    ask_to_cancel(order)
    ask_to_amend(order, reservation_key=str(samples.reserve(number=3).key))
    order = samples.after(order, seconds=samples.A_MINUTE)

    assert order.state == OrderState.COMMITTED
    assert outcomes(order) == [
        ("cancellationRejected", reasons.CANCEL_TOO_LATE.code),
        ("amendmentRejected", reasons.AMEND_ENGINEER_STARTED.code),
    ]
    assert not job.thread.outbound.filter(operation="cancelJob").exists()
