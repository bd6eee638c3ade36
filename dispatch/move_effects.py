"""What a move would do to the day of those who attend: whether the moved visit itself would be late, who else becomes
late by it, or how much time is left."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from dispatch.availability import work_time_during
from dispatch.forecast import GRACE, Forecast
from dispatch.models import Job, Visit
from dispatch.risk import assess_risk
from dispatch.states import JobState
from dispatch.team_forecasts import VisitForecasts, forecast_days, read_team_days
from dispatch.teams import Unchanged, second_engineer_of
from engineers.models import Engineer


@dataclass(frozen=True)
class MoveEffect:
    """`starts_at`: when the moved visit would begin, where that is later than asked for by more than GRACE.
    `endangered`: the first visit of the day that is at risk, or late, only with the moved one; `late` by how much.
    `free`: without one, the time from the moved visit's end to the next drive or the end of the shift; None after it.
    """

    starts_at: datetime | None = None
    endangered: Visit | None = None
    late: timedelta = timedelta()
    free: timedelta | None = None


def effect_of_move(job: Job, engineer: Engineer, *, starts_at: datetime, now: datetime) -> MoveEffect:
    """If the engineer, with whoever accompanies, attended the job from then on; changes nothing. At most eight
    queries."""
    moved = _moved_visit(job, engineer, starts_at=starts_at)
    day = Visit.objects.active().of_working_day(starts_at).exclude(job=job)
    others = read_team_days(moved.people_keys, day)
    before = forecast_days(others, now=now).of_visits
    forecasts = forecast_days(_with_moved(others, moved), now=now)
    after = forecasts.of_visits
    predicted = after[moved.pk]
    delayed_to = predicted.starts_at if predicted.late > GRACE else None
    for visit in _in_order(others, moved):
        if _severity(visit, after.get(visit.pk), now) > _severity(visit, before.get(visit.pk), now):
            return MoveEffect(delayed_to, visit, after[visit.pk].late)
    if delayed_to:
        return MoveEffect(delayed_to)
    return MoveEffect(free=_free_after(moved, others.get(engineer.pk, ()), forecasts))


def _moved_visit(job: Job, engineer: Engineer, *, starts_at: datetime) -> Visit:
    """Never to be saved."""
    current = job.visits.current().select_related("engineer", "second_engineer").first()
    second = second_engineer_of(current, engineer=engineer, wanted=Unchanged.SECOND_ENGINEER)
    ends_at = starts_at + job.duration
    return Visit(
        # no key of a stored one
        pk=0,
        job=job,
        engineer=engineer,
        second_engineer=second,
        planned_start=starts_at,
        planned_end=ends_at,
    )


def _with_moved(others: Mapping[int, list[Visit]], moved: Visit) -> dict[int, list[Visit]]:
    days = {person: list(own) for person, own in others.items()}
    for person in moved.people_keys:
        days[person] = sorted([*days.get(person, []), moved], key=lambda visit: visit.planned_start)
    return days


def _in_order(others: Mapping[int, Iterable[Visit]], moved: Visit) -> Iterator[Visit]:
    """Of those who attend the moved visit, in the order of the plan."""
    own = {visit.pk: visit for person in moved.people_keys for visit in others.get(person, ())}
    return iter(sorted(own.values(), key=lambda visit: visit.planned_start))


def _severity(visit: Visit, forecast: Forecast | None, now: datetime) -> int:
    return assess_risk(job=visit.job, visit=visit, forecast=forecast, now=now).level.severity


def _free_after(moved: Visit, others: Iterable[Visit], forecasts: VisitForecasts) -> timedelta | None:
    span, engineer = moved.span, moved.engineer
    shifts = [shift for shift in work_time_during(engineer, span=span).attended if shift.contains(span)]
    drives_begin = [
        visit.planned_start - forecasts.of_people[visit.pk, engineer.pk].travel
        for visit in others
        if visit.job.state != JobState.CANCELLED and visit.planned_start >= span.end
    ]
    limits = [*drives_begin, *(shift.end for shift in shifts)]
    return max(min(limits) - span.end, timedelta()) if limits else None
