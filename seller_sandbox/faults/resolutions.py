"""A resolved ticket: by the supplier, then accepted or rejected by the buyer (States; D4, D5, D9, D14)."""

from seller_sandbox.faults import additions, appointing, lifecycle, silence, steps, tickets
from seller_sandbox.faults.models import ClosureCode, FaultReport, UpdateAuthor
from seller_sandbox.faults.states import FaultEventKind, FaultState
from seller_sandbox.faults.wire.requests import ResolveResponseRequest
from seller_sandbox.network.models import Buyer


def resolve(report: FaultReport, *, code: ClosureCode, text: str) -> None:
    """The supplier deems the fault resolved, or ends the ticket with another closure code."""
    appointing.give_up(report, reason="The fault report is resolved")
    steps.stop(report)
    report.closure_code, report.resolution, report.hold_reason = code, text, ""
    lifecycle.apply(report, FaultEventKind.RESOLVED)
    silence.wait_for_reply(report)


def receive(request: ResolveResponseRequest, *, buyer: Buyer) -> FaultReport:
    """Close or re-open a resolved ticket. Raises TicketRefused."""
    report = tickets.find(request.buyer_fault_reference, request.maintainer_fault_reference, buyer=buyer)
    if report.state != FaultState.RESOLVED:
        remedy = "Reply within 48 hours after notifyResolved."
        raise tickets.wrong_state(report, "resolveResponse", possible=remedy)
    steps.stop(report)
    if request.resolve_accepted:
        closure = {"accepted_by": "Buyer", "text": "The buyer accepted the resolution."}
        lifecycle.apply(report, FaultEventKind.RESOLUTION_ACCEPTED, closure=closure)
        return report
    reason = request.rejected_reason or "(no reason)"
    additions.add_update(report, author=UpdateAuthor.REPORTER, text=reason)
    report.closure_code, report.resolution, report.resolved_at = "", "", None
    lifecycle.apply(
        report, FaultEventKind.RESOLUTION_REJECTED, update_reason=f"Re-Opened by the buyer: {reason}"
    )
    steps.schedule(steps.START_TRIAGE, report)
    return report
