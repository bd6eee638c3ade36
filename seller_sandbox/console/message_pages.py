"""What the message log page and the page of a job show."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q

from seller_sandbox.console import text_formats
from seller_sandbox.console.overview import closure_text
from seller_sandbox.diagnostics.wire.requests import NAME as DIAGNOSTICS
from seller_sandbox.faults.models import TicketVisit
from seller_sandbox.faults.states import FaultNotificationKind
from seller_sandbox.faults.wire.request_layouts import PATHS as TICKET_PATHS
from seller_sandbox.jobs import codes
from seller_sandbox.jobs.models import EvidenceFile, Job, ProvisioningTry
from seller_sandbox.jobs.odd_messages import ODD_MESSAGES, OddMessage
from seller_sandbox.jobs.packs.odd import ODD_PACKS
from seller_sandbox.jobs.schemas import OPERATIONS, without_nulls
from seller_sandbox.messages import message_log
from seller_sandbox.messages.models import PARTNER, MessageLogEntry, OutboundMessage, ThreadKind
from seller_sandbox.orders.lifecycle import NOTIFY
from seller_sandbox.orders.wire import paths

MESSAGES_PER_PAGE = 200
DIRECTIONS = [("in", "Received"), ("out", "Sent")]


@dataclass(frozen=True)
class MessageRow:
    """One message as it went over the wire."""

    id: int
    at: str
    way: str
    title: str
    seller_job_id: str
    order_reference: str
    ticket_reference: str
    message_id: str
    outcome: str
    is_trouble: bool
    notes: list[str]
    body: str
    answer: str
    breaches: list[dict[str, str]]
    remarks: list[dict[str, str]]


@dataclass(frozen=True)
class JobPage:
    """A job with its pack and its messages."""

    seller_job_id: str
    provider_job_id: str
    order_reference: str
    ticket_reference: str
    state: str
    state_label: str
    closure: str
    window: str
    job_type: str
    pack: list[tuple[str, list[tuple[str, str]]]]
    messages: list[MessageRow]
    waiting: list[str]
    refused: int
    tries: list[str]
    results: list[codes.Result]
    can_cancel: bool
    can_provision: bool
    breaches: int
    oddity: str
    odd_messages: list[OddMessage]
    evidence: list[str]


@dataclass(frozen=True)
class MessageLogPage:
    """The newest entries of the message log that match the filters."""

    messages: list[MessageRow]
    filters: dict[str, str]
    operations: tuple[str, ...]
    directions: list[tuple[str, str]]
    is_filtered: bool
    is_cut: bool


def make_job_page(job: Any) -> JobPage:
    waiting = job.thread.outbound.waiting()
    return JobPage(
        seller_job_id=job.seller_job_id,
        provider_job_id=job.provider_job_id,
        order_reference=job.order_reference,
        ticket_reference=_ticket_of(job),
        state=job.state,
        state_label=job.get_state_display(),
        closure=closure_text(job),
        window=text_formats.window(job.starts_at, job.ends_at),
        job_type=job.get_job_type_display(),
        pack=read_pack(job),
        messages=[make_message_row(line) for line in message_log.list_entries_of(job.thread)],
        waiting=[_waiting_text(message) for message in waiting],
        refused=job.thread.outbound.refused_unexpectedly().count(),
        tries=[_attempt_text(attempt) for attempt in job.tries.all()],
        results=list(codes.results().values()),
        can_cancel=not job.is_over and job.state != "refused",
        can_provision=bool(job.provider_job_id),
        breaches=job.breach_total,
        oddity=ODD_PACKS[job.oddity].description if job.oddity in ODD_PACKS else "",
        odd_messages=list(ODD_MESSAGES.values()),
        evidence=[_evidence_text(file) for file in job.evidence.all()],
    )


def _ticket_of(job: Job) -> str:
    visit = TicketVisit.objects.select_related("report").filter(job=job).first()
    return visit.report.maintainer_fault_reference if visit else ""


def make_message_log_page(filters: dict[str, str]) -> MessageLogPage:
    found = _filtered(filters)
    newest = list(message_log.with_messages(found).order_by("-id")[: MESSAGES_PER_PAGE + 1])
    return MessageLogPage(
        messages=[
            make_message_row(message_log.serialize_entry(entry)) for entry in newest[:MESSAGES_PER_PAGE]
        ],
        filters=filters,
        operations=_operations(),
        directions=DIRECTIONS,
        is_filtered=any(filters.values()),
        is_cut=len(newest) > MESSAGES_PER_PAGE,
    )


def _operations() -> tuple[str, ...]:
    """Of every interface; two of orders and tickets have the same name."""
    of_orders, of_tickets = (
        (*filter(None, paths.PATHS), NOTIFY),
        (*TICKET_PATHS, *FaultNotificationKind.values),
    )
    return tuple(dict.fromkeys([*OPERATIONS, *of_orders, *of_tickets, DIAGNOSTICS]))


def make_message_row(line: dict[str, Any]) -> MessageRow:
    """An entry of the message log as the page shows it."""
    status = line["answer"]["status"]
    is_due = status is not None and status == line.get("expected_status")
    return MessageRow(
        id=line["id"],
        at=text_formats.exact_time(datetime.fromisoformat(line["at"])),
        way=_way(line),
        title=" ".join(filter(None, [line["operation"], line["event"]])),
        seller_job_id=line["sellerJobId"] or "",
        order_reference=_reference_of(line, ThreadKind.ORDER),
        ticket_reference=_reference_of(line, ThreadKind.TICKET),
        message_id=line["messageId"] or "",
        outcome=_outcome(line),
        is_trouble=status is None or (status >= 300 and not is_due),
        notes=_notes(line),
        body=text_formats.pretty(line["body"]),
        answer=text_formats.pretty(line["answer"]["body"]) if line["answer"]["body"] is not None else "",
        breaches=line["breaches"],
        remarks=line["remarks"],
    )


def _way(line: dict[str, Any]) -> str:
    if line["direction"] == "in":
        who = "the partner" if line["role"] == PARTNER else f"buyer {line['caller'] or 'unknown'}"
        return f"From {who}, endpoint {line['endpoint']}"
    recipient = line["thread"]["recipient"]
    who = "the partner" if recipient == PARTNER else f"buyer {recipient}"
    return f"To {who}, attempt {line['attempt']}, {line['address']}".rstrip(", ")


def _reference_of(line: dict[str, Any], kind: ThreadKind) -> str:
    """Of the order or ticket that the message is about."""
    thread = line["thread"]
    return thread["reference"] if thread and thread["kind"] == kind else ""


def _outcome(line: dict[str, Any]) -> str:
    status, body = line["answer"]["status"], line["answer"]["body"]
    if status is None:
        return line["error"] or "Closed without an answer"
    fault = body.get("fault") if isinstance(body, dict) else None
    code = fault.get("faultcode", "") if isinstance(fault, dict) else ""
    return f"{status} {code or line['error'] or ('accepted' if status < 300 else 'refused')}"


def _notes(line: dict[str, Any]) -> list[str]:
    again = [f"The same message as entry {line['duplicate_of']}"] if line["duplicate_of"] else []
    status = line["answer"]["status"]
    if status is not None and status >= 400 and status == line.get("expected_status"):
        again.append("Refused as it should be")
    switched = [f"The endpoint was switched to {line['switch']}"] if line["switch"] else []
    return [*again, *switched]


def _filtered(filters: dict[str, str]) -> Any:
    found = MessageLogEntry.objects.all()
    if job := filters["job"]:
        found = found.filter(
            Q(thread__reference__icontains=job) | Q(thread__recipient_reference__icontains=job)
        )
    if operation := filters["operation"]:
        found = found.filter(Q(inbound__operation=operation) | Q(outbound__operation=operation))
    if direction := filters["direction"]:
        found = found.filter(inbound__isnull=direction == "out")
    return found.filter(is_breach=True) if filters["breaches"] else found


def _waiting_text(message: OutboundMessage) -> str:
    tried = f", tried {text_formats.counted(message.attempts, 'time', 'times')}" if message.attempts else ""
    return f"{message.operation}, due {text_formats.exact_time(message.next_attempt_at)} by the sandbox clock{tried}"


def _evidence_text(file: EvidenceFile) -> str:
    size = f", {file.size_bytes} bytes" if file.size_bytes else ""
    return f"{file.name}: {file.get_state_display().lower()}{size}"


def _attempt_text(attempt: ProvisioningTry) -> str:
    if attempt.result is not None:
        return f"Result {attempt.result}: {codes.results()[attempt.result].details}"
    if attempt.state == "superseded":
        return "Replaced by a newer scan"
    if attempt.due_at is None:
        return "Waits for you to choose a result"
    return f"Result due {text_formats.exact_time(attempt.due_at)} by the sandbox clock"


def read_pack(job: Job) -> list[tuple[str, list[tuple[str, str]]]]:
    """The pack as headings with labelled lines; what the pack leaves out is left out."""
    pack = without_nulls(job.pack)
    premises = pack["property"]
    groups = [
        ("Appointment", _appointment(job)),
        ("Premises", _premises(premises)),
        ("Contact on site", list(pack["siteContact"].items())),
        ("Site", list(pack.get("site", {}).items())),
        ("Order", [*pack.get("orderReferences", {}).items(), *pack["product"].items()]),
        ("ONT expected", list(pack.get("ont", {}).items())),
        ("Network", list(pack.get("network", {}).items())),
    ]
    return [(heading, [(label(name), text) for name, text in rows]) for heading, rows in groups if rows]


def _appointment(job: Job) -> list[tuple[str, str]]:
    minutes = job.pack.get("expectedDurationMinutes")
    previous = job.pack.get("previousProviderJobId")
    return [
        ("window", text_formats.window(job.starts_at, job.ends_at)),
        ("expected duration", f"{minutes} min" if minutes else "not given"),
        *([("follows job", previous)] if previous else []),
    ]


def _premises(premises: dict[str, Any]) -> list[tuple[str, str]]:
    position = f"{premises['latitude']}, {premises['longitude']}" if "latitude" in premises else "not given"
    return [
        ("address", text_formats.address({"property": premises})),
        ("UPRN", premises["uprn"]),
        ("position", position),
        ("classification", premises.get("classification", "not given")),
        ("flags", ", ".join(premises.get("flags", [])) or "none"),
    ]


def label(name: str) -> str:
    """`preferredOntLocation` as `Preferred ONT location`."""
    known = {"fsan": "FSAN", "olt": "OLT", "ponPort": "PON port", "UPRN": "UPRN"}
    if name in known:
        return known[name]
    spaced = "".join(f" {character.lower()}" if character.isupper() else character for character in name)
    return (spaced[:1].upper() + spaced[1:]).replace(" ont ", " ONT ")
