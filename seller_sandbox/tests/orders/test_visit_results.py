"""What the partner's answers do to an order: refused packs, refused cancellations, slips, repairs, several visits."""

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
from seller_sandbox.network.models import Appointment
from seller_sandbox.orders import limits, reappointments, reasons, visit_results, visits
from seller_sandbox.orders.models import Order
from seller_sandbox.orders.states import OrderCondition, OrderState
from seller_sandbox.orders.steps import TIME_OUT
from seller_sandbox.tests import make
from seller_sandbox.tests.orders import samples, visit_samples
from seller_sandbox.tests.orders.test_takeovers import cease_of, managed

pytestmark = pytest.mark.usefixtures("network")


def job_of(order: Order) -> Job:
    return order.visits.last().job


def refuse_pack(order: Order) -> Order:
    """The order after the partner has refused its newest createJob."""
    visit_samples.change(job_of(order), JobEvent.REFUSED)
    return samples.fresh(order)


def tell(order: Order, what: JobEvent) -> Order:
    visit_samples.change(job_of(order), what)
    return samples.fresh(order)


def is_cancel_queued(job: Job) -> bool:
    return job.thread.outbound.filter(operation="cancelJob").exists()


def used_slots(order: Order) -> int:
    return Appointment.objects.using_capacity().filter(location=order.location).count()


def amended(order: Order) -> Order:
    return samples.amend(order, reservation_key=str(samples.reserve(number=3).key))


# --- createJob refused -----------------------------------------------------------------------------------------
def test_refused_pack_is_shown_and_delays_the_order() -> None:
    order = refuse_pack(samples.appointed())

    assert order.state == OrderState.COMMITTED
    assert order.events.filter(kind="visit_refused").count() == 1
    assert samples.members_of(order, "delay")["delay"]["code"] == reasons.DELAY_PARTNER.code


def test_pack_that_is_accepted_later_ends_the_delay() -> None:
    order = refuse_pack(samples.appointed())

    order = tell(order, JobEvent.ACCEPTED)

    assert OrderCondition.DELAY not in order.conditions
    assert order.delay_code == ""


def test_buyer_cancels_an_order_whose_pack_was_refused() -> None:
    order = samples.cancel(refuse_pack(samples.appointed()))

    assert order.state == OrderState.CANCELLED
    assert not is_cancel_queued(job_of(order))
    assert used_slots(order) == 0


@pytest.mark.parametrize("request_of", [samples.cancel, amended])
def test_request_that_waits_for_the_partner_goes_on_when_the_pack_is_refused(
    request_of: Callable[[Order], Order],
) -> None:
    """The cancelJob behind a refused createJob never goes out: there is nothing to cancel."""
    order = request_of(samples.appointed())
    assert samples.kinds(order)[-1] in {"cancellationPending", "amendmentPending"}

    order = refuse_pack(order)

    assert samples.kinds(order)[-1] in {"cancellationAccepted", "amendmentAccepted"}
    assert used_slots(order) == (1 if order.is_in_flight else 0)


# --- cancelJob accepted or refused -----------------------------------------------------------------------------
def test_amended_appointment_cancels_the_job_and_sends_a_new_pack() -> None:
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
    """409 installationStarted: the order stays in its state."""
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
    order = visit_samples.visited()
    order = samples.cancel(order)
    order = tell(order, JobEvent.CANCEL_REFUSED)
    assert samples.members_of(order, "cancellationRejected")["reason"]["code"] == reasons.CANCEL_TOO_LATE.code

    order = visit_samples.close(order, "SP")

    assert order.state == OrderState.COMPLETED


@pytest.mark.parametrize("code", ["SP", "RNA/NA", "NAPUV"])
def test_closure_that_is_faster_than_the_cancellation_settles_the_request(code: str) -> None:
    """The closure comes in while cancelJob is on its way; the cancellation is decided on by what is true then."""
    order = samples.cancel(visit_samples.visited())

    order = visit_samples.close(order, code)

    assert not order.is_in_flight
    assert not order.cancellations.filter(state="pending").exists()
    expected = "cancellationAccepted" if code == "RNA/NA" else "cancellationRejected"
    assert samples.kinds(order)[-1] == expected


def test_job_that_a_person_cancels_is_followed_by_another_for_its_order() -> None:
    """The order and its appointment stand: they must not be left without a visit for ever."""
    order = samples.appointed()
    samples.accepted(order)

    order = tell(order, JobEvent.CANCELLED)

    assert [visit.ended_at is None for visit in order.visits.order_by("id")] == [False, True]
    assert order.visits.get(ended_at=None).appointment == order.appointment


