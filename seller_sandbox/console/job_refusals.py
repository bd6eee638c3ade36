"""What the partner refused of a job's messages, and why: shown where somebody can send it again."""

from typing import Any

from seller_sandbox.jobs.models import Job
from seller_sandbox.messages.models import MessageLogEntry, OutboundState


def refusal_of(job: Job) -> str:
    """The refused message with the partner's reason in one line; empty when nothing is refused."""
    refused = job.thread.outbound.filter(state=OutboundState.REFUSED)
    entry = (
        MessageLogEntry.objects.filter(outbound__in=refused).select_related("outbound").order_by("pk").last()
    )
    if entry is None:
        return ""
    what = f"{entry.outbound.operation} of {job.seller_job_id}"
    return f"The partner refused {what}: {entry.status} {_reason(entry.answer)}"


def _reason(answer: Any) -> str:
    """By the fault of job-messages.md; another answer as it came."""
    fault = answer.get("fault") if isinstance(answer, dict) else None
    if not isinstance(fault, dict):
        return str(answer or "")
    problems = [
        f"{each.get('field', '')} {each.get('message', '')}".strip()
        for each in fault.get("detail") or []
        if isinstance(each, dict)
    ]
    return ", ".join(
        str(part) for part in (fault.get("faultcode"), fault.get("faultmessage"), *problems) if part
    )
