"""Amendments, cancellations and cases of an order, as its page shows them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from seller_sandbox.console import text_formats
from seller_sandbox.console.orders.order_wording import appointment_text, changes_of
from seller_sandbox.network.models import Appointment
from seller_sandbox.orders.models import Amendment, Case, Order


@dataclass(frozen=True)
class RequestedChange:
    """An amendment or a cancellation and what came of it."""

    title: str
    received: str
    requested: list[str]
    state: str
    state_label: str
    reason: str
    settled: str


@dataclass(frozen=True)
class CaseComment:
    by: str
    at: str
    text: str


@dataclass(frozen=True)
class CaseRow:
    reference: str
    opened: str
    closed: str
    text: str
    comments: list[CaseComment]


def make_changes(order: Order) -> list[RequestedChange]:
    """In the order in which they came."""
    amendments = list(order.amendments.all())
    windows = _windows(amendments)
    rows = [
        (amendment, "Amendment", changes_of(amendment.changes, windows=windows)) for amendment in amendments
    ]
    for cancellation in order.cancellations.all():
        code = f" (code {cancellation.code})" if cancellation.code else ""
        rows.append((cancellation, "Cancellation", [f"{cancellation.message or 'no reason'}{code}"]))
    rows.sort(key=lambda row: row[0].received_at)
    return [_change(entry, title, requested) for entry, title, requested in rows]


def make_case_rows(order: Order) -> list[CaseRow]:
    return [_case(case) for case in order.cases.all()]


def _change(entry: Any, title: str, requested: list[str]) -> RequestedChange:
    return RequestedChange(
        title=title,
        received=text_formats.full_time(entry.received_at),
        requested=requested,
        state=entry.state,
        state_label=entry.get_state_display(),
        reason=entry.reason,
        settled=text_formats.full_time(entry.settled_at) if entry.settled_at else "",
    )


def _windows(amendments: list[Amendment]) -> dict[str, str]:
    """The appointment of each reservation key that the amendments name."""
    named = [amendment.changes.get("reservation_key", "") for amendment in amendments]
    found = Appointment.objects.filter(key__in=[key for key in named if _is_key(key)])
    return {
        str(appointment.key): appointment_text(
            appointment.starts_at, appointment.ends_at, appointment.appointment_type
        )
        for appointment in found
    }


def _is_key(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True


def _case(case: Case) -> CaseRow:
    return CaseRow(
        reference=case.reference,
        opened=text_formats.full_time(case.opened_at),
        closed=text_formats.full_time(case.closed_at) if case.closed_at else "",
        text=case.text,
        comments=[
            CaseComment(
                by="Buyer" if comment["by"] == "buyer" else "Seller",
                at=text_formats.full_time(datetime.fromisoformat(comment["at"])),
                text=comment["text"],
            )
            for comment in case.comments
        ],
    )
