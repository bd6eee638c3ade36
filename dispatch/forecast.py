"""When an engineer's visits will really begin and end, from what has happened so far: pure, over visits and a time."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType

from dispatch.departures import has_set_off
from dispatch.driving.drive_times import ESTIMATES, Drive, DriveTimes, read_drive_times
from dispatch.driving.travel import Coordinates, home_coordinates, job_coordinates
from dispatch.models import DriveSource, Visit
from dispatch.occupied_time import is_withdrawn, occupied_span
from dispatch.states import UNDER_WAY, JobState
from engineers.shifts import NIGHT, TimeSpan, working_day_span

# a little late is how a working day goes
GRACE = timedelta(minutes=10)


@dataclass(frozen=True)
class Forecast:
    """What is to be expected of one visit.

    `starts_at` and `ends_at`: predicted, or as they were. `travel`: the drive from the place before (the engineer's
    home for the first), `travel_source`: where that comes from, `shortfall`: the part of it for which the plan leaves
    no time. `delayed_by`: the visit whose end makes this one late, if one does.
    """

    starts_at: datetime
    ends_at: datetime
    late: timedelta
    travel: timedelta
    shortfall: timedelta
    delayed_by: Visit | None = None
    travel_source: DriveSource = DriveSource.ESTIMATE


def visits_by_engineer(visits: Iterable[Visit]) -> dict[int, list[Visit]]:
    """By the engineer's key, each day in the given order; a team's visit is in both engineers' days."""
    found: dict[int, list[Visit]] = {}
    for visit in visits:
        for key in visit.people_keys:
            found.setdefault(key, []).append(visit)
    return found


def with_evening(visits: Sequence[Visit], evening: Iterable[Visit], *, is_today: bool) -> list[Visit]:
    """One engineer's visits of a day behind those of the evening before from which the engineer comes: in a night
    shift, and today from what is still under way."""
    if not visits:
        return []
    since = min(visit.planned_start for visit in visits) - NIGHT
    before = [visit for visit in evening if visit.planned_end > since or (is_today and _is_under_way(visit))]
    return [*before, *visits]


def _is_under_way(visit: Visit) -> bool:
    return visit.ended_at is None and visit.job.state in UNDER_WAY


def read_day_drives(days: Iterable[tuple[int | None, Iterable[Visit]]]) -> DriveTimes:
    """For forecast_day of each of these days, with whose they are (keys, as there); at most two queries for all."""
    return read_drive_times(drive for person, visits in days for drive in _drives_of_day(visits, person))


def _drives_of_day(visits: Iterable[Visit], person: int | None) -> Iterator[Drive]:
    """From home to the first visit and between visits, in the order of the plan and in that of work."""
    visits = list(visits)
    for ordered in (sorted(visits, key=order_of_work), sorted(_remaining(visits), key=_order_of_plan)):
        for before, visit in _with_origins(ordered):
            yield _origin(visit, before, person), job_coordinates(visit.job)


def forecast_day(
    visits: Iterable[Visit],
    *,
    now: datetime,
    drives: DriveTimes = ESTIMATES,
    person: int | None = None,
    not_before: Mapping[int, datetime] = MappingProxyType({}),
) -> Mapping[int, Forecast]:
    """By the visit's key, for one engineer's active visits of a day, with their jobs and the engineers; those that were
    withdrawn (occupied_time) only say where that one comes from. `drives`: as read_day_drives gives them. `person`:
    whose day it is (key), also where that one accompanies; without, that of the visits' first engineers. `not_before`:
    by the visit's key from when on the other one of a team can be there; see team_forecasts."""
    forecasts: dict[int, Forecast] = {}
    visits, day = list(visits), _Day(person, now, drives, not_before)
    shortfalls = _shortfalls(_remaining(visits), drives=drives)
    for before, visit in _with_origins(sorted(visits, key=order_of_work)):
        earlier = forecasts.get(before.pk) if before else None
        forecasts[visit.pk] = _forecast(visit, before, earlier, shortfall=shortfalls[visit.pk], day=day)
    return forecasts


@dataclass(frozen=True)
class _Day:
    """As forecast_day has them."""

    person: int | None
    now: datetime
    drives: DriveTimes
    not_before: Mapping[int, datetime]


def _remaining(visits: Iterable[Visit]) -> list[Visit]:
    return [visit for visit in visits if not _is_lost(visit)]


def _is_lost(visit: Visit) -> bool:
    return visit.unassigned_at is not None or visit.job.state == JobState.CANCELLED


