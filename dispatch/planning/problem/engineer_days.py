"""The engineers' days of a planning problem, and what is collected while one is read."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from itertools import pairwise

from dispatch.driving.drive_times import hours_of
from dispatch.driving.travel import Coordinates, home_coordinates
from dispatch.driving.travel_profile import HOURS_OF_DAY
from dispatch.hours_conflicts import Conflicts, works_during
from dispatch.models import Visit
from dispatch.planning.engine.routing_problem import EngineerDay, PlanBreak, PlanSpan
from dispatch.planning.problem.plan_scope import Assumptions, PlanScope
from dispatch.quarter_hours import next_quarter
from dispatch.requirements import JobRequirements
from dispatch.states import UNDER_WAY
from dispatch.visit_proposals import local_days
from engineers.models import Engineer
from engineers.shifts import (
    NIGHT,
    TimeSpan,
    absence_spans,
    is_absent_during,
    local_time,
    with_day_before,
    work_time_of,
    working_day_span,
)

# longer than anybody works before going home
LONGEST_SHIFT = timedelta(hours=18)
# for a visit that was planned before and is held up
MOST_OVERTIME = timedelta(hours=1)


@dataclass(frozen=True)
class DayOfEngineer:
    """What an index of an engineer in the problem stands for."""

    engineer: Engineer
    day: date


@dataclass
class ProblemContext:
    """What is collected on the way to a problem; `engineers`: keys of all whom the plan may move; `begun`: keys of jobs
    at which somebody was on site; `lost`, `away`, `overridden`: keys of visits, see find_lost, find_away and
    find_overridden; `left_jobs`: those of `away`; `withdrawn`: see find_withdrawn."""

    span: TimeSpan
    origin: datetime
    now: datetime
    engineers: frozenset[int]
    begun: frozenset[int]
    requirements: Mapping[int, JobRequirements]
    assumptions: Assumptions
    lost: frozenset[int] = frozenset()
    away: frozenset[int] = frozenset()
    overridden: frozenset[int] = frozenset()
    left_jobs: frozenset[int] = frozenset()
    withdrawn: Mapping[int, Visit] = field(default_factory=dict)
    locations: list[Coordinates | None] = field(default_factory=list)

    def seconds(self, moment: datetime) -> int:
        return int((moment - self.origin).total_seconds())

    @property
    def begins_now(self) -> bool:
        return self.span.start <= next_quarter(self.now)

    @property
    def begins_today(self) -> bool:
        """Also later today: what is late until then, and whoever is still at home, is known by now."""
        return self.span.start < working_day_span(self.now).end

    @property
    def seconds_until_start(self) -> int:
        """Of which a drive from home that begins now may make use, in whole quarter hours; 0 where the scope begins
        now."""
        return 0 if self.begins_now else int((self.span.start - next_quarter(self.now)).total_seconds())

    def location(self, coordinates: Coordinates | None) -> int:
        self.locations.append(coordinates)
        return len(self.locations) - 1


def engineer_days(
    reading: ProblemContext, engineers: Iterable[Engineer], scope: PlanScope
) -> Iterator[tuple[DayOfEngineer, EngineerDay]]:
    """Of those who may sign in."""
    for engineer in (each for each in engineers if each.user.is_active):
        home = reading.location(home_coordinates(engineer))
        for day, worked, has_begun in _worked_days(reading, engineer):
            found = _engineer_day(engineer, day, worked, reading=reading, home=home)
            yield (
                DayOfEngineer(engineer, day),
                replace(found, max_jobs=scope.max_jobs, is_at_home=has_begun),
            )


def find_lost(
    visits: Iterable[Visit],
    engineers: Iterable[Engineer],
    span: TimeSpan,
    *,
    now: datetime,
    assumptions: Assumptions,
    outside: Conflicts,
) -> list[Visit]:
    """Today's visits before a scope that begins now, of whoever is absent then, or suspended: who has not begun one
    will not. Nor one `outside` hours that were changed, once the engineer does not work."""
    if span.start > next_quarter(now):
        return []
    moment = TimeSpan(span.start, span.start + timedelta.resolution)
    away = {engineer.pk for engineer in engineers if _is_away(engineer, moment, assumptions)}
    return [
        visit
        for visit in visits
        if visit.planned_start < span.start
        and is_of_today(visit, now=now)
        and (
            any(person.pk in away for person in visit.people)
            or any(not works_during(each.engineer, moment) for each in outside.get(visit.pk, ()))
        )
    ]


def find_away(
    visits: Iterable[Visit],
    engineers: Iterable[Engineer],
    span: TimeSpan,
    *,
    assumptions: Assumptions,
    outside: Conflicts,
) -> list[Visit]:
    """Visits from the beginning of a scope on at which somebody will be absent, or is suspended, or does not work since
    the hours were changed."""
    known = {engineer.pk: engineer for engineer in engineers}
    return [
        visit
        for visit in visits
        if visit.planned_start >= span.start
        and (
            visit.pk in outside
            or any(_is_away(known[key], visit.span, assumptions) for key in visit.people_keys)
        )
    ]


def is_of_today(visit: Visit, *, now: datetime) -> bool:
    """Also what is under way since yesterday, or was planned late in the evening; what was forgotten yesterday holds
    nobody up, and nobody is looked for."""
    if visit.job.state in UNDER_WAY and visit.ended_at is None:
        return True
    is_recent = timedelta() < now - visit.planned_start < NIGHT
    return is_recent or local_time(visit.planned_start).date() == local_time(now).date()


def _is_away(engineer: Engineer, span: TimeSpan, assumptions: Assumptions) -> bool:
    leaves_at = assumptions.absent_from(engineer)
    is_gone = leaves_at is not None and leaves_at < span.end
    return is_gone or not engineer.user.is_active or is_absent_during(span, engineer.absences.all())


def with_reserve(
    reading: ProblemContext,
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
            replace(
                day,
                shift=PlanSpan(start, max([start, end - scope.reserve_minutes * 60, *used])),
                work_end=end,
            ),
        )


def hours_of_work(reading: ProblemContext, days: Iterable[EngineerDay]) -> frozenset[int]:
    """The local hours, 0 to 23, of the scope in which somebody works; time off between two shifts is no work."""
    parts = {part for day in days for part in _parts_of_work(day)}
    spans = (
        TimeSpan(
            max(reading.origin + timedelta(seconds=part.start), reading.span.start),
            min(reading.origin + timedelta(seconds=part.end), reading.span.end),
        )
        for part in parts
    )
    return frozenset(
        hour % HOURS_OF_DAY for span in spans if span.start < span.end for hour in hours_of(span)
    )


def _parts_of_work(day: EngineerDay) -> Iterator[PlanSpan]:
    edges = [(pause.earliest, pause.earliest + pause.length_seconds) for pause in sorted(day.breaks)]
    times = [day.shift.start, *(moment for edge in edges for moment in edge), day.shift.end]
    return (PlanSpan(start, end) for start, end in zip(times[::2], times[1::2], strict=True))


def _worked_days(reading: ProblemContext, engineer: Engineer) -> list[tuple[date, list[TimeSpan], bool]]:
    """The days with work in the scope, its spans, and whether that is in a shift that goes on now, not in time off. A
    shift written as two that meet at midnight is one, of its first day: nobody drives home and back in no time."""
    days = with_day_before(local_days(reading.span))
    shifts: list[tuple[date, list[TimeSpan]]] = []
    for day in [*days, days[-1] + timedelta(days=1)]:
        worked = _worked(reading, engineer, day)
        night = _night_part(shifts[-1][1], worked) if shifts else []
        if night:
            shifts[-1][1].extend(night)
        if worked[len(night) :]:
            shifts.append((day, worked[len(night) :]))
    at_work = work_time_of(engineer, days=days).attended
    begun = [part for part in at_work if _has_begun(reading, part)]
    found = [(day, _within(reading.span, worked)) for day, worked in shifts]
    return [
        (day, worked, any(worked[0].start < part.end for part in begun)) for day, worked in found if worked
    ]


def _has_begun(reading: ProblemContext, part: TimeSpan) -> bool:
    return part.start < (reading.span.start if reading.begins_now else reading.now) and reading.begins_today


def _worked(reading: ProblemContext, engineer: Engineer, day: date) -> list[TimeSpan]:
    """The work of the shifts that begin on this day."""
    leaves_at = reading.assumptions.absent_from(engineer)
    at_work = work_time_of(engineer, days=[day])
    parts = [TimeSpan(part.start, min(part.end, leaves_at or part.end)) for part in at_work.worked]
    return [part for part in parts if part.start < part.end]


def _night_part(evening: list[TimeSpan], worked: list[TimeSpan]) -> list[TimeSpan]:
    """What of a day's work goes on with the shift of the evening before."""
    if not worked or worked[0].start != evening[-1].end:
        return []
    return [part for part in worked if part.end - evening[-1].start <= LONGEST_SHIFT]


