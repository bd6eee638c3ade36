"""The visits of an engineer's day: today's, tomorrow's, and what is left open of earlier days."""

from datetime import date, timedelta

from dispatch.models import Visit
from dispatch.states import ENDED_STATES, JobState
from engineers.models import Engineer
from engineers.shifts import day_window

UNDER_WAY = frozenset({JobState.EN_ROUTE, JobState.ON_SITE})


def visits_of(engineer: Engineer, today: date) -> list[Visit]:
    """Today's and tomorrow's, and what is left open of earlier days, in the order of the plan."""
    tomorrow = day_window(today + timedelta(days=1))
    soon = engineer.visits.standing().filter(planned_start__lt=tomorrow.end)
    unfinished = soon.exclude(job__state__in=ENDED_STATES)
    recent = soon.filter(planned_end__gt=day_window(today).start)
    return list((unfinished | recent).select_related("job__closure").order_by("planned_start", "pk"))


def is_today(visit: Visit, today: date) -> bool:
    """A job begun on an earlier day belongs to today until it is finished; so does one begun early."""
    return visit.planned_start < day_window(today).end or visit.job.state in UNDER_WAY
