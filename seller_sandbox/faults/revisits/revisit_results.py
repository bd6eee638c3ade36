"""What the partner's answers and reports about a revisit do to its ticket, in the transaction of the job's change."""

from collections.abc import Callable
from functools import partial

from seller_sandbox import clock, due_actions
from seller_sandbox.compiled_queries import CompiledQuery, Parameter
from seller_sandbox.diagnostics import line_states
from seller_sandbox.faults import appointing, holds, lifecycle, repairs, resolutions, steps
from seller_sandbox.faults.models import ClosureCode, FaultReport, TicketVisit
from seller_sandbox.faults.revisits import follow_up_slots, missed_visits, visits
from seller_sandbox.faults.revisits.revisit_outcomes import (
    AppointmentEnd,
    RevisitOutcome,
    RevisitStep,
    outcome_of,
)
from seller_sandbox.faults.states import FaultEventKind, FaultState
from seller_sandbox.jobs import codes, dispatching, partner_reports
from seller_sandbox.jobs.models import Job
from seller_sandbox.jobs.signals import JobEvent
from seller_sandbox.messages.models import InboundMessage
from seller_sandbox.network import services
from seller_sandbox.network.models import Service
from seller_sandbox.orders import completion, visit_results

STEP_TEXTS = {
    JobEvent.ENGINEER_ASSIGNED: "An engineer is assigned",
    JobEvent.EN_ROUTE: "The engineer is on the way",
    JobEvent.ON_SITE: "The engineer is on site",
}
END_USER = "End User"
VISITED = "The engineer has completed the visit."
_OPEN_VISIT = CompiledQuery(
    lambda: TicketVisit.objects.select_related("report").filter(job=Parameter("job"), ended_at=None)
)
_REPORT_TO_LOCK = CompiledQuery(
    lambda: (
        FaultReport.objects.select_for_update(of=("self",))
        .only("pk")
        .filter(visits__job=Parameter("job"))
        .order_by("pk")[:1]
    )
)


def on_job_changed(*, job: Job, event: JobEvent, message: InboundMessage | None = None, **_: object) -> None:
    """A job has changed; jobs that belong to no ticket are none of our business."""
    handler = HANDLERS.get(event)
    visit = _OPEN_VISIT.first(job=job.pk) if handler and not job.order_reference else None
    if handler and visit:
        handler(lifecycle.lock(visit.report.maintainer_fault_reference), visit, job, message)


def lock_report(*, job: Job, **_: object) -> None:
    """Before the job itself, whoever comes first (transactions.py); that of an order belongs to no ticket."""
    if not job.order_reference:
        _REPORT_TO_LOCK.first(job=job.pk)


# --- the engineer's steps -------------------------------------------------------------------------------------
def _progressed(
    report: FaultReport, visit: TicketVisit, job: Job, message: InboundMessage | None, *, event: JobEvent
) -> None:
    name = (message.body.get("engineer") or {}).get("name", "") if message else ""
    text = STEP_TEXTS[event] + (f": {name}." if name else ".")
    if event == JobEvent.ON_SITE and visit.arrived_at is None:
        visit.arrived_at = partner_reports.occurred_at(message)
        visit.save(update_fields=["arrived_at"])
        repairs.schedule(report, arrived_at=visit.arrived_at)
        missed_visits.take_back(report, visit)
    lifecycle.apply(
        report,
        FaultEventKind.VISIT_PROGRESSED,
        update_reason=text,
        details={"job": job.seller_job_id, "step": event.value},
    )


def _provisioned(report: FaultReport, _visit: TicketVisit, job: Job, _message: InboundMessage | None) -> None:
    """An ONT that was exchanged is the one that the network has here from now on (D16)."""
    record_exchanged_ont(job, service=report.service)


# --- the visit does not take place ----------------------------------------------------------------------------
def _refused(report: FaultReport, visit: TicketVisit, job: Job, message: InboundMessage | None) -> None:
    """The partner does not take the pack: a person sends it again, or the slot ends."""
    if report.is_open:
        lifecycle.apply(report, FaultEventKind.VISIT_REFUSED, details={"job": job.seller_job_id})
    if dispatching.is_being_cancelled(job):
        # the cancelJob behind the refused pack never goes out
        _cancelled(report, visit, job, message)


def _sent_again(report: FaultReport, _visit: TicketVisit, job: Job, _message: InboundMessage | None) -> None:
    details = {"job": job.seller_job_id, "text": "The refused job pack is sent again"}
    lifecycle.apply(report, FaultEventKind.NOTED, details=details)


def _cancelled(report: FaultReport, visit: TicketVisit, job: Job, _message: InboundMessage | None) -> None:
    """The old job is out of the way: the next one goes out."""
    visits.end(visit, outcome=visits.CANCELLED)
    lifecycle.apply(report, FaultEventKind.VISIT_CANCELLED, details={"job": job.seller_job_id})


def _cancel_refused(
    report: FaultReport, visit: TicketVisit, _job: Job, _message: InboundMessage | None
) -> None:
    """The engineer is on site: the visit goes on, and a slot that was to replace it is given back."""
    if report.appointment and report.appointment_id != visit.appointment_id:
        appointing.give_up(report, reason="The engineer is on site already")


def _cancel_failed(
    report: FaultReport, _visit: TicketVisit, job: Job, _message: InboundMessage | None
) -> None:
    """Nothing says that anybody is there: a person may send the cancelJob again, and the new slot waits for that."""
    text = "The partner did not cancel the visit. Send the refused cancelJob again."
    lifecycle.apply(report, FaultEventKind.NOTED, details={"job": job.seller_job_id, "text": text})


