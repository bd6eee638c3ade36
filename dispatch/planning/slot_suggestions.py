"""Who could take a job, and when at the earliest: the next step after "To place" or a refused move."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from dispatch import job_events, skills
from dispatch.availability import (
    MAX_DAYS,
    blocking_visits,
    next_quarter,
    occupied_window,
    working_windows_during,
)
from dispatch.models import Job, Visit
from dispatch.planning.travel import Place, travel_seconds
from engineers.models import Engineer
from engineers.shifts import Window, day_window, local_time, subtract

MAX_TRAVEL = timedelta(days=MAX_DAYS - 1)
# how far back a visit may lie to be where the engineer comes from
COMES_FROM = timedelta(days=1)


@dataclass(frozen=True)
class SlotSuggestion:
    """One engineer who may take the job; `travel_seconds` from the visit before, or from home."""

    engineer: Engineer
    starts_at: datetime
    travel_seconds: int


def suggest_slots(job: Job, *, most: int = 5, not_before: datetime | None = None) -> list[SlotSuggestion]:
    """The nearest free engineers with the skills, each at the earliest quarter hour that fits, from `not_before`
    on if given. Six queries."""
    if job.needs_location:
        return []
    reach = _reach(job)
    opens = _limited(Window(max(reach.start, not_before or reach.start), reach.end))
    if opens.start >= opens.end:
        return []
    needed = skills.required_skills(job_type=job.job_type, flags=job.flags)
    able = Engineer.objects.active().with_skills(needed).select_related("user")
    busy = _busy(job, Window(_previous_visit(reach.start, not_before), opens.end))
    offers = [
        _suggestion(job, engineer, busy, opens) for engineer in able.prefetch_related("shifts", "absences")
    ]
    return sorted((offer for offer in offers if offer), key=_nearest_first)[:most]


def _nearest_first(offer: SlotSuggestion) -> tuple[int, datetime]:
    return offer.travel_seconds, offer.starts_at


def _reach(job: Job) -> Window:
    """The promised window; for a job that was begun until the end of its day, or of this one (see booking)."""
    if not job_events.has_been_on_site(job):
        return job.window
    now = timezone.now()
    last = max(now, min(job.window_end, now + MAX_TRAVEL))
    return Window(job.window_start, day_window(local_time(last).date()).end)


def _limited(span: Window) -> Window:
    """No more days than are looked at (booking.local_days): a window may end in the year 9999."""
    return span if span.length <= MAX_TRAVEL else Window(span.start, span.start + MAX_TRAVEL)


def _previous_visit(start: datetime, not_before: datetime | None) -> datetime:
    return max(start, not_before - COMES_FROM) if not_before else start


def _busy(job: Job, span: Window) -> list[Visit]:
    visits = blocking_visits(Visit.objects.all(), span=span).exclude(job=job)
    return list(visits.select_related("job").order_by("planned_start"))


def _suggestion(job: Job, engineer: Engineer, busy: Iterable[Visit], opens: Window) -> SlotSuggestion | None:
    own = [visit for visit in busy if visit.engineer_id == engineer.pk]
    # one that ended before its planned start holds nothing
    taken = [span for span in map(occupied_window, own) if span.start < span.end]
    starts_at = earliest_start(
        job, at_work=working_windows_during(engineer, span=opens), taken=taken, opens=opens
    )
    if starts_at is None:
        return None
    before = [visit for visit in own if visit.planned_end <= starts_at]
    origin = _place(before[-1].job) if before else _home(engineer)
    return SlotSuggestion(engineer, starts_at, travel_seconds(origin, _place(job)))


def earliest_start(
    job: Job, *, at_work: Iterable[Window], taken: Iterable[Window], opens: Window
) -> datetime | None:
    """The first quarter hour in `opens` at which the whole visit fits between window, shift and visits."""
    taken = list(taken)
    for shift in at_work:
        for free in subtract(shift, taken):
            starts_at = next_quarter(max(free.start, opens.start))
            # a visit longer than its window can only promise to begin inside it (see booking)
            latest = free.end if job.duration > job.window.length else min(free.end, opens.end)
            if starts_at + job.duration <= latest and starts_at < opens.end:
                return starts_at
    return None


def _place(job: Job) -> Place | None:
    if job.latitude is None or job.longitude is None:
        return None
    return job.latitude, job.longitude


def _home(engineer: Engineer) -> Place | None:
    if engineer.home_latitude is None or engineer.home_longitude is None:
        return None
    return engineer.home_latitude, engineer.home_longitude
