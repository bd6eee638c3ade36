"""What the partner's answers do to an order: refused packs, refused cancellations, several visits."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from seller_sandbox.endpoints.exchange import Request
from seller_sandbox.jobs import channel, receiver
from seller_sandbox.jobs.models import Job, JobState
from seller_sandbox.jobs.signals import JobEvent
from seller_sandbox.messages.client import Reply
from seller_sandbox.orders import limits, reasons, visits
from seller_sandbox.orders.models import Order
from seller_sandbox.orders.states import OrderCondition, OrderState
from seller_sandbox.tests import make
from seller_sandbox.tests.orders import samples, visit_samples
from seller_sandbox.tests.orders.test_takeovers import cease_of, managed
from seller_sandbox.tests.orders.visit_samples import is_cancel_queued, job_of, refuse_pack, tell, used_slots

pytestmark = pytest.mark.usefixtures("network")


def amended(order: Order) -> Order:
    return samples.amend(order, reservation_key=str(samples.reserve(number=3).key))


# --- createJob refused -----------------------------------------------------------------------------------------
def test_refused_pack_is_shown_and_delays_the_order() -> None:
    """Issue 13, 5a (refused createJob); Events, Delay."""
    order = refuse_pack(samples.appointed())

    assert order.state == OrderState.COMMITTED
    assert order.events.filter(kind="visit_refused").count() == 1
    assert samples.members_of(order, "delay")["delay"]["code"] == reasons.DELAY_PARTNER.code


def test_pack_that_is_accepted_later_ends_the_delay() -> None:
    """Events, Delay."""
    order = refuse_pack(samples.appointed())

    order = tell(order, JobEvent.ACCEPTED)

    assert OrderCondition.DELAY not in order.conditions
    assert order.delay_code == ""


def test_buyer_cancels_an_order_whose_pack_was_refused() -> None:
    """States, buyer cancelOrder."""
    order = samples.cancel(refuse_pack(samples.appointed()))

    assert order.state == OrderState.CANCELLED
    assert not is_cancel_queued(job_of(order))
    assert used_slots(order) == 0


@pytest.mark.parametrize("request_of", [samples.cancel, amended])
def test_request_that_waits_for_the_partner_goes_on_when_the_pack_is_refused(
    request_of: Callable[[Order], Order],
) -> None:
    """The cancelJob behind a refused createJob never goes out: there is nothing to cancel.

    Events, Amendment and Cancellation status.
    """
    order = request_of(samples.appointed())
    assert samples.kinds(order)[-1] in {"cancellationPending", "amendmentPending"}

    order = refuse_pack(order)

    assert samples.kinds(order)[-1] in {"cancellationAccepted", "amendmentAccepted"}
    assert used_slots(order) == (1 if order.is_in_flight else 0)


# --- cancelJob accepted or refused -----------------------------------------------------------------------------
def test_amended_appointment_cancels_the_job_and_sends_a_new_pack() -> None:
    """Amendment rules 4."""
    order = samples.appointed()
    first = samples.accepted(order)

    order = amended(order)
    assert is_cancel_queued(first)
    assert order.visits.count() == 1
    tell(order, JobEvent.CANCELLED)

    order = samples.fresh(order)
    assert samples.kinds(order)[-2:] == ["amendmentPending", "amendmentAccepted"]
    assert order.visits.count() == 2
    assert job_of(order).pack["appointment"]["reservationKey"] == str(order.appointment.key)
    assert used_slots(order) == 1


def test_amendment_is_rejected_when_the_partner_refuses_the_cancellation() -> None:
    """409 installationStarted: the order stays in its state. Events, Amendment Rejected; D14."""
    order = samples.appointed()
    samples.accepted(order)
    stored = order.appointment
    order = amended(order)

    order = tell(order, JobEvent.CANCEL_REFUSED)

    assert order.state == OrderState.COMMITTED
    assert order.appointment == stored
    rejected = samples.members_of(order, "amendmentRejected")
    assert rejected["reason"] == reasons.AMEND_ENGINEER_STARTED.as_members()


def test_engineer_who_goes_on_completes_the_order_whose_cancellation_was_rejected() -> None:
    """States, buyer cancelOrder; D14."""
    order = visit_samples.visited()
    order = samples.cancel(order)
    order = tell(order, JobEvent.CANCEL_REFUSED)
    assert samples.members_of(order, "cancellationRejected")["reason"]["code"] == reasons.CANCEL_TOO_LATE.code

    order = visit_samples.close(order, "SP")

    assert order.state == OrderState.COMPLETED


@pytest.mark.parametrize("code", ["SP", "RNA/NA", "NAPUV"])
def test_closure_that_is_faster_than_the_cancellation_settles_the_request(code: str) -> None:
    """The closure comes in while cancelJob is on its way; the cancellation is decided on by what is true then.

    Events, Cancellation status; D14.
    """
    order = samples.cancel(visit_samples.visited(result=None))
    visit_samples.provisioned(order.visits.get().job)

    order = visit_samples.close(order, code)

    assert not order.is_in_flight
    assert not order.cancellations.filter(state="pending").exists()
    expected = "cancellationAccepted" if code == "RNA/NA" else "cancellationRejected"
    assert samples.kinds(order)[-1] == expected


def test_job_that_a_person_cancels_is_followed_by_another_for_its_order() -> None:
    """The order and its appointment stand: they must not be left without a visit for ever. Issue 13, 4."""
    order = samples.appointed()
    samples.accepted(order)

    order = tell(order, JobEvent.CANCELLED)

    assert [visit.ended_at is None for visit in order.visits.order_by("id")] == [False, True]
    assert order.visits.get(ended_at=None).appointment == order.appointment


# --- several visits ----------------------------------------------------------------------------------------------
def test_three_visits_until_the_service_is_provided() -> None:
    """States, completion; Events, Missed Appointment."""
    order = visit_samples.close(visit_samples.visited(result=None), "RNA/NA")
    order = samples.amend(order, reservation_key=str(samples.reserve().key))
    samples.accepted(order)
    order = samples.until(order, order.appointment.starts_at)
    order = visit_samples.close(order, "CPR")
    job = samples.accepted(order)
    order = samples.until(order, order.appointment.starts_at)
    visit_samples.provisioned(job)
    order = visit_samples.close(order, "SP")

    assert order.state == OrderState.COMPLETED
    assert list(order.visits.values_list("outcome", flat=True)) == ["RNA/NA", "CPR", "SP"]
    assert "CHP" in visit_samples.flags(order)


def test_pack_after_a_cherry_picker_was_asked_for_keeps_its_flag() -> None:
    """Issue 13, 4."""
    order = visit_samples.close(visit_samples.visited(result=None), "CPR")
    samples.accepted(order)

    order = amended(order)
    order = tell(order, JobEvent.CANCELLED)

    assert order.visits.count() == 2 + 1
    assert "CHP" in visit_samples.flags(order)


def test_delay_reappoint_cancels_the_visit_that_would_come_too_early() -> None:
    """Switch and WLTO rules 6."""
    order = managed()
    job = samples.accepted(order)
    day = limits.local_day(order.appointment.starts_at)
    order = samples.until(order, limits.no_return(day))

    samples.amend(cease_of(order), requested_date=(day + timedelta(days=20)).isoformat())

    order = samples.fresh(order)
    assert is_cancel_queued(job)
    assert order.appointment is None
    order = tell(order, JobEvent.CANCELLED)
    assert samples.kinds(order)[-1] == "delayReappoint"


def test_device_that_is_installed_elsewhere_does_not_complete_the_order() -> None:
    """Whatever result the partner was given: the closure is taken, and a person is needed. States, completion."""
    visit_samples.close(visit_samples.visited(), "SP")
    order = visit_samples.close(visit_samples.visited(situation=2), "SP")

    assert order.state == OrderState.COMMITTED
    assert samples.members_of(order, "delay")["delay"]["code"] == reasons.DELAY_ACTIVATION.code


# --- over the job interface ----------------------------------------------------------------------------------
def as_bytes(body: dict[str, Any]) -> bytes:
    return json.dumps(body).encode()


def post(body: dict[str, Any], operation: str) -> int:
    content = as_bytes(body)
    request = Request("A", operation, "POST", "application/json", content, "partner", "127.0.0.1")
    return receiver.receive(request).status


@pytest.mark.parametrize("code", ["REVCOMP", "REVNA", "REVASS"])
def test_revisit_code_is_refused_by_a_strict_seller(code: str) -> None:
    """REV codes refused: the message changes neither job nor order. Issue 13, 4."""
    order = samples.appointed()
    job = samples.accepted(order)

    status = post(make.closed(job, closureCode=code), "closeJob")

    order, state = samples.fresh(order), Job.objects.get(pk=job.pk).state
    assert status == 422
    assert (order.state, state) == (OrderState.COMMITTED, JobState.ACCEPTED)
    assert visits.planned(order)


def test_answers_to_createJob_move_the_order() -> None:  # noqa: N802  # a wire name
    """As the worker settles them. Issue 13, 5a (refused createJob)."""
    order = samples.appointed()
    job = job_of(order)
    message = job.thread.outbound.get(operation="createJob")
    message.body = channel.compose(message)
    fault = {"fault": {"faultcode": "invalidMessage", "faultmessage": "no", "detail": []}}
    verdict = channel.judge(message, Reply(status=422, content=as_bytes(fault)))

    channel.apply_answer(message, verdict)

    order = samples.fresh(order)
    assert samples.kinds(order)[-1] == "delay"
    assert order.events.last().details["delay"]["code"] == reasons.DELAY_PARTNER.code
