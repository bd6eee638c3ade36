"""Of a job at risk: whose fault it would be if the appointment failed now, and what evidence there is."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _

from board import formatting
from board.event_descriptions import position_text
from closures.fault_parties import FaultParty
from closures.models import Photo
from dispatch.models import Job, Visit
from dispatch.requirements import JobRequirements
from dispatch.risk import Level, Risk
from dispatch.states import EventKind
from monitoring.alarms import AlarmKind, open_alarms

PROVING = (EventKind.EN_ROUTE, EventKind.ON_SITE, EventKind.ONT_SCANNED, EventKind.ONT_PROVISIONED)


@dataclass(frozen=True)
class Stakes:
    party: str
    because: str
    evidence: list[str]


def build_stakes(
    job: Job, visit: Visit | None, risk: Risk, *, requirements: JobRequirements
) -> Stakes | None:
    """None for a job on time; otherwise three queries."""
    if risk.level == Level.NONE or not job.is_open:
        return None
    party, because = _fault(job, visit, requirements)
    return Stakes(str(party.label), because, list(_evidence(job)))


def _fault(job: Job, visit: Visit | None, requirements: JobRequirements) -> tuple[FaultParty, str]:
    if open_alarms().filter(kind=AlarmKind.SITE_UNSAFE, subject=job.provider_job_id).exists():
        return FaultParty.HAZARD, _("The engineer reported an unsafe site.")
    if visit and visit.arrived_at and visit.arrived_at <= job.window_end:
        return FaultParty.SELLER, _("The engineer was there in the window; provisioning does not work.")
    if job.held_at:
        return FaultParty.SELLER, _("The job is on hold for a network fault.")
    if requirements.is_survey_missing:
        return FaultParty.SELLER, _("The premises were not surveyed.")
    return FaultParty.SELLER, _("Nobody attended in the window. Call the customer before it ends.")


def _evidence(job: Job) -> Iterator[str]:
    for event in job.events.filter(kind__in=PROVING).order_by("seq"):
        at = formatting.format_moment(event.occurred_at)
        where = position_text(event.facts) if event.kind in {EventKind.EN_ROUTE, EventKind.ON_SITE} else ""
        yield ", ".join(filter(None, [f"{EventKind(event.kind).label} {at}", where]))
    photos = Photo.objects.stored().filter(job=job).count()
    if photos:
        yield _("Photos stored: %(number)s") % {"number": photos}
