"""The jobs behind an alarm about a fault of the network: which met it, and what lies ahead."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from django.utils import timezone
from django.utils.translation import gettext as _

from board import formatting
from board.alarms.alarm_presenter import AlarmLine, alarm_line
from board.formatting import StateBadge
from board.jobs.forms import HoldAheadForm
from closures.network_patterns import find_patterns, list_jobs_ahead
from dispatch.holds import HOLDABLE
from dispatch.models import Job, Visit
from dispatch.states import OPEN_STATES, JobState
from engineers.area_scope import is_in_scope
from monitoring.models import Alarm


@dataclass(frozen=True)
class PatternJob:
    """One job; `hold` says since when it is on hold, `can_hold` whether it may be put there."""

    job_id: str
    address: str
    window: str
    look: StateBadge
    engineer: str
    phone: str
    is_en_route: bool
    hold: str
    can_hold: bool


@dataclass(frozen=True)
class PatternPage:
    """`failed` met the fault, `ahead` lie on the same element or are held for it."""

    alarm: AlarmLine
    failed: list[PatternJob]
    ahead: list[PatternJob]
    # how many of those ahead are on hold for this fault
    held: int
    form: HoldAheadForm = field(default_factory=HoldAheadForm)
    # the numbers that are ticked after a refusal; None for all
    ticked: Sequence[str] | None = None

    @property
    def holdable(self) -> int:
        return sum(job.can_hold for job in self.ahead)


def pattern_page(alarm: Alarm) -> PatternPage:
    """A fixed number of queries, however many jobs."""
    now = timezone.now()
    found = next((each for each in find_patterns(now=now) if each.element.subject == alarm.subject), None)
    failed = [job for job in (found.failed if found else []) if is_in_scope(job.postcode)]
    ahead = jobs_to_hold(alarm)
    visits = _visits([*failed, *ahead])
    return PatternPage(
        alarm_line(alarm),
        [_pattern_job(job, visits.get(job.pk)) for job in failed],
        [_pattern_job(job, visits.get(job.pk)) for job in ahead],
        held=sum(job.on_hold_since is not None and job.on_hold_for == alarm.subject for job in ahead),
    )


def jobs_to_hold(alarm: Alarm) -> list[Job]:
    """What lies ahead on the element, and what is held for it already."""
    ahead = list_jobs_ahead([alarm.subject], now=timezone.now())[alarm.subject]
    jobs = {job.pk: job for job in [*ahead, *jobs_held_for(alarm)] if is_in_scope(job.postcode)}
    return sorted(jobs.values(), key=lambda job: (job.window_start, job.pk))


def jobs_held_for(alarm: Alarm) -> list[Job]:
    """Not those that somebody put on hold for another reason."""
    held = Job.objects.in_scope().filter(on_hold_for=alarm.subject, on_hold_since__isnull=False)
    return list(held.filter(state__in=OPEN_STATES))


def _visits(jobs: Iterable[Job]) -> dict[int, Visit]:
    active = Visit.objects.active().filter(job__in=[job.pk for job in jobs])
    return {visit.job_id: visit for visit in active.select_related("engineer__user")}


def _pattern_job(job: Job, visit: Visit | None) -> PatternJob:
    on_hold_since = job.on_hold_since if job.is_open else None
    return PatternJob(
        job_id=job.provider_job_id,
        address=job.address,
        window=formatting.format_window_with_day(job),
        look=formatting.state_badge(job),
        engineer=visit.engineer.name if visit else "",
        phone=visit.engineer.phone if visit else "",
        is_en_route=job.state == JobState.EN_ROUTE,
        hold=_("On hold since %(at)s") % {"at": formatting.format_recent_moment(on_hold_since)}
        if on_hold_since
        else "",
        can_hold=on_hold_since is None and job.state in HOLDABLE,
    )
