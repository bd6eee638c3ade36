"""Whoever had set off for a visit that was cancelled or given away is no longer at home: a plan of the present day lets
them leave from there, as the check does (departures)."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from dispatch.driving.travel import job_coordinates
from dispatch.models import Visit
from dispatch.occupied_time import withdrawn_at, withdrawn_visits
from dispatch.planning.engine.routing_problem import EngineerDay
from dispatch.planning.problem.engineer_days import DayOfEngineer, ProblemContext
from engineers.models import Engineer
from engineers.shifts import TimeSpan


def find_withdrawn(engineers: Iterable[Engineer], reading: ProblemContext) -> dict[int, Visit]:
    """By the engineer's key the last one of today; none where the scope begins on another day. One query."""
    if not reading.begins_today:
        return {}
    visits = withdrawn_visits(Visit.objects.attended_by(engineers), now=reading.now).select_related("job")
    in_order = sorted(visits, key=lambda visit: _moment(visit).end)
    return {person: visit for visit in in_order for person in visit.people_keys}


def left_after(reading: ProblemContext, engineer: int, span: TimeSpan) -> Visit | None:
    """The visit that was withdrawn from the engineer (key) after the one with this span."""
    visit = reading.withdrawn.get(engineer)
    return visit if visit and _moment(visit).end >= span.end else None


def with_origins(
    reading: ProblemContext,
    days: Iterable[EngineerDay],
    stand_for: Sequence[tuple[DayOfEngineer, EngineerDay]],
) -> tuple[EngineerDay, ...]:
    """The days, of which those that would begin at home begin where the visit was."""
    return tuple(
        _with_origin(reading, stands_for, day)
        for day, (stands_for, _day) in zip(days, stand_for, strict=True)
    )


def _with_origin(reading: ProblemContext, stands_for: DayOfEngineer, day: EngineerDay) -> EngineerDay:
    visit = reading.withdrawn.get(stands_for.engineer.pk)
    if visit is None or not day.is_at_home:
        return day
    return replace(day, home=reading.location(job_coordinates(visit.job)))


def _moment(visit: Visit) -> TimeSpan:
    return withdrawn_at(visit.ended_at, visit.unassigned_at)
