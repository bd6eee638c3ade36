"""The engineer's day: today's jobs in order, what is done, and what tomorrow holds."""

from dataclasses import dataclass
from datetime import date, timedelta

from django.utils import timezone

from closures.models import Closure
from dispatch import skills
from dispatch.models import Job, Visit
from dispatch.skills import Flag
from dispatch.states import JobState
from engineers.models import Engineer
from engineers.phone import words
from engineers.phone.steps import url_of
from engineers.phone.words import Look
from engineers.shifts import day_window

OVER = frozenset({JobState.CLOSED, JobState.CANCELLED})
UNDER_WAY = frozenset({JobState.EN_ROUTE, JobState.ON_SITE})


@dataclass(frozen=True)
class JobCard:
    job_id: str
    url: str
    kind: str
    look: Look
    planned: str
    window: str
    address: str
    town: str
    flags: list[Flag]
    has_hazards: bool


@dataclass(frozen=True)
class DayPage:
    day: str
    open: list[JobCard]
    over: list[JobCard]
    tomorrow_day: str
    tomorrow: list[JobCard]


def day_page(engineer: Engineer) -> DayPage:
    today = timezone.localdate()
    found = visits_of(engineer, today)
    codes = dict(Closure.objects.filter(job__visits__in=found).values_list("job_id", "code"))
    here = [visit for visit in found if is_today(visit, today)]
    still = sorted((visit for visit in here if visit.job.state not in OVER), key=_place_in_line)
    return DayPage(
        day=words.day_words(today),
        open=[_card(visit, is_next=number == 0) for number, visit in enumerate(still)],
        over=[_card(visit, code=codes.get(visit.job_id, "")) for visit in here if visit.job.state in OVER],
        tomorrow_day=words.day_words(today + timedelta(days=1)),
        tomorrow=[_card(visit, is_next=False) for visit in found if not is_today(visit, today)],
    )


def visits_of(engineer: Engineer, today: date) -> list[Visit]:
    """Today's and tomorrow's, and what is left open of earlier days, in the order of the plan."""
    tomorrow = day_window(today + timedelta(days=1))
    soon = engineer.visits.standing().filter(planned_start__lt=tomorrow.end)
    unfinished = soon.exclude(job__state__in=OVER)
    recent = soon.filter(planned_end__gt=day_window(today).start)
    return list((unfinished | recent).select_related("job__closure").order_by("planned_start", "pk"))


def is_today(visit: Visit, today: date) -> bool:
    """A job begun on an earlier day belongs to today until it is finished; so does one begun early."""
    return visit.planned_start < day_window(today).end or visit.job.state in UNDER_WAY


def _place_in_line(visit: Visit) -> bool:
    """What is under way comes first; the rest keeps the order of the plan (sorting is stable)."""
    return visit.job.state not in UNDER_WAY


def _card(visit: Visit, *, is_next: bool = True, code: str = "") -> JobCard:
    job: Job = visit.job
    return JobCard(
        job_id=job.provider_job_id,
        url=url_of(job, "job"),
        kind=job.get_job_type_display(),
        look=words.look_of(job, closure_code=code, is_next=is_next),
        planned=words.clock(visit.planned_start),
        window=words.window_words(job),
        address=words.short_address(job),
        town=job.town,
        flags=[skills.flag(flag) for flag in job.flags],
        has_hazards=bool(job.hazards),
    )