def _within(span: TimeSpan, worked: list[TimeSpan]) -> list[TimeSpan]:
    """From the beginning of the scope on; what begins after it only where it goes on with what begins in it."""
    found: list[TimeSpan] = []
    for part in worked:
        goes_on = part.start < span.end or (found and part.start == found[-1].end)
        if part.end > span.start and goes_on:
            found.append(TimeSpan(max(part.start, span.start), part.end))
    return found


def _engineer_day(
    engineer: Engineer, day: date, worked: list[TimeSpan], *, reading: ProblemContext, home: int
) -> EngineerDay:
    shift = PlanSpan(reading.seconds(worked[0].start), reading.seconds(worked[-1].end))
    gaps = [
        TimeSpan(earlier.end, later.start) for earlier, later in pairwise(worked) if earlier.end < later.start
    ]
    absences = absence_spans(engineer.absences.all())
    pauses = [PlanSpan(reading.seconds(gap.start), reading.seconds(gap.end)) for gap in gaps]
    held = {
        item.skill.code
        for item in engineer.held_skills.all()
        if item.counts_on(day) and item.counts_on(worked[-1].last_day)
    }
    return EngineerDay(
        key=f"{engineer.pk}:{day.isoformat()}",
        home=home,
        shift=shift,
        breaks=tuple(PlanBreak(start, start, end - start) for start, end in pauses),
        skills=frozenset(held),
        latest_end=reading.seconds(_latest_end(engineer, worked[-1].end, absences, reading.assumptions)),
        absences=tuple(
            pause
            for pause, gap in zip(pauses, gaps, strict=True)
            if any(absence.overlaps(gap) for absence in absences)
        ),
    )


def _latest_end(
    engineer: Engineer, work_ends: datetime, absences: Iterable[TimeSpan], assumptions: Assumptions
) -> datetime:
    """Not beyond the beginning of an absence."""
    leaves = [absence.start for absence in absences]
    leaves += [leaves_at] if (leaves_at := assumptions.absent_from(engineer)) else []
    return min([work_ends + MOST_OVERTIME, *(moment for moment in leaves if moment >= work_ends)])