# --- closed ---------------------------------------------------------------------------------------------------
def _closed(report: FaultReport, visit: TicketVisit, job: Job, message: InboundMessage | None) -> None:
    outcome = _outcome(job)
    is_attended = visit.arrived_at is not None or codes.needs_visit(job.closure_code)
    visits.end(visit, outcome=job.closure_code)
    repairs.stop_unless_done(report, outcome)
    lifecycle.apply(report, FaultEventKind.VISIT_ENDED, details=_details(job))
    if not report.is_open:
        return
    _leave_hold(report)
    text = _text(report, outcome, job, message)
    if is_attended:
        _end_appointment(report, visit, outcome, at=partner_reports.closed_at(job).isoformat(), text=text)
    NEXT_STEPS[outcome.step](report, outcome, text)


def _leave_hold(report: FaultReport) -> None:
    """A ticket that was put on hold while its visit was planned goes on with what the engineer reports.

    That says how, so the line is not triaged for it.
    """
    if report.state == FaultState.ON_HOLD:
        holds.end(report, FaultEventKind.INFORMATION_RECEIVED)
        due_actions.cancel(steps.TRIAGE, subject=report.maintainer_fault_reference)


def _outcome(job: Job) -> RevisitOutcome:
    """A code of another family (a strict seller refuses it) is looked into: it says nothing of this visit."""
    is_foreign = codes.job_type_of(job.closure_code) not in {None, job.job_type}
    return outcome_of("" if is_foreign else job.closure_code)


def _details(job: Job) -> dict[str, str]:
    return {"job": job.seller_job_id, "closure_code": job.closure_code, "secondary": job.secondary_code}


def _text(report: FaultReport, outcome: RevisitOutcome, job: Job, message: InboundMessage | None) -> str:
    """The row's text, and what was written to it: Other reason says nothing without its remarks.

    Nobody is told of a repair while the line is down.
    """
    known = VISITED if _is_in_vain(report, outcome) else outcome.text_for(job.secondary_code)
    remarks = (message.body.get("remarks") or "").strip() if message else ""
    return " ".join(part for part in (known, remarks) if part)


def _end_appointment(
    report: FaultReport, visit: TicketVisit, outcome: RevisitOutcome, *, at: str, text: str
) -> None:
    """Completed, or missed by the end user; a ticket that has another slot by now keeps it."""
    other = report.appointment if report.appointment_id != visit.appointment_id else None
    report.appointment = visit.appointment
    if outcome.appointment == AppointmentEnd.MISSED_BY_END_USER:
        appointing.miss(
            report,
            missed_at=at,
            reason=text,
            missed_by=END_USER,
            code=outcome.closure_code,
        )
    else:
        appointing.complete(report, completed_at=at, outcome=text)
    follow_up_slots.forget(report, keep=other)


def _resolve(report: FaultReport, outcome: RevisitOutcome, text: str) -> None:
    """REVCOMP with the line still down does not resolve (D16)."""
    if _is_in_vain(report, outcome):
        reason = "The engineer has completed the visit, but the line is still down. We look into it."
        lifecycle.apply(report, FaultEventKind.UPDATED, update_reason=reason)
        return
    resolutions.resolve(report, code=ClosureCode(outcome.closure_code), text=text)


def _is_in_vain(report: FaultReport, outcome: RevisitOutcome) -> bool:
    return outcome.closure_code == repairs.REPAIRED_CODE and not line_states.is_up(report.service)


def _contact_end_user(report: FaultReport, _: RevisitOutcome, text: str) -> None:
    holds.begin(report, reason=text)


def _revisit(report: FaultReport, _: RevisitOutcome, text: str) -> None:
    lifecycle.apply(report, FaultEventKind.UPDATED, update_reason=text)
    follow_up_slots.book_next(report)


def _repair_network(report: FaultReport, _: RevisitOutcome, text: str) -> None:
    lifecycle.apply(report, FaultEventKind.UPDATED, update_reason=text)
    repairs.schedule_in_network(report)


def _review(report: FaultReport, _: RevisitOutcome, text: str) -> None:
    """A person at the console decides how to go on."""
    lifecycle.apply(report, FaultEventKind.UPDATED, update_reason=text)


NEXT_STEPS: dict[RevisitStep, Callable[[FaultReport, RevisitOutcome, str], None]] = {
    RevisitStep.RESOLVE: _resolve,
    RevisitStep.CONTACT_END_USER: _contact_end_user,
    RevisitStep.REVISIT: _revisit,
    RevisitStep.NETWORK_REPAIR: _repair_network,
    RevisitStep.REVIEW: _review,
}
HANDLERS: dict[JobEvent, Callable[[FaultReport, TicketVisit, Job, InboundMessage | None], None]] = {
    **{event: partial(_progressed, event=event) for event in STEP_TEXTS},
    JobEvent.PROVISIONED: _provisioned,
    JobEvent.REFUSED: _refused,
    JobEvent.SENT_AGAIN: _sent_again,
    JobEvent.CANCELLED: _cancelled,
    JobEvent.CANCEL_REFUSED: _cancel_refused,
    JobEvent.CANCEL_FAILED: _cancel_failed,
    JobEvent.CLOSED: _closed,
}


def record_exchanged_ont(job: Job, *, service: Service) -> None:
    """Install the device that was scanned last; one that is installed elsewhere, or was never scanned, changes nothing.

    The line's own state is that of jobs/provisioned_lines.py.
    """
    scanned = visit_results.scanned_by(job)
    if scanned is None:
        return
    device = {"fsan": scanned.fsan, "serial_number": scanned.serial_number}
    if not services.can_install_ont(location=service.location, **device):
        return
    services.install_ont(
        location=service.location,
        ont_model=completion.model_of(scanned, product=service.product),
        at=clock.now(),
        **device,
    )
