"""When today's visits of engineers who are late will really be: who looks for time must not give theirs away."""

from collections.abc import Mapping
from datetime import datetime

from django.db.models import Q

from dispatch.forecast import GRACE, forecast_day, read_day_drives, visits_by_engineer
from dispatch.models import Job, Visit
from engineers.shifts import Window, day_window, local_time

# what forecast_day looks at: on a late day of 600 engineers whole rows cost twice as much
COLUMNS = (
    *("planned_start", "planned_end", "travel_started_at", "arrived_at", "ended_at", "second_engineer"),
    *("job__state", "job__latitude", "job__longitude", "engineer__home_latitude", "engineer__home_longitude"),
)


def expected_windows(span: Window, *, without: Job, now: datetime) -> Mapping[int, Window]:
    """By the visit's key, where the span is of today: the visits still ahead or under way of whoever is late now, as
    the board's forecast has them if nobody had the job `without`. One query, four where somebody is late."""
    today = day_window(local_time(now).date())
    if not span.touches(today):
        return {}
    visits = Visit.objects.current().overlapping(today).exclude(job=without)
    overdue = visits.filter(Q(arrived_at=None, planned_start__lt=now - GRACE) | Q(planned_end__lt=now))
    late = {
        person for team in overdue.values_list("engineer", "second_engineer") for person in team if person
    }
    if not late:
        return {}
    ahead = visits.attended_by(late).select_related("job", "engineer").only(*COLUMNS)
    ordered = ahead.order_by("planned_start", "pk")
    days = {key: own for key, own in visits_by_engineer(ordered).items() if key in late}
    drives = read_day_drives(days.values())
    expected: dict[int, Window] = {}
    for own in days.values():
        for key, forecast in forecast_day(own, now=now, drives=drives).items():
            window = Window(forecast.starts_at, forecast.ends_at)
            # a team begins when both are there
            expected[key] = max(window, expected.get(key, window), key=lambda span: span.end)
    return expected
