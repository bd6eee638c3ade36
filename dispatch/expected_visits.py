"""When today's visits of engineers who are late will really be: who looks for time must not give theirs away."""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime, timedelta

from django.db.models import F, Q

from dispatch.forecast import GRACE, forecast_day, read_day_drives, visits_by_engineer
from dispatch.models import Job, Visit
from engineers.shifts import TimeSpan, working_day_span

# what forecast_day looks at: on a late day of 600 engineers whole rows cost twice as much
COLUMNS = (
    *("planned_start", "planned_end", "travel_started_at", "arrived_at", "ended_at", "second_engineer"),
    "overrun",
    *("job__state", "job__latitude", "job__longitude", "engineer__home_latitude", "engineer__home_longitude"),
)


def expected_spans(span: TimeSpan, *, without: Job, now: datetime) -> Mapping[int, TimeSpan]:
    """By the visit's key, where the span touches the working day of now: the visits still ahead or under way of whoever
    is late now, as the board's forecast has them if nobody had the job `without`. One query, four where somebody is
    late."""
    if not span.overlaps(working_day_span(now)):
        return {}
    visits = Visit.objects.current().of_working_day(now).exclude(job=without)
    overdue = visits.filter(_is_overdue(now)).values_list("engineer", "second_engineer")
    late = {person for team in overdue for person in team if person}
    if not late:
        return {}
    ahead = visits.attended_by(late).select_related("job", "engineer").only(*COLUMNS)
    days = visits_by_engineer(ahead.order_by("planned_start", "pk"))
    return forecast_spans([own for key, own in days.items() if key in late], now=now)


def is_anybody_late(now: datetime) -> bool:
    """Where nobody is, expected_spans gives nothing for any job. One query."""
    return Visit.objects.current().of_working_day(now).filter(_is_overdue(now)).exists()


def _is_overdue(now: datetime) -> Q:
    not_there = Q(arrived_at=None, planned_start__lt=now - GRACE)
    arrived_late = Q(arrived_at__gt=F("planned_start") + GRACE)
    return not_there | arrived_late | Q(planned_end__lt=now) | Q(overrun__gt=timedelta())


def forecast_spans(days: Collection[Iterable[Visit]], *, now: datetime) -> Mapping[int, TimeSpan]:
    """By the visit's key, of these engineers' days: when each will be, or was. Of a team's visit, when both are there.
    At most two queries."""
    drives = read_day_drives(days)
    expected: dict[int, TimeSpan] = {}
    for own in days:
        for key, forecast in forecast_day(own, now=now, drives=drives).items():
            window = TimeSpan(forecast.starts_at, forecast.ends_at)
            expected[key] = max(window, expected.get(key, window), key=lambda span: span.end)
    return expected
