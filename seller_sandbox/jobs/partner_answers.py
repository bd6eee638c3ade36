"""What an answer of the partner means: delivered, try again, or refused (job-messages.md, last paragraph)."""

from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from seller_sandbox.jobs.client import Reply
from seller_sandbox.jobs.findings import Finding

RETRIED = {408, 425, 429}
FAULT_MEMBERS = {"faultcode": str, "faultmessage": str, "detail": list}


class DeliveryOutcome(StrEnum):
    DELIVERED = "delivered"
    TRY_AGAIN = "try again"
    REFUSED = "refused"


@dataclass(frozen=True)
class Verdict:
    """`breaches` are what the answer itself did against the contract."""

    outcome: DeliveryOutcome
    status: int | None = None
    body: Any = None
    error: str = ""
    retry_after: float | None = None
    breaches: list[dict[str, str]] = field(default_factory=list)


def judge(message: dict[str, Any], *, operation: str, reply: Reply) -> Verdict:
    """Read the reply to a message; only a complete answer to this very message counts as delivered."""
    if reply.status is None:
        return Verdict(DeliveryOutcome.TRY_AGAIN, error=reply.error)
    findings = list(_findings(message, operation=operation, reply=reply))
    return Verdict(
        outcome=_outcome(reply, usable=not _unusable(message, operation=operation, reply=reply)),
        status=reply.status,
        body=reply.body,
        error=reply.error,
        retry_after=reply.retry_after,
        breaches=[
            {name: row[name] for name in ("code", "field", "message")} for row in map(asdict, findings)
        ],
    )


def _outcome(reply: Reply, *, usable: bool) -> DeliveryOutcome:
    if 200 <= reply.status < 300:
        return DeliveryOutcome.DELIVERED if usable else DeliveryOutcome.TRY_AGAIN
    is_final = 400 <= reply.status < 500 and reply.status not in RETRIED
    return DeliveryOutcome.REFUSED if is_final else DeliveryOutcome.TRY_AGAIN


def _unusable(message: dict[str, Any], *, operation: str, reply: Reply) -> bool:
    if not isinstance(reply.body, dict) or reply.body.get("messageId") != message["messageId"]:
        return True
    return operation == "createJob" and not _is_job_id(reply.body.get("providerJobId"))


def _findings(message: dict[str, Any], *, operation: str, reply: Reply) -> list[Finding]:
    if not isinstance(reply.body, dict):
        return [Finding("answerUnreadable", "/", reply.error or "The answer is not a JSON object")]
    if 200 <= reply.status < 300:
        return _findings_of_success(message, operation=operation, body=reply.body)
    if reply.status >= 400:
        return _findings_of_fault(reply.body)
    return [Finding("answerStatus", "/", f"Status {reply.status} is not in the profile")]


def _findings_of_success(message: dict[str, Any], *, operation: str, body: dict[str, Any]) -> list[Finding]:
    echoed = [name for name in ("messageId", "correlationId") if body.get(name) != message[name]]
    found = [Finding("answerEcho", f"/{name}", f"{name} was not echoed") for name in echoed]
    expected = message.get("providerJobId")
    answered_id = body.get("providerJobId")
    is_another = operation != "createJob" and expected is not None and answered_id != expected
    if not _is_job_id(answered_id) or is_another:
        found.append(Finding("answerJobId", "/providerJobId", "providerJobId is missing or another one"))
    return found


def _findings_of_fault(body: dict[str, Any]) -> list[Finding]:
    fault = body.get("fault")
    if not isinstance(fault, dict):
        return [Finding("answerFault", "/fault", "A refusal without fault")]
    return [
        Finding("answerFault", f"/fault/{name}", f"{name} is missing or of another type")
        for name, kind in FAULT_MEMBERS.items()
        if not isinstance(fault.get(name), kind)
    ]


def _is_job_id(value: Any) -> bool:
    return isinstance(value, str) and 1 <= len(value) <= 36
