"""SQL statements of an order: orders a second and a year of the clock depend on them (tests/bench/orders.py)."""

from collections.abc import Callable

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from seller_sandbox import clock
from seller_sandbox.jobs import job_states, locking, provisioning
from seller_sandbox.jobs.signals import JobEvent
from seller_sandbox.messages import outbox
from seller_sandbox.messages.outbox import Answered
from seller_sandbox.messages.verdicts import DeliveryOutcome, Verdict
from seller_sandbox.orders import completion, fulfilment
from seller_sandbox.orders.models import Order
from seller_sandbox.orders.states import OrderState
from seller_sandbox.tests.orders import samples, visit_samples

pytestmark = pytest.mark.usefixtures("network")


@pytest.fixture(autouse=True)
def _rule(network: None) -> None:
    """Its row is made once."""
    provisioning.rule()


def statements(step: Callable[[], object], *, savepoints: bool = False) -> int:
    """Without the outermost savepoints, which are the test's own."""
    with clock.at(clock.now()), transaction.atomic(), CaptureQueriesContext(connection) as queries:
        step()
    return sum(savepoints or "SAVEPOINT" not in query["sql"] for query in queries)


def steps_of(order: Order, *steps: Callable[[str], object]) -> list[int]:
    return [statements(lambda step=step: step(order.seller_order_reference)) for step in steps]


def test_an_install_that_is_visited() -> None:
    """Issue 13, 6."""
    order = samples.pending(reservation_key=str(samples.reserve().key))
    found = steps_of(order, fulfilment.validate_order, fulfilment.commit_order)
    job = samples.accepted(order)
    samples.until(order, job.starts_at)
    visit_samples.provisioned(job)

    closed = statements(
        lambda: job_states.record(locking.lock(pk=job.pk), JobEvent.CLOSED, closure_code="SP")
    )

    assert samples.fresh(order).state == OrderState.COMPLETED
    assert [*found, closed] == [18, 23, 32]


def test_an_activation_without_a_visit() -> None:
    """Issue 13, 6."""
    order = samples.pending(uprn=samples.uprn(10))
    found = steps_of(order, fulfilment.validate_order, fulfilment.commit_order)
    samples.clock.advance(seconds=4 * samples.A_DAY)

    (completed,) = steps_of(order, completion.complete_without_visit)

    assert samples.fresh(order).state == OrderState.COMPLETED
    assert [*found, completed] == [17, 14, 17]


@pytest.mark.parametrize("messages", [1, 3])
def test_messages_that_are_sent_together(messages: int) -> None:
    """One savepoint for the bodies of all, and one statement for what is written of all. Issue 13, 6."""
    for _ in range(messages):
        samples.pending()

    def deliver() -> None:
        delivered = Verdict(DeliveryOutcome.DELIVERED, status=200)
        outbox.settle_all([Answered(message, delivered) for message in outbox.claim_some(messages)])

    assert statements(deliver, savepoints=True) == 9
