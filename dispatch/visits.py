"""Actions on visits: assigning and rescheduling, and what the engineer reports on the way.

A verb that takes a LockedJob is a part of its caller's transaction.
"""

from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from dispatch import attention, availability, job_events, job_search, ont_scans, teams
from dispatch.availability import NotBookable
from dispatch.job_events import LockedJob, Performer
from dispatch.models import Job, JobEvent, OntScan, ScanSource, Visit
from dispatch.other_visits import read_others
from dispatch.pins import refuse_pinned
from dispatch.plan_changes.plan_overruns import overrun_of_next
from dispatch.plan_changes.plan_versions import refuse_changed_plan
from dispatch.problems import ActionRefused, Problem, blocking_problems, overridden_facts
from dispatch.states import EventKind, JobState
from dispatch.teams import (
    RequestedSecondEngineer,
    Unchanged,
    engineer_facts,
    second_engineer_facts,
    second_engineer_of,
    team_facts,
)
from dispatch.visit_proposals import VisitProposal
from engineers import staff
from engineers.models import Engineer
from engineers.shifts import TimeSpan
from engineers.staff import Position, PositionMissing
from monitoring.coded_texts import Reason, reason_json


class NotYourJob(ActionRefused):
    """The job is not with this engineer (any more)."""

    def __init__(self, job: Job) -> None:
        text = _("Job %(job)s is no longer assigned to you. If you're on site, call the office.")
        super().__init__([Problem("not_your_job", "job", text % {"job": job})])


def current_visit(job: Job) -> Visit | None:
    return _last_visits(job)[0]


def _last_visits(job: Job) -> tuple[Visit | None, Visit | None]:
    """The current one, and the last one: the same, or what was taken off or ended last."""
    last = job.visits.select_related("engineer__user", "second_engineer__user").order_by("pk").last()
    return (last if last and last.unassigned_at is last.ended_at is None else None), last


@transaction.atomic
def assign(
    *,
    job: Job,
    engineer: Engineer,
    starts_at: datetime,
    by: Performer,
    not_before: datetime | None = None,
    seen: str | None = None,
    override_reason: Reason = "",
    leaving: Collection[int] = (),
    second_engineer: RequestedSecondEngineer = Unchanged.SECOND_ENGINEER,
) -> Visit:
    """Give the job to the engineer from `starts_at` for the job's length; moves or replaces the current visit.

    In order: locks job and engineers, checks the whole interval for both of a team, writes the visit, appends the
    event (another engineer or time: the seller is notified; only another second engineer: not). What is planned so
    already stays as it is, unchecked and without an event.
    `not_before`: see VisitProposal. A job that was begun is handed over with its answers, scans and photos, and need
    not fit its window any more: somebody kept the appointment. `seen` is the plan version that the caller decided on.
    With an `override_reason`, which is recorded, problems that can be overridden do not refuse. `leaving`: jobs (keys)
    that are in no way, since they go elsewhere in the same transaction. Raises PlanChanged, VisitPinned, NotBookable,
    IllegalEvent.
    """
    job = job_events.lock_job(job)
    current, last = _last_visits(job)
    refuse_changed_plan(job, visit=current, seen=seen)
    refuse_pinned(job, current)
    second = second_engineer_of(current, engineer=engineer, wanted=second_engineer)
    engineer, second = teams.lock_team(engineer, second)
    # in UTC: arithmetic inside one zone counts wall-clock time, and a night has 7 or 9 hours when the clocks change
    starts_at = starts_at.astimezone(UTC)
    span = TimeSpan(starts_at, starts_at + timedelta(minutes=job.duration_minutes))
    is_begun = job_events.has_been_on_site(job)
    proposal = VisitProposal(job, engineer, span, is_begun, not_before, second, not_before, current)
    if current and job.state == JobState.ASSIGNED and proposal.matches(current):
        return current
    overridden = _refuse_unbookable(proposal, override_reason=override_reason, leaving=leaving)
    before = current.second_engineer if current else None
    facts = {**_plan(span), **second_engineer_facts(second, before=before), **overridden}
    if current and current.engineer_id == engineer.pk:
        return _reschedule(visit=current, proposal=proposal, by=by, facts=facts)
    return _assign_to(proposal=proposal, current=current, last=last, by=by, facts=facts)


