"""What is to be expected of visits of several engineers: a team's begins when both are there, and holds both up."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from dispatch.driving.drive_times import DriveTimes
from dispatch.forecast import Forecast, forecast_day, read_day_drives, visits_by_engineer
from dispatch.models import Visit, VisitQuerySet
from dispatch.occupied_time import withdrawn_visits

# a team that waits can make another one wait
MOST_ROUNDS = 5
PEOPLE = ("engineer__user", "second_engineer__user")


@dataclass(frozen=True)
class VisitForecasts:
    """`of_people`: by the keys of visit and engineer, with that engineer's own drive. `of_visits`: by the visit's key,
    of a team's as the day of whoever is there last goes."""

    of_people: Mapping[tuple[int, int], Forecast]
    of_visits: Mapping[int, Forecast]


def read_team_days(people: Collection[int], visits: VisitQuerySet) -> dict[int, list[Visit]]:
    """Of these visits those of the days of these engineers (keys) and of whoever is in a team with one of them, by the
    engineer's key and in the order of the plan; with jobs and engineers. One query, two where there is a team."""
    visits = visits.select_related("job", *PEOPLE)
    own = list(visits.attended_by(people))
    partners = {key for visit in own for key in visit.people_keys}.difference(people)
    known = {visit.pk for visit in own}
    more = visits.attended_by(partners).exclude(pk__in=known) if partners else ()
    return visits_by_engineer(sorted([*own, *more], key=lambda visit: (visit.planned_start, visit.pk)))


def with_withdrawn(days: Mapping[int, Sequence[Visit]], *, now: datetime) -> dict[int, list[Visit]]:
    """These engineers' days (by their keys) with the visits that they lost today after they had set off. One query."""
    found = withdrawn_visits(Visit.objects.attended_by(days), now=now).select_related("job", *PEOPLE)
    lost = visits_by_engineer(found)
    return {
        person: [*own, *(visit for visit in lost.get(person, ()) if visit not in own)]
        for person, own in days.items()
    }


def forecast_days(
    days: Mapping[int, Sequence[Visit]], *, now: datetime, drives: DriveTimes | None = None
) -> VisitForecasts:
    """Of these engineers' days (by their keys), each as for forecast_day; `drives` where they were read of complete
    days (with_withdrawn), otherwise at most three queries."""
    attended = days
    if drives is None:
        attended = with_withdrawn(days, now=now)
        drives = read_day_drives(attended.items())
    teams = {visit.pk: visit for own in days.values() for visit in own if visit.second_engineer_id}
    not_before: dict[int, datetime] = {}
    of_people: dict[tuple[int, int], Forecast] = {}
    changed = set(days)
    for _round in range(MOST_ROUNDS):
        for person in changed:
            forecasts = forecast_day(
                attended[person], person=person, now=now, drives=drives, not_before=not_before
            )
            of_people |= {(key, person): forecast for key, forecast in forecasts.items()}
        waiting = {visit.pk: at for visit in teams.values() if (at := _waits_until(visit, of_people))}
        if not waiting:
            break
        not_before |= waiting
        changed = {key for visit in waiting for key in teams[visit].people_keys}
    return VisitForecasts(of_people, _of_visits(days, of_people))


def _waits_until(visit: Visit, of_people: Mapping[tuple[int, int], Forecast]) -> datetime | None:
    """When both are there, where one of them is to be there before the other."""
    starts = {found.starts_at for found in _of_team(visit, of_people)}
    return max(starts) if len(starts) > 1 else None


def _of_visits(
    days: Mapping[int, Sequence[Visit]], of_people: Mapping[tuple[int, int], Forecast]
) -> dict[int, Forecast]:
    visits = {visit.pk: visit for own in days.values() for visit in own}
    found = {key: _of_team(visit, of_people) for key, visit in visits.items()}
    return {key: max(forecasts, key=_decides) for key, forecasts in found.items() if forecasts}


def _of_team(visit: Visit, of_people: Mapping[tuple[int, int], Forecast]) -> list[Forecast]:
    """The first engineer's first; only of those whose days were read."""
    keys = ((visit.pk, person) for person in visit.people_keys)
    return [of_people[key] for key in keys if key in of_people]


def _decides(forecast: Forecast) -> tuple[datetime, bool]:
    """Of two who begin together the one who says why it is late."""
    return forecast.starts_at, forecast.delayed_by is not None
