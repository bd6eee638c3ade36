"""The engineers' days of a planning problem, and what is collected while one is read."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from itertools import pairwise

from dispatch.availability import next_quarter
from dispatch.models import Visit
from dispatch.planning.plan_problem import EngineerDay, PlanBreak, TimeSpan
from dispatch.planning.plan_scope import Assumptions, PlanScope
from dispatch.requirements import JobRequirements
from dispatch.travel import Coordinates, home_coordinates
from dispatch.visit_proposals import local_days
from engineers.models import Engineer
from engineers.shifts import Window, absence_windows, local_time, with_day_before, work_time_of


@dataclass(frozen=True)
class DayOfEngineer:
    """What an index of an engineer in the problem stands for."""

    engineer: Engineer
    day: date


@dataclass
class ProblemReading:
    """What is collected on the way to a problem; `begun`: keys of jobs at which somebody was on site; `lost`: keys of
    visits, see find_lost."""

    span: Window
    origin: datetime
    now: datetime
    begun: frozenset[int]
    requirements: Mapping[int, JobRequirements]
    assumptions: Assumptions
    lost: frozenset[int] = frozenset()
    locations: list[Coordinates | None] = field(default_factory=list)

    def seconds(self, moment: datetime) -> int:
        return int((moment - self.origin).total_seconds())

    def location(self, coordinates: Coordinates | None) -> int:
        self.locations.append(coordinates)
        return len(self.locations) - 1


def engineer_days(
    reading: ProblemReading, engineers: Iterable[Engineer], scope: PlanScope
) -> Iterator[tuple[DayOfEngineer, EngineerDay]]:
    for engineer in engineers:
        home = reading.location(home_coordinates(engineer))
        for day in with_day_before(local_days(reading.span)):
            found = _engineer_day(reading, engineer, day, home=home, max_jobs=scope.max_jobs)
            if found:
                yield DayOfEngineer(engineer, day), found


def find_lost(
    visits: Iterable[Visit],
    engineers: Iterable[Engineer],
    span: Window,
    *,
    now: datetime,
    assumptions: Assumptions,
) -> list[Visit]:
    """The visits before a scope that begins now, of whoever is absent then: who has not begun one will not."""
    if span.start > next_quarter(now):
        return []
    away = {engineer.pk for engineer in engineers if _is_absent_at(span.start, engineer, assumptions)}
    return [
        visit
        for visit in visits
        if visit.planned_start < span.start and any(person.pk in away for person in visit.people)
    ]


def _is_absent_at(moment: datetime, engineer: Engineer, assumptions: Assumptions) -> bool:
    leaves_at = assumptions.absent_from(engineer)
    is_gone = leaves_at is not None and leaves_at <= moment
    return is_gone or any(
        span.start <= moment < span.end for span in absence_windows(engineer.absences.all())
    )


def with_reserve(
    reading: ProblemReading,
    days: Iterable[tuple[DayOfEngineer, EngineerDay]],
    visits: Iterable[Visit],
    *,
    scope: PlanScope,
) -> Iterator[tuple[DayOfEngineer, EngineerDay]]:
    """The days without the last minutes of each shift, or with those of them that a visit of today has already."""
    ends: dict[int, list[int]] = {}
    for visit in visits:
        for person in visit.people:
            ends.setdefault(person.pk, []).append(reading.seconds(visit.planned_end))
    for stands_for, day in days:
        start, end = day.shift
        used = [own for own in ends.get(stands_for.engineer.pk, []) if start < own <= end]
        yield (
            stands_for,
            replace(day, shift=TimeSpan(start, max([start, end - scope.reserve_minutes * 60, *used]))),
        )


def _engineer_day(
    reading: ProblemReading, engineer: Engineer, day: date, *, home: int, max_jobs: int | None
) -> EngineerDay | None:
    """The work of the shifts that begin on this day, from the scope's beginning on; None without any."""
    leaves_at = reading.assumptions.absent_from(engineer)
    at_work = work_time_of(engineer, days=[day])
    parts = [Window(part.start, min(part.end, leaves_at or part.end)) for part in at_work.worked]
    worked = [
        Window(max(part.start, reading.span.start), part.end)
        for part in parts
        if part.start < reading.span.end and part.end > max(part.start, reading.span.start)
    ]
    if not worked:
        return None
    shift = TimeSpan(reading.seconds(worked[0].start), reading.seconds(worked[-1].end))
    pauses = [
        (reading.seconds(earlier.end), reading.seconds(later.start)) for earlier, later in pairwise(worked)
    ]
    last_day = local_time(worked[-1].end - timedelta(seconds=1)).date()
    held = {
        item.skill.code
        for item in engineer.held_skills.all()
        if item.counts_on(day) and item.counts_on(last_day)
    }
    return EngineerDay(
        key=f"{engineer.pk}:{day.isoformat()}",
        home=home,
        shift=shift,
        breaks=tuple(PlanBreak(start, start, end - start) for start, end in pauses if start < end),
        skills=frozenset(held),
        max_jobs=max_jobs,
    )
