"""Tickets with an engineer's visit, told to the seller the way the partner and the clock tell it."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

from seller_sandbox import clock
from seller_sandbox.diagnostics import line_states
from seller_sandbox.faults.models import FaultReport, TicketVisit
from seller_sandbox.faults.wire.requests import AddFaultReportRequest
from seller_sandbox.jobs import job_states
from seller_sandbox.jobs.models import Job, JobState
from seller_sandbox.jobs.signals import JobEvent
from seller_sandbox.messages.models import InboundMessage, OutboundState
from seller_sandbox.tests.faults import samples

AN_HOUR = timedelta(hours=1)


def with_visit(message: AddFaultReportRequest | None = None) -> FaultReport:
    """An outage by a cut fibre whose revisit the partner has accepted."""
    line_states.cut_fibre(samples.service().location)
    report = samples.in_progress(message or samples.outage())
    accept(report)
    return samples.fresh(report)


def on_site(message: AddFaultReportRequest | None = None) -> FaultReport:
    """A ticket whose engineer has arrived at the start of the slot."""
    report = with_visit(message)
    report = samples.until(report, report.appointment.starts_at)
    arrive(report)
    return samples.fresh(report)


def visit(report: FaultReport) -> TicketVisit:
    """The planned one."""
    return report.visits.planned().select_related("job", "appointment").get()


def accept(report: FaultReport) -> Job:
    job = visit(report).job
    job.thread.outbound.update(state=OutboundState.DELIVERED)
    Job.objects.filter(pk=job.pk).update(provider_job_id=f"PJ-{uuid4().hex[:12]}")
    change(job, JobEvent.ACCEPTED)
    return job


def arrive(report: FaultReport) -> None:
    for event in (JobEvent.ENGINEER_ASSIGNED, JobEvent.EN_ROUTE, JobEvent.ON_SITE):
        say(report, event)


def say(report: FaultReport, event: JobEvent, **members: Any) -> None:
    """The partner's message about the planned visit."""
    job = visit(report).job
    body = {
        "event": event.value,
        "occurredAt": clock.now().isoformat(),
        "engineer": {"id": "e-1", "name": "Sam Field"},
        **members,
    }
    message = InboundMessage(
        endpoint="A",
        operation="notifyJob",
        event=event.value,
        caller="partner",
        message_id=str(uuid4()),
        holds_id=True,
        thread=job.thread,
        body=body,
    )
    change(job, event, message=message)
    # the receiver stores a message with its answer, when it has had its effect
    message.save()


def close(report: FaultReport, code: str, *, secondary: str = "", remarks: str = "") -> FaultReport:
    job = visit(report).job
    message = InboundMessage(operation="closeJob", body={"closureCode": code, "remarks": remarks})
    change(
        job,
        JobEvent.CLOSED,
        message=message,
        closure_code=code,
        secondary_code=secondary,
        closed_at=clock.now(),
    )
    return samples.fresh(report)


def change(job: Job, event: JobEvent, **facts: Any) -> None:
    """The seller learns this about a job."""
    job.refresh_from_db()
    assert job_states.record(job, event, **facts), f"{event} changes nothing of a job that is {job.state}"


def cancelled(job: Job) -> None:
    """The partner accepts a cancelJob that is on its way."""
    assert is_cancelling(job)
    job.thread.outbound.update(state=OutboundState.DELIVERED)
    change(job, JobEvent.CANCELLED, cancelled_at=clock.now())


def is_cancelling(job: Job) -> bool:
    return job.thread.outbound.waiting().filter(operation="cancelJob").exists()


def says(report: FaultReport, *, since: int = 0) -> list[str]:
    """The notifications after the first so many."""
    return samples.sent(report)[since:]


def states_of_jobs(report: FaultReport) -> list[str]:
    return [JobState(found.job.state).value for found in report.visits.select_related("job").order_by("pk")]
