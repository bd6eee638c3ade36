"""The thirteen notifications: each on its own path, by schema, in order per ticket, retried, replayable (Events)."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from seller_sandbox import clock
from seller_sandbox.faults import appointing, holds, lifecycle, notifying, operator_actions, resolutions
from seller_sandbox.faults.models import ClosureCode, FaultReport
from seller_sandbox.faults.states import FaultEventKind, FaultNotificationKind
from seller_sandbox.faults.wire import notifications, seller_messages
from seller_sandbox.messages import outbox
from seller_sandbox.messages.client import Reply
from seller_sandbox.messages.models import OutboundMessage, OutboundState
from seller_sandbox.messages.verdicts import DeliveryOutcome
from seller_sandbox.soap import callback
from seller_sandbox.tests.faults import samples

pytestmark = pytest.mark.usefixtures("network")
_K = FaultNotificationKind


def whole_life() -> FaultReport:
    """A ticket in which everything happens, and a rejected one."""
    samples.after(samples.pending(samples.request(description="")), seconds=60)
    report = samples.in_progress(samples.outage())
    samples.act(report, lifecycle.apply, kind=FaultEventKind.TRIAGED, update_reason="Triage completed")
    samples.amend(report, description="No light")
    now = clock.now().isoformat()
    missed = {"missed_at": now, "reason": "No engineer", "missed_by": "Supplier", "code": "FTA"}
    samples.act(report, appointing.miss, **missed)
    samples.act(report, holds.begin, reason="Another slot")
    key = str(samples.reserve(number=3).key)
    samples.amend(report, appointment_reservation_key=key)
    key = str(samples.reserve(number=4).key)
    samples.amend(report, appointment_reservation_key=key)
    samples.act(report, appointing.complete, completed_at=now, outcome="COMP")
    report = samples.act(report, resolutions.resolve, code=ClosureCode.FR, text="Splice renewed")
    samples.answer_resolution(report, accepted=True)
    samples.act(samples.in_progress(), operator_actions.cancel, reason="Duplicate")
    return report


def test_each_kind_is_sent_on_a_path_of_its_own_and_valid_by_the_schema() -> None:
    whole_life()
    messages = OutboundMessage.objects.all()

    assert {message.operation for message in messages} == set(_K.values)
    for message in messages:
        name, content = seller_messages.read(notifying.compose(message).encode())
        assert name == message.operation
        assert content["message_id"] == str(message.message_id)
        assert [url.rpartition("/")[2] for url in notifying.addresses(message)] == [name]


def test_notification_of_a_moved_clock_has_the_time_at_which_it_fell_due() -> None:
    """Limits, 48 hours; D9: it closes then, and says so then, however much later it is delivered."""
    report = samples.resolved()
    closes_at = report.resolved_at + timedelta(hours=48)

    report = samples.after(report, seconds=20 * 86_400)

    closed = samples.notification(report, "Closed")
    assert datetime.fromisoformat(str(closed["sent_at"])) == closes_at.replace(microsecond=0)
    assert samples.sent(report)[-1] == "Closed"


def test_buyer_hears_what_happened_to_appointments() -> None:
    report = whole_life()
    missed = samples.notification(report, "MissedAppointment")["missed_appointment"]
    completed = samples.notification(report, "AppointmentCompleted")["completed_appointment"]
    cancelled = samples.notification(report, "AppointmentCancelled")["appointment"]

    assert (missed["reason"], missed["missed_by"], missed["code"]) == ("No engineer", "Supplier", "FTA")
    assert missed["missed_at"]
    assert completed["outcome"] == "COMP"
    assert completed["completed_at"]
    assert (cancelled["status"], cancelled["reason"]) == ("Cancelled", "Amended by the buyer")


def test_slot_of_a_missed_or_completed_visit_is_not_cancelled_again() -> None:
    report = whole_life()

    assert samples.sent(report).count("AppointmentCancelled") == 1


@pytest.mark.parametrize("kind", list(notifications.REQUIRED))
def test_member_without_which_a_kind_says_nothing_is_named(kind: FaultNotificationKind) -> None:
    with pytest.raises(ValueError, match=notifications.REQUIRED[kind][0]):
        notifications.notification(kind, {})


def test_triage_travels_in_the_update() -> None:
    report = samples.in_progress()
    report.triage = {
        "code": "CFH001",
        "findings": "ONT is down",
        "decision": "A visit is needed",
        "at": clock.now().isoformat(),
    }
    report.save()
    samples.act(report, lifecycle.apply, kind=FaultEventKind.TRIAGED, update_reason="Triage completed")

    content = samples.notification(report, "FaultReportUpdate")
    assert content["triage"]["code"] == "CFH001"
    assert content["triage"]["decision"] == "A visit is needed"


def _reply(message: OutboundMessage, **members: Any) -> Reply:
    name = f"{message.operation}Response"
    content = callback.acknowledge(str(message.message_id), namespace="urn:sandbox-seller:faults", name=name)
    return Reply(**{"status": 200, "content": content, **members})


def test_only_the_acknowledgement_of_this_message_delivers() -> None:
    message = samples.accepted().thread.outbound.get()
    other = callback.acknowledge(
        str(message.message_id), namespace="urn:sandbox-seller:faults", name="notifyClosedResponse"
    )

    assert notifying.judge(message, _reply(message)).outcome == DeliveryOutcome.DELIVERED
    for wrong in ({"content": b"OK"}, {"content": other}, {"status": 503}):
        assert notifying.judge(message, _reply(message, **wrong)).outcome == DeliveryOutcome.TRY_AGAIN


def test_second_notification_waits_for_the_first_and_a_repeat_is_the_same() -> None:
    report = samples.in_progress()
    first = outbox.claim()
    assert first.operation == "notifyAccepted"
    assert outbox.claim() is None
    outbox.settle(first, notifying.judge(first, _reply(first, status=503)))
    clock.move(seconds=60)
    again = outbox.claim()

    assert (again.message_id, again.body) == (first.message_id, first.body)
    outbox.settle(again, notifying.judge(again, _reply(again)))
    assert outbox.claim().operation == "notifyInProgress"
    assert report.thread.outbound.filter(state=OutboundState.DELIVERED).count() == 1


def test_replay_has_the_same_id_and_body() -> None:
    samples.accepted()
    message = outbox.claim()
    outbox.settle(message, notifying.judge(message, _reply(message)))
    again = outbox.repeat(message)

    assert (again.message_id, again.body) == (message.message_id, message.body)
