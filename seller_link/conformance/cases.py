"""The register of cases, and what a case may say."""

from collections.abc import Callable, Iterable
from copy import deepcopy
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any
from uuid import uuid4

from django.utils import timezone

from seller_link.conformance.conformance_client import TROUBLE, ConformanceClient, Reply
from seller_link.wire import contract, openapi


class ConformanceSide(StrEnum):
    """Whose implementation is looked at."""

    PARTNER = "partner"
    SELLER = "seller"


class Verdict(StrEnum):
    PASS = "pass"  # noqa: S105  # a verdict
    FAIL = "fail"
    SKIPPED = "skipped"


class Broken(Exception):
    """The implementation does not keep the contract; the message says in what."""


class Skipped(Exception):
    """The case cannot be tried; the message says what is missing."""


Check = Callable[[ConformanceClient], None]


@dataclass(frozen=True)
class Case:
    """`section` is the heading of job-messages.md that asks for it."""

    name: str
    section: str
    sides: tuple[ConformanceSide, ...]
    check: Check


@dataclass(frozen=True)
class CaseResult:
    case: Case
    verdict: Verdict
    why: str = ""


REGISTER: list[Case] = []


def case(name: str, section: str, *sides: ConformanceSide) -> Callable[[Check], Check]:
    """Registers a function as one case; without `sides` it is for both."""

    def register(check: Check) -> Check:
        REGISTER.append(Case(name, section, sides or tuple(ConformanceSide), check))
        return check

    return register


def cases(
    name: str, section: str, *sides: ConformanceSide, over: Iterable[Any]
) -> Callable[[Callable[[ConformanceClient, Any], None]], None]:
    """The same for one case for each value of `over`; the first part of a tuple is put into the name."""

    def register(check: Callable[[ConformanceClient, Any], None]) -> None:
        for value in over:
            variant = value[0] if isinstance(value, tuple) else value
            case(name.format(variant), section, *sides)(_with(check, value))

    return register


def _with(check: Callable[[ConformanceClient, Any], None], value: Any) -> Check:
    return lambda line: check(line, value)


def run(case: Case, line: ConformanceClient) -> CaseResult:
    """Never raises what the other side did."""
    try:
        case.check(line)
    except Broken as broken:
        return CaseResult(case, Verdict.FAIL, str(broken))
    except Skipped as skipped:
        return CaseResult(case, Verdict.SKIPPED, str(skipped))
    except TROUBLE as trouble:
        return CaseResult(case, Verdict.FAIL, f"No answer: {type(trouble).__name__} {trouble}")
    return CaseResult(case, Verdict.PASS)


def accepted(reply: Reply, message: dict[str, Any]) -> Reply:
    """200 with the answer members, for this very message."""
    _status(reply, 200)
    _keeps("answer", reply)
    for name in ("messageId", "correlationId"):
        if name in message and reply.body.get(name) != message[name]:
            raise Broken(f"The answer's {name} is not the message's.")
    return reply


def refused(reply: Reply, status: int, faultcode: str = "", *, field: str = "") -> Reply:
    """This status and code, a fault body, and this member among its details."""
    _status(reply, status)
    _keeps("fault", reply)
    if faultcode and reply.faultcode != faultcode:
        raise Broken(f"Expected faultcode {faultcode}, got {reply.faultcode}.")
    if field and field not in reply.fields:
        raise Broken(f"Expected a detail for {field}, got {', '.join(reply.fields) or 'none'}.")
    return reply


def _status(reply: Reply, status: int) -> None:
    if reply.status != status:
        raise Broken(f"Expected {status}, got {reply.status} {reply.faultcode}".rstrip() + ".")
    if reply.media_type != "application/json":
        raise Broken(f"Expected application/json, got {reply.media_type or 'no Content-Type'}.")


def _keeps(schema: str, reply: Reply) -> None:
    problems = contract.problems(schema, reply.body)
    if problems:
        raise Broken(f"The body breaks the contract at {problems[0].field}: {problems[0].message}")


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
    "access": "Ring the neighbour",
    "triageFindings": ["ONT offline"],
    "lastDiagnostics": {"code": "CFH001", "ont": "Service Down", "cfm": "Down CF", "uniPort": "Up"},
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
    closure = {"closureCode": "OTHER", "questions_answers": [], "remarks": "Conformance"}
    return fresh({**example, **closure}, providerJobId=job, closedAt=now())


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
