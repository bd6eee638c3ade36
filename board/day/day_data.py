"""What the queries of a day's board give, before it is laid out: their number is fixed however long the day is."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.db.models import Prefetch, Q

from board.alarms.alarm_presenter import AttentionText, unhandled_subjects
from board.alarms.check_in_presenter import overdue_subjects
from board.day.view_options import Viewer
from board.formatting import ClosedAs
from board.jobs.job_panel import closure_badges
from dispatch import ont_scans
from dispatch.agreed_starts import jobs_attended_in_window
from dispatch.forecast import Forecast, visits_by_engineer, with_evening
from dispatch.handover_requests import HANDOVER_KINDS, jobs_with_handover_request
from dispatch.hours_conflicts import Conflicts, HoursConflict, list_hours_conflicts
from dispatch.models import Job, JobEvent, Visit
from dispatch.on_time_forecast.stored_forecast import DayOnTimeForecast, read_on_time_forecast
from dispatch.requirements import JobRequirements, list_requirements
from dispatch.risk_concerns import list_concerns
from dispatch.states import EventKind
from dispatch.team_forecasts import VisitForecasts, forecast_days
from dispatch.teams import absent_people
from engineers.areas import area_map
from engineers.models import Absence, Area, Engineer
from engineers.shifts import (
    TimeSpan,
    WorkTime,
    day_span,
    local_time,
    with_day_before,
    work_time_of,
)
from monitoring.models import Alarm

# keys of engineers; None for all of them
People = Collection[int] | None

MARK_KINDS = (*HANDOVER_KINDS, EventKind.REPORTED_LATE, EventKind.ON_SITE)


@dataclass(frozen=True)
class DayData:
    """What the queries gave, before it is laid out."""

    now: datetime
    span: TimeSpan
    waiting: list[Job]
    visits: list[Visit]
    visits_of: Mapping[int, list[Visit]]
    # keys of visits for jobs of other areas: they take an engineer's time, and no more is known of them
    hidden: frozenset[int]
    engineers: list[Engineer]
    work_of: Mapping[int, WorkTime]
    absences_of: Mapping[int, list[Absence]]
    hours_conflicts: Conflicts
    closings: Mapping[int, ClosedAs]
    reported_late: frozenset[int]
    # after the job was over
    late_failures: frozenset[int]
    handover_jobs: frozenset[int]
    areas: Mapping[str, Area]
    forecasts: VisitForecasts
    unhandled: Mapping[str, AttentionText]
    begun: frozenset[int]
    attended_in_window: frozenset[int]
    requirements: Mapping[int, JobRequirements]
    concerns: Mapping[int, list[str]]
    on_time: DayOnTimeForecast
    viewer: Viewer

    def absent_people(self, visit: Visit | None) -> list[Engineer]:
        """Who attends the visit and is absent at its time."""
        return absent_people(visit, absences=self.absences_of) if visit else []

    def hours_conflict(self, visit: Visit | None) -> HoursConflict | None:
        """Of the first of its people who does not work at the visit's time."""
        return next(iter(self.hours_conflicts.get(visit.pk, ())), None) if visit else None

    def is_left_by(self, visit: Visit, engineer: Engineer) -> bool:
        """Whether this one of its people will not be there."""
        outside = {conflict.engineer for conflict in self.hours_conflicts.get(visit.pk, ())}
        return engineer in outside or engineer in self.absent_people(visit)

    def forecast_of(self, visit: Visit, engineer: Engineer) -> Forecast | None:
        """As the day of this one of its people goes."""
        return self.forecasts.of_people.get((visit.pk, engineer.pk))


def load_day(
    day: date, *, now: datetime, open_alarms: Sequence[Alarm], viewer: Viewer, people: People = None
) -> DayData:
    """Everything that a board of a day is made of, or only what the rows of these `people` and the unassigned jobs are;
    at most fifteen queries, up to six more where there are flags, skills, late starts, colleagues without a row."""
    span = day_span(day)
    waiting = list(Job.objects.unassigned().on_day(day).in_scope())
    visits, evening = _read_visits(span, people)
    engineers = list_engineers(visits, span=span, people=people)
    visits, evening = visits_of_people(visits, engineers), visits_of_people(evening, engineers)
    _set_engineers([*visits, *evening], engineers)
    hidden = frozenset(visit.pk for visit in visits if not visit.is_in_scope)
    jobs = waiting + [visit.job for visit in visits]
    mark_events = list(_mark_events(jobs))
    marks = [(job, kind) for job, kind, _facts in mark_events]
    visits_of = visits_by_engineer(visits)
    begun = frozenset(job for job, kind in marks if kind == EventKind.ON_SITE)
    requirements = list_requirements(jobs)
    return DayData(
        now=now,
        span=span,
        waiting=waiting,
        visits=visits,
        visits_of=visits_of,
        hidden=hidden,
        engineers=engineers,
        work_of={engineer.pk: work_time_on(engineer, day=day) for engineer in engineers},
        absences_of={engineer.pk: list(engineer.absences.all()) for engineer in engineers},
        hours_conflicts=list_hours_conflicts(visits, people=engineers),
        closings=closure_badges(jobs),
        reported_late=frozenset(job for job, kind in marks if kind == EventKind.REPORTED_LATE),
        late_failures=_late_failures(mark_events),
        handover_jobs=jobs_with_handover_request(marks) & {job.pk for job in jobs if job.is_open},
        areas=area_map(Area.objects.all()),
        unhandled=_unhandled(open_alarms, day=day, now=now),
        begun=begun,
        attended_in_window=jobs_attended_in_window(visits),
        requirements=requirements,
        concerns=list_concerns(
            jobs,
            visits={visit.job_id: visit for visit in visits},
            requirements=requirements,
            begun=begun,
            now=now,
        ),
        forecasts=_forecasts(visits_of, evening, day=day, now=now),
        on_time=read_on_time_forecast(day, now=now),
        viewer=viewer,
    )


