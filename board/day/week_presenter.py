"""The board of one week as frozen values: engineers as rows, days as columns, with load, risk and unassigned jobs."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import partial

from django.utils.translation import gettext as _

from board import formatting
from board.day.lanes import booked_time
from board.day.timeline import Span
from board.day.view_options import Sort, ViewOptions
from board.day.week_data import WeekData, load_week
from board.links import engineer_page
from dispatch.models import Job, Visit
from dispatch.risk import Level, assess_risk
from dispatch.states import JobState
from dispatch.teams import absent_people
from engineers.areas import group_by_area
from engineers.models import Engineer
from engineers.shifts import TimeSpan, day_span, with_day_before, work_time_of

DAYS = 7


@dataclass(frozen=True)
class RiskCount:
    """How many jobs are in danger of missing their window."""

    at_risk: int
    late: int

    def __add__(self, other: "RiskCount") -> "RiskCount":
        return RiskCount(self.at_risk + other.at_risk, self.late + other.late)


@dataclass(frozen=True)
class WeekCell:
    """One engineer's day. `load`: `5 h of 9 h 30`, or why there is no time; `is_full`: more is booked than worked."""

    day: date
    jobs: int
    booked_minutes: int
    at_work_minutes: int
    load: str
    absence: str
    risk: RiskCount
    is_full: bool


@dataclass(frozen=True)
class WeekRow:
    staff_number: str
    name: str
    url: str
    cells: list[WeekCell]

    @property
    def load(self) -> float:
        at_work = sum(cell.at_work_minutes for cell in self.cells)
        return sum(cell.booked_minutes for cell in self.cells) / max(at_work, 1)

    @property
    def in_danger(self) -> int:
        return sum(cell.risk.late * DAYS + cell.risk.at_risk for cell in self.cells)


@dataclass(frozen=True)
class WeekGroup:
    """The engineers of one area."""

    name: str
    rows: list[WeekRow]


@dataclass(frozen=True)
class WeekDay:
    """The head of a column, and its unassigned jobs; `total_risk` with those of the engineers."""

    day: date
    name: str
    is_today: bool
    jobs: int
    unassigned: int
    risk: RiskCount
    total_risk: RiskCount


@dataclass(frozen=True)
class Week:
    """Everything that the page of a week prints; `day` is the one that was asked for."""

    day: date
    day_words: str
    previous: date
    next: date
    today: date
    options: ViewOptions
    days: list[WeekDay]
    groups: list[WeekGroup]

    spans = Span.choices
    sorts = Sort.choices

    @property
    def previous_label(self) -> str:
        return _("Previous week")

    @property
    def next_label(self) -> str:
        return _("Next week")


ROW_ORDER: dict[str, Callable[[WeekRow], tuple[float, str]]] = {
    Sort.NAME: lambda row: (0, row.name),
    Sort.LATENESS: lambda row: (-row.in_danger, row.name),
    Sort.LOAD: lambda row: (-row.load, row.name),
}


def build_week(day: date, *, now: datetime, today: date, options: ViewOptions | None = None) -> Week:
    """The week from Monday to Sunday in which the day lies, as it stands at `now`; at most twelve queries."""
    options = options or ViewOptions()
    monday = day - timedelta(days=day.weekday())
    days = [monday + timedelta(days=offset) for offset in range(DAYS)]
    data = load_week(days, now=now)
    row_of = partial(_row, days=days, data=data)
    groups = [
        WeekGroup(area or _("No area"), sorted(map(row_of, members), key=ROW_ORDER[options.sort]))
        for area, members in group_by_area(data.engineers)
    ]
    return Week(
        day=day,
        day_words=_week_words(monday, today),
        previous=day - timedelta(days=DAYS),
        next=day + timedelta(days=DAYS),
        today=today,
        options=options,
        days=[_head(column, groups, index, data=data, today=today) for index, column in enumerate(days)],
        groups=groups,
    )


