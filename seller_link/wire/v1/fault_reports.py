"""The fault object of a revisit's createJob in domain terms (job-messages.md, createJob)."""

from typing import Any

from dispatch.job_pack import FaultReport
from seller_link.wire.diagnostics.reported_states import CONNECTION_STATES, ONT_STATES, PORT_STATES
from seller_link.wire.v1.contract import parse_instant

TEXTS = {
    "buyer_reference": "buyerFaultReference",
    "maintainer_reference": "maintainerFaultReference",
    "kind": "faultType",
    "description": "description",
    "access": "access",
}


def fault_report(fault: dict[str, Any]) -> FaultReport:
    """Of a fault object that keeps its schema."""
    started_at = fault.get("faultStartTime")
    return FaultReport(
        **{ours: fault.get(theirs, "") for ours, theirs in TEXTS.items()},
        started_at=parse_instant(started_at) if started_at else None,
        findings=tuple(fault.get("triageFindings", [])),
        last_diagnostics=_last_diagnostics(fault.get("lastDiagnostics")),
        files=tuple(fault.get("files", [])),
    )


def _last_diagnostics(found: Any) -> Any:
    """The result of a line test with its states in our words; anything else as it came."""
    if not isinstance(found, dict) or not isinstance(found.get("code"), str):
        return found
    read = {
        "code": found["code"],
        "current_status": found.get("currentStatus"),
        "ont": _state(ONT_STATES, found.get("ont")),
        "connection": _state(CONNECTION_STATES, found.get("cfm")),
        "port": _state(PORT_STATES, found.get("uniPort")),
    }
    return {name: str(value) for name, value in read.items() if value}


def _state(states: Any, written: Any) -> str:
    """Empty for a value that nobody knows."""
    return str(states.get(written, "")) if isinstance(written, str) else ""
