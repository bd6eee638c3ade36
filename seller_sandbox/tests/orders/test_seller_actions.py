"""What a person at the seller does with an order (order-provisioning.md, States; order-decisions.md)."""

from datetime import timedelta
from uuid import uuid4

import pytest

from seller_sandbox import clock
from seller_sandbox.jobs.exceptions import ActionNotPossible
from seller_sandbox.jobs.models import Job
from seller_sandbox.messages.models import OutboundState
from seller_sandbox.orders import limits, reasons, seller_actions
from seller_sandbox.orders.completion import ScannedOnt
from seller_sandbox.orders.models import Order
from seller_sandbox.orders.states import OrderCondition, OrderState
from seller_sandbox.tests.orders import samples, visit_samples

pytestmark = pytest.mark.usefixtures("network")
NEW_ONT = ScannedOnt(fsan="ALCL0A0B0C0D", serial_number="0000000012345")


def activated() -> Order:
    """A committed order that is activated without an engineer tomorrow or later."""
    return samples.placed(
        uprn=samples.uprn(10), requested_date=limits.earliest_activation(samples.clock.today())
    )


def test_seller_cancels_with_its_reason() -> None:
    """States, seller cancel."""
    order = samples.placed()

    seller_actions.cancel(**samples.ref(order), code="573", message="The road has gone")

    order = samples.fresh(order)
    assert (order.state, order.end_code, order.end_reason) == ("cancelled", "573", "The road has gone")
    assert samples.last_members(order)["reason"] == {"code": "573", "message": "The road has gone"}


def test_an_ended_order_cannot_be_cancelled() -> None:
    """States, seller cancel."""
    order = samples.placed(uprn="none")

    with pytest.raises(ActionNotPossible, match="is not possible while an order is Rejected"):
        seller_actions.cancel(**samples.ref(order))


def test_a_failed_activation_is_a_delay_until_one_succeeds() -> None:
    """States, completion: Completed needs service provisioned."""
    order = activated()

    seller_actions.record_activation(**samples.ref(order), succeeded=False)
    order = samples.at_midnight(order, order.requested_date + timedelta(days=3))
    assert (order.state, order.delay_code) == (OrderState.COMMITTED, "234")
    assert samples.members_of(order, "delay")["delay"]["next_best_action"] == "Wait for the seller"
    seller_actions.record_activation(**samples.ref(order), succeeded=True)

    order = samples.after(order, seconds=samples.A_MINUTE)
    assert order.state == OrderState.COMPLETED
    assert samples.kinds(order)[-2:] == ["delay", "completed"]


def test_another_date_does_not_complete_an_order_whose_activation_failed() -> None:
    """States, completion: only with the service provided."""
    order = activated()
    seller_actions.record_activation(**samples.ref(order), succeeded=False)
    day = samples.days_ahead(20)

    order = samples.at_midnight(samples.amend(order, requested_date=day.isoformat()), day)
    assert (order.state, order.delay_code) == (OrderState.COMMITTED, reasons.DELAY_ACTIVATION.code)
    seller_actions.record_activation(**samples.ref(order), succeeded=True)

    assert samples.after(order, seconds=samples.A_MINUTE).state == OrderState.COMPLETED


def test_a_visit_is_not_activated_by_the_seller() -> None:
    """States, completion."""
    order = samples.appointed()

    with pytest.raises(ActionNotPossible, match="provisioning result of its job"):
        seller_actions.record_activation(**samples.ref(order), succeeded=True)


@pytest.mark.parametrize("code", ["590", "591", "592"])
def test_completion_carries_the_warning_that_was_noted(code: str) -> None:
    """States, completion: Warning included when there is no CPE or the speed check failed."""
    order = activated()

    seller_actions.note_warning(**samples.ref(order), code=code)
    assert OrderCondition.WARNING in samples.fresh(order).conditions
    order = samples.at_midnight(order, order.requested_date)

    assert samples.members_of(order, "completed")["warning"]["code"] == code


@pytest.mark.parametrize("code", ["590", "591"])
def test_warning_that_was_noted_comes_before_that_of_a_partial_install(code: str) -> None:
    """States, completion: the document's two are not lost when the partner closes with PSP."""
    order = visit_samples.visited()
    seller_actions.note_warning(**samples.ref(order), code=code)

    order = visit_samples.close(order, "PSP")

    assert samples.members_of(order, "completed")["warning"]["code"] == code


def test_unknown_codes_are_named_with_those_that_are_known() -> None:
    """D20."""
    order = activated()

    with pytest.raises(ActionNotPossible, match="'1' is none of 590, 591, 592"):
        seller_actions.note_warning(**samples.ref(order), code="1")
    with pytest.raises(ActionNotPossible, match="'1' is none of 203, 210, 220"):
        seller_actions.delay(**samples.ref(order), code="1")


def test_pets_delay_an_order_until_the_delay_is_ended() -> None:
    """Other codes, 220."""
    order = samples.appointed()

    seller_actions.delay(**samples.ref(order), code="220")
    assert samples.last_members(order)["delay"]["code"] == "220"
    seller_actions.end_delay(**samples.ref(order))

    assert OrderCondition.DELAY not in samples.fresh(order).conditions
    with pytest.raises(ActionNotPossible, match="not delayed"):
        seller_actions.end_delay(**samples.ref(order))


