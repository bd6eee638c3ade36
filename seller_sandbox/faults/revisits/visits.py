"""Visits of the partner for a ticket: a revisit's job pack goes out, or its job is cancelled.

Whatever happens to a ticket's appointment comes here as an event of the ticket; what the partner reports is read in
revisit_results.py.
"""

from functools import reduce
from typing import Any

from seller_sandbox import clock, due_actions
from seller_sandbox.compiled_queries import CompiledQuery, Parameter
from seller_sandbox.faults import lifecycle, steps
from seller_sandbox.faults.models import FaultEvent, FaultReport, TicketVisit, VisitKind
from seller_sandbox.faults.revisits import revisit_packs
from seller_sandbox.faults.revisits.revisit_outcomes import NextJob, RevisitStep, outcome_of
from seller_sandbox.faults.states import FaultEventKind, FaultState
from seller_sandbox.jobs import dispatching, job_states
from seller_sandbox.jobs.job_states import NOT_WITH_PARTNER
from seller_sandbox.jobs.models import JobState, JobType
from seller_sandbox.network.models import AppointmentState

# why neither side changes the appointment any more (D4)
ON_SITE_REASON = "The engineer is on site: the appointment cannot be changed any more."
CANCELLED = JobState.CANCELLED.value

_VISITS = CompiledQuery(
    lambda: TicketVisit.objects.select_related("job", "appointment").filter(report=Parameter("report"))
)


def planned(report: FaultReport) -> TicketVisit | None:
    """The visit that has not ended; a ticket has one at a time."""
    return _last_planned(_visits_of(report))


def _visits_of(report: FaultReport) -> list[TicketVisit]:
    return _VISITS.all(report=report.pk) if report.has_visits else []


def _last_planned(visits: list[TicketVisit]) -> TicketVisit | None:
    return next((visit for visit in reversed(visits) if visit.ended_at is None), None)


def is_engineer_on_site(report: FaultReport) -> bool:
    """From here on the appointment cannot change any more (D4)."""
    visit = planned(report)
    return visit is not None and has_begun(visit)


def has_begun(visit: TicketVisit) -> bool:
    return job_states.has_visit_begun(visit.job, arrived_at=visit.arrived_at)


def on_fault_changed(*, report: FaultReport, event: FaultEvent, **_: object) -> None:
    """A ticket has changed: its visit follows its appointment."""
    if event.kind == FaultEventKind.APPOINTMENT_CANCELLED:
        _cancel_visit_of(report, key=event.details["appointment"]["key"])
    if event.kind != FaultEventKind.VISIT_PLANNED:
        send_if_due(report)


def send_if_due(report: FaultReport) -> bool:
    """Send the job pack of a locked ticket that needs a visit, once its slot is booked and no other one is planned;
    whether it was sent."""
    earlier = _visits_before(report)
    if earlier is None or has_slot_begun(report):
        return False
    _plan(report, earlier)
    return True


def is_too_late(report: FaultReport) -> bool:
    """Whether a visit is due whose slot has begun without it: the pack would come too late."""
    return has_slot_begun(report) and _visits_before(report) is not None


def has_slot_begun(report: FaultReport) -> bool:
    """Whether the slot of the ticket's appointment has begun."""
    return report.appointment is not None and report.appointment.starts_at <= clock.now()


def _visits_before(report: FaultReport) -> list[TicketVisit] | None:
    """The visits before the one that is due; None when none is."""
    appointment = report.appointment
    is_due = report.state == FaultState.IN_PROGRESS and report.is_visit_needed and appointment
    if not is_due or appointment.state != AppointmentState.BOOKED:
        return None
    visits = _visits_of(report)
    was_visited = any(
        visit.appointment_id == appointment.pk and visit.outcome != CANCELLED for visit in visits
    )
    return None if was_visited or _last_planned(visits) else visits


def _plan(report: FaultReport, earlier: list[TicketVisit]) -> None:
    """Queue the job pack of a revisit in the slot of the ticket's appointment."""
    appointment, needs = report.appointment, _needs_after(earlier)
    pack = revisit_packs.build(report, appointment=appointment, needs=needs)
    job = dispatching.send_pack(
        job_type=JobType.REVISIT,
        pack=pack,
        starts_at=appointment.starts_at,
        ends_at=appointment.ends_at,
    )
    visit = report.visits.create(
        kind=VisitKind.FOLLOW_UP if earlier else VisitKind.REPAIR,
        appointment=appointment,
        job=job,
        needs=_as_row(needs),
        planned_at=clock.now(),
    )
    report.has_visits = True
    if earlier:
        due_actions.cancel(steps.SLOT_ENDED, subject=report.maintainer_fault_reference)
    due_actions.schedule(
        steps.SLOT_ENDED, at=appointment.ends_at, subject=report.maintainer_fault_reference, visit=visit.pk
    )
    lifecycle.apply(report, FaultEventKind.VISIT_PLANNED, details={"job": job.seller_job_id})


def _needs_after(visits: list[TicketVisit]) -> NextJob:
    """What all visits before have lacked together; what a finished revisit has brought is not needed again."""
    lacked = [outcome_of(visit.outcome) for visit in visits if visit.outcome != CANCELLED]
    return reduce(_together, [row.next_job for row in lacked if row.step == RevisitStep.REVISIT], NextJob())


def _together(first: NextJob, other: NextJob) -> NextJob:
    return NextJob(
        flags=tuple(dict.fromkeys([*first.flags, *other.flags])),
        brings_ont=first.brings_ont or other.brings_ont,
        engineers=max(first.engineers, other.engineers),
    )


def _as_row(needs: NextJob) -> list[str]:
    ont = ["ont"] if needs.brings_ont else []
    return [*needs.flags, *ont, *([f"{needs.engineers} engineers"] if needs.engineers > 1 else [])]


def request_cancellation(report: FaultReport, *, code: str, message: str) -> None:
    """Ask the partner to cancel the planned visit of a locked ticket; without one nothing happens."""
    visit = planned(report)
    if visit is None:
        return
    if visit.job.state in NOT_WITH_PARTNER:
        end(visit, outcome=CANCELLED)
    elif not dispatching.is_being_cancelled(visit.job):
        dispatching.cancel(visit.job, code=code, message=message)


def end(visit: TicketVisit, *, outcome: str) -> None:
    visit.outcome, visit.ended_at = outcome, clock.now()
    visit.save(update_fields=["outcome", "ended_at"])


def _cancel_visit_of(report: FaultReport, *, key: Any) -> None:
    visit = planned(report)
    if visit and visit.appointment and str(visit.appointment.key) == str(key) and not has_begun(visit):
        request_cancellation(report, code="APPOINTMENT", message="The appointment was cancelled")
