"""The side panel of the board: one chosen job, what matters about it and who can take it."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime

from board import formatting
from board.formatting import ClosedAs, RiskWord, StateBadge
from board.jobs.assignment_options import AssignmentOptions, assignment_options
from closures import codes
from closures.models import Closure
from dispatch.models import Job
from dispatch.risk import assess_risk
from dispatch.skills import Flag
from engineers.shifts import local_time


@dataclass(frozen=True)
class Panel:
    job_id: str
    title: str
    address: str
    kind: str
    window: str
    length: str
    look: StateBadge
    risk: RiskWord
    flags: list[Flag]
    hazards: str
    access: str
    contact: str
    day: date
    assignment: AssignmentOptions


def build_panel(job: Job, *, now: datetime) -> Panel:
    visit = job.visits.active().select_related("engineer__user").first()
    return Panel(
        job_id=job.provider_job_id,
        title=job.postcode or job.provider_job_id,
        address=job.address,
        kind=formatting.job_type_label(job),
        window=formatting.format_window_with_day(job),
        length=formatting.format_duration(job.duration),
        look=formatting.state_badge(job, closure_badges([job]).get(job.pk)),
        risk=formatting.build_risk_word(assess_risk(job=job, visit=visit, now=now)),
        flags=formatting.job_flags(job),
        hazards=job.hazards,
        access=job.access_restrictions,
        contact=job.contact_name,
        day=local_time(visit.planned_start if visit else job.window_start).date(),
        assignment=assignment_options(job, visit=visit),
    )


def closure_badges(jobs: Iterable[Job]) -> dict[int, ClosedAs]:
    """By the job's key, for those that are closed; one query."""
    closures = Closure.objects.filter(job__in=[job.pk for job in jobs])
    return {closure.job_id: _closure_badge(closure) for closure in closures}


def _closure_badge(closure: Closure) -> ClosedAs:
    known = codes.find_code(closure.code)
    return ClosedAs(closure.code, known.in_trade_words or closure.description, known.succeeds)
