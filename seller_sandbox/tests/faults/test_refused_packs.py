"""A job pack that the partner refused: the ticket shows it with the reason, and the operator sends it again."""

import pytest
from django.test import Client

from seller_sandbox.diagnostics import line_states
from seller_sandbox.faults.models import FaultReport
from seller_sandbox.jobs.models import Job, JobState
from seller_sandbox.messages import outbox
from seller_sandbox.messages.models import OutboundMessage, OutboundState
from seller_sandbox.messages.verdicts import DeliveryOutcome, Verdict
from seller_sandbox.tests.faults import samples, visit_samples
from seller_sandbox.tests.orders.console_client import page, press

pytestmark = [pytest.mark.usefixtures("network"), pytest.mark.triage]
FAULT = {
    "fault": {
        "faultcode": "invalidMessage",
        "faultmessage": "The message is wrong",
        "detail": [{"field": "/product", "code": "missingProperty", "message": "is missing"}],
    }
}
REASON = "422 invalidMessage, The message is wrong, /product is missing"


def job_of(report: FaultReport) -> Job:
    return visit_samples.visit(report).job


def pack_of(report: FaultReport) -> OutboundMessage:
    return job_of(report).thread.outbound.get(operation="createJob")


def refused() -> FaultReport:
    """An outage whose job pack the partner did not take."""
    line_states.cut_fibre(samples.service().location)
    report = samples.in_progress(samples.outage())
    outbox.settle(pack_of(report), Verdict(DeliveryOutcome.REFUSED, status=422, answer=FAULT))
    return samples.fresh(report)


def control(path: str, *, client: Client, is_post: bool = False) -> dict:
    """The answer of the control interface."""
    headers = {"X-Sandbox-Control": "1"}
    if is_post:
        return client.post(path, data="{}", content_type="application/json", headers=headers).json()
    return client.get(path, headers=headers).json()


def test_ticket_shows_the_refusal_and_its_reason(client: Client) -> None:
    report = refused()
    path = f"tickets/{report.maintainer_fault_reference}"

    [visit] = control(f"/api/{path}", client=client)["visits"]
    text = page(client, f"/{path}")

    assert job_of(report).state == JobState.REFUSED
    assert visit["refusal"] == f"The partner refused createJob of {visit['job']}: {REASON}"
    assert REASON in text
    assert "Send refused messages again" in text
    assert "Job pack refused by the partner" in text


def test_pack_is_sent_again_by_control_request(client: Client) -> None:
    report = refused()
    path = f"/api/tickets/{report.maintainer_fault_reference}"

    answer = control(f"{path}/send-again", client=client, is_post=True)

    assert answer["queued"] == 1
    assert answer["ticket"]["visits"][0]["state"] == JobState.QUEUED
    assert answer["ticket"]["visits"][0]["refusal"] is None
    assert pack_of(report).state == OutboundState.WAITING
    assert report.events.last().details["text"] == "The refused job pack is sent again"


def test_pack_is_sent_again_on_the_page_and_the_visit_takes_place(client: Client) -> None:
    report = refused()

    press(client, f"tickets/{report.maintainer_fault_reference}/send-again")
    visit_samples.accept(report)
    report = samples.until(report, report.appointment.starts_at)
    visit_samples.arrive(report)

    assert "on site" in samples.notification(report, "FaultReportUpdate")["update_reason"]


def test_pack_of_a_visit_that_was_given_up_stays_refused(client: Client) -> None:
    report = refused()
    report = samples.until(report, report.appointment.ends_at)
    ended = report.visits.first()
    assert ended.ended_at

    control(f"/api/tickets/{report.maintainer_fault_reference}/send-again", client=client, is_post=True)

    ended.job.refresh_from_db()
    assert ended.job.state == JobState.REFUSED
