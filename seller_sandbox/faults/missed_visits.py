"""Nobody was on site by the end of the slot: missed by the supplier (fault-decisions.md, D15).

The closure codes of revisits have none for "not attended", so the clock says it, not the partner.
"""

from seller_sandbox import due_actions
from seller_sandbox.due_actions import due_action
from seller_sandbox.faults import appointing, follow_up_slots, lifecycle, visits
from seller_sandbox.faults.models import ClosureCode, FaultReport, TicketVisit
from seller_sandbox.faults.states import FaultEventKind
from seller_sandbox.faults.ticket_closure_codes import closure_codes
from seller_sandbox.jobs.exceptions import ActionNotPossible

SUPPLIER = "Supplier"
REASONS = {
    ClosureCode.FTA: "No engineer was on site by the end of the slot.",
    ClosureCode.MBORC: "Matters beyond our control kept the engineer from coming.",
}


@due_action(visits.SLOT_ENDED)
def end_slot(subject: str, visit: int, code: str = ClosureCode.FTA.value) -> None:
    """Tell the buyer, and plan another visit; the ticket stays open."""
    report = lifecycle.lock(subject)
    found = report.visits.select_related("appointment", "job").get(pk=visit)
    if report.is_open and found.arrived_at is None and report.appointment_id == found.appointment_id:
        _miss(report, found, code)


def _miss(report: FaultReport, visit: TicketVisit, code: str) -> None:
    row = closure_codes()[code]
    appointing.miss(
        report,
        missed_at=visit.appointment.ends_at.isoformat(),
        reason=REASONS[ClosureCode(code)],
        missed_by=SUPPLIER,
        code=code,
    )
    details = {
        "code": code,
        "job": visit.job.seller_job_id,
        "is_late_repair_payable": row.is_late_repair_payable,
        "is_missed_appointment_payable": row.is_missed_appointment_payable,
    }
    lifecycle.apply(report, FaultEventKind.NOTED, details=details)
    visits.request_cancellation(report, code="MISSED", message="The appointment was missed")
    follow_up_slots.forget(report)
    follow_up_slots.book_next(report)


def declare_mborc(report: FaultReport) -> None:
    """If nobody comes in the slot of the planned visit, that is beyond reasonable control; the ticket is locked.

    Raises ActionNotPossible when no visit is planned, or somebody is there already.
    """
    visit, reference = visits.planned(report), report.maintainer_fault_reference
    if visit is None or visit.arrived_at or not due_actions.cancel(visits.SLOT_ENDED, subject=reference):
        raise ActionNotPossible(
            "No visit is planned that could be missed. Declare it before the slot of the visit ends."
        )
    due_actions.schedule(
        visits.SLOT_ENDED,
        at=visit.appointment.ends_at,
        subject=reference,
        visit=visit.pk,
        code=ClosureCode.MBORC.value,
    )
