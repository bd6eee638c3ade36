"""What the page of one order shows."""

from dataclasses import dataclass
from typing import Any

from django.urls import reverse

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
from seller_sandbox.console.orders.complex_panel import ComplexPanel, make_complex_panel, survey_liability
from seller_sandbox.console.orders.order_buttons import (
    BuyerButtons,
    SellerButtons,
    make_buyer_buttons,
    make_seller_buttons,
)
from seller_sandbox.console.orders.order_list import address_text, kind_text, uprn_text, when_text
from seller_sandbox.console.orders.order_requests import (
    CaseRow,
    RequestedChange,
    make_case_rows,
    make_changes,
)
from seller_sandbox.console.orders.order_timeline import TimelineEntry, make_timeline
from seller_sandbox.console.orders.order_wording import Line, conditions_of, missed_text, rows_of
from seller_sandbox.jobs import codes
from seller_sandbox.models import DueAction
from seller_sandbox.orders import reasons
from seller_sandbox.orders.late_orders import delays
from seller_sandbox.orders.models import LateProvision, Order, OrderVisit

Fact = tuple[str, str]


@dataclass(frozen=True)
class VisitRow:
    refusal: str
    purpose: str
    job: str
    window: str
    state: str
    state_label: str
    outcome: str


@dataclass(frozen=True)
class OrderPage:
    reference: str
    state: str
    state_label: str
    conditions: list[str]
    kind: str
    uprn: str
    is_uprn_known: bool
    address: str
    buyer: str
    delay: str
    end: str
    linked: list[Line]
    facts: list[Fact]
    details: list[tuple[str, list[Fact]]]
    owed: list[Fact]
    timeline: list[TimelineEntry]
    due: list[DueRow]
    notifications: list[NotificationRow]
    requests: list[RequestRow]
    visits: list[VisitRow]
    changes: list[RequestedChange]
    cases: list[CaseRow]
    complex: ComplexPanel | None
    seller: SellerButtons
    from_buyer: BuyerButtons


def find_order(reference: str) -> Order | None:
    related = ("buyer", "thread", "location", "product", "appointment", "linked_order")
    return Order.objects.select_related(*related).filter(seller_order_reference=reference).first()


def make_order_page(order: Order) -> OrderPage:
    messages = list_messages(order.thread)
    waiting = DueAction.objects.open().filter(subject=order.seller_order_reference)
    return OrderPage(
        reference=order.seller_order_reference,
        state=order.state,
        state_label=order.get_state_display(),
        conditions=conditions_of(order.conditions),
        kind=kind_text(order),
        uprn=uprn_text(order),
        is_uprn_known=order.location is not None,
        address=address_text(order),
        buyer=f"{order.buyer.name} ({order.buyer.identifier})",
        delay=_delay_text(order),
        end=_end_text(order),
        linked=_linked_orders(order),
        facts=_facts(order),
        details=_details(order),
        owed=_owed(order),
        timeline=make_timeline(list(order.events.all()), messages),
        due=make_due_rows(list(waiting), now=clock.now()),
        notifications=make_notification_rows(messages),
        requests=make_request_rows(order.thread),
        visits=[_visit(visit) for visit in order.visits.select_related("job__thread", "appointment")],
        changes=make_changes(order),
        cases=make_case_rows(order),
        complex=make_complex_panel(order),
        seller=make_seller_buttons(order, messages),
        from_buyer=make_buyer_buttons(order),
    )


def _delay_text(order: Order) -> str:
    code = order.delay_code
    reason = reasons.by_code().get(code)
    if reason is None:
        return f"code {code}" if code else ""
    return f"{reason.message} (code {code}). Next best action: {delays.next_best_action(order, code)}."


def _end_text(order: Order) -> str:
    if not order.end_reason and not order.end_code:
        return ""
    return f"{order.end_reason} (code {order.end_code})" if order.end_code else order.end_reason


def _linked_orders(order: Order) -> list[Line]:
    """The other side of a Switch, a WLTO or a regrade."""
    lines = [
        _order_line("Cease for this order", cease)
        for cease in order.linked_ceases.select_related("buyer").order_by("id")
    ]
    if order.linked_order:
        lines.insert(0, _order_line("Order that takes the line over", order.linked_order))
    return lines


def _order_line(text: str, other: Order) -> Line:
    reference = other.seller_order_reference
    state = other.get_state_display()
    return Line(f"{text}: {reference}, {other.buyer.name}, {state}", reverse("order", args=[reference]))


def _facts(order: Order) -> list[Fact]:
    asked = order.request.get("product_name", "")
    members = [
        ("Buyer's reference", text_formats.shortened(order.buyer_order_reference, most=200) or "none"),
        ("Product", order.product.name if order.product else asked),
        ("Appointment" if order.appointment else "Date", when_text(order) or "none yet"),
        ("Appointment is", _confirmation(order)),
        ("Service", order.service_identifier),
        ("Project", order.project_reference),
        *_instants(order),
    ]
    return [(name, text) for name, text in members if text]


def _confirmation(order: Order) -> str:
    if order.appointment is None:
        return ""
    known = "confirmed to the buyer" if order.is_appointment_confirmed else "not yet confirmed to the buyer"
    return f"{order.appointment.get_state_display().lower()}; {known}"


def _instants(order: Order) -> list[Fact]:
    reached = [
        ("Placed", order.placed_at),
        ("Acknowledged", order.acknowledged_at),
        ("Committed", order.committed_at),
        ("Ended", order.ended_at),
    ]
    return [(name, text_formats.full_time(at)) for name, at in reached if at]


def _details(order: Order) -> list[tuple[str, list[Fact]]]:
    services = [("Auxiliary services", ", ".join(order.auxiliary_services))]
    wanted = {name: value for name, value in order.request.items() if value is True}
    groups = [
        ("Service configuration", rows_of(order.configuration)),
        ("Site information", rows_of(order.site)),
        ("Also asked for", [*(services if order.auxiliary_services else []), *rows_of(wanted)]),
    ]
    return [(heading, rows) for heading, rows in groups if rows]


def _owed(order: Order) -> list[Fact]:
    """What no message carries: notice charge and compensation (order-decisions.md, D20)."""
    charge = text_formats.counted(order.notice_charge_days, "day", "days")
    rows = [("Notice charge", f"{charge}, the whole notice period")] if order.notice_charge_days else []
    for missed in order.missed_appointments.select_related("appointment"):
        window = text_formats.full_window(missed.appointment.starts_at, missed.appointment.ends_at)
        rows.append((f"Appointment {window}", _missed_text(missed)))
    rows += survey_liability(order)
    if late := LateProvision.objects.filter(order=order).first():
        days = text_formats.counted(late.payable_days, "day", "days")
        rows.append(("Late provision", f"{late.total_days} days late; compensation is due for {days}"))
    return rows


def _missed_text(missed: Any) -> str:
    if missed.settled_at is None:
        return "the buyer is notified when the flags are settled"
    flags = missed_text(missed.flags)
    return f"{flags}; {'compensation is due' if missed.is_compensation_due else 'no compensation'}"


def _visit(visit: OrderVisit) -> VisitRow:
    job = visit.job
    is_code = visit.outcome and visit.outcome == job.closure_code
    outcome = f"{visit.outcome} {codes.describe(visit.outcome)}" if is_code else visit.outcome
    return VisitRow(
        purpose=visit.get_purpose_display(),
        refusal=refusal_of(job),
        job=job.seller_job_id,
        window=text_formats.full_window(job.starts_at, job.ends_at),
        state=job.state,
        state_label=job.get_state_display(),
        outcome=outcome,
    )
