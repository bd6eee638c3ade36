"""Rows are locked in one order, whoever locks them (transactions.py): two that meet wait for each other, never both."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import transaction

from seller_sandbox import clock, due_actions
from seller_sandbox.jobs import channel
from seller_sandbox.jobs.models import JobState
from seller_sandbox.messages.models import OutboundMessage
from seller_sandbox.messages.verdicts import DeliveryOutcome, Verdict
from seller_sandbox.network.loading import load_network
from seller_sandbox.network.models import Appointment
from seller_sandbox.orders import (
    cancellations,
    fulfilment,
    lifecycle,
    network_actions,
    reasons,
    visits,
    waiting_requests,
)
from seller_sandbox.orders.models import Order
from seller_sandbox.orders.states import OrderCondition, OrderEventKind, OrderState
from seller_sandbox.orders.wire.requests import CancelOrderRequest
from seller_sandbox.tests import row_locks
from seller_sandbox.tests.orders import samples

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.locks]


@pytest.fixture(autouse=True)
def network(db: None) -> None:
    load_network(copies=2)


def meet(ours: Callable[[], object], theirs: Callable[[], object], *, order: Order) -> None:
    """Both, when we hold the order already."""
    row_locks.meet(ours, theirs, hold=lambda: lifecycle.lock(order.seller_order_reference))


def test_partners_answer_and_cancellation_of_the_order_wait_for_each_other() -> None:
    """States, buyer cancelOrder."""
    order = samples.appointed()
    job = order.visits.get().job
    message = job.thread.outbound.get(operation="createJob")
    accepted = Verdict(DeliveryOutcome.DELIVERED, status=200, answer={"providerJobId": "PJ-1"})

    def answer() -> None:
        with transaction.atomic():
            channel.apply_answer(OutboundMessage.objects.get(pk=message.pk), accepted)

    def cancel() -> None:
        visits.request_cancellation(order, code="BUYER", message="No longer wanted")

    meet(cancel, answer, order=order)

    job.refresh_from_db()
    assert (job.state, job.provider_job_id) == (JobState.ACCEPTED, "PJ-1")
    assert [sent.operation for sent in job.thread.outbound.order_by("seq")] == ["createJob", "cancelJob"]


def test_both_providers_of_a_takeover_can_cancel_at_once() -> None:
    """Switch and WLTO rules 2."""
    order = samples.placed(uprn=samples.uprn(24), product_name=samples.NATIONAL_160, new_order_type="WLTO")
    cease = order.linked_ceases.get()
    clock.move(seconds=samples.A_MINUTE)
    wanted = CancelOrderRequest(
        samples.header("BUYERB", reference=""), cease.seller_order_reference, reasons.NOT_MOVING.code, ""
    )
    cancellations.receive(wanted, buyer=cease.buyer)

    def end() -> None:
        held = lifecycle.lock(order.seller_order_reference)
        cancellations.end(held, OrderEventKind.BUYER_CANCELLED, {"code": "300", "message": "No"})

    def settle() -> None:
        with transaction.atomic():
            waiting_requests.settle(cease.seller_order_reference)

    meet(end, settle, order=order)

    states = {samples.fresh(found).state for found in (order, cease)}
    assert states == {OrderState.CANCELLED}
    assert samples.kinds(cease)[-1] == "cancellationRejected"


def test_order_that_is_committed_while_its_cabinet_goes_live_later_slips() -> None:
    """States, cabinet slip: the day was read before it moved."""
    order = samples.pending(reservation_key=str(samples.reserve().key))
    with transaction.atomic():
        fulfilment.validate_order(order.seller_order_reference)
    day = samples.limits.local_day(samples.fresh(order).appointment.starts_at) + timedelta(days=1)
    held: list[Order] = []

    row_locks.meet(
        lambda: fulfilment.commit(held[0]),
        lambda: network_actions.move_release(uprn=order.uprn, day=day),
        hold=lambda: held.append(lifecycle.lock(order.seller_order_reference)),
    )

    order = samples.fresh(order)
    assert (order.state, order.appointment) == (OrderState.COMMITTED, None)
    assert OrderCondition.CABINET_SLIP in order.conditions


def test_due_actions_that_share_a_transaction_give_way() -> None:
    """They hold what the first one locked when they come to the second one's order. Issue 13, 0."""
    first = samples.pending(reservation_key=str(samples.reserve(at=samples.uprn(1)).key))
    second = samples.pending(uprn=samples.uprn(1, copy=2))
    key = first.request["reservation_key"]
    clock.advance(seconds=samples.A_MINUTE)

    meet(
        lambda: Appointment.objects.select_for_update().get(key=key),
        lambda: due_actions.run_due(together=2),
        order=second,
    )

    assert [samples.fresh(order).state for order in (first, second)] == [
        OrderState.COMMITTED,
        OrderState.ACKNOWLEDGED,
    ]
    assert not due_actions.DueAction.objects.exclude(error="").exists()
