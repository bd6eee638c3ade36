"""Every amendment and cancellation that was answered with Pending gets its outcome (order-provisioning.md, Events)."""

from datetime import timedelta

import pytest

from seller_sandbox.jobs.models import JobState
from seller_sandbox.jobs.signals import JobEvent
from seller_sandbox.network.models import Appointment, AppointmentState
from seller_sandbox.orders import amendments, cancellations, reasons, seller_actions
from seller_sandbox.orders.models import Order
from seller_sandbox.orders.states import OrderState
from seller_sandbox.orders.wire.requests import AmendOrderRequest, CancelOrderRequest
from seller_sandbox.tests.orders import samples, visit_samples

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
    """While the partner's answer to the first one is awaited. Events, Cancellation status; D5."""
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
    """States, seller cancel."""
    order = samples.appointed()
    samples.accepted(order)
    ask_to_amend(order, reservation_key=str(samples.reserve(number=3).key))
    ask_to_cancel(order)
    order = samples.after(order, seconds=samples.A_MINUTE)

    seller_actions.cancel(**samples.ref(order))
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


# --- in the order in which they came --------------------------------------------------------------------------
def cancelled_then_amended(order: Order) -> Order:
    """The seller has looked at both, and the partner has not answered the cancelJob."""
    ask_to_cancel(order)
    ask_to_amend(order, reservation_key=str(samples.reserve(number=3).key))
    return samples.after(order, seconds=samples.A_MINUTE)


def test_amendment_waits_for_a_cancellation_that_came_before_it() -> None:
    """Events; no pack of a new appointment goes out, and none is counted as amended late."""
    order = samples.appointed()
    job = samples.accepted(order)
    order = cancelled_then_amended(samples.until(order, order.appointment.starts_at))

    samples.tell(job, "cancelled")
    order = samples.after(order, seconds=samples.A_MINUTE)

    assert outcomes(order) == [
        ("cancellationAccepted", "300"),
        ("amendmentRejected", reasons.ORDER_ENDED.code),
    ]
    assert order.visits.count() == 1
    assert order.missed_appointments.get().amended_by == ""


def test_amendment_is_decided_when_the_cancellation_before_it_was_rejected() -> None:
    order = samples.appointed()
    samples.accepted(order)
    order = cancelled_then_amended(order)

    order = visit_samples.tell(order, JobEvent.CANCEL_FAILED)

    assert outcomes(order) == [
        ("cancellationRejected", reasons.CANCEL_NOT_CANCELLED.code),
        ("amendmentRejected", reasons.AMEND_NOT_CANCELLED.code),
    ]


def test_amendment_waits_for_a_cancellation_when_a_visit_closes() -> None:
    """D14: what the closeJob says decides on the cancellation first."""
    order = samples.appointed()
    samples.accepted(order)
    order = cancelled_then_amended(samples.until(order, order.appointment.starts_at))

    order = visit_samples.close(order, "FTA")

    assert order.state == OrderState.CANCELLED
    assert [kind for kind, _ in outcomes(order)] == ["cancellationAccepted", "amendmentRejected"]


@pytest.mark.parametrize("members", [{}, {"uprn": samples.uprn(10)}])
def test_pending_order_decides_in_the_same_order(members: dict[str, str]) -> None:
    """D14: both wait for validation."""
    order = samples.pending(**members)
    ask_to_cancel(order)
    ask_to_amend(order, site={"hazards": "None"})

    order = samples.after(order, seconds=samples.A_MINUTE)

    assert outcomes(order) == [
        ("cancellationAccepted", "300"),
        ("amendmentRejected", reasons.ORDER_ENDED.code),
    ]


# --- a key that came in time ----------------------------------------------------------------------------------
def waiting_with_a_key() -> tuple[Order, Appointment]:
    """The key was ten minutes from its end when the amendment came, and the partner has not answered for a day."""
    order = samples.appointed()
    samples.accepted(order)
    new = samples.reserve(not_before=samples.days_ahead(20))
    samples.clock.move(seconds=samples.A_DAY - 10 * samples.A_MINUTE)
    ask_to_amend(order, reservation_key=str(new.key))
    return samples.after(order, seconds=samples.A_DAY), new


def test_key_does_not_expire_while_its_amendment_waits_for_the_partner() -> None:
    """Amendment rules 4; D6."""
    order, new = waiting_with_a_key()

    order = visit_samples.tell(order, JobEvent.CANCELLED)

    assert outcomes(order) == []
    assert (order.appointment, order.appointment.state) == (new, AppointmentState.BOOKED)


def test_key_of_a_rejected_amendment_expires_when_it_would_have() -> None:
    """Errors, key; D6."""
    order, new = waiting_with_a_key()

    order = visit_samples.tell(order, JobEvent.CANCEL_REFUSED)
    samples.after(order, seconds=1)

    new.refresh_from_db()
    assert outcomes(order) == [("amendmentRejected", reasons.AMEND_ENGINEER_STARTED.code)]
    assert (new.state, new.expires_at - new.reserved_at) == (AppointmentState.EXPIRED, timedelta(days=1))
