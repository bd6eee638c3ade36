"""What an accepted message changes at the seller; called inside the receiver's transaction."""

from collections.abc import Callable
from typing import Any

from seller_sandbox.endpoints.exchange import Problem, refuse
from seller_sandbox.jobs import contract, evidence, job_states, provisioning, strictness
from seller_sandbox.jobs.closure_rules import check_closure
from seller_sandbox.jobs.job_facts import facts_of
from seller_sandbox.jobs.models import Job, JobState
from seller_sandbox.jobs.refusals import Refusal, refusal_of
from seller_sandbox.jobs.schemas import read_instant
from seller_sandbox.jobs.signals import JobEvent
from seller_sandbox.messages.findings import Finding
from seller_sandbox.messages.models import InboundMessage

Body = dict[str, Any]


def apply_notification(job: Job, message: InboundMessage, body: Body) -> None:
    """Record what the engineer did; a scan asks for a provisioning result. Raises Refusal of a strict seller."""
    _judge(message, contract.check_notification(body, facts_of(job)))
    event = JobEvent(body["event"])
    named = {"engineer_id": body["engineer"]["id"]} if event == JobEvent.ENGINEER_ASSIGNED else {}
    if job_states.record(job, event, message=message, **named) and event == JobEvent.ONT_SCANNED:
        provisioning.schedule_scan(job=job, scan_id=body["scanId"], fsan=body["ont"]["fsan"])


def apply_closure(job: Job, message: InboundMessage, body: Body) -> None:
    """Close the job; a second closure conflicts with the stored one, and a cancelled job stays cancelled."""
    if job.state == JobState.CLOSED:
        problem = Problem("/providerJobId", "jobClosed", "The job was already closed")
        raise Refusal(refuse(409, "jobClosed", "The job is closed", [problem]))
    findings = [*check_closure(body, facts_of(job)), *evidence.used_elsewhere(job, body)]
    _judge(message, findings)
    job_states.record(
        job,
        JobEvent.CLOSED,
        message=message,
        closure_code=body["closureCode"][:40],
        secondary_code=body.get("secondaryClosureCode", "")[:40],
        secondary_description=body.get("secondaryClosureCodeDescription", ""),
        closed_at=read_instant(body["closedAt"]),
    )


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