def _unhandled(open_alarms: Sequence[Alarm], *, day: date, now: datetime) -> dict[str, AttentionText]:
    """An engineer who has not checked in comes before everything else."""
    is_today = day == local_time(now).date()
    alone = overdue_subjects(now) if is_today else {}
    return unhandled_subjects(open_alarms, now=now, is_today=is_today) | alone


def _mark_events(jobs: Iterable[Job]) -> Iterable[tuple[int, str, dict[str, Any]]]:
    """Job, kind and facts of the events that a card shows, in each job's order."""
    events = JobEvent.objects.filter(kind__in=MARK_KINDS, job__in=[job.pk for job in jobs]).order_by(
        "job", "seq"
    )
    return events.values_list("job_id", "kind", "facts")


def _late_failures(events: Iterable[tuple[int, str, dict[str, Any]]]) -> frozenset[int]:
    return ont_scans.jobs_failed_late(
        (job, facts) for job, kind, facts in events if kind == EventKind.REPORTED_LATE
    )


def _forecasts(
    visits_of: Mapping[int, list[Visit]], evening: Iterable[Visit], *, day: date, now: datetime
) -> VisitForecasts:
    before, is_today = visits_by_engineer(evening), day == local_time(now).date()
    days = {
        engineer: with_evening(own, before.get(engineer, ()), is_today=is_today)
        for engineer, own in visits_of.items()
    }
    return forecast_days(days, now=now)


def _read_visits(span: TimeSpan, people: People) -> tuple[list[Visit], list[Visit]]:
    """Of the day, and of the evening before with what has been under way since."""
    planned = Visit.objects.active().of_working_day(span.start)
    if people is not None:
        planned = planned.attended_by(people)
    found = list(planned.select_related("job"))
    of_day = [visit for visit in found if visit.span.overlaps(span)]
    return of_day, [visit for visit in found if not visit.span.overlaps(span)]


def _set_engineers(visits: Iterable[Visit], engineers: Iterable[Engineer]) -> None:
    """Give the visits the engineers that were read already; one query for those who have no row here."""
    known = {engineer.pk: engineer for engineer in engineers}
    needed = {key for visit in visits for key in visit.people_keys}
    if needed - known.keys():
        known |= Engineer.objects.select_related("user").in_bulk(needed - known.keys())
    for visit in visits:
        visit.engineer = known[visit.engineer_id]
        if visit.second_engineer_id:
            visit.second_engineer = known[visit.second_engineer_id]


def list_engineers(visits: Iterable[Visit], *, span: TimeSpan, people: People = None) -> list[Engineer]:
    """Who may work, and who is suspended but still holds one of the visits, of all or of these `people`; with skills,
    shifts and the absences of the span. For somebody who is limited to some areas: who works there, and who holds a
    visit there. Five queries."""
    held = [visit for visit in visits if visit.is_in_scope]
    keys = {key for visit in held for key in visit.people_keys}
    is_visible = Q(pk__in=Engineer.objects.active().in_scope().values("pk")) | Q(pk__in=keys)
    absences = Absence.objects.overlapping(start=span.start, end=span.end)
    found = Engineer.objects.filter(is_visible).select_related("user", "area")
    if people is not None:
        found = found.filter(pk__in=people)
    return list(
        found.prefetch_related(
            "skills", "shifts", "shift_exceptions", Prefetch("absences", queryset=absences)
        )
    )


def visits_of_people(visits: Iterable[Visit], engineers: Iterable[Engineer]) -> list[Visit]:
    """Those that one of these engineers attends."""
    keys = {engineer.pk for engineer in engineers}
    return [visit for visit in visits if not keys.isdisjoint(visit.people_keys)]


def work_time_on(engineer: Engineer, *, day: date) -> WorkTime:
    """Reads `shifts`, `shift_exceptions` and `absences`."""
    return work_time_of(engineer, days=with_day_before([day])).on_day(day)