# --- cabinet slip and repair -----------------------------------------------------------------------------------
def slipped(order: Order, *, days: int) -> Order:
    """The cabinet goes live this many days after the appointment."""
    day = limits.local_day(order.appointment.starts_at) + timedelta(days)
    reappointments.move_release(order.location.cabinet, day=day)
    return samples.fresh(order)


def test_slip_cancels_appointment_and_job_and_appoints_again_after_the_live_date() -> None:
    """States, cabinet release date later than appointment date."""
    order = samples.appointed()
    first = samples.accepted(order)
    order = slipped(order, days=5)
    assert samples.kinds(order)[-1] == "cabinetSlip"
    assert OrderCondition.CABINET_SLIP in order.conditions
    assert (order.state, order.appointment, is_cancel_queued(first)) == (OrderState.COMMITTED, None, True)
    assert used_slots(order) == 0

    order = tell(order, JobEvent.CANCELLED)
    live = order.location.cabinet.release_on
    order = samples.at_midnight(order, live)
    assert order.visits.count() == 1
    order = samples.at_midnight(order, live + timedelta(days=1))

    assert samples.kinds(order)[-1] == "committed"
    assert limits.local_day(order.appointment.starts_at) > live
    assert order.visits.count() == 2
    assert OrderCondition.CABINET_SLIP not in order.conditions


def test_cabinet_that_goes_live_on_the_day_of_the_appointment_is_no_slip() -> None:
    order = slipped(samples.appointed(), days=0)

    assert samples.kinds(order)[-1] == "enniReserved"


@pytest.mark.parametrize("days", [-3, 4])
def test_slipped_order_follows_a_release_date_that_moves_again(days: int) -> None:
    order = slipped(samples.appointed(), days=10)
    samples.accepted(order)
    order = tell(order, JobEvent.CANCELLED)
    day = order.location.cabinet.release_on + timedelta(days)

    reappointments.move_release(order.location.cabinet, day=day)
    order = samples.at_midnight(order, day)
    assert order.appointment is None
    order = samples.at_midnight(order, day + timedelta(days=1))

    assert limits.local_day(order.appointment.starts_at) > day


def test_slip_waits_for_the_partner_before_it_appoints_again() -> None:
    order = samples.appointed()
    samples.accepted(order)
    order = slipped(order, days=2)
    order = samples.at_midnight(order, order.location.cabinet.release_on + timedelta(days=1))
    assert order.visits.count() == 1

    order = tell(order, JobEvent.CANCELLED)

    assert order.visits.count() == 2


def test_repair_is_left_out_when_the_buyer_has_a_new_appointment_already() -> None:
    order = visit_samples.close(visit_samples.visited(result=None), "CON")
    order = samples.amend(order, reservation_key=str(samples.reserve().key))
    assert OrderCondition.DELAY not in order.conditions

    order = samples.after(order, seconds=10 * samples.A_DAY)

    assert order.visits.count() == 2


def test_repair_of_the_first_fault_does_not_end_the_second() -> None:
    order = visit_samples.close(visit_samples.visited(result=None), "CON")
    order = samples.amend(order, reservation_key=str(samples.reserve().key))
    samples.accepted(order)
    order = samples.until(order, order.appointment.starts_at)
    order = visit_samples.close(order, "POP")

    open_repairs = visit_samples.due_names(order) & {visit_results.REPAIRED}
    assert len(open_repairs) == 1
    assert visit_samples.count_due(order, visit_results.REPAIRED) == 1


def test_without_a_free_slot_the_buyer_is_asked_for_an_appointment() -> None:
    order = visit_samples.visited(result=None)
    visit_samples.take_all_slots(order)

    order = visit_samples.close(order, "CPR")

    assert samples.members_of(order, "delay")["delay"]["code"] == reasons.DELAY_REAPPOINT.code
    assert TIME_OUT in visit_samples.due_names(order)


# --- several visits ----------------------------------------------------------------------------------------------
def test_three_visits_until_the_service_is_provided() -> None:
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
    """Whatever result the partner was given: the closure is taken, and a person is needed."""
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
    """REV codes refused: the message changes neither job nor order."""
    order = samples.appointed()
    job = samples.accepted(order)

    status = post(make.closed(job, closureCode=code), "closeJob")

    order, state = samples.fresh(order), Job.objects.get(pk=job.pk).state
    assert status == 422
    assert (order.state, state) == (OrderState.COMMITTED, JobState.ACCEPTED)
    assert visits.planned(order)


def test_answers_to_createJob_move_the_order() -> None:  # noqa: N802  # a wire name
    """As the worker settles them."""
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
