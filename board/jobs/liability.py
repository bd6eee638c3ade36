"""Liability: whose fault it would be if the appointment failed now, and what evidence there is."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils import timezone
from django.utils.translation import gettext as _

from board import formatting
from board.event_descriptions import position_text
from closures.fault_parties import FaultParty, party_of_late_arrival
from closures.fault_signs import FaultSign, newest_fault_sign
from closures.models import Photo
from dispatch.agreed_starts import latest_start
from dispatch.models import Job, Visit
from dispatch.requirements import JobRequirements
from dispatch.risk import Level, Risk
from dispatch.states import EventKind
from monitoring.alarms import open_alarms
from monitoring.coded_texts import reason_text
from monitoring.models import AlarmKind

PROVING = (
    EventKind.EN_ROUTE,
    EventKind.ON_SITE,
    EventKind.ONT_SCANNED,
    EventKind.ONT_PROVISIONED,
    EventKind.NOTE_ADDED,
)


@dataclass(frozen=True)
class Liability:
    party: str
    because: str
    evidence: list[str]


def build_liability(
    job: Job, visit: Visit | None, risk: Risk, *, requirements: JobRequirements
) -> Liability | None:
    """None for a job on time of which nothing is known; at most five queries, one fewer where its events are read."""
    if not job.is_open:
        return None
    sign = newest_fault_sign(job)
    if risk.level == Level.NONE and sign is None:
        return None
    party, because = _fault(job, visit, requirements, sign)
    return Liability(str(party.label), because, list(_evidence(job)))


def _fault(
    job: Job, visit: Visit | None, requirements: JobRequirements, sign: FaultSign | None
) -> tuple[FaultParty, str]:
    if open_alarms().filter(kind=AlarmKind.SITE_UNSAFE, subject=job.provider_job_id).exists():
        return FaultParty.HAZARD, _("The engineer reported an unsafe site.")
    if sign and sign.party and not _is_excuse(sign, sign.party, job, visit):
        return sign.party, sign.because
    return FaultParty.SELLER, _seller_reason(job, visit, requirements)


def _is_excuse(sign: FaultSign, party: FaultParty, job: Job, visit: Visit | None) -> bool:
    """Somebody who came too late found it so."""
    is_late = (
        visit is not None and visit.arrived_at is not None and visit.arrived_at > latest_start(job, visit)
    )
    return is_late and not sign.is_noted and party_of_late_arrival(party) != party


def _seller_reason(job: Job, visit: Visit | None, requirements: JobRequirements) -> str:
    if visit and visit.arrived_at and visit.arrived_at <= latest_start(job, visit):
        return _("The engineer was there in time; provisioning does not work.")
    if job.on_hold_since:
        return _("The job is on hold: %(why)s.") % {"why": _hold_reason(job)}
    if _was_attended_in_window(job):
        return _("An engineer has already been on site, so the customer's window no longer counts.")
    if requirements.is_survey_missing:
        return _("The premises were not surveyed.")
    if job.was_received_late:
        return _("The job pack was received on the day of the appointment or later.")
    return _unattended_text(job, visit)


def _unattended_text(job: Job, visit: Visit | None) -> str:
    if visit and visit.arrived_at:
        return _("The engineer arrived after the window.")
    if timezone.now() < job.window_end:
        return _("Nobody has been there yet. Call the customer before the window ends.")
    return _("Nobody was there in the window. Call the customer.")


def _was_attended_in_window(job: Job) -> bool:
    """By whoever had it then."""
    arrivals = [event.occurred_at for event in job.events.all() if event.kind == EventKind.ON_SITE]
    return any(arrived_at <= job.window_end for arrived_at in arrivals)


def _hold_reason(job: Job) -> str:
    reasons = [
        event.facts.get("reason", "") for event in job.events.all() if event.kind == EventKind.PUT_ON_HOLD
    ]
    return reason_text(reasons[-1]) if reasons else ""


def _evidence(job: Job) -> Iterator[str]:
    for event in (event for event in job.events.all() if event.kind in PROVING):
        at = formatting.format_moment(event.occurred_at)
        label = str(EventKind(event.kind).label)
        if event.kind == EventKind.NOTE_ADDED:
            # a note without a call proves nothing
            if not event.facts.get("caller"):
                continue
            label = _("Call with %(caller)s") % event.facts
        where = position_text(event.facts) if event.kind in {EventKind.EN_ROUTE, EventKind.ON_SITE} else ""
        yield ", ".join(filter(None, [f"{label} {at}", where]))
    photos = Photo.objects.stored().filter(job=job).count()
    if photos:
        yield _("Photos stored: %(number)s") % {"number": photos}
