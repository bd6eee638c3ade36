"""Where is my engineer? Who has a job, when it is planned and expected, and what an engineer does now and next."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q
from django.utils.translation import gettext as _

from board import formatting
from board.formatting import StateBadge
from board.links import engineer_page
from dispatch.forecast import GRACE, Forecast
from dispatch.models import Job, Visit
from dispatch.states import ENDED_STATES, UNDER_WAY, JobState
from dispatch.team_forecasts import forecast_days, read_team_days
from engineers.models import Absence, Engineer
from engineers.shifts import day_span, local_time


@dataclass(frozen=True)
class Attendance:
    """Who attends a job: `planned` as `Mon 23 Nov 09:30–11:00`; `expected` is empty unless it is for today."""

    engineer: str
    engineer_url: str
    planned: str
    expected: str
    is_late: bool
    # who accompanies; empty for nobody
    second: str = ""
    second_url: str = ""


@dataclass(frozen=True)
class EngineerJob:
    """A job of an engineer's day; `team`: with whom."""

    job_id: str
    title: str
    team: str
    look: StateBadge
    planned: str
    expected: str
    is_late: bool


@dataclass(frozen=True)
class FoundEngineer:
    """An engineer who was searched for. `current`: the job that is under way; `status` stands where there is none, or
    none that whoever asks may see."""

    name: str
    staff_number: str
    phone: str
    url: str
    status: str
    current: EngineerJob | None
    next: EngineerJob | None

    @property
    def jobs(self) -> list[EngineerJob]:
        return [job for job in (self.current, self.next) if job]


def list_attendances(jobs: Iterable[Job], *, now: datetime) -> dict[int, Attendance]:
    """By the job's key, for those that have an engineer; three queries, four for a team."""
    visits = Visit.objects.active().filter(job__in=[job.pk for job in jobs])
    visits = visits.select_related("engineer__user", "second_engineer__user", "job")
    working = {person for visit in visits if visit.job.is_open for person in visit.people_keys}
    forecasts = forecast_days(_visits_of_today(working, now), now=now).of_visits
    return {visit.job_id: _attendance(visit, forecasts.get(visit.pk)) for visit in visits}


def _attendance(visit: Visit, forecast: Forecast | None) -> Attendance:
    return Attendance(
        engineer=visit.engineer.name,
        engineer_url=engineer_page(visit.engineer),
        planned=formatting.format_span_with_day(visit.span),
        expected=_expected(visit, forecast),
        is_late=_is_late(visit, forecast),
        second=visit.second_engineer.name if visit.second_engineer else "",
        second_url=engineer_page(visit.second_engineer) if visit.second_engineer else "",
    )


def _visits_of_today(engineers: Collection[int], now: datetime) -> dict[int, list[Visit]]:
    """As read_team_days, with what is under way, whatever day it was planned for."""
    today = day_span(local_time(now).date())
    planned = Q(planned_start__lt=today.end, planned_end__gt=today.start)
    found = Visit.objects.active().filter(planned | Q(job__state__in=UNDER_WAY))
    return read_team_days(engineers, found)


def _expected(visit: Visit, forecast: Forecast | None) -> str:
    """`expected 10:40`, `arrived 09:12, until about 10:40`; empty for a job that is over."""
    if forecast is None or visit.job.state in ENDED_STATES:
        return ""
    if visit.arrived_at:
        times = {
            "arrived": formatting.format_time(visit.arrived_at),
            "end": formatting.format_time(forecast.ends_at),
        }
        return _("arrived %(arrived)s, until about %(end)s") % times
    return _("expected %(at)s") % {"at": formatting.format_time(forecast.starts_at)}


def _is_late(visit: Visit, forecast: Forecast | None) -> bool:
    return bool(forecast and visit.job.state not in ENDED_STATES and forecast.late > GRACE)


def engineer_lines(engineers: Sequence[Engineer], *, now: datetime) -> list[FoundEngineer]:
    """What these engineers do now and next; three queries, four where one is in a team."""
    days = _visits_of_today([engineer.pk for engineer in engineers], now)
    forecasts = forecast_days(days, now=now).of_visits
    absent = set(
        Absence.objects.filter(starts_at__lte=now, ends_at__gt=now).values_list("engineer_id", flat=True)
    )
    return [
        _engineer_line(
            engineer,
            days.get(engineer.pk, []),
            forecasts,
            is_absent=engineer.pk in absent,
        )
        for engineer in engineers
    ]


def _engineer_line(
    engineer: Engineer, visits: list[Visit], forecasts: Mapping[int, Forecast], *, is_absent: bool
) -> FoundEngineer:
    visible = [visit for visit in visits if visit.is_in_scope]
    current = next((visit for visit in visible if visit.job.state in UNDER_WAY), None)
    following = next((visit for visit in visible if visit.job.state == JobState.ASSIGNED), None)
    return FoundEngineer(
        name=engineer.name,
        staff_number=engineer.staff_number,
        phone=engineer.phone,
        url=engineer_page(engineer),
        status="" if current else _status(visits, is_absent=is_absent),
        current=_engineer_job(current, engineer, forecasts) if current else None,
        next=_engineer_job(following, engineer, forecasts) if following else None,
    )


def _status(visits: list[Visit], *, is_absent: bool) -> str:
    if is_absent:
        return _("Absent now")
    if any(visit.job.state in UNDER_WAY for visit in visits):
        # of an area that whoever asks does not see
        return _("Other area")
    if not visits:
        return _("No jobs today")
    if all(visit.job.state in ENDED_STATES for visit in visits):
        return _("All jobs of today are done")
    return _("No job in progress")


def _engineer_job(visit: Visit, engineer: Engineer, forecasts: Mapping[int, Forecast]) -> EngineerJob:
    forecast, colleague = forecasts.get(visit.pk), visit.colleague_of(engineer)
    return EngineerJob(
        job_id=visit.job.provider_job_id,
        title=visit.job.title,
        team=_("with %(engineer)s") % {"engineer": colleague.name} if colleague else "",
        look=formatting.state_badge(visit.job),
        planned=_("planned %(span)s") % {"span": formatting.format_span(visit.span)},
        expected=_expected(visit, forecast),
        is_late=_is_late(visit, forecast),
    )
