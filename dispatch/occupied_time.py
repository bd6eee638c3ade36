"""The time of its engineers that a visit holds, and which visits hold any."""

from datetime import datetime, timedelta

from django.db.models import Q

from dispatch.models import Visit, VisitQuerySet
from dispatch.states import JobState
from engineers.shifts import TimeSpan, working_day_span

# taken off, of a job that was cancelled, or closed without a visit
HOLDS_NO_TIME = (
    Q(unassigned_at__isnull=False)
    | Q(job__state=JobState.CANCELLED)
    | Q(arrived_at=None, ended_at__isnull=False)
)


def blocking_visits(visits: VisitQuerySet, *, span: TimeSpan) -> VisitQuerySet:
    """Visits that really hold time in this span: not those of HOLDS_NO_TIME, nor what ended before it."""
    return visits.overlapping(span).exclude(HOLDS_NO_TIME).exclude(ended_at__lte=span.start)


def withdrawn_visits(visits: VisitQuerySet, *, now: datetime) -> VisitQuerySet:
    """Those of HOLDS_NO_TIME for which somebody had set off in the working day of now: whoever had them is no longer at
    home."""
    today = working_day_span(now)
    set_off = Q(travel_started_at__gte=today.start) | Q(arrived_at__gte=today.start)
    is_over = Q(unassigned_at__isnull=False) | Q(ended_at__isnull=False)
    # of the index of engineers and starts no more than a day is read
    recent = visits.overlapping(today).filter(planned_start__gt=today.start - timedelta(days=1))
    return recent.filter(set_off).filter(HOLDS_NO_TIME).filter(is_over)


def is_withdrawn(visit: Visit) -> bool:
    """Of a visit that holds time or is one of withdrawn_visits: which."""
    is_unvisited = visit.arrived_at is None and visit.ended_at is not None
    return visit.unassigned_at is not None or visit.job.state == JobState.CANCELLED or is_unvisited


def withdrawn_at(ended_at: datetime | None, unassigned_at: datetime | None) -> TimeSpan:
    """The moment, of a visit of withdrawn_visits: one of the two is set."""
    moment = ended_at or unassigned_at
    assert moment is not None
    return TimeSpan(moment, moment)


def occupied_span(visit: Visit) -> TimeSpan:
    """The time that a visit holds: an ended one only until it ended."""
    return held_span(visit.planned_start, visit.planned_end, visit.ended_at)


def held_span(planned_start: datetime, planned_end: datetime, ended_at: datetime | None) -> TimeSpan:
    return TimeSpan(planned_start, min(planned_end, ended_at or planned_end))
