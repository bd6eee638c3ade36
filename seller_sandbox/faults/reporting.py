"""Takes a new fault report, and accepts or rejects it (faults-and-diagnostics.md, States and transitions)."""

from datetime import timedelta
from secrets import token_hex

from django.db import transaction

from seller_sandbox import clock
from seller_sandbox.compiled_queries import CompiledQuery, Parameter
from seller_sandbox.diagnostics import diagnostics_runs
from seller_sandbox.due_actions import due_action
from seller_sandbox.faults import additions, appointing, lifecycle, steps, validation
from seller_sandbox.faults.models import FaultReport, TicketSwitch, UpdateAuthor
from seller_sandbox.faults.refusals import TicketRefused
from seller_sandbox.faults.states import FaultEventKind, FaultState
from seller_sandbox.faults.wire.requests import AddFaultReportRequest
from seller_sandbox.faults.wire.responses import FaultResponseCode
from seller_sandbox.messages import outbox
from seller_sandbox.messages.models import ThreadKind
from seller_sandbox.network import appointments
from seller_sandbox.network.models import Buyer

# an older test says nothing of this fault; a sample value
HOURS_BEFORE = 24


def had_diagnostics(report: FaultReport) -> bool:
    """Whether the buyer ran diagnostics for this service in the hours before its report came."""
    run = diagnostics_runs.last_run(
        service_identifier=report.service_affected,
        caller=report.buyer.subject,
        until=report.received_at,
    )
    return run is not None and run.run_at >= report.received_at - timedelta(hours=HOURS_BEFORE)


# rows of their own
LISTS = ("header", "files", "update_texts")

_USED = CompiledQuery(
    lambda: FaultReport.objects.filter(
        buyer=Parameter("buyer"), buyer_fault_reference=Parameter("reference")
    ).values_list("pk")
)
_LAST_NUMBER = CompiledQuery(lambda: FaultReport.objects.order_by("-id").values_list("id")[:1])
_REJECTS_AT_ONCE = CompiledQuery(lambda: TicketSwitch.objects.filter(rejects_at_once=True).values_list("pk"))


@transaction.atomic(savepoint=False)
def receive(request: AddFaultReportRequest, *, buyer: Buyer) -> FaultReport:
    """A pending report, or a rejected one while the console's switch is on; notifications follow (D2).

    Raises TicketRefused for a buyerFaultReference that was used before (D3).
    """
    reference = request.buyer_fault_reference
    if reference and _USED.is_found(buyer=buyer.pk, reference=reference):
        raise TicketRefused(
            FaultResponseCode.REFERENCE_USED,
            f"The buyerFaultReference {reference} was used before. Give each fault report one of its own.",
        )
    values = {name: value for name, value in vars(request).items() if name not in LISTS}
    report = _new_report(buyer=buyer, **values)
    report.had_diagnostics = had_diagnostics(report)
    lifecycle.apply(report, FaultEventKind.RECEIVED)
    add_files(report, request.files)
    add_updates(report, request.update_texts)
    # a key that came in time stays valid while the seller takes its time
    appointments.extend_reservation(key=report.appointment_reservation_key, buyer=buyer)
    steps.schedule(steps.VALIDATE, report)
    if _REJECTS_AT_ONCE.is_found():
        result = validation.check(report)
        if result.reasons:
            _reject(report, result.reasons)
    return report


def _new_report(*, buyer: Buyer, **values: object) -> FaultReport:
    """A report with its thread, not yet saved: its first event does that."""
    # the tag keeps a fresh sandbox database apart from references that a buyer still has of an older one
    (last,) = _LAST_NUMBER.row() or (0,)
    reference = f"FT-{clock.today():%y%m%d}-{last + 1:06d}-{token_hex(2).upper()}"
    thread = outbox.open_thread(kind=ThreadKind.TICKET, reference=reference, recipient=buyer.identifier)
    return FaultReport(
        thread=thread, maintainer_fault_reference=reference, buyer=buyer, received_at=clock.now(), **values
    )


def add_files(report: FaultReport, files: list[dict[str, object]]) -> None:
    """Note details of files that the buyer has for the ticket."""
    for row in files:
        additions.add_file(report, **{**row, "author": UpdateAuthor.REPORTER})


def add_updates(report: FaultReport, texts: list[str]) -> None:
    """Note what the reporter adds."""
    for text in texts:
        additions.add_update(report, author=UpdateAuthor.REPORTER, text=text)


@due_action(steps.VALIDATE)
def validate_report(subject: str) -> None:
    """Accept or reject a pending report."""
    report = lifecycle.lock(subject)
    if report.state != FaultState.PENDING:
        return
    result = validation.check(report)
    if result.reasons:
        _reject(report, result.reasons)
        return
    report.service = result.service
    lifecycle.apply(report, FaultEventKind.VALIDATED)
    if result.appointment:
        appointing.book(report, result.appointment)
    steps.schedule(steps.START_TRIAGE, report)


def _reject(report: FaultReport, reasons: list[dict[str, str]]) -> None:
    report.rejection_reasons = reasons
    steps.stop(report)
    appointments.end_extension(key=report.appointment_reservation_key, buyer=report.buyer)
    lifecycle.apply(
        report,
        FaultEventKind.REJECTED,
        rejection={"rejected_at": clock.now().isoformat(), "reasons": reasons},
    )


@due_action(steps.START_TRIAGE)
def start_triage(subject: str) -> None:
    """Begin to work on an accepted or re-opened report; whoever triages follows the event (signals.py)."""
    report = lifecycle.lock(subject)
    if lifecycle.is_possible(report, FaultEventKind.TRIAGE_STARTED):
        lifecycle.apply(report, FaultEventKind.TRIAGE_STARTED)