def order_of_work(visit: Visit) -> tuple[bool, bool, bool, datetime]:
    """Sorts visits: what is over or has begun comes before what is only planned, whatever the plan said."""
    over_at = visit.ended_at or visit.unassigned_at
    return (
        over_at is None,
        visit.arrived_at is None,
        visit.travel_started_at is None,
        over_at or visit.planned_start,
    )


def _order_of_plan(visit: Visit) -> datetime:
    return visit.planned_start


def _with_origins(ordered: Iterable[Visit]) -> Iterator[tuple[Visit | None, Visit]]:
    """Each visit of the engineer's behind the one from which that one comes, perhaps one that was withdrawn on the way;
    never one that was over before anybody had set off."""
    before: Visit | None = None
    for visit in ordered:
        is_lost = _is_lost(visit)
        if not is_lost:
            yield before if before and _leads_to(before, visit) else None, visit
        if has_set_off(visit) or not (is_lost or visit.ended_at):
            before = visit


def _leads_to(before: Visit, visit: Visit) -> bool:
    """Whoever has lost a visit is at home again the next day."""
    last_seen_at = before.arrived_at or before.travel_started_at
    if last_seen_at is None or not is_withdrawn(before):
        return True
    return last_seen_at >= working_day_span(visit.planned_start).start


def _leaves_at(visit: Visit, earlier: Forecast | None, *, now: datetime) -> datetime:
    """When the drive begins, or began; nobody leaves for the first visit long before it is planned."""
    return visit.travel_started_at or max(now, earlier.ends_at if earlier else visit.planned_start)


def _forecast(
    visit: Visit,
    before: Visit | None,
    earlier: Forecast | None,
    *,
    shortfall: timedelta,
    day: _Day,
) -> Forecast:
    origin, position = _origin(visit, before, day.person), job_coordinates(visit.job)
    travel = day.drives.time(origin, position, at=_leaves_at(visit, earlier, now=day.now))
    free_at = earlier.ends_at if earlier else None
    starts_at = _predicted_start(visit, travel=travel, free_at=free_at, day=day)
    late = max(starts_at - visit.planned_start, timedelta())
    is_held_up = free_at is not None and free_at > day.now and free_at + travel > visit.planned_start
    return Forecast(
        starts_at=starts_at,
        ends_at=_predicted_end(visit, starts_at, now=day.now),
        late=late,
        travel=travel,
        shortfall=shortfall,
        delayed_by=before if is_held_up and late > GRACE else None,
        travel_source=day.drives.source(origin, position),
    )


def _origin(visit: Visit, before: Visit | None, person: int | None) -> Coordinates | None:
    if before:
        return job_coordinates(before.job)
    second = visit.second_engineer if _accompanies(visit, person) else None
    return home_coordinates(second or visit.engineer)


def _accompanies(visit: Visit, person: int | None) -> bool:
    return person is not None and visit.second_engineer_id == person


def _predicted_start(visit: Visit, *, travel: timedelta, free_at: datetime | None, day: _Day) -> datetime:
    if visit.arrived_at:
        return visit.arrived_at
    if visit.ended_at:
        return min(visit.planned_start, visit.ended_at)
    earliest = day.not_before.get(visit.pk, day.now)
    # only the first engineer says when the team set off
    if visit.travel_started_at and not (_accompanies(visit, day.person) and free_at and free_at > day.now):
        # longer on the way than the guess: there at any moment
        return max(visit.travel_started_at + travel, day.now, earliest)
    return max(visit.planned_start, max(day.now, free_at or day.now) + travel, earliest)


def _predicted_end(visit: Visit, starts_at: datetime, *, now: datetime) -> datetime:
    if visit.ended_at:
        return visit.ended_at
    ends_at = starts_at + visit.expected_length
    return max(ends_at, now) if visit.arrived_at else ends_at


def _shortfalls(visits: Iterable[Visit], *, drives: DriveTimes) -> dict[int, timedelta]:
    """By the visit's key, in the order of the plan: how much time it lacks for the drive. Nothing for the first visit,
    to which an engineer drives before the shift."""
    ordered = _with_origins(sorted(visits, key=_order_of_plan))
    return {
        visit.pk: _shortfall(visit, before, drives=drives) if before else timedelta()
        for before, visit in ordered
    }


def _shortfall(visit: Visit, before: Visit, *, drives: DriveTimes) -> timedelta:
    free_at = occupied_span(before).end
    travel = drives.time(job_coordinates(before.job), job_coordinates(visit.job), at=free_at)
    gap = visit.planned_start - free_at
    return max(travel - max(gap, timedelta()), timedelta())


def planned_travel(visit: Visit, forecast: Forecast) -> TimeSpan:
    """The time of the drive on the board: it ends where the visit begins."""
    return TimeSpan(visit.planned_start - forecast.travel, visit.planned_start)