def test_a_person_completes_an_order_that_waits_for_a_decision() -> None:
    """States, completion."""
    order = visit_samples.close_unseen(samples.appointed(), "OTHER")

    with pytest.raises(ActionNotPossible, match="No ONT is known"):
        seller_actions.complete(**samples.ref(order))
    seller_actions.complete(**samples.ref(order), ont=NEW_ONT)

    order = samples.fresh(order)
    assert order.state == OrderState.COMPLETED
    assert order.service.ont.fsan == NEW_ONT.fsan


def test_a_device_that_is_installed_elsewhere_is_not_taken_for_this_order() -> None:
    """States, completion."""
    first = visit_samples.close_unseen(samples.appointed(), "OTHER")
    seller_actions.complete(**samples.ref(first), ont=NEW_ONT)
    order = visit_samples.close_unseen(samples.appointed(situation=2), "OTHER")

    with pytest.raises(ActionNotPossible, match=NEW_ONT.fsan):
        seller_actions.complete(**samples.ref(order), ont=NEW_ONT)


def test_an_order_with_a_planned_visit_is_not_completed_by_hand() -> None:
    """States, completion."""
    order = samples.appointed()

    with pytest.raises(ActionNotPossible, match="visit of the partner is planned"):
        seller_actions.complete(**samples.ref(order))


def test_a_case_is_raised_commented_and_closed() -> None:
    """Events, case comments."""
    order = samples.appointed()

    case = seller_actions.open_case(**samples.ref(order), text="Is the drive shared?")
    seller_actions.comment_case(**samples.ref(order), case=case.reference, text="Please answer")
    seller_actions.close_case(**samples.ref(order), case=case.reference, text="Thank you")

    sent = [message.members.get("case") for message in order.thread.outbound.order_by("-seq")[:3]]
    assert [(found["text"], found["is_open"]) for found in reversed(sent)] == [
        ("Is the drive shared?", True),
        ("Please answer", True),
        ("Thank you", False),
    ]
    with pytest.raises(ActionNotPossible, match="is closed"):
        seller_actions.comment_case(**samples.ref(order), case=case.reference, text="One more")
    with pytest.raises(ActionNotPossible, match="has no case nothing"):
        seller_actions.close_case(**samples.ref(order), case="nothing")


def test_what_buyer_and_partner_refused_is_sent_again() -> None:
    """Issue 13, 5."""
    order = samples.appointed()
    job = Job.objects.get()
    for thread in (order.thread, job.thread):
        thread.outbound.filter(seq=1).update(state=OutboundState.REFUSED)

    assert seller_actions.send_refused_again(**samples.ref(order)) == 2
    assert not order.thread.outbound.filter(state=OutboundState.REFUSED).exists()


def test_a_delivered_notification_is_repeated_as_it_was() -> None:
    """Issue 13, 5."""
    order = samples.placed()
    with pytest.raises(ActionNotPossible, match="was delivered yet"):
        seller_actions.repeat_notification(**samples.ref(order))
    first = order.thread.outbound.get(seq=1)
    order.thread.outbound.update(state=OutboundState.DELIVERED, body="<sent/>")

    again = seller_actions.repeat_notification(**samples.ref(order), message_id=first.message_id)

    assert (again.message_id, again.body) == (first.message_id, "<sent/>")
    with pytest.raises(ActionNotPossible, match="was delivered yet"):
        seller_actions.repeat_notification(**samples.ref(order), message_id=uuid4())


def test_compensation_is_decided_by_flags_that_a_person_sets() -> None:
    """Missed Appointment rules 3 and 7, MBORC rules; the rules themselves: test_missed_appointments.py."""
    order = visit_samples.close_unseen(samples.appointed(), "FTA")

    seller_actions.declare_mborc(**samples.ref(order))
    order = samples.after(order, seconds=9 * samples.A_DAY)

    flags = samples.members_of(order, "missedAppointment")["missed_appointment"]
    assert (flags["is_seller_missed"], flags["is_mborc"]) == (True, True)


def test_a_visit_outside_the_slot_was_agreed() -> None:
    """Missed Appointment rules 3."""
    order = samples.appointed()
    job = samples.accepted(order)

    seller_actions.record_agreed_visit(**samples.ref(order), job=job.seller_job_id)
    order = visit_samples.close(samples.until(order, order.appointment.ends_at), "CON")
    order = samples.after(order, seconds=2 * samples.A_DAY)

    assert samples.members_of(order, "missedAppointment")["missed_appointment"]["is_end_user_pre_agreed"]
    with pytest.raises(ActionNotPossible, match="no such visit"):
        seller_actions.record_agreed_visit(**samples.ref(order), job="none")


def test_an_exclusion_is_recorded_with_its_days() -> None:
    """Exclusion reason codes."""
    order = samples.appointed()
    today = clock.today()

    seller_actions.add_exclusion(**samples.ref(order), code="RC010", starts_on=today, ends_on=today)

    assert order.exclusions.get().code == "RC010"
    with pytest.raises(ActionNotPossible, match="is none of RC001"):
        seller_actions.add_exclusion(**samples.ref(order), code="RC9", starts_on=today, ends_on=today)
