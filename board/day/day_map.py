"""The places of a day for the map beside its board: only what the cards do not say, by the address `map.json`."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.db.models import Q

from board import formatting
from board.formatting import StateBadge
from dispatch.models import Job, Visit
from dispatch.states import UNDER_WAY
from engineers.area_scope import postcode_filter
from engineers.current_scope import current_scope
from engineers.models import Engineer, LastPosition
from engineers.shifts import day_span

# an older position says nothing about where somebody is now
FRESH = timedelta(minutes=30)


@dataclass(frozen=True)
class EngineerPosition:
    """Where an engineer's phone was a short time ago; WGS 84 degrees."""

    initials: str
    latitude: float
    longitude: float


@dataclass(frozen=True)
class MapSymbol:
    """What stands for a state on the map: its shape goes by `slug`."""

    slug: str
    character: str
    label: str


@dataclass(frozen=True)
class DayMapData:
    """`jobs`: (latitude, longitude) in WGS 84 degrees by the job's number."""

    jobs: dict[str, tuple[float, float]]
    engineers: list[EngineerPosition]
    legend: list[MapSymbol]


def load_places(day: date, *, now: datetime) -> DayMapData:
    """Of the jobs on the board of that day; three queries, four for somebody who is limited to some areas. Engineers
    only while the day is this one."""
    span = day_span(day)
    columns = ("provider_job_id", "latitude", "longitude")
    waiting = Job.objects.unassigned().on_day(day).in_scope().order_by().values_list(*columns)
    visits = Visit.objects.active().overlapping(span).in_scope().order_by()
    assigned = visits.values_list(*(f"job__{name}" for name in columns))
    return DayMapData(
        jobs={
            number: (latitude, longitude)
            for rows in (waiting, assigned)
            for number, latitude, longitude in rows
            if latitude is not None and longitude is not None
        },
        engineers=_engineer_places(now) if span.start <= now < span.end else [],
        legend=map_signs(formatting.legend()),
    )


def _engineer_places(now: datetime) -> list[EngineerPosition]:
    active = Engineer.objects.active().in_scope().exclude(pk__in=_at_other_areas(now))
    fresh = LastPosition.objects.filter(taken_at__gt=now - FRESH, engineer__in=active)
    return [
        EngineerPosition(_initials(position.engineer.name), position.latitude, position.longitude)
        for position in fresh.select_related("engineer__user").order_by("pk")
    ]


def _at_other_areas(now: datetime) -> set[int]:
    """Engineers (keys) whose fresh position may be that of a customer whom the reader may not see."""
    if not current_scope().is_limited:
        return set()
    begun = Visit.objects.exclude(travel_started_at=None, arrived_at=None).exclude(postcode_filter("job__"))
    is_under_way = Q(unassigned_at=None, ended_at=None, job__state__in=UNDER_WAY)
    is_just_over = Q(ended_at__gt=now - FRESH) | Q(unassigned_at__gt=now - FRESH)
    people = begun.filter(is_under_way | is_just_over).values_list("engineer", "second_engineer")
    return {key for keys in people for key in keys if key}


def _initials(name: str) -> str:
    return "".join(part[0] for part in name.split()[:2]).upper()


def map_signs(badges: Iterable[StateBadge]) -> list[MapSymbol]:
    """Each state with a character of its own: the first of its label that no other has."""
    signs: list[MapSymbol] = []
    for badge in badges:
        used = {sign.character for sign in signs}
        characters = [
            character for character in badge.label.upper() if character.isalpha() and character not in used
        ]
        signs.append(MapSymbol(badge.slug, characters[0] if characters else "", badge.label))
    return signs
