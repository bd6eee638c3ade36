"""Resolved, Closed, Re-Opened and 48 hours (States; D4, D5, D9, D14)."""

from datetime import UTC, datetime, timedelta

import pytest
from django.conf import settings

from seller_sandbox import clock
from seller_sandbox.faults import operator_actions, resolutions, silence
from seller_sandbox.faults.models import ClosureCode
from seller_sandbox.faults.ticket_closure_codes import closure_codes
from seller_sandbox.faults.wire.requests import FaultReportUpdateRequest
from seller_sandbox.tests.faults import samples

pytestmark = pytest.mark.usefixtures("network")


@pytest.mark.parametrize(
    "code", [ClosureCode(code) for code, row in closure_codes().items() if row.ends_ticket]
)
def test_each_closure_code_rides_on_resolved_and_closed(code: ClosureCode) -> None:
    report, row = samples.resolved(code=code), closure_codes()[code]
    resolution = samples.notification(report, "Resolved")["resolution"]
    assert report.get_state_display() == row.state
    samples.answer_resolution(report, accepted=True)

    assert [f"notify{name}" for name in samples.sent(report)][-2:] == [*row.messages]
    assert resolution["closure_code"] == code
    assert resolution["resolved_at"] == report.resolved_at.replace(microsecond=0)
    assert samples.notification(report, "Closed")["resolution"] == resolution


def test_accept_closes() -> None:
    report = samples.resolved()
    answer = samples.values(samples.answer_resolution(report, accepted=True))

    assert (answer["resolve_accepted"], answer["status"]) == (True, "Closed")
    assert samples.sent(report)[-1] == "Closed"
    assert samples.notification(report, "Closed")["closure"]["accepted_by"] == "Buyer"


def test_reject_re_opens_and_work_goes_on() -> None:
    report = samples.resolved()
    answer = samples.values(samples.answer_resolution(report, accepted=False, reason="Still slow"))
    update = samples.notification(report, "FaultReportUpdate")

    assert answer["status"] == "Re-Opened"
    assert update["state"] == "Re-Opened"
    assert "Still slow" in update["update_reason"]
    assert samples.after(report, seconds=60).state == "in_progress"
    assert samples.sent(report)[-2:] == ["FaultReportUpdate", "InProgress"]


def test_re_opened_once_and_resolved_again() -> None:
    report = samples.resolved()
    samples.answer_resolution(report, accepted=False)
    report = samples.after(report, seconds=60)
    samples.act(report, resolutions.resolve, code=ClosureCode.FNR, text="")
    samples.answer_resolution(report, accepted=True)

    assert samples.notification(report, "Closed")["resolution"]["closure_code"] == "FNR"


@pytest.mark.parametrize("make", [samples.pending, samples.accepted, samples.in_progress])
def test_reply_before_the_resolution_is_a_400(make: object) -> None:
    report = make()

    answer = samples.answer_resolution(report, accepted=True)
    assert (answer.status, samples.values(answer)["response_code"]) == (400, "5")
    assert samples.fresh(report).state == report.state


def test_closed_at_48_hours_and_not_a_second_before() -> None:
    report = samples.resolved()
    end = report.resolved_at + timedelta(hours=48)
    before = samples.after(report, seconds=int((end - clock.now()).total_seconds()) - 2)
    assert before.state == "resolved"
    closed = samples.until(report, end)

    assert (closed.state, closed.ended_at) == ("closed", end)
    content = samples.notification(closed, "Closed")
    assert content["closure"] == {"accepted_by": "Supplier", "text": silence.TEXT}


def test_hours_are_elapsed_ones_over_the_clock_change() -> None:
    summer = datetime(2027, 3, 27, 10, tzinfo=UTC)
    clock.move(seconds=int((summer - clock.now()).total_seconds()))
    report = samples.resolved()
    closed = samples.until(report, report.resolved_at + timedelta(hours=48))

    assert closed.ended_at - report.resolved_at == timedelta(hours=48)
    assert closed.ended_at.astimezone(settings.LOCAL_ZONE).utcoffset() == timedelta(hours=1)


def test_late_reply_is_a_400_also_when_nobody_has_closed_yet() -> None:
    report = samples.resolved()
    end = report.resolved_at + timedelta(hours=48)
    clock.advance(seconds=int((end - clock.now()).total_seconds()) + 1)
    answer = samples.answer_resolution(report, accepted=False)

    closed = samples.fresh(report)
    assert samples.values(answer)["response_code"] == "5"
    assert (closed.state, closed.ended_at) == ("closed", end)


def test_reply_in_the_last_second_counts() -> None:
    report = samples.resolved()
    end = report.resolved_at + timedelta(hours=48)
    clock.advance(seconds=int((end - clock.now()).total_seconds()) - 5)

    assert samples.answer_resolution(report, accepted=False).status == 200
    assert samples.after(report, seconds=3600).state == "in_progress"


def test_re_opened_ticket_is_not_closed_by_the_first_48_hours() -> None:
    report = samples.resolved()
    samples.answer_resolution(report, accepted=False)

    assert samples.after(report, seconds=49 * 3600).state == "in_progress"


def test_resolution_gives_a_booked_slot_back() -> None:
    report = samples.resolved(samples.outage())

    assert report.appointment is None
    assert samples.sent(report)[-2:] == ["AppointmentCancelled", "Resolved"]


@pytest.mark.parametrize("make", [samples.accepted, samples.in_progress, samples.resolved])
def test_requested_update_is_the_full_one(make: object) -> None:
    report = make()
    message = FaultReportUpdateRequest(
        samples.header(), report.buyer_fault_reference, report.maintainer_fault_reference
    )
    answer = samples.values(samples.send(message))
    update = samples.notification(report, "FaultReportUpdate")

    assert answer["status"] == report.get_state_display()
    assert update["description"] == report.description
    assert update["state"] == report.get_state_display()


def test_update_of_an_unknown_fault_is_a_400() -> None:
    report = samples.pending()
    message = FaultReportUpdateRequest(
        samples.header(), report.buyer_fault_reference, report.maintainer_fault_reference
    )

    assert samples.values(samples.send(message))["response_code"] == "4"


def test_cancelled_by_the_operator_with_slot_and_reason() -> None:
    report = samples.in_progress(samples.outage())
    report = samples.act(report, operator_actions.cancel, reason="Duplicate of another fault")

    assert report.state == "cancelled"
    assert samples.sent(report)[-2:] == ["AppointmentCancelled", "Cancelled"]
    assert samples.notification(report, "Cancelled")["cancellation_reason"] == "Duplicate of another fault"
