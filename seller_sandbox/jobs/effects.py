"""What an accepted message changes at the seller; called inside the receiver's transaction."""

from collections.abc import Callable
from typing import Any

from seller_sandbox.endpoints.exchange import Problem, refuse
from seller_sandbox.jobs import contract, evidence, provisioning, strictness
from seller_sandbox.jobs.closure_rules import check_closure
from seller_sandbox.jobs.job_facts import facts_of
from seller_sandbox.jobs.models import Job, JobState
from seller_sandbox.jobs.refusals import Refusal, refusal_of
from seller_sandbox.jobs.schemas import read_instant
from seller_sandbox.messages.findings import Finding
from seller_sandbox.messages.models import InboundMessage

Body = dict[str, Any]
STATE_AFTER = {
    "engineerAssigned": JobState.ASSIGNED,
    "enRoute": JobState.EN_ROUTE,
    "onSite": JobState.ON_SITE,
    "ontScanned": JobState.SCANNED,
}


def apply_notification(job: Job, message: InboundMessage, body: Body) -> None:
    """Record what the engineer did; a scan asks for a provisioning result. Raises Refusal of a strict seller."""
    _judge(message, contract.check_notification(body, facts_of(job)))
    if job.is_over:
        return
    job.state = STATE_AFTER[body["event"]]
    if body["event"] == "engineerAssigned":
        job.engineer_id = body["engineer"]["id"]
    job.save(update_fields=["state", "engineer_id"])
    if body["event"] == "ontScanned":
        provisioning.schedule_scan(job=job, scan_id=body["scanId"], fsan=body["ont"]["fsan"])


def apply_closure(job: Job, message: InboundMessage, body: Body) -> None:
    """Close the job; a second closure conflicts with the stored one, and a cancelled job stays cancelled."""
    if job.state == JobState.CLOSED:
        problem = Problem("/providerJobId", "jobClosed", "The job was already closed")
        raise Refusal(refuse(409, "jobClosed", "The job is closed", [problem]))
    findings = [*check_closure(body, facts_of(job)), *evidence.used_elsewhere(job, body)]
    _judge(message, findings)
    if job.state == JobState.CANCELLED:
        return
    _close(job, body)


def _close(job: Job, body: Body) -> None:
    job.state = JobState.CLOSED
    job.closure_code = body["closureCode"][:40]
    job.secondary_code = body.get("secondaryClosureCode", "")[:40]
    job.secondary_description = body.get("secondaryClosureCodeDescription", "")
    job.closed_at = read_instant(body["closedAt"])
    job.save()


APPLY: dict[str, Callable[[Job, InboundMessage, Body], None]] = {
    "notifyJob": apply_notification,
    "closeJob": apply_closure,
}


def _judge(message: InboundMessage, findings: list[Finding]) -> None:
    """Keep what was found; a strict seller refuses every breach."""
    message.breaches = contract.as_rows(findings, remarks=False)
    message.remarks = contract.as_rows(findings, remarks=True)
    breaches = [finding for finding in findings if not finding.is_remark]
    if breaches and strictness.current().is_strict:
        raise refusal_of(breaches)