def _refuse_unbookable(
    proposal: VisitProposal, *, override_reason: Reason, leaving: Collection[int]
) -> dict[str, Any]:
    """Raises NotBookable; otherwise what was overridden and why, as facts of the event."""
    problems = proposal_problems(proposal, leaving=leaving)
    if any(not (override_reason and problem.can_override) for problem in problems):
        raise NotBookable(problems)
    return overridden_facts(problems, override_reason)


def proposal_problems(proposal: VisitProposal, *, leaving: Collection[int] = ()) -> list[Problem]:
    """What `assign` would refuse without a reason. Three queries more where somebody of it is late today."""
    others, today = read_others(proposal, proposal.people, leaving=leaving)
    return blocking_problems(availability.booking_problems(proposal, others=others, today=today))


def assignment_problems(
    job: Job, engineer: Engineer, *, starts_at: datetime, not_before: datetime
) -> list[Problem]:
    """What `assign` would refuse now, without doing it; whoever accompanies goes along."""
    span, current = TimeSpan(starts_at, starts_at + job.duration), current_visit(job)
    second = second_engineer_of(current, engineer=engineer, wanted=Unchanged.SECOND_ENGINEER)
    is_begun = job_events.has_been_on_site(job)
    proposal = VisitProposal(job, engineer, span, is_begun, not_before, second, not_before, current)
    return proposal_problems(proposal)


def _reschedule(*, visit: Visit, proposal: VisitProposal, by: Performer, facts: dict[str, Any]) -> Visit:
    job, span, second = LockedJob(proposal.job), proposal.span, proposal.second_engineer
    is_team_change = visit.span == span and visit.second_engineer != second
    kind = EventKind.SECOND_ENGINEER_CHANGED if is_team_change else EventKind.RESCHEDULED
    facts = {"from": visit.planned_start.isoformat(), **facts, **engineer_facts(visit.engineer)}
    if visit.second_engineer in {None, second}:
        visit.planned_start, visit.planned_end, visit.second_engineer = span.start, span.end, second
        visit.is_start_agreed = proposal.is_start_agreed
        visit.save(update_fields=["planned_start", "planned_end", "second_engineer", "is_start_agreed"])
    else:
        # that somebody accompanied it stays known
        _end_visit(visit)
        visit = _create_visit(proposal, after=visit)
    job_events.record_event(job=job, kind=kind, by=by, facts=facts)
    return visit


def _assign_to(
    *,
    proposal: VisitProposal,
    current: Visit | None,
    last: Visit | None,
    by: Performer,
    facts: dict[str, Any],
) -> Visit:
    job = LockedJob(proposal.job)
    facts = {**engineer_facts(proposal.engineer), **facts}
    if current:
        facts["instead_of"] = current.engineer.name
        facts["instead_of_number"] = current.engineer.staff_number
        facts["state_then"] = job.state
        _end_visit(current)
        attention.end_handover_request(job)
    visit = _create_visit(proposal, after=last)
    job_events.record_event(job=job, kind=EventKind.ENGINEER_ASSIGNED, by=by, facts=facts)
    return visit


def _create_visit(proposal: VisitProposal, *, after: Visit | None) -> Visit:
    return Visit.objects.create(
        job=proposal.job,
        engineer=proposal.engineer,
        second_engineer=proposal.second_engineer,
        planned_start=proposal.span.start,
        planned_end=proposal.span.end,
        is_start_agreed=proposal.is_start_agreed,
        overrun=overrun_of_next(after),
    )


def _end_visit(visit: Visit) -> None:
    visit.unassigned_at = timezone.now()
    visit.save(update_fields=["unassigned_at"])


def _plan(span: TimeSpan) -> dict[str, str]:
    return {"planned_start": span.start.isoformat(), "planned_end": span.end.isoformat()}


