"""What a move would do to the rest of an engineer's day: who becomes late by it, or how much time is left."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from dispatch.availability import work_time_during
from dispatch.forecast import Forecast, forecast_day, read_day_drives
from dispatch.models import Job, Visit
from dispatch.risk import Level, assess_risk
from dispatch.states import JobState
from engineers.models import Engineer
from engineers.shifts import TimeSpan

_SEVERITY = {Level.NONE: 0, Level.AT_RISK: 1, Level.LATE: 2}


@dataclass(frozen=True)
class MoveEffect:
    """`endangered`: the first visit of the day that is at risk, or late, only with the moved one; `late` by how much.
    `free`: without one, the time from the moved visit's end to the next drive or the end of the shift; None after it.
    """

    endangered: Visit | None
    late: timedelta
    free: timedelta | None


def effect_of_move(job: Job, engineer: Engineer, *, starts_at: datetime, now: datetime) -> MoveEffect:
    """If the engineer attended the job from then on; changes nothing. At most six queries."""
    span = TimeSpan(starts_at, starts_at + job.duration)
    day = Visit.objects.active().attended_by([engineer]).of_working_day(starts_at)
    others = list(day.exclude(job=job).select_related("job", "engineer__user"))
    moved = Visit(job=job, engineer=engineer, planned_start=span.start, planned_end=span.end)
    whole = sorted([*others, moved], key=lambda visit: visit.planned_start)
    drives = read_day_drives([others, whole])
    before = forecast_day(others, now=now, drives=drives)
    after = forecast_day(whole, now=now, drives=drives)
    for visit in (visit for visit in whole if visit is not moved):
        if _severity(visit, after.get(visit.pk), now) > _severity(visit, before.get(visit.pk), now):
            return MoveEffect(visit, after[visit.pk].late, None)
    return MoveEffect(None, timedelta(), _free_after(span, engineer, others, after))


def _severity(visit: Visit, forecast: Forecast | None, now: datetime) -> int:
    level = assess_risk(job=visit.job, visit=visit, forecast=forecast, now=now).level
    return _SEVERITY[level]


def _free_after(
    span: TimeSpan, engineer: Engineer, others: Sequence[Visit], forecasts: Mapping[int, Forecast]
) -> timedelta | None:
    shifts = [shift for shift in work_time_during(engineer, span=span).attended if shift.contains(span)]
    drives_begin = [
        visit.planned_start - forecasts[visit.pk].travel
        for visit in others
        if visit.job.state != JobState.CANCELLED and visit.planned_start >= span.end
    ]
    limits = [*drives_begin, *(shift.end for shift in shifts)]
    return max(min(limits) - span.end, timedelta()) if limits else None
