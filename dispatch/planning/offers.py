"""Who could take a job, and when at the earliest: the next step after "To place" or a refused move."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from dispatch import history, skills
from dispatch.booking import at_work, occupying, taken_span
from dispatch.models import Job, Visit
from dispatch.travel import Place, travel_seconds
from engineers.models import Engineer
from engineers.shifts import Window, day_window, without

QUARTER = timedelta(minutes=15)


@dataclass(frozen=True)
class Offer:
    """One engineer who may take the job; `travel_seconds` from the visit before, or from home."""

    engineer: Engineer
    starts_at: datetime
    travel_seconds: int


def candidates(job: Job, *, most: int = 5, not_before: datetime | None = None) -> list[Offer]:
    """The nearest free engineers with the skills, each at the earliest quarter hour that fits, from `not_before`
    on if given. Six queries."""
    if job.needs_location:
        return []
    reach = _reach(job)
    needed = skills.needed(job_type=job.job_type, flags=job.flags)
    able = Engineer.objects.active().with_skills(needed).select_related("user")
    busy = _busy(job, reach)
    opens = Window(max(reach.start, not_before or reach.start), reach.end)
    offers = [_offer(job, engineer, busy, opens) for engineer in able.prefetch_related("shifts", "absences")]
    return sorted((offer for offer in offers if offer), key=_nearest_first)[:most]


def _nearest_first(offer: Offer) -> tuple[int, datetime]:
    return offer.travel_seconds, offer.starts_at


def _reach(job: Job) -> Window:
    """The promised window; for a job that was begun until the end of its day, or of this one (see booking)."""
    if not history.was_begun(job):
        return job.window
    last = timezone.localtime(max(job.window_end, timezone.now()))
    return Window(job.window_start, day_window(last.date()).end)


def _busy(job: Job, reach: Window) -> list[Visit]:
    visits = occupying(Visit.objects.all(), span=reach).exclude(job=job)
    return list(visits.select_related("job").order_by("planned_start"))


def _offer(job: Job, engineer: Engineer, busy: Iterable[Visit], opens: Window) -> Offer | None:
    own = [visit for visit in busy if visit.engineer_id == engineer.pk]
    taken = [taken_span(visit) for visit in own]
    starts_at = earliest_start(job, at_work=at_work(engineer, span=opens), taken=taken, opens=opens)
    if starts_at is None:
        return None
    before = [visit for visit in own if visit.planned_end <= starts_at]
    origin = _place(before[-1].job) if before else _home(engineer)
    return Offer(engineer, starts_at, travel_seconds(origin, _place(job)))


def earliest_start(
    job: Job, *, at_work: Iterable[Window], taken: Iterable[Window], opens: Window
) -> datetime | None:
    """The first quarter hour in `opens` at which the whole visit fits between window, shift and visits."""
    taken = list(taken)
    for shift in at_work:
        for free in without(shift, taken):
            starts_at = _round_up(max(free.start, opens.start))
            # a visit longer than its window can only promise to begin inside it (see booking)
            latest = free.end if job.duration > job.window.length else min(free.end, opens.end)
            if starts_at + job.duration <= latest and starts_at < opens.end:
                return starts_at
    return None


def _round_up(moment: datetime) -> datetime:
    over = timedelta(minutes=moment.minute % 15, seconds=moment.second, microseconds=moment.microsecond)
    return moment if not over else moment + QUARTER - over


def _place(job: Job) -> Place | None:
    if job.latitude is None or job.longitude is None:
        return None
    return job.latitude, job.longitude


def _home(engineer: Engineer) -> Place | None:
    if engineer.home_latitude is None or engineer.home_longitude is None:
        return None
    return engineer.home_latitude, engineer.home_longitude
