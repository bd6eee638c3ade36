"""Nobody was on site by the end of the slot: missed by the supplier (fault-decisions.md, D15).

The closure codes of revisits have none for "not attended", so the clock decides it, not the partner.
"""

from django.db import models

from seller_sandbox import due_actions
from seller_sandbox.due_actions import due_action
from seller_sandbox.faults import appointing, holds, lifecycle, steps
from seller_sandbox.faults.models import ClosureCode, FaultReport, TicketVisit
from seller_sandbox.faults.revisits import follow_up_slots, visits
from seller_sandbox.faults.states import FaultEventKind, FaultState
from seller_sandbox.faults.ticket_closure_codes import closure_codes
from seller_sandbox.jobs.exceptions import ActionNotPossible

SUPPLIER = "Supplier"
ATTENDED = "The engineer was on site in the slot"
REASONS = {
    ClosureCode.FTA: "No engineer was on site by the end of the slot.",
    ClosureCode.MBORC: "Matters beyond our control kept the engineer from coming.",
}


@due_action(steps.SLOT_ENDED)
def end_slot(subject: str, visit: int, code: str = ClosureCode.FTA.value) -> None:
    """Tell the buyer, and plan another visit; the ticket stays open."""
    report = lifecycle.lock(subject)
    found = report.visits.select_related("appointment", "job").get(pk=visit)
    if report.is_open and not visits.has_begun(found) and report.appointment_id == found.appointment_id:
        _miss(report, found, code)


def _miss(report: FaultReport, visit: TicketVisit, code: str) -> None:
    appointing.miss(
        report,
        missed_at=visit.appointment.ends_at.isoformat(),
        reason=REASONS[ClosureCode(code)],
        missed_by=SUPPLIER,
        code=code,
    )
    _record(report, visit, code)
    visits.request_cancellation(report, code="MISSED", message="The appointment was missed")
    follow_up_slots.forget(report)
    follow_up_slots.book_next(report)


def take_back(report: FaultReport, visit: TicketVisit) -> None:
    """An engineer was on site by the end of the slot after all, and the report of it took its time: nothing was missed.

    The slot that was to replace it is given back. What the buyer was told stays told, so an update corrects it.
    """
    ends_at = visit.appointment.ends_at if visit.missed_code and visit.appointment else None
    if ends_at is None or visit.arrived_at > ends_at or not report.is_open:
        return
    visit.missed_code = ""
    visit.save(update_fields=["missed_code"])
    appointing.give_up(report, reason=ATTENDED)
    appointing.keep(report, visit.appointment)
    if report.state == FaultState.ON_HOLD:
        holds.end(report, FaultEventKind.APPOINTMENT_BOOKED)
    lifecycle.apply(
        report, FaultEventKind.UPDATED, update_reason=f"{ATTENDED}: the appointment was not missed."
    )


def _record(report: FaultReport, visit: TicketVisit, code: str) -> None:
    """Why the visit was missed, and what is payable for it: kept here, no message carries it."""
    visit.missed_code = code
    visit.save(update_fields=["missed_code"])
    details = {"code": code, "job": visit.job.seller_job_id, **compensation_of(visit)}
    lifecycle.apply(report, FaultEventKind.NOTED, details=details)


def compensation_of(visit: TicketVisit) -> dict[str, bool]:
    """What is payable to the buyer for a visit that nobody made; empty for any other."""
    if not visit.missed_code:
        return {}
    row = closure_codes()[visit.missed_code]
    return {
        "is_late_repair_payable": row.is_late_repair_payable,
        "is_missed_appointment_payable": row.is_missed_appointment_payable,
    }


def declare_mborc(report: FaultReport, *, job: str = "") -> None:
    """A visit is missed for matters beyond reasonable control: late repair is payable, a missed appointment is not.

    `job` is the visit's sellerJobId. Without it: the last one missed by the supplier, else the planned one, if nobody
    comes in its slot. The report is locked. Raises ActionNotPossible when there is no such visit.
    """
    missed = _of_job(report, job).filter(missed_code=ClosureCode.FTA).select_related("job").last()
    planned = visits.planned(report)
    if missed:
        _change_to_mborc(report, missed)
    elif planned is None or job not in {"", planned.job.seller_job_id} or not _plan_mborc(report, planned):
        raise ActionNotPossible(
            "There is no visit that was missed, or could be. Declare it before an engineer is on site."
        )


def _of_job(report: FaultReport, job: str) -> models.QuerySet[TicketVisit]:
    return report.visits.filter(job__seller_job_id=job) if job else report.visits.all()


def _change_to_mborc(report: FaultReport, visit: TicketVisit) -> None:
    """The buyer was told of FTA: an update corrects it."""
    _record(report, visit, ClosureCode.MBORC)
    text = f"The missed appointment counts as MBORC. {REASONS[ClosureCode.MBORC]}"
    lifecycle.apply(report, FaultEventKind.UPDATED, update_reason=text)


def _plan_mborc(report: FaultReport, visit: TicketVisit) -> bool:
    """Says whether the visit can still be missed."""
    reference, ends_at = report.maintainer_fault_reference, visit.appointment and visit.appointment.ends_at
    if (
        ends_at is None
        or visits.has_begun(visit)
        or not due_actions.cancel(steps.SLOT_ENDED, subject=reference)
    ):
        return False
    due_actions.schedule(
        steps.SLOT_ENDED, at=ends_at, subject=reference, visit=visit.pk, code=ClosureCode.MBORC.value
    )
    return True
