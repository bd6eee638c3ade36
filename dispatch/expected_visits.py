"""When today's visits of engineers who are late will really be: who looks for time must not give theirs away."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta

from django.db.models import F, Q

from dispatch.forecast import GRACE, visits_by_engineer
from dispatch.models import Visit
from dispatch.team_forecasts import forecast_days
from engineers.shifts import TimeSpan, working_day_span

# what forecast_day looks at: on a late day of 600 engineers whole rows cost twice as much
COLUMNS = (
    *("planned_start", "planned_end", "travel_started_at", "arrived_at", "ended_at", "second_engineer"),
    *("overrun", "unassigned_at"),
    *("job__state", "job__latitude", "job__longitude", "engineer__home_latitude", "engineer__home_longitude"),
    *("second_engineer__home_latitude", "second_engineer__home_longitude"),
)


def expected_spans(
    span: TimeSpan, *, without: Collection[int], now: datetime, people: Collection[int] | None = None
) -> Mapping[int, TimeSpan]:
    """By the visit's key, where the span touches the working day of now: the visits still ahead or under way of whoever
    is late now, of all or of these `people` (keys), as the board's forecast has them if nobody had the jobs (keys)
    `without`. One query, five where somebody is late."""
    if not span.overlaps(working_day_span(now)):
        return {}
    visits = Visit.objects.current().of_working_day(now).exclude(job__in=without)
    if people is not None:
        visits = visits.attended_by(people)
    overdue = visits.filter(_is_overdue(now)).values_list("engineer", "second_engineer")
    late = {person for team in overdue for person in team if person}
    if not late:
        return {}
    ahead = visits.attended_by(late).select_related("job", "engineer", "second_engineer").only(*COLUMNS)
    days = visits_by_engineer(ahead.order_by("planned_start", "pk"))
    return forecast_spans({key: own for key, own in days.items() if key in late}, now=now)


def expected_of(
    visits: Collection[Visit], *, people: Collection[int], without: Collection[int], now: datetime
) -> Mapping[int, TimeSpan]:
    """As expected_spans, for these `people` (keys) whose `visits` of the working day of now were read: no query where
    nobody is late and nobody else comes with them."""
    team = {*people}.union(*(visit.people_keys for visit in visits))
    if team == {*people} and not any(_is_late(visit, now) for visit in visits):
        return {}
    return expected_spans(working_day_span(now), without=without, now=now, people=team)


def _is_late(visit: Visit, now: datetime) -> bool:
    """As _is_overdue, of a visit that was read."""
    begins_at = visit.arrived_at or now
    is_held_up = begins_at > visit.planned_start + GRACE or visit.planned_end < now
    return visit.ended_at is None and (is_held_up or visit.overrun > timedelta())


def is_anybody_late(now: datetime, *, people: Collection[int] | None = None) -> bool:
    """Of all or of these `people` (keys): where nobody is, expected_spans gives nothing for any job. One query."""
    visits = Visit.objects.current().of_working_day(now).filter(_is_overdue(now))
    return (visits if people is None else visits.attended_by(people)).exists()


def _is_overdue(now: datetime) -> Q:
    not_there = Q(arrived_at=None, planned_start__lt=now - GRACE)
    arrived_late = Q(arrived_at__gt=F("planned_start") + GRACE)
    return not_there | arrived_late | Q(planned_end__lt=now) | Q(overrun__gt=timedelta())


def forecast_spans(days: Mapping[int, Sequence[Visit]], *, now: datetime) -> Mapping[int, TimeSpan]:
    """By the visit's key, of these engineers' days (by their keys): when each will be, or was. Of a team's visit, when
    both are there. At most three queries."""
    forecasts = forecast_days(days, now=now).of_visits
    return {key: TimeSpan(forecast.starts_at, forecast.ends_at) for key, forecast in forecasts.items()}