def _week_words(monday: date, today: date) -> str:
    """`Week 48`, with the year when it is not this one."""
    year, number, _weekday = monday.isocalendar()
    text = _("Week %(number)s") % {"number": number}
    return text if year == today.year else f"{text}, {year}"


def _head(day: date, groups: Iterable[WeekGroup], index: int, *, data: WeekData, today: date) -> WeekDay:
    waiting = [job for job in data.waiting if job.window.overlaps(day_span(day))]
    visits = [visit for (_key, on), own in data.visits_of.items() if on == day for visit in own]
    cells = [row.cells[index] for group in groups for row in group.rows]
    risk = _count(_waiting_level(job, data=data) for job in waiting)
    return WeekDay(
        day=day,
        name=formatting.format_day(day),
        is_today=day == today,
        jobs=len({visit.pk for visit in _countable(visits)}),
        unassigned=len(waiting),
        risk=risk,
        total_risk=sum((cell.risk for cell in cells), risk),
    )


def _waiting_level(job: Job, *, data: WeekData) -> Level:
    return assess_risk(
        job=job,
        visit=None,
        forecast=None,
        now=data.now,
        is_begun=job.pk in data.begun,
        concerns=data.concerns.get(job.pk, ()),
    ).level


def _count(levels: Iterable[Level]) -> RiskCount:
    found = list(levels)
    return RiskCount(at_risk=found.count(Level.AT_RISK), late=found.count(Level.LATE))


def _row(engineer: Engineer, *, days: Iterable[date], data: WeekData) -> WeekRow:
    cells = [_cell(engineer, day, data=data) for day in days]
    url = engineer_page(engineer)
    return WeekRow(engineer.staff_number, engineer.name, url, cells)


def _cell(engineer: Engineer, day: date, *, data: WeekData) -> WeekCell:
    span, days = day_span(day), with_day_before([day])
    visits = data.visits_of.get((engineer.pk, day), [])
    booked = sum((booked_time(visit, day=span) for visit in visits), timedelta())
    planned = work_time_of(engineer, days=days, absences=()).on_day(day).worked
    worked = work_time_of(engineer, days=days).on_day(day).worked if engineer.absences.all() else planned
    at_work = _total(worked)
    return WeekCell(
        day=day,
        jobs=len(_countable(visits)),
        booked_minutes=booked // timedelta(minutes=1),
        at_work_minutes=at_work // timedelta(minutes=1),
        load=formatting.format_load(booked, at_work) if booked or at_work else "",
        absence=_absence(planned=_total(planned), at_work=at_work),
        risk=_count(_levels(engineer, day, visits, data=data)),
        is_full=booked > at_work,
    )


def _countable(visits: Iterable[Visit]) -> list[Visit]:
    """Those whose time is booked, of jobs that whoever looks may see."""
    return [visit for visit in visits if visit.job.state != JobState.CANCELLED and visit.is_in_scope]


def _total(spans: Iterable[TimeSpan]) -> timedelta:
    return sum((span.length for span in spans), timedelta())


def _absence(*, planned: timedelta, at_work: timedelta) -> str:
    if not planned:
        return _("Not working")
    if not at_work:
        return _("Absent")
    return _("Partly absent") if at_work < planned else ""


def _levels(engineer: Engineer, day: date, visits: Iterable[Visit], *, data: WeekData) -> Iterable[Level]:
    """Of the visits that are the engineer's own, as the day's board counts them: the week counts each job once."""
    forecasts = data.forecasts_of(engineer, day)
    for visit in (visit for visit in visits if visit.engineer_id == engineer.pk and visit.is_in_scope):
        yield assess_risk(
            job=visit.job,
            visit=visit,
            forecast=forecasts.get(visit.pk),
            now=data.now,
            absent=next(iter(absent_people(visit)), None),
            outside=next(iter(data.hours_conflicts.get(visit.pk, ())), None),
            is_begun=visit.job_id in data.begun,
            was_in_window=visit.job_id in data.attended_in_window,
            concerns=data.concerns.get(visit.job_id, ()),
            on_time=data.on_time_forecast_of(visit, day),
        ).level
