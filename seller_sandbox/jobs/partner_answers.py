"""Reads the partner's answer to a message about a job (job-messages.md, Refusals and last paragraph)."""

import json
from typing import Any

from seller_sandbox.messages.client import Reply
from seller_sandbox.messages.findings import Finding
from seller_sandbox.messages.models import OutboundMessage
from seller_sandbox.messages.verdicts import Verdict, outcome_of

FAULT_MEMBERS = {"faultcode": str, "faultmessage": str, "detail": list}
NOT_JSON = "the answer is not JSON"


def judge(message: OutboundMessage, reply: Reply) -> Verdict:
    """Read the reply to a message; only a complete answer to this very message counts as delivered."""
    body, error = _read(reply)
    fault = body.get("fault") if isinstance(body, dict) else None
    fault = fault if isinstance(fault, dict) else {}
    return Verdict(
        outcome=outcome_of(reply.status, is_usable=_is_usable(message, body)),
        status=reply.status,
        answer=body,
        error=error,
        retry_after=reply.retry_after,
        fault=str(fault.get("faultcode", "")),
        fault_fields=_fields(fault),
        findings=tuple(_findings(message, reply.status, body)),
    )


def _read(reply: Reply) -> tuple[Any, str]:
    try:
        return json.loads(reply.content, parse_constant=str), ""
    except ValueError:
        return None, NOT_JSON


def _is_usable(message: OutboundMessage, body: Any) -> bool:
    if not isinstance(body, dict) or body.get("messageId") != message.body["messageId"]:
        return False
    return message.operation != "createJob" or _is_job_id(body.get("providerJobId"))


def _findings(message: OutboundMessage, status: int, body: Any) -> list[Finding]:
    if not isinstance(body, dict):
        return [
            Finding("answerUnreadable", "/", NOT_JSON if body is None else "The answer is not a JSON object")
        ]
    if 200 <= status < 300:
        return _findings_of_success(message, body)
    if status >= 400:
        return _findings_of_fault(body)
    return [Finding("answerStatus", "/", f"Status {status} is not in the profile")]


def _findings_of_success(message: OutboundMessage, body: dict[str, Any]) -> list[Finding]:
    sent = message.body
    echoed = [name for name in ("messageId", "correlationId") if body.get(name) != sent[name]]
    found = [Finding("answerEcho", f"/{name}", f"{name} was not echoed") for name in echoed]
    expected = sent.get("providerJobId")
    answered_id = body.get("providerJobId")
    is_another = message.operation != "createJob" and expected is not None and answered_id != expected
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


def _fields(fault: dict[str, Any]) -> tuple[str, ...]:
    detail = fault.get("detail")
    rows = detail if isinstance(detail, list) else []
    return tuple(sorted({str(row.get("field")) for row in rows if isinstance(row, dict)}))


def _is_job_id(value: Any) -> bool:
    return isinstance(value, str) and 1 <= len(value) <= 36 and value.isprintable()
