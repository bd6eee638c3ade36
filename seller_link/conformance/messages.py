"""Fresh messages of both sides, made from the examples in the document for integrators."""

from copy import deepcopy
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from django.utils import timezone

from seller_link.conformance.cases import Skipped, accepted
from seller_link.conformance.conformance_client import ConformanceClient
from seller_link.wire import openapi

Message = dict[str, Any]
OPTIONAL = (
    "correlationId",
    "serviceIdentifier",
    "site",
    "expectedDurationMinutes",
    "ont",
    "network",
    "previousProviderJobId",
)
FAULT = {
    "buyerFaultReference": "CONF-BF",
    "maintainerFaultReference": "CONF-MF",
    "faultType": "Service Outage",
    "description": "No light",
    "triageFindings": ["ONT offline"],
    "lastDiagnostics": {"result": "AOK001"},
    "files": [],
}


def fresh(message: Message, **more: Any) -> Message:
    """A copy with an id of its own, sent now."""
    own = {"messageId": str(uuid4()), "sentAt": now()}
    return {**deepcopy(message), **own, **more}


def now(**later: float) -> str:
    return (timezone.now() + timedelta(**later)).isoformat()


def create(**more: Any) -> Message:
    """A whole pack for a new job."""
    example = openapi.example("createJob")
    example["correlationId"] = str(uuid4())
    example["sellerJobId"] = f"CONF-{uuid4().hex[:24]}"
    example["appointment"] = {"reservationKey": "CONF", "start": now(days=2), "end": now(days=2, hours=4)}
    return fresh(example, **more)


def minimal() -> Message:
    """A pack with nothing but what is required."""
    message = {name: value for name, value in create().items() if name not in OPTIONAL}
    message["product"] = {"productName": "Conformance"}
    message["property"] = {key: message["property"][key] for key in ("uprn", "address")}
    message["siteContact"] = {key: message["siteContact"][key] for key in ("name", "phone")}
    return message


def cancel(job: str) -> Message:
    return fresh(openapi.example("cancelJob"), providerJobId=job)


def provisioned(job: str, *, result: int = 1) -> Message:
    outcome = {"id": result, "success": result in {1, 2}, "details": "Conformance"}
    return fresh(openapi.example("notifyJob"), providerJobId=job, occurredAt=now(), result=outcome)


def event(name: str, job: str, *, planned_start: str = "") -> Message:
    """An event as the partner reports it; `planned_start` lies in the job's window."""
    example = {
        key: value
        for key, value in openapi.example("notifyJob.partner")[name].items()
        if key != "sellerJobId"
    }
    if planned_start and "plannedStart" in example:
        planned_end = datetime.fromisoformat(planned_start) + timedelta(minutes=15)
        example |= {"plannedStart": planned_start, "plannedEnd": planned_end.isoformat()}
    if name == "ontScanned":
        example["scanId"] = str(uuid4())
    for entry in example.get("questions_answers", []):
        entry["response_received"] = now()
    return fresh(example, providerJobId=job, occurredAt=now())


def close(job: str) -> Message:
    """Other reason: it needs remarks, and no answer that a seller's own question matrix would have to know."""
    example = {key: value for key, value in openapi.example("closeJob").items() if key != "sellerJobId"}
    given = {"closureCode": "OTHER", "questions_answers": [], "remarks": "Conformance"}
    return fresh({**example, **given}, providerJobId=job, closedAt=now())


def photo_answer() -> Message:
    """The photo answer of the example, as it stands among a closing's answers."""
    entries = openapi.example("closeJob")["questions_answers"]
    return next({**entry, "response_received": now()} for entry in entries if "files" in entry)


def created(line: ConformanceClient) -> str:
    """The providerJobId of a new job at the partner."""
    message = create()
    return str(accepted(line.send("createJob", message), message).body["providerJobId"])


def known(line: ConformanceClient, kind: str) -> str:
    """A job that only people can bring into this state."""
    job = line.job(kind)
    if not job:
        raise Skipped(f"Give a providerJobId with --{kind}.")
    return job
