"""What must hold of every ticket at every moment, whatever buyer, partner, operator, network and clock do."""

from collections.abc import Iterator
from datetime import timedelta

from seller_sandbox import clock
from seller_sandbox.faults import sla, steps
from seller_sandbox.faults.models import FaultReport
from seller_sandbox.faults.revisits import visits
from seller_sandbox.faults.states import ENDED, ON_THE_CLOCK, OPEN, TRANSITIONS, FaultEventKind, FaultState
from seller_sandbox.models import DueAction
from seller_sandbox.network.models import Appointment, AppointmentState

# the message, then two calls
ATTEMPTS = ["message", "call", "call"]
SILENCE = timedelta(hours=48, minutes=1)


def check_all() -> None:
    """Raises AssertionError with everything that is wrong."""
    found = [*_sandbox_problems()]
    for report in FaultReport.objects.select_related("thread", "appointment", "buyer", "service"):
        found += [f"{report.maintainer_fault_reference}: {problem}" for problem in problems_of(report)]
    assert not found, "\n".join(found)


def _sandbox_problems() -> Iterator[str]:
    for action in DueAction.objects.exclude(error=""):
        yield f"{action.name} of {action.subject} failed: {action.error}"
    booked = set(Appointment.objects.filter(state=AppointmentState.BOOKED).values_list("pk", flat=True))
    of_tickets = FaultReport.objects.filter(appointment__state=AppointmentState.BOOKED)
    held = set(of_tickets.values_list("appointment_id", flat=True))
    if booked != held:
        yield f"appointments {booked ^ held} use capacity without a ticket, or a ticket holds them unbooked"


def problems_of(report: FaultReport) -> Iterator[str]:
    yield from _problems_of_events(report)
    yield from _problems_of_clock(report)
    yield from _problems_of_contacts(report)
    yield from _problems_of_visits(report)
    yield from _problems_of_end(report)


def _problems_of_events(report: FaultReport) -> Iterator[str]:
    """Each event follows the table, and each that says so was sent once and in order."""
    state, notified = None, []
    for event in report.events.all():
        row = TRANSITIONS[FaultEventKind(event.kind)]
        if state not in row.sources if state else row.sources:
            yield f"{event.kind} in {state}"
        state = FaultState(event.state)
        if row.target not in {None, state}:
            yield f"{event.kind} led to {state}"
        notified += [row.notification.value] if row.notification else []
    if state != report.state:
        yield f"is {report.state} after {state}"
    sent = [message.operation for message in report.thread.outbound.order_by("seq")]
    if sent != notified:
        yield f"sent {sent} for {notified}"


def _problems_of_clock(report: FaultReport) -> Iterator[str]:
    reading = sla.read(report)
    if reading.is_running != (report.state in ON_THE_CLOCK):
        yield f"the SLA clock runs: {reading.is_running}, in {report.state}"
    if not timedelta() <= reading.elapsed <= max(clock.now() - report.received_at, timedelta()):
        yield f"{reading.elapsed} on the SLA clock since {report.received_at}"


def _problems_of_contacts(report: FaultReport) -> Iterator[str]:
    for number in range(1, report.events.filter(kind=FaultEventKind.HELD).count() + 1):
        kinds = [row.kind for row in report.contact_attempts.filter(hold=number)]
        if kinds != ATTEMPTS[: len(kinds)]:
            yield f"contacted by {kinds} in hold {number}"


def _problems_of_visits(report: FaultReport) -> Iterator[str]:
    """One visit at a time; a slot that is over is not kept, whoever came."""
    planned = report.visits.planned().count()
    if planned > 1:
        yield f"{planned} visits are planned"
    slot = report.appointment
    if report.is_open and slot and slot.ends_at < clock.now() and not planned:
        visited = report.visits.filter(appointment=slot).exclude(outcome=visits.CANCELLED)
        if visited.exists():
            yield "keeps the slot of a visit that has ended"


def _problems_of_end(report: FaultReport) -> Iterator[str]:
    """An ended ticket holds no slot and waits for nothing; a resolved one waits for the buyer, 48 hours at most."""
    waiting = DueAction.objects.open().filter(subject=report.maintainer_fault_reference)
    if report.state in ENDED:
        if report.ended_at is None:
            yield "has ended at no time"
        if names := set(waiting.values_list("name", flat=True)) & set(steps.ALL):
            yield f"has ended and waits for {names}"
    if (
        report.state not in OPEN
        and report.appointment
        and report.appointment.state == AppointmentState.BOOKED
    ):
        yield f"holds a slot while it is {report.state}"
    if report.state == FaultState.RESOLVED:
        if not report.closure_code:
            yield "is resolved without a closure code"
        if clock.now() >= report.resolved_at + SILENCE:
            yield f"has waited for a reply since {report.resolved_at}"
