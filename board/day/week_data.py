"""What the queries of a week's board give: their number is fixed however many engineers and jobs there are."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.db.models import Q

from board.day.day_data import list_engineers, visits_of_people
from dispatch import job_events
from dispatch.agreed_starts import jobs_attended_in_window
from dispatch.forecast import Forecast, read_day_drives, with_evening
from dispatch.hours_conflicts import Conflicts, list_hours_conflicts
from dispatch.models import Job, Visit
from dispatch.on_time_forecast.stored_forecast import DayOnTimeForecast, OnTimeForecast, read_on_time_forecast
from dispatch.requirements import list_requirements
from dispatch.risk_concerns import list_concerns
from dispatch.states import BEFORE_ARRIVAL
from dispatch.team_forecasts import VisitForecasts, forecast_days, with_withdrawn
from engineers.models import Engineer
from engineers.shifts import TimeSpan, day_span, local_time

# a week has thousands of visits: nothing is read that load, forecast and risk do not look at
JOB_COLUMNS = (
    "provider_job_id",
    "state",
    "postcode",
    "latitude",
    "longitude",
    "window_start",
    "window_end",
    "duration_minutes",
    # what its requirements and concerns are made of
    "job_type",
    "flags",
    "uprn",
    "previous_provider_job_id",
    "received_at",
    "on_hold_since",
)
VISIT_COLUMNS = (
    "engineer_id",
    "second_engineer_id",
    "planned_start",
    "planned_end",
    "overrun",
    "travel_started_at",
    "arrived_at",
    "ended_at",
    "unassigned_at",
    "is_start_agreed",
)


@dataclass(frozen=True)
class WeekData:
    """`visits_of`: by the engineer's key and each local day on which a visit lies, at least in part. `forecasts`: of
    each day, also of what is under way since the evening before it."""

    now: datetime
    waiting: list[Job]
    engineers: list[Engineer]
    visits_of: Mapping[tuple[int, date], list[Visit]]
    begun: frozenset[int]
    attended_in_window: frozenset[int]
    hours_conflicts: Conflicts
    concerns: Mapping[int, list[str]]
    forecasts: Mapping[date, VisitForecasts]
    # of today, where that is one of the days
    on_time: DayOnTimeForecast

    def on_time_forecast_of(self, visit: Visit, day: date) -> OnTimeForecast | None:
        """As on the board of that day: a visit over midnight lies on two."""
        return self.on_time.of_visit(visit) if day == local_time(self.now).date() else None

    def forecasts_of(self, engineer: Engineer, day: date) -> Mapping[int, Forecast]:
        """Of the engineer's visits that day, as the day's board has them; nothing where nobody is awaited any more."""
        is_open = any(
            visit.job.state in BEFORE_ARRIVAL for visit in self.visits_of.get((engineer.pk, day), ())
        )
        return self.forecasts[day].of_visits if is_open else {}


def load_week(days: Sequence[date], *, now: datetime) -> WeekData:
    """Of these days, which follow each other; at most seventeen queries."""
    span = TimeSpan(day_span(days[0]).start, day_span(days[-1]).end)
    unassigned = (
        Job.objects.unassigned().in_scope().filter(window_start__lt=span.end, window_end__gt=span.start)
    )
    waiting = list(unassigned.only(*JOB_COLUMNS))
    read = _read_visits(span)
    engineers = list_engineers([visit for visit in read if visit.span.overlaps(span)], span=span)
    read = visits_of_people(read, engineers)
    _set_engineers(read, engineers)
    visits = [visit for visit in read if visit.span.overlaps(span)]
    jobs = [*waiting, *(visit.job for visit in visits if visit.job.is_open)]
    begun = frozenset(job_events.jobs_begun(job.pk for job in jobs))
    visits_of, today = _by_engineer_and_day(visits, days), local_time(now).date()
    workdays = _with_evenings(visits_of, _by_evening(read, days), today=today)
    return WeekData(
        now=now,
        on_time=read_on_time_forecast(today, now=now) if today in days else DayOnTimeForecast(),
        waiting=waiting,
        engineers=engineers,
        visits_of=visits_of,
        forecasts=_forecasts(workdays, days, now=now),
        begun=begun,
        attended_in_window=jobs_attended_in_window(visits),
        hours_conflicts=list_hours_conflicts(visits, people=engineers),
        concerns=list_concerns(
            jobs,
            visits={visit.job_id: visit for visit in visits},
            requirements=list_requirements(jobs),
            begun=begun,
            now=now,
        ),
    )


def _forecasts(
    workdays: Mapping[tuple[int, date], list[Visit]], days: Iterable[date], *, now: datetime
) -> dict[date, VisitForecasts]:
    """Of each of these days."""
    by_day = {day: {engineer: own for (engineer, on), own in workdays.items() if on == day} for day in days}
    today = local_time(now).date()
    if today in by_day:
        by_day[today] = with_withdrawn(by_day[today], now=now)
    drives = read_day_drives(row for own in by_day.values() for row in own.items())
    return {day: forecast_days(own, now=now, drives=drives) for day, own in by_day.items()}


def _read_visits(span: TimeSpan) -> list[Visit]:
    """Of the span, and of the evening before it with what has been under way since."""
    is_planned, is_under_way = Q(planned_end__gt=span.start), Visit.objects.of_working_day(span.start)
    found = Visit.objects.active().filter(planned_start__lt=span.end)
    found = found.filter(is_planned | Q(pk__in=is_under_way.values("pk"))).select_related("job")
    return list(found.only(*VISIT_COLUMNS, *(f"job__{name}" for name in JOB_COLUMNS)))


def _set_engineers(visits: Iterable[Visit], engineers: Iterable[Engineer]) -> None:
    """The same object for each visit, instead of a row for each."""
    known = {engineer.pk: engineer for engineer in engineers}
    for visit in visits:
        # a colleague of another area may be missing, and is read where a page names one
        if visit.engineer_id in known:
            visit.engineer = known[visit.engineer_id]
        if visit.second_engineer_id is None or visit.second_engineer_id in known:
            visit.second_engineer = known[visit.second_engineer_id] if visit.second_engineer_id else None


def _by_evening(visits: Iterable[Visit], days: Sequence[date]) -> dict[tuple[int, date], list[Visit]]:
    """By the engineer's key and the day that begins after the visit."""
    found: dict[tuple[int, date], list[Visit]] = {}
    for visit in visits:
        day = TimeSpan(visit.planned_start, visit.planned_end).last_day + timedelta(days=1)
        if day in days and visit.planned_end > day_span(day).start - timedelta(days=1):
            for key in visit.people_keys:
                found.setdefault((key, day), []).append(visit)
    return found


def _with_evenings(
    visits_of: Mapping[tuple[int, date], list[Visit]],
    evenings: Mapping[tuple[int, date], list[Visit]],
    *,
    today: date,
) -> dict[tuple[int, date], list[Visit]]:
    return {
        (engineer, day): with_evening(own, evenings.get((engineer, day), ()), is_today=day == today)
        for (engineer, day), own in visits_of.items()
    }


def _by_engineer_and_day(
    visits: Iterable[Visit], days: Sequence[date]
) -> dict[tuple[int, date], list[Visit]]:
    spans = [(day, day_span(day)) for day in days]
    found: dict[tuple[int, date], list[Visit]] = {}
    for visit in visits:
        for day, span in spans:
            if visit.span.overlaps(span):
                for person in visit.people:
                    found.setdefault((person.pk, day), []).append(visit)
    return found
