"""What the pages of tickets show: the list, and one ticket with its timeline and buttons."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Q, QuerySet

from seller_sandbox import clock
from seller_sandbox.console import text_formats
from seller_sandbox.console.clock.clock_page import DueRow, make_due_rows
from seller_sandbox.console.job_refusals import refusal_of
from seller_sandbox.console.notification_history import (
    NotificationRow,
    RequestRow,
    list_messages,
    make_notification_rows,
    make_request_rows,
)
from seller_sandbox.console.orders.order_timeline import TimelineEntry, timeline_notification
from seller_sandbox.console.orders.order_wording import Line, name_of, rows_of, value_of
from seller_sandbox.console.tickets.ticket_forms import TicketForm, make_forms
from seller_sandbox.faults import sla
from seller_sandbox.faults.models import FaultEvent, FaultReport, TicketSwitch, TicketVisit
from seller_sandbox.faults.revisits.missed_visits import compensation_of
from seller_sandbox.faults.states import TRANSITIONS, FaultEventKind, FaultState
from seller_sandbox.messages.models import OutboundMessage
from seller_sandbox.models import DueAction
from seller_sandbox.network.models import Buyer

TICKETS_PER_PAGE = 50
FILTERS = ("q", "buyer", "state")
# names of the triage table, and what the update to the buyer says as well
UNSHOWN_DETAILS = {"is_chargeable", "rule", "step", "finding"}
Fact = tuple[str, str]


@dataclass(frozen=True)
class TicketRow:
    reference: str
    buyer_reference: str
    buyer: str
    service: str
    fault_type: str
    when: str
    state: str
    state_label: str
    received: str


@dataclass(frozen=True)
class TicketListPage:
    tickets: Page
    rows: list[TicketRow]
    filters: dict[str, str]
    query: str
    buyers: list[tuple[str, str]]
    states: list[tuple[str, str]]
    is_filtered: bool
    rejects_at_once: bool


@dataclass(frozen=True)
class TicketPage:
    reference: str
    state: str
    state_label: str
    buyer: str
    title: str
    uprn: str
    end: str
    refusals: list[str]
    facts: list[Fact]
    lists: list[tuple[str, list[str]]]
    visits: list[tuple[str, str]]
    timeline: list[TimelineEntry]
    due: list[DueRow]
    notifications: list[NotificationRow]
    requests: list[RequestRow]
    forms: list[TicketForm]


def make_ticket_list(filters: dict[str, str], *, page: str, query: str) -> TicketListPage:
    tickets = Paginator(_matching(filters), TICKETS_PER_PAGE).get_page(page)
    return TicketListPage(
        tickets=tickets,
        rows=[_row(report) for report in tickets],
        filters=filters,
        query=query,
        buyers=list(Buyer.objects.order_by("identifier").values_list("identifier", "name")),
        states=FaultState.choices,
        is_filtered=any(filters.values()),
        rejects_at_once=TicketSwitch.objects.filter(rejects_at_once=True).exists(),
    )


def find_ticket(reference: str) -> FaultReport | None:
    related = ("buyer", "thread", "service__location", "appointment")
    return FaultReport.objects.select_related(*related).filter(maintainer_fault_reference=reference).first()


def make_ticket_page(report: FaultReport) -> TicketPage:
    messages = list_messages(report.thread)
    waiting = DueAction.objects.open().filter(subject=report.maintainer_fault_reference)
    return TicketPage(
        reference=report.maintainer_fault_reference,
        state=report.state,
        state_label=report.get_state_display(),
        buyer=f"{report.buyer.name} ({report.buyer.identifier})",
        title=report.fault_type or "Type missing",
        uprn=report.service.location.uprn if report.service else "",
        end=_end_text(report),
        refusals=_refusals(report),
        facts=_facts(report),
        lists=_lists(report),
        visits=[
            (visit.job.seller_job_id, _visit_text(visit)) for visit in report.visits.select_related("job")
        ],
        timeline=_timeline(list(report.events.all()), messages),
        due=make_due_rows(list(waiting), now=clock.now()),
        notifications=make_notification_rows(messages),
        requests=make_request_rows(report.thread),
        forms=make_forms(report),
    )


def _refusals(report: FaultReport) -> list[str]:
    """What the partner refused of the visit that is planned."""
    planned = report.visits.planned().select_related("job__thread")
    return [text for text in (refusal_of(visit.job) for visit in planned) if text]


def _visit_text(visit: TicketVisit) -> str:
    """The job's state; of a visit that nobody made, why and what is payable."""
    state = visit.job.get_state_display()
    if not visit.missed_code:
        return state
    payable = [f"{name_of(name)} {value_of(value)}" for name, value in compensation_of(visit).items()]
    return f"{state}. Missed: {visit.missed_code} {visit.get_missed_code_display()}. {', '.join(payable)}"


