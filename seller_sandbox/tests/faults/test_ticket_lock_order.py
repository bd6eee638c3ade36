"""A ticket is locked before its job and its appointment, whoever comes first (transactions.py)."""

from collections.abc import Callable

import pytest
from django.db import transaction

from seller_sandbox import clock, due_actions
from seller_sandbox.diagnostics import line_states
from seller_sandbox.faults import lifecycle, operator_actions
from seller_sandbox.faults.models import FaultReport
from seller_sandbox.faults.revisits import visits
from seller_sandbox.jobs import channel, job_states, locking
from seller_sandbox.jobs.models import JobState
from seller_sandbox.jobs.signals import JobEvent
from seller_sandbox.messages.models import OutboundMessage
from seller_sandbox.messages.verdicts import DeliveryOutcome, Verdict
from seller_sandbox.network import appointments
from seller_sandbox.network.loading import load_network
from seller_sandbox.tests import row_locks
from seller_sandbox.tests.faults import samples, visit_samples

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.locks, pytest.mark.triage]


@pytest.fixture(autouse=True)
def network(db: None) -> None:
    load_network(copies=2)


def meet(ours: Callable[[], object], theirs: Callable[[], object], *, report: FaultReport) -> None:
    """Both, when we hold the ticket already."""
    row_locks.meet(ours, theirs, hold=lambda: lifecycle.lock(report.maintainer_fault_reference))


def test_partners_answer_and_the_cancelled_appointment_wait_for_each_other() -> None:
    line_states.cut_fibre(samples.service().location)
    report = samples.in_progress(samples.outage())
    job = visit_samples.visit(report).job
    message = job.thread.outbound.get(operation="createJob")
    accepted = Verdict(DeliveryOutcome.DELIVERED, status=200, answer={"providerJobId": "PJ-1"})

    def answer() -> None:
        with transaction.atomic():
            channel.apply_answer(OutboundMessage.objects.get(pk=message.pk), accepted)

    def cancel() -> None:
        visits.request_cancellation(report, code="APPOINTMENT", message="No longer wanted")

    meet(cancel, answer, report=report)

    job.refresh_from_db()
    assert (job.state, job.provider_job_id) == (JobState.ACCEPTED, "PJ-1")
    assert [sent.operation for sent in job.thread.outbound.order_by("seq")] == ["createJob", "cancelJob"]


def test_closure_of_the_visit_and_cancellation_of_the_ticket_wait_for_each_other() -> None:
    report = visit_samples.on_site()
    job = visit_samples.visit(report).job

    def close() -> None:
        with transaction.atomic():
            held = locking.lock(pk=job.pk)
            job_states.record(held, JobEvent.CLOSED, closure_code="REVCOMP", closed_at=clock.now())

    def cancel() -> None:
        held = lifecycle.lock(report.maintainer_fault_reference)
        operator_actions.cancel(held, reason="Duplicate")

    meet(cancel, close, report=report)

    report = samples.fresh(report)
    assert (report.get_state_display(), visit_samples.states_of_jobs(report)) == ("Cancelled", ["closed"])
    assert report.visits.get().outcome == "REVCOMP"


def test_ticket_that_had_to_be_waited_for_comes_with_its_new_appointment() -> None:
    report = samples.accepted(samples.outage())
    later, found = samples.reserve(number=5), []

    def reappoint() -> None:
        FaultReport.objects.filter(pk=report.pk).update(appointment=later)

    def look() -> None:
        with transaction.atomic():
            found.append(lifecycle.lock(report.maintainer_fault_reference).appointment)

    meet(reappoint, look, report=report)

    assert found == [later]


def test_end_of_the_slot_waits_for_a_visit_that_is_agreed() -> None:
    report = visit_samples.with_visit()
    slot = report.appointment
    later = samples.reserve(number=5)
    appointments.release(appointment=later)
    clock.advance(seconds=int((slot.ends_at - clock.now()).total_seconds()) + 1)

    def agree() -> None:
        held = lifecycle.lock(report.maintainer_fault_reference)
        operator_actions.book_visit(held, starts_at=later.starts_at, ends_at=later.ends_at)

    meet(agree, due_actions.run_due, report=report)

    assert not due_actions.DueAction.objects.exclude(error="").exists()
    assert samples.fresh(report).appointment.starts_at == later.starts_at
    assert "MissedAppointment" not in samples.sent(report)
