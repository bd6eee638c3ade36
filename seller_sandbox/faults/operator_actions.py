"""What the operator does with a ticket at the console or over the control interface; each takes a locked report."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from uuid import UUID

from django.db import transaction

from seller_sandbox import clock
from seller_sandbox.faults import additions, appointing, holds, lifecycle, steps
from seller_sandbox.faults.holds import ContactNotPossible
from seller_sandbox.faults.lifecycle import FaultEventNotPossible
from seller_sandbox.faults.models import FaultReport, TicketSwitch, UpdateAuthor
from seller_sandbox.faults.revisits import visits
from seller_sandbox.faults.states import FaultEventKind, FaultState
from seller_sandbox.jobs import dispatching
from seller_sandbox.jobs.exceptions import ActionNotPossible
from seller_sandbox.messages import outbox
from seller_sandbox.messages.models import OutboundMessage, OutboundState
from seller_sandbox.network import appointments
from seller_sandbox.network.appointments import AppointmentNotPossible
from seller_sandbox.network.models import AppointmentType
from seller_sandbox.network.slots import Slot


def set_rejects_at_once(*, rejects: bool) -> None:
    """Whether addFaultReport answers Rejected at once, or Pending and the notification says it (D2)."""
    TicketSwitch.objects.update_or_create(pk=1, defaults={"rejects_at_once": rejects})


@transaction.atomic
def add_update(report: FaultReport, *, text: str) -> None:
    """Tell the buyer more."""
    additions.add_update(report, author=UpdateAuthor.SUPPLIER, text=text)
    lifecycle.apply(report, FaultEventKind.UPDATED, update_reason=text)


@transaction.atomic
def add_file(report: FaultReport, *, name: str, description: str = "") -> None:
    """Note details of a file that we have for the ticket, and tell the buyer."""
    additions.add_file(report, author=UpdateAuthor.SUPPLIER, name=name, description=description)
    lifecycle.apply(report, FaultEventKind.UPDATED, update_reason=f"File added: {name}")


@transaction.atomic
def need_visit(report: FaultReport, *, text: str) -> None:
    """Say that an engineer must come: from now on an amendment may bring a key (D4)."""
    if not lifecycle.is_possible(report, FaultEventKind.AMENDED):
        raise FaultEventNotPossible(
            f"A visit cannot be asked for while a ticket is {report.get_state_display()}: no amendment is taken then"
        )
    report.is_visit_needed = True
    add_update(report, text=text or "A visit is needed. Reserve an appointment and amend its key in.")


@transaction.atomic
def book_visit(report: FaultReport, *, starts_at: datetime, ends_at: datetime) -> None:
    """The operations team has agreed a slot with the end user. Raises AppointmentNotPossible."""
    if report.service is None:
        raise FaultEventNotPossible(
            f"A visit cannot be booked while a ticket is {report.get_state_display()}"
        )
    if visits.is_engineer_on_site(report):
        raise FaultEventNotPossible(visits.ON_SITE_REASON)
    reserved = appointments.reserve(
        location=report.service.location,
        product=report.service.product,
        buyer=report.buyer,
        slot=Slot(starts_at, ends_at),
        appointment_type=AppointmentType.REPAIR,
    )
    report.is_visit_needed = True
    appointing.give_up(report, reason="Another appointment was agreed with the end user")
    appointing.book(report, reserved)
    if report.state == FaultState.ON_HOLD:
        holds.end(report, FaultEventKind.APPOINTMENT_BOOKED)


@transaction.atomic
def receive_information(report: FaultReport, *, text: str) -> None:
    """The end user or the buyer has told us by telephone what we waited for."""
    holds.end(report, FaultEventKind.INFORMATION_RECEIVED, text=text)


@transaction.atomic
def cancel(report: FaultReport, *, reason: str) -> None:
    """End the ticket; its appointment and job go with it (D6)."""
    report.cancellation_reason = reason
    appointing.give_up(report, reason="The fault report is cancelled")
    steps.stop(report)
    lifecycle.apply(report, FaultEventKind.CANCELLED)


@transaction.atomic
def mark_chargeable(report: FaultReport, *, is_chargeable: bool) -> None:
    """The fault is, or is not, in the buyer's own network (What the service does 4); triage changes it no more."""
    report.is_chargeable = is_chargeable
    text = "Chargeable to the buyer" if is_chargeable else "Not chargeable"
    lifecycle.apply(report, FaultEventKind.NOTED, details={"text": text, "is_chargeable": is_chargeable})


@transaction.atomic
def start_triage(report: FaultReport) -> None:
    """Begin to work on the ticket without waiting for the next step."""
    steps.stop(report)
    lifecycle.apply(report, FaultEventKind.TRIAGE_STARTED)


def send_refused_again(report: FaultReport) -> int:
    """Queue what the buyer or the partner refused once more, with its id; says how many messages."""
    planned = report.visits.planned().select_related("job__thread")
    return dispatching.send_all_refused_again(report.thread, [visit.job for visit in planned])


@transaction.atomic
def repeat_notification(report: FaultReport, *, message_id: UUID | None = None) -> OutboundMessage:
    """Send a delivered notification again, byte for byte: the last one, or the one with this messageId."""
    delivered = report.thread.outbound.filter(state=OutboundState.DELIVERED)
    chosen = delivered.filter(message_id=message_id) if message_id else delivered
    message = chosen.order_by("seq").last()
    if message is None:
        raise ActionNotPossible(
            "No such notification of this ticket was delivered yet. Wait until the worker has sent it."
        )
    return outbox.repeat(message)


@contextmanager
def on_ticket(reference: str) -> Iterator[FaultReport]:
    """The locked report, one transaction, one reading of the clock; what cannot be done is an ActionNotPossible."""
    try:
        with transaction.atomic(), clock.at(clock.now()):
            yield lifecycle.lock(reference)
    except (FaultEventNotPossible, ContactNotPossible) as problem:
        raise ActionNotPossible(f"{problem}.".replace("..", ".")) from problem
    except AppointmentNotPossible as problem:
        raise ActionNotPossible(problem.reason) from problem
