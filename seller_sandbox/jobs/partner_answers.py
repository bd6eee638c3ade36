"""Reads the partner's answer to a message about a job (job-messages.md, Refusals and last paragraph)."""

import json
import math
from typing import Any

from seller_sandbox.jobs import envelope
from seller_sandbox.messages.client import Reply
from seller_sandbox.messages.findings import Finding
from seller_sandbox.messages.models import OutboundMessage
from seller_sandbox.messages.verdicts import Verdict, outcome_of

FAULT_MEMBERS = {"faultcode": str, "faultmessage": str, "detail": list}
UNREADABLE = f"the answer is not JSON, or is nested deeper than {envelope.MAX_DEPTH}"


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
        answer = json.loads(reply.content, parse_constant=str, parse_float=_number)
    except (ValueError, RecursionError):
        return None, UNREADABLE
    # one that could just be read could not be written into the log
    return (None, UNREADABLE) if envelope.is_too_deep(answer) else (answer, "")


def _number(text: str) -> float | str:
    """One beyond every number that can be kept stays the text that it is."""
    number = float(text)
    return number if math.isfinite(number) else text


def _is_usable(message: OutboundMessage, body: Any) -> bool:
    if not isinstance(body, dict) or body.get("messageId") != message.body["messageId"]:
        return False
    return message.operation != "createJob" or _is_job_id(body.get("providerJobId"))


def _findings(message: OutboundMessage, status: int, body: Any) -> list[Finding]:
    if not isinstance(body, dict):
        text = UNREADABLE if body is None else "The answer is not a JSON object"
        return [Finding("answerUnreadable", "/", text)]
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
