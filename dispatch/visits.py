"""Verbs about visits: who goes where and when, and what the engineer reports on the way."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from dispatch import availability, job_events, ont_scans
from dispatch.availability import NotBookable, VisitProposal
from dispatch.job_events import Performer
from dispatch.models import Job, JobEvent, OntScan, ScanSource, Visit
from dispatch.plan_versions import refuse_changed_plan
from dispatch.problems import ActionRefused, Problem, blocking_problems
from dispatch.states import EventKind, JobState
from engineers import staff
from engineers.models import Engineer
from engineers.shifts import Window
from engineers.staff import Position


class NotYourJob(ActionRefused):
    """The job is not with this engineer (any more)."""

    def __init__(self, job: Job) -> None:
        super().__init__(
            [
                Problem(
                    "not_your_job",
                    "job",
                    _("Job %(job)s is no longer assigned to you. If you're on site, call the office.")
                    % {"job": job},
                )
            ]
        )


def current_visit(job: Job) -> Visit | None:
    return job.visits.current().select_related("engineer__user").first()


@transaction.atomic
def assign(
    *,
    job: Job,
    engineer: Engineer,
    starts_at: datetime,
    by: Performer,
    not_before: datetime | None = None,
    seen: str | None = None,
) -> Visit:
    """Give the job to the engineer from `starts_at` for the job's length; moves or replaces a standing visit.

    In order: locks job and engineer, checks the whole interval, writes the visit, appends the event (another
    engineer: the seller is told; the same one at another time: not). `not_before`: see Proposal. A job
    that was begun is handed over with its answers, scans and photos, and need not fit its window any more: somebody
    kept that promise. `seen` is the plan version that the caller decided on. Raises PlanChanged, NotBookable,
    IllegalEvent.
    """
    job = job_events.lock_job(job)
    standing = current_visit(job)
    refuse_changed_plan(job, visit=standing, seen=seen)
    engineer = Engineer.objects.select_for_update().get(pk=engineer.pk)
    span = Window(starts_at, starts_at + timedelta(minutes=job.duration_minutes))
    others = availability.blocking_visits(engineer.visits.all(), span=span).select_related("job")
    proposal = VisitProposal(
        job, engineer, span, is_begun=job_events.has_been_on_site(job), not_before=not_before
    )
    refusals = blocking_problems(availability.booking_problems(proposal, others=others))
    if refusals:
        raise NotBookable(refusals)
    if standing and standing.engineer_id == engineer.pk:
        return _move(visit=standing, span=span, by=by)
    return _hand_over(job=job, engineer=engineer, span=span, standing=standing, by=by)


def _move(*, visit: Visit, span: Window, by: Performer) -> Visit:
    facts = {"from": visit.planned_start.isoformat(), **_plan(span)}
    visit.planned_start, visit.planned_end = span.start, span.end
    visit.save(update_fields=["planned_start", "planned_end"])
    job_events.record_event(
        job=visit.job, kind=EventKind.MOVED, by=by, facts={**facts, **_engineer_name(visit.engineer)}
    )
    return visit


def _hand_over(*, job: Job, engineer: Engineer, span: Window, standing: Visit | None, by: Performer) -> Visit:
    facts: dict[str, Any] = {**_engineer_name(engineer), **_plan(span)}
    if standing:
        facts["instead_of"] = standing.engineer.name
        facts["instead_of_number"] = standing.engineer.staff_number
        facts["state_then"] = job.state
        _end_visit(standing)
    visit = Visit.objects.create(job=job, engineer=engineer, planned_start=span.start, planned_end=span.end)
    job_events.record_event(job=job, kind=EventKind.ENGINEER_ASSIGNED, by=by, facts=facts)
    return visit


def _end_visit(visit: Visit) -> None:
    visit.unassigned_at = timezone.now()
    visit.save(update_fields=["unassigned_at"])


def _plan(span: Window) -> dict[str, str]:
    return {"planned_start": span.start.isoformat(), "planned_end": span.end.isoformat()}


def _engineer_name(engineer: Engineer) -> dict[str, str]:
    return {
        "engineer_number": engineer.staff_number,
        "engineer_name": engineer.name,
        "engineer_phone": engineer.phone,
    }


@transaction.atomic
def unassign(*, job: Job, by: Performer, reason: str = "", seen: str | None = None) -> JobEvent:
    """Take the job off its engineer; it waits to be placed again. `seen` as for assign. Raises PlanChanged,
    IllegalEvent."""
    job = job_events.lock_job(job)
    visit = current_visit(job)
    refuse_changed_plan(job, visit=visit, seen=seen)
    facts = {"reason": reason, **(_engineer_name(visit.engineer) if visit else {})}
    event = job_events.record_event(job=job, kind=EventKind.UNASSIGNED, by=by, facts=facts)
    if visit:
        _end_visit(visit)
    return event


def own_visit(*, job: Job, engineer: Engineer) -> Visit:
    """The standing visit of this engineer, or NotYourJob."""
    visit = job.visits.active().filter(engineer=engineer).first()
    if visit is None:
        raise NotYourJob(job)
    return visit


@transaction.atomic
def start_travel(
    *, job: Job, engineer: Engineer, by: Performer, occurred_at: datetime, position: Position
) -> JobEvent:
    """The engineer is on the way. Raises NotYourJob, IllegalEvent."""
    job = job_events.lock_job(job)
    visit = own_visit(job=job, engineer=engineer)
    facts = {**_engineer_name(engineer), **_position_facts(position)}
    event = job_events.record_event(
        job=job, kind=EventKind.EN_ROUTE, by=by, occurred_at=occurred_at, facts=facts
    )
    visit.travel_started_at = occurred_at
    visit.save(update_fields=["travel_started_at"])
    staff.record_position(engineer=engineer, position=position, taken_at=occurred_at)
    return event


@transaction.atomic
def arrive(
    *, job: Job, engineer: Engineer, by: Performer, occurred_at: datetime, position: Position
) -> JobEvent:
    """The engineer is at the premises. Raises NotYourJob, IllegalEvent."""
    job = job_events.lock_job(job)
    visit = own_visit(job=job, engineer=engineer)
    facts = {**_engineer_name(engineer), **_position_facts(position)}
    event = job_events.record_event(
        job=job, kind=EventKind.ON_SITE, by=by, occurred_at=occurred_at, facts=facts
    )
    visit.arrived_at = occurred_at
    visit.save(update_fields=["arrived_at"])
    staff.record_position(engineer=engineer, position=position, taken_at=occurred_at)
    return event


def _position_facts(position: Position) -> dict[str, Any]:
    if not position.is_known:
        return {"position_missing_because": position.missing_because or "not given"}
    return {
        "latitude": position.latitude,
        "longitude": position.longitude,
        "accuracy_metres": position.accuracy_metres,
    }


@transaction.atomic
def record_ont_scan(
    *,
    job: Job,
    engineer: Engineer,
    by: Performer,
    scan_id: UUID,
    fsan: str,
    serial_number: str,
    source: ScanSource,
    occurred_at: datetime,
    duplicate_confirmed: bool,
) -> OntScan:
    """One device read at the premises; the seller is asked to provision it.

    Raises NotYourJob, IllegalEvent, or `scans.BadScan` with every problem of the two values; a device that
    stands on another open job of ours is refused until `duplicate_confirmed`.
    """
    job = job_events.lock_job(job)
    own_visit(job=job, engineer=engineer)
    reading = ont_scans.read_label_codes(fsan=fsan, serial_number=serial_number)
    if not job.has_ont_scan:
        sentence = _("Jobs of type “%(kind)s” have no ONT scan.") % {"kind": job.get_job_type_display()}
        raise ont_scans.BadScan([Problem("no_scan_here", "scan", sentence)])
    if not duplicate_confirmed:
        ont_scans.refuse_duplicate(job=job, fsan=reading.fsan)
    scan = OntScan.objects.create(
        scan_id=scan_id,
        job=job,
        fsan=reading.fsan,
        serial_number=reading.serial_number,
        source=source,
        scanned_at=occurred_at,
        recorded_at=timezone.now(),
    )
    facts = {
        "scan_id": str(scan_id),
        "fsan": scan.fsan,
        "serial_number": scan.serial_number,
        **_engineer_name(engineer),
    }
    job_events.record_event(job=job, kind=EventKind.ONT_SCANNED, by=by, occurred_at=occurred_at, facts=facts)
    return scan


@transaction.atomic
def report_late(
    *, job: Job, by: Performer, what: EventKind | str, occurred_at: datetime, facts: dict[str, Any]
) -> JobEvent:
    """Keep a fact that came too late to move the job (cancelled, closed, reassigned): shown, never undone."""
    return job_events.record_event(
        job=job,
        kind=EventKind.REPORTED_LATE,
        by=by,
        occurred_at=occurred_at,
        facts={"what": str(what), "state_then": JobState(job_events.lock_job(job).state), **facts},
    )
