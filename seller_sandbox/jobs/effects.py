"""What an accepted message changes at the seller; called inside the receiver's transaction."""

from collections.abc import Callable
from typing import Any

from seller_sandbox.endpoints.exchange import Problem, refuse
from seller_sandbox.jobs import contract, provisioning
from seller_sandbox.jobs.contract import JobFacts
from seller_sandbox.jobs.models import InboundMessage, Job, JobState
from seller_sandbox.jobs.refusals import Refusal
from seller_sandbox.jobs.schemas import read_instant

STATE_AFTER = {
    "engineerAssigned": JobState.ASSIGNED,
    "enRoute": JobState.EN_ROUTE,
    "onSite": JobState.ON_SITE,
    "ontScanned": JobState.SCANNED,
}


def apply_notification(message: InboundMessage) -> None:
    """Record what the engineer did; a scan asks for a provisioning result."""
    job, body = message.job, message.body
    _keep_findings(message, contract.check_notification(body, facts_of(job)))
    if job.is_over:
        return
    job.state = STATE_AFTER[body["event"]]
    if body["event"] == "engineerAssigned":
        job.engineer_id = body["engineer"]["id"]
    job.save(update_fields=["state", "engineer_id"])
    if body["event"] == "ontScanned":
        provisioning.schedule_scan(job=job, scan_id=body["scanId"], fsan=body["ont"]["fsan"])


def apply_closure(message: InboundMessage) -> None:
    """Close the job; a second closure conflicts with the stored one."""
    job, body = message.job, message.body
    if job.state == JobState.CLOSED:
        problem = Problem("/providerJobId", "jobClosed", "The job was already closed")
        raise Refusal(refuse(409, "jobClosed", "The job is closed", [problem]))
    _keep_findings(message, contract.check_closure(body, facts_of(job)))
    job.state = JobState.CLOSED
    job.closure_code = body["closureCode"][:40]
    job.secondary_code = body.get("secondaryClosureCode", "")[:40]
    job.secondary_description = body.get("secondaryClosureCodeDescription", "")
    job.closed_at = read_instant(body["closedAt"])
    job.save()


APPLY: dict[str, Callable[[InboundMessage], None]] = {
    "notifyJob": apply_notification,
    "closeJob": apply_closure,
}


def facts_of(job: Job) -> JobFacts:
    """What the contract checks need to know of a job."""
    events = job.inbound.filter(holds_id=True).exclude(event="").values_list("event", flat=True)
    return JobFacts(
        job_type=job.job_type,
        starts_at=job.starts_at,
        ends_at=job.ends_at,
        events=frozenset(events),
        engineer_id=job.engineer_id,
        is_closed=job.state == JobState.CLOSED,
        cancelled_at=job.cancelled_at,
        is_provisioned=provisioning.has_succeeded(job),
    )


def _keep_findings(message: InboundMessage, findings: list[Any]) -> None:
    message.breaches = contract.as_rows(findings, remarks=False)
    message.remarks = contract.as_rows(findings, remarks=True)
