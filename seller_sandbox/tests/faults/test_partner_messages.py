"""Messages of the partner about a visit, through the receiver of the endpoint: each counts when it arrives."""

from datetime import timedelta

import pytest

from seller_sandbox import clock
from seller_sandbox.faults.models import FaultReport
from seller_sandbox.tests import make
from seller_sandbox.tests.faults import samples, visit_samples
from seller_sandbox.tests.partner_messages import go_on_site, take

pytestmark = [pytest.mark.usefixtures("network"), pytest.mark.triage]


def reasons(report: FaultReport, *, last: int) -> list[str]:
    """Why the newest updates were sent, oldest first."""
    updates = report.thread.outbound.filter(operation="notifyFaultReportUpdate").order_by("-seq")[:last]
    return [update.members["update_reason"] for update in reversed(updates)]


def test_update_of_an_assignment_names_the_engineer_of_this_message() -> None:
    """D16: engineerAssigned is a notifyFaultReportUpdate, and the second one is about the second engineer."""
    report = visit_samples.with_visit()
    job = visit_samples.visit(report).job
    report = samples.until(report, report.appointment.starts_at)
    instant = report.appointment.starts_at.isoformat()

    for name in ("Sam Field", "Ola Nordmann"):
        engineer = {"id": "e-1", "name": name, "phone": "07700 900001"}
        take("notifyJob", make.assigned(job, occurredAt=instant, engineer=engineer))

    assert reasons(report, last=2) == [
        "An engineer is assigned: Sam Field.",
        "An engineer is assigned: Ola Nordmann.",
    ]


def test_late_report_of_an_arrival_in_the_slot_takes_the_miss_back() -> None:
    """D15; job-messages.md, occurredAt: a phone without signal reports later."""
    report = visit_samples.with_visit()
    slot = report.appointment
    report = samples.until(report, slot.ends_at + timedelta(minutes=1))
    assert samples.sent(report).count("MissedAppointment") == 1

    go_on_site(visit_samples.visit(report).job, at=slot.ends_at)

    assert visit_samples.visit(report).arrived_at == slot.ends_at
    assert samples.fresh(report).appointment == slot
    assert "the appointment was not missed" in " ".join(reasons(report, last=2))


def test_buyer_reads_what_was_written_to_the_closure() -> None:
    """Other reason says nothing without its remarks."""
    report = visit_samples.with_visit()
    job = visit_samples.visit(report).job

    take("closeJob", make.closed(job, closedAt=clock.now().isoformat(), remarks="Van broken down"))

    assert reasons(report, last=1)[0].endswith("Van broken down")


def test_buyer_reads_when_the_visit_ended_and_not_when_that_was_reported() -> None:
    """Endpoints: notifyAppointmentCompleted says when; a phone without signal closes at once and reports later."""
    report = visit_samples.with_visit()
    job, slot = visit_samples.visit(report).job, report.appointment
    report = samples.until(report, slot.starts_at)
    go_on_site(job, at=slot.starts_at)
    ended_at = slot.starts_at + timedelta(minutes=30)
    report = samples.until(report, slot.starts_at + timedelta(hours=3))

    engineer = {"id": "e-1", "name": "Sam Field"}
    take("closeJob", make.closed(job, closedAt=ended_at.isoformat(), engineer=engineer))

    completed = samples.notification(report, "AppointmentCompleted")["completed_appointment"]
    assert completed["completed_at"] == ended_at