@transaction.atomic
def unassign(*, job: Job, by: Performer, reason: Reason = "", seen: str | None = None) -> JobEvent:
    """Take the job off its engineer; it is unassigned again. `seen` as for assign. Raises PlanChanged,
    IllegalEvent."""
    job = job_events.lock_job(job)
    visit = current_visit(job)
    refuse_changed_plan(job, visit=visit, seen=seen)
    refuse_pinned(job, visit)
    facts = {"reason": reason_json(reason), **(team_facts(visit) if visit else {})}
    event = job_events.record_event(job=job, kind=EventKind.UNASSIGNED, by=by, facts=facts)
    if visit:
        _end_visit(visit)
        attention.end_handover_request(job)
    return event


def own_visit(*, job: Job, engineer: Engineer) -> Visit:
    """The current visit of this engineer, or NotYourJob."""
    visit = job.visits.active().filter(engineer=engineer).first()
    if visit is None:
        raise NotYourJob(job)
    return visit


def start_travel(
    *, job: LockedJob, engineer: Engineer, by: Performer, occurred_at: datetime, position: Position
) -> JobEvent:
    """The engineer is on the way. Raises NotYourJob, IllegalEvent."""
    visit = own_visit(job=job, engineer=engineer)
    facts = {**engineer_facts(engineer), **_position_facts(position)}
    event = job_events.record_event(
        job=job, kind=EventKind.EN_ROUTE, by=by, occurred_at=occurred_at, facts=facts
    )
    visit.travel_started_at = occurred_at
    visit.save(update_fields=["travel_started_at"])
    attention.report_start(event, visit)
    staff.record_position(engineer=engineer, position=position, taken_at=occurred_at)
    return event


def arrive(
    *,
    job: LockedJob,
    engineer: Engineer,
    by: Performer,
    occurred_at: datetime,
    position: Position,
    matrix_edition: str = "",
) -> JobEvent:
    """The engineer is at the premises; from now on the job keeps this edition of the questions, a later one leaves it
    alone. Raises NotYourJob, IllegalEvent."""
    visit = own_visit(job=job, engineer=engineer)
    job.matrix_edition = job.matrix_edition or matrix_edition
    event = job_events.record_event(
        job=job,
        kind=EventKind.ON_SITE,
        by=by,
        occurred_at=occurred_at,
        facts={**engineer_facts(engineer), **_position_facts(position)},
        changed=["matrix_edition"],
    )
    visit.arrived_at = occurred_at
    visit.save(update_fields=["arrived_at"])
    attention.report_start(event, visit)
    staff.record_position(engineer=engineer, position=position, taken_at=occurred_at)
    return event


def _position_facts(position: Position) -> dict[str, Any]:
    if not position.is_known:
        return {"position_missing_because": position.missing_because or PositionMissing.NOT_GIVEN.value}
    return {
        "latitude": position.latitude,
        "longitude": position.longitude,
        "accuracy_metres": position.accuracy_metres,
    }


def record_ont_scan(
    *,
    job: LockedJob,
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

    Raises NotYourJob, IllegalEvent, or `ont_scans.BadScan` with every problem of the two values; a device that
    stands on another open job of ours is refused until `duplicate_confirmed`.
    """
    own_visit(job=job, engineer=engineer)
    reading = ont_scans.read_label_codes(fsan=fsan, serial_number=serial_number)
    if not job.has_ont_scan:
        sentence = _("Jobs of type “%(kind)s” have no ONT scan.") % {"kind": job.get_job_type_display()}
        raise ont_scans.BadScan([Problem("no_scan_here", "scan", sentence)])
    if not duplicate_confirmed:
        ont_scans.refuse_duplicate(job=job, fsan=reading.fsan)
    codes = {"fsan": reading.fsan, "serial_number": reading.serial_number}
    scan = OntScan.objects.create(
        scan_id=scan_id, job=job, **codes, source=source, scanned_at=occurred_at, recorded_at=timezone.now()
    )
    job_search.refresh_keywords(job)
    facts = {"scan_id": str(scan_id), **codes, **engineer_facts(engineer)}
    job_events.record_event(job=job, kind=EventKind.ONT_SCANNED, by=by, occurred_at=occurred_at, facts=facts)
    return scan
