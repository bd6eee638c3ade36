"""The control interface for tickets: each action of the operator is one request, notifications are read as JSON."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from seller_sandbox import clock
from seller_sandbox.console.tickets.ticket_control_requests import TICKET_ACTIONS
from seller_sandbox.diagnostics import diagnostics_runs, line_states
from seller_sandbox.diagnostics.models import DiagnosticsRun
from seller_sandbox.faults.models import FaultReport
from seller_sandbox.messages import outbox
from seller_sandbox.tests.faults import samples, visit_samples
from seller_sandbox.tests.orders.console_client import page
from seller_sandbox.tests.processes import Response

pytestmark = pytest.mark.usefixtures("network")


@pytest.fixture
def control() -> Client:
    return Client(headers={"X-Sandbox-Control": "1"}, enforce_csrf_checks=True)


def post(control: Client, path: str, body: Any = None) -> Response:
    response = control.post(f"/api/{path}", data=json.dumps(body or {}), content_type="application/json")
    return Response(response.status_code, response.json())


def get(control: Client, path: str) -> Response:
    response = control.get(f"/api/{path}")
    return Response(response.status_code, response.json())


def act(control: Client, report: FaultReport, action: str, **members: Any) -> Response:
    return post(control, f"tickets/{report.maintainer_fault_reference}/{action}", members)


def test_tickets_are_found_by_buyer_reference_service_and_state(control: Client) -> None:
    mine = samples.accepted()
    foreign = samples.service(samples.FOREIGN_UPRN).service_identifier
    samples.accepted(samples.request(who="BUYERB", service_affected=foreign))

    for query in (
        "buyer=BUYERA",
        f"reference={mine.maintainer_fault_reference}",
        f"reference={mine.buyer_fault_reference}",
        f"service={mine.service_affected}",
    ):
        found = get(control, f"tickets?{query}").body["tickets"]
        assert [row["buyerFaultReference"] for row in found] == [mine.buyer_fault_reference]
    assert get(control, "tickets?state=closed").body == {"tickets": [], "more": False}
    first = get(control, "tickets?limit=1").body
    assert first["more"]
    assert len(get(control, f"tickets?after={first['tickets'][0]['id']}").body["tickets"]) == 1


def test_search_that_cannot_be_read_is_explained(control: Client) -> None:
    refused = get(control, "tickets?state=lost")

    assert refused.status == 400
    assert "must be one of pending" in refused.body["mistakes"][0]


def test_hold_contact_and_information(control: Client) -> None:
    report = samples.in_progress()
    held = act(control, report, "hold", reason="Which lights?", contacts_end_user=False).body["ticket"]
    act(control, report, "contact", outcome="Mailbox")
    full = act(control, report, "information", text="Only the power light").body["ticket"]

    assert (held["status"], held["hold_reason"]) == ("On Hold", "Which lights?")
    assert held["sla"]["is_running"] is False
    assert [row["outcome"] for row in full["contact_attempts"]] == ["Mailbox"]
    assert full["status"] == "In Progress"
    assert full["sla"]["is_running"] is True


def test_third_call_and_wrong_state_are_a_409(control: Client) -> None:
    report = samples.in_progress()
    early = act(control, report, "contact")
    act(control, report, "hold", reason="Why", contacts_end_user=False)
    for _ in range(3):
        act(control, report, "contact")
    third_call = act(control, report, "contact")

    assert (early.status, third_call.status) == (409, 409)
    assert "no third call" in third_call.body["error"]
    assert act(control, report, "hold", reason="Again").status == 409


def test_visit_is_needed_and_booked(control: Client) -> None:
    report = samples.in_progress()
    slot = samples.reserve()
    act(control, report, "need-visit")
    times = {"starts_at": slot.starts_at.isoformat(), "ends_at": slot.ends_at.isoformat()}
    booked = act(control, report, "book-visit", **times).body["ticket"]
    wrong = act(control, report, "book-visit", starts_at=times["ends_at"], ends_at=times["starts_at"])

    assert booked["is_visit_needed"]
    assert booked["appointment"]["state"] == "booked"
    assert wrong.status == 409


def test_visit_is_not_asked_for_when_no_amendment_is_taken(control: Client) -> None:
    """As hold, information and book-visit in this state: the buyer would be asked to do what is refused."""
    report = samples.in_progress()
    act(control, report, "resolve", code="SREQ")
    before = samples.sent(report)

    refused = act(control, report, "need-visit")

    assert (refused.status, "while a ticket is Resolved" in refused.body["error"]) == (409, True)
    assert (samples.sent(report), samples.fresh(report).is_visit_needed) == (before, False)


@pytest.mark.triage
def test_no_other_visit_is_booked_while_the_engineer_is_on_site(control: Client) -> None:
    report = visit_samples.on_site()
    before = samples.sent(report)
    slot = samples.reserve(number=2)
    times = {"starts_at": slot.starts_at.isoformat(), "ends_at": slot.ends_at.isoformat()}
    refused = act(control, report, "book-visit", **times)

    assert (refused.status, "on site" in refused.body["error"]) == (409, True)
    assert samples.sent(report) == before


@pytest.mark.parametrize("text", ["half a \ud800 pair", "a \x00 b", " "])
def test_text_that_no_message_can_carry_is_a_400(control: Client, text: str) -> None:
    report = samples.in_progress()

    assert act(control, report, "update", text=text).status == 400
    assert act(control, report, "hold", reason=text).status == 400
    assert not samples.fresh(report).updates.exists()


def test_update_file_charge_resolve_and_cancel(control: Client) -> None:
    report, other = samples.in_progress(), samples.in_progress()
    act(control, report, "update", text="A splice is open")
    act(control, report, "file", name="splice.jpg")
    act(control, report, "chargeable", is_chargeable=True)
    full = act(control, report, "resolve", code="SREQ", text="Service request").body["ticket"]
    cancelled = act(control, other, "cancel", reason="Duplicate").body["ticket"]

    assert full["updates"][0]["text"] == "A splice is open"
    assert full["files"][0]["fileName"] == "splice.jpg"
    assert (full["is_chargeable"], full["closure_code"], full["status"]) == (True, "SREQ", "Resolved")
    assert cancelled["status"] == "Cancelled"


def test_triage_starts_at_once(control: Client) -> None:
    report = samples.accepted()

    assert act(control, report, "start-triage").body["ticket"]["status"] == "In Progress"
    assert samples.sent(samples.after(report, seconds=60)) == ["Accepted", "InProgress"]


def test_members_are_named_when_they_are_wrong(control: Client) -> None:
    report = samples.in_progress()
    refused = act(control, report, "resolve", code="XX", colour="red")

    assert refused.status == 400
    assert len(refused.body["mistakes"]) == 2
    assert act(control, report, "hold").body["mistakes"] == ["reason is missing"]


def test_unknown_ticket_and_action_are_a_404(control: Client) -> None:
    report = samples.in_progress()

    assert get(control, "tickets/FT-0").status == 404
    assert "actions are" in act(control, report, "explode").body["error"]


def test_notifications_of_a_ticket_and_of_a_buyer(control: Client) -> None:
    report = samples.in_progress()
    samples.in_progress()
    mine = get(control, f"ticket-notifications?ticket={report.maintainer_fault_reference}").body[
        "notifications"
    ]
    all_of_buyer = get(control, "ticket-notifications?buyer=BUYERA").body["notifications"]

    assert [row["path"] for row in mine] == ["notifyAccepted", "notifyInProgress"]
    assert mine[0]["maintainerFaultReference"] == report.maintainer_fault_reference
    assert mine[0]["xml"] is None
    assert len(all_of_buyer) == 4
    assert get(control, "ticket-notifications?buyer=BUYERB").body["notifications"] == []
    assert get(control, f"ticket-notifications?since={all_of_buyer[-1]['id']}").body["notifications"] == []


def test_xml_is_shown_once_it_was_sent(control: Client) -> None:
    samples.accepted()
    outbox.claim()

    assert "notifyAccepted" in get(control, "ticket-notifications").body["notifications"][0]["xml"]


def test_repeat_needs_a_delivered_notification(control: Client) -> None:
    report = samples.accepted()
    refused = act(control, report, "repeat")
    report.thread.outbound.update(state="delivered")
    again = act(control, report, "repeat")

    assert refused.status == 409
    assert again.body["messageId"] == str(report.thread.outbound.first().message_id)


def test_refused_messages_go_again(control: Client) -> None:
    report = samples.accepted()
    report.thread.outbound.update(state="refused")

    assert act(control, report, "send-again").body["queued"] == 1


def test_switch_for_rejection_at_once(control: Client) -> None:
    assert get(control, "ticket-switch").body == {"rejects_at_once": False}
    assert post(control, "ticket-switch", {"rejects_at_once": True}).body == {"rejects_at_once": True}
    assert samples.values(samples.send(samples.request(description="")))["status"] == "Rejected"


def record_run(service_identifier: str, *, caller: str, message_id: str, code: str) -> None:
    diagnostics_runs.record(
        DiagnosticsRun(
            service_identifier=service_identifier,
            caller=caller,
            message_id=message_id,
            code=code,
            run_at=clock.now(),
        )
    )


def test_ticket_says_whether_diagnostics_came_before(control: Client) -> None:
    without = samples.accepted()
    service = samples.service().service_identifier
    record_run(service, caller="buyer-b", message_id="1", code="AOK001")
    foreign = samples.accepted()
    record_run(service, caller="buyer-a", message_id="2", code="STF001")
    after = samples.accepted()
    clock.move(seconds=25 * 3600)
    too_early = samples.accepted()

    found = [report.had_diagnostics for report in (without, foreign, after, too_early)]
    assert found == [False, False, True, False]
    path = f"tickets/{after.maintainer_fault_reference}"
    assert get(control, path).body["had_diagnostics"] is True


@pytest.mark.triage
def test_visit_missed_beyond_control_and_repair(control: Client) -> None:
    report = visit_samples.with_visit()

    declared = act(control, report, "mborc")
    repaired = act(control, report, "repair").body["ticket"]

    assert declared.status == 200
    assert repaired["status"] == "In Progress"
    assert line_states.is_up(report.service)
    assert act(control, samples.in_progress(), "mborc").status == 409


@pytest.mark.triage
def test_missed_visit_says_what_is_payable(control: Client) -> None:
    """Compensation is on no wire: control interface and console show it."""
    report = visit_samples.with_visit()
    report = samples.until(report, report.appointment.ends_at)

    visit = act(control, report, "mborc", job=report.visits.get().job.seller_job_id).body["ticket"]["visits"][
        0
    ]

    assert visit["missed"] == {
        "code": "MBORC",
        "is_late_repair_payable": True,
        "is_missed_appointment_payable": False,
    }
    text = page(Client(), f"/tickets/{report.maintainer_fault_reference}")
    assert "Missed: MBORC Matters Beyond Reasonable Control." in text
    assert "Late repair payable yes, Missed appointment payable no" in text


def test_each_action_has_a_test() -> None:
    text = Path(__file__).read_text()

    assert [name for name in TICKET_ACTIONS if f'"{name}"' not in text] == []