def _matching(filters: dict[str, str]) -> QuerySet[FaultReport]:
    found = FaultReport.objects.select_related("buyer", "appointment").order_by("-id")
    if text := filters["q"]:
        found = found.filter(
            Q(maintainer_fault_reference__icontains=text)
            | Q(buyer_fault_reference__icontains=text)
            | Q(service_affected=text)
        )
    if buyer := filters["buyer"]:
        found = found.filter(buyer__identifier=buyer)
    return found.filter(state=filters["state"]) if filters["state"] else found


def _row(report: FaultReport) -> TicketRow:
    return TicketRow(
        reference=report.maintainer_fault_reference,
        buyer_reference=text_formats.shortened(report.buyer_fault_reference, most=40),
        buyer=report.buyer.name,
        service=text_formats.shortened(report.service_affected, most=40),
        fault_type=report.fault_type,
        when=_window(report),
        state=report.state,
        state_label=report.get_state_display(),
        received=text_formats.full_time(report.received_at),
    )


def _window(report: FaultReport) -> str:
    found = report.appointment
    return text_formats.full_window(found.starts_at, found.ends_at) if found else ""


def _end_text(report: FaultReport) -> str:
    if report.rejection_reasons:
        return " ".join(reason["message"] for reason in report.rejection_reasons)
    if report.closure_code:
        return f"{report.closure_code} {report.get_closure_code_display()}. {report.resolution}".strip()
    return report.cancellation_reason or (report.hold_reason and f"On hold: {report.hold_reason}")


def _facts(report: FaultReport) -> list[Fact]:
    reading = sla.read(report)
    members = [
        ("Buyer's reference", text_formats.shortened(report.buyer_fault_reference, most=200) or "none"),
        ("Earlier fault", report.parent_fault_reference),
        ("Service", report.service_affected),
        ("Description", report.description),
        ("Location of the fault", report.fault_location),
        ("Access", report.site_access_details),
        ("Appointment", _window(report)),
        ("SLA clock", f"{_hours(reading.elapsed)} of {_hours(reading.target)}" if report.accepted_at else ""),
        ("SLA clock is", "running" if reading.is_running else "standing still"),
        ("Diagnostics before the report", value_of(report.had_diagnostics)),
        ("Chargeable to the buyer", value_of(report.is_chargeable)),
        ("Buyer's findings", report.triage_findings),
        *_triage(report.triage),
        *[(f"Reporter: {name.lower()}", text) for name, text in rows_of(report.reporter_contact_details)],
        *[(f"End user: {name.lower()}", text) for name, text in rows_of(report.end_user_contact_details)],
    ]
    return [(name, text) for name, text in members if text]


def _triage(found: dict[str, str]) -> list[Fact]:
    if not found:
        return []
    return [
        ("Triage", f"{found['code']}: {found['findings']}"),
        ("Triage decision", found["decision"]),
        ("Triaged", text_formats.full_time(datetime.fromisoformat(found["at"]))),
    ]


def _hours(length: Any) -> str:
    minutes = int(length.total_seconds()) // 60
    return f"{minutes // 60} h {minutes % 60:02} min"


def _lists(report: FaultReport) -> list[tuple[str, list[str]]]:
    groups = [
        (
            "Updates",
            [
                f"{text_formats.full_time(row.at)} {row.get_author_display()}: {row.text}"
                for row in report.updates.all()
            ],
        ),
        (
            "Files",
            [f"{row.name} ({row.get_author_display()}) {row.description}" for row in report.files.all()],
        ),
        (
            "Contact attempts",
            [
                f"{text_formats.full_time(row.at)} {row.get_kind_display()}: {row.outcome}"
                for row in report.contact_attempts.all()
            ],
        ),
    ]
    return [(heading, rows) for heading, rows in groups if rows]


def _timeline(events: list[FaultEvent], messages: list[OutboundMessage]) -> list[TimelineEntry]:
    """Oldest first; each event whose row names a notification has queued exactly one, in order."""
    known: dict[Any, OutboundMessage] = {}
    for message in messages:
        known.setdefault(message.message_id, message)
    waiting, entries, state = list(known.values()), [], ""
    for event in events:
        is_sent = TRANSITIONS[FaultEventKind(event.kind)].notification is not None
        found = waiting.pop(0) if is_sent and waiting else None
        entries.append(_entry(event, found, is_new_state=event.state != state))
        state = event.state
    return entries


def _entry(event: FaultEvent, message: OutboundMessage | None, *, is_new_state: bool) -> TimelineEntry:
    lines = [
        Line(f"{name_of(name)}: {value_of(value)}")
        for name, value in event.details.items()
        if value and name not in UNSHOWN_DETAILS and not isinstance(value, dict)
    ]
    return TimelineEntry(
        at=text_formats.full_time(event.at),
        title=event.get_kind_display(),
        state=event.state,
        state_label=event.get_state_display(),
        is_new_state=is_new_state,
        lines=lines,
        notification=timeline_notification(message) if message else None,
    )
