"""Pages and buttons of tickets in the console."""

from datetime import datetime

import pytest
from django.test import Client

from seller_sandbox.console import text_formats
from seller_sandbox.console.tickets import ticket_forms
from seller_sandbox.console.tickets.ticket_control_requests import TICKET_ACTIONS
from seller_sandbox.faults import operator_actions
from seller_sandbox.faults.revisits import visits
from seller_sandbox.tests.faults import samples, visit_samples
from seller_sandbox.tests.orders.console_client import page, press

pytestmark = pytest.mark.usefixtures("network")


def test_list_says_what_there_is(client: Client) -> None:
    assert "No ticket yet" in page(client, "/tickets")
    report = samples.in_progress(samples.outage())
    text = page(client, "/tickets")

    assert report.maintainer_fault_reference in text
    assert "Service Outage" in text
    assert "In Progress" in text


def test_list_is_searched(client: Client) -> None:
    report = samples.in_progress()

    for query in (f"q={report.buyer_fault_reference[:8]}", "buyer=BUYERA", "state=in_progress"):
        assert report.maintainer_fault_reference in page(client, f"/tickets?{query}")
    assert "No ticket matches" in page(client, "/tickets?state=closed")


def test_ticket_shows_timeline_notifications_and_facts(client: Client) -> None:
    report = samples.in_progress(samples.outage())
    text = page(client, f"/tickets/{report.maintainer_fault_reference}")

    for wanted in (
        "Fault report received",
        "Validation passed",
        "Appointment confirmed",
        "Triage started",
        "Buyer notified: Fault report accepted",
        "SLA clock",
        "Diagnostics before the report no",
        "Ada Bell",
    ):
        assert wanted in text, wanted


@pytest.mark.triage
def test_triage_is_described_in_words_and_leads_to_the_line(client: Client) -> None:
    report = visit_samples.with_visit()
    text = page(client, f"/tickets/{report.maintainer_fault_reference}")
    content = client.get(f"/tickets/{report.maintainer_fault_reference}").content.decode()

    assert f"Triaged {text_formats.full_time(datetime.fromisoformat(report.triage['at']))}" in text
    assert "Triage CFH001: The line is down on our side" in text
    assert "network_fault" not in text
    assert report.triage["at"] not in text
    assert f'href="/network/{samples.UPRN}/line"' in content


def test_buttons_do_what_the_table_says(client: Client) -> None:
    report = samples.in_progress()
    path = f"tickets/{report.maintainer_fault_reference}"
    text = press(client, f"{path}/hold", reason="Which lights?", contacts_end_user="no")
    assert "Done: put on hold." in text
    assert "On hold: Which lights?" in text
    assert "No answer" in press(client, f"{path}/contact", outcome="No answer at the door")
    press(client, f"{path}/information", text="Only the power light")
    assert "FR Fault Resolved" in press(client, f"{path}/resolve", code="FR", text="Splice renewed")


def test_button_that_is_not_possible_says_so(client: Client) -> None:
    report = samples.accepted()
    text = press(client, f"tickets/{report.maintainer_fault_reference}/hold", reason="Why")

    assert "Nothing was changed. Put on hold is not possible while a ticket is Accepted." in text


def test_local_times_of_a_form_are_read(client: Client) -> None:
    report = samples.in_progress()
    slot = samples.reserve()
    local = {
        "starts_at": slot.starts_at.strftime("%Y-%m-%dT%H:%M"),
        "ends_at": slot.ends_at.strftime("%Y-%m-%dT%H:%M"),
    }
    press(client, f"tickets/{report.maintainer_fault_reference}/book-visit", **local)

    assert samples.fresh(report).appointment.starts_at == slot.starts_at


def test_switch_of_the_list(client: Client) -> None:
    assert "is answered with Rejected at once" in press(
        client, "tickets/switch", rejects_at_once="yes", next="/tickets"
    )
    assert "answered with Pending" in press(client, "tickets/switch", rejects_at_once="no", next="/tickets")


def test_only_possible_actions_are_offered() -> None:
    accepted, closed = samples.accepted(), samples.resolved()
    samples.answer_resolution(closed, accepted=True)

    assert "start-triage" in {form.action for form in ticket_forms.make_forms(accepted)}
    assert {form.action for form in ticket_forms.make_forms(samples.fresh(closed))} == {
        "chargeable",
        "send-again",
        "repeat",
    }


def test_each_member_of_an_action_has_a_field() -> None:
    assert {
        name for action in TICKET_ACTIONS.values() for name in action.readers
    } <= ticket_forms.FIELDS.keys()


def test_clock_names_the_ticket(client: Client) -> None:
    report = samples.resolved()
    text = page(client, "/clock")

    assert "Close the ticket: the buyer has not replied" in text
    assert report.maintainer_fault_reference in text


def test_rejected_report_and_unknown_ticket(client: Client) -> None:
    report = samples.after(samples.pending(samples.request(description="")), seconds=60)

    assert "faultDetails/description is missing" in page(
        client, f"/tickets/{report.maintainer_fault_reference}"
    )
    assert client.get("/tickets/FT-0").status_code == 404


def test_message_log_and_job_link_to_the_ticket(client: Client) -> None:
    report = samples.in_progress(samples.outage())
    link = f'href="/tickets/{report.maintainer_fault_reference}"'
    samples.act(report, operator_actions.need_visit, text="")
    samples.act(report, visits.send_if_due)
    job = report.visits.get().job

    assert link in client.get("/messages?operation=addFaultReport").content.decode()
    assert "notifyOnHold" in page(client, "/messages")
    assert link in client.get(f"/jobs/{job.seller_job_id}").content.decode()
