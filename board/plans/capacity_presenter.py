"""Capacity as frozen values: areas and their skills as rows, half days as columns; and the same as CSV."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from board import formatting
from board.links import NO_CHOICE, day_url
from closures.safe_csv import write_csv
from dispatch.capacity.capacity_figures import NOTHING, HalfDayFigures
from dispatch.capacity.capacity_reader import DAYS, Capacity, read_capacity, tomorrow
from dispatch.capacity.half_days import DayPart, HalfDay
from dispatch.capacity.workload import AreaKey
from dispatch.skills import skill_name

STEP = timedelta(days=7)
# minutes from which on a cell has whole hours
LONG = 600


@dataclass(frozen=True)
class CapacityCell:
    """One half day of a row. `booked` of `offered` hours; `time` and `jobs`: what is short, or else spare, in as few
    characters as 28 columns have space for; `sentence` says all of it; `url`: the jobs and engineers behind a half day
    that is short."""

    booked: str = ""
    offered: str = ""
    time: str = ""
    jobs: str = ""
    sentence: str = ""
    url: str = ""
    is_short: bool = False
    is_morning: bool = False


@dataclass(frozen=True)
class CapacityRow:
    """Of one skill."""

    name: str
    cells: list[CapacityCell]
    shortages: int


@dataclass(frozen=True)
class CapacityGroup:
    """An area, or all of them: all work, and below it each skill. `key` names it in the browser."""

    key: str
    name: str
    cells: list[CapacityCell]
    skills: list[CapacityRow]
    shortages: int


@dataclass(frozen=True)
class CapacityDay:
    name: str
    halves: list[tuple[str, str, str]]


@dataclass(frozen=True)
class CapacityPage:
    """`previous` is None for the first days that count."""

    first: date
    title: str
    previous: date | None
    next: date
    days: list[CapacityDay]
    groups: list[CapacityGroup]

    @cached_property
    def shortages(self) -> int:
        return self.groups[0].shortages if self.groups else 0

    @cached_property
    def short_areas(self) -> int:
        return sum(group.shortages > 0 for group in self.groups[1:])


def capacity_page(asked: date) -> CapacityPage:
    """Of two weeks from that day on, or from tomorrow; ten queries."""
    first = max(asked, tomorrow())
    capacity = read_capacity(first)
    return CapacityPage(
        first=first,
        title=_("Capacity %(first)s – %(last)s")
        % {
            "first": formatting.format_day(first),
            "last": formatting.format_day(first + timedelta(days=DAYS - 1)),
        },
        previous=max(first - STEP, tomorrow()) if first > tomorrow() else None,
        next=first + STEP,
        days=list(_days(capacity.horizon.half_days)),
        groups=list(_groups(capacity)),
    )


def _days(half_days: Sequence[HalfDay]) -> Iterator[CapacityDay]:
    """Each with (short name, name, address of its board) of its halves."""
    short = {DayPart.MORNING: _("AM"), DayPart.AFTERNOON: _("PM")}
    for morning, afternoon in zip(half_days[::2], half_days[1::2], strict=True):
        halves = [
            (short[half.part], str(half.part.label), day_url(half.day.isoformat(), span=half.part))
            for half in (morning, afternoon)
        ]
        yield CapacityDay(formatting.format_day(morning.day), halves)


def _groups(capacity: Capacity) -> Iterator[CapacityGroup]:
    figures, rows = capacity.figures, capacity.figures.rows
    skills = sorted({skill for _area, skill in rows if skill}, key=skill_name)
    if not rows:
        return
    yield _group(capacity, "all", _("All areas"), {skill: figures.whole(skill) for skill in ["", *skills]})
    for area, name in _area_names(capacity):
        own = {skill: row for skill in ["", *skills] if (row := figures.row(area, skill)) is not None}
        if own:
            yield _group(
                capacity, str(area or "none"), name or _("No area"), own, area_name=name or NO_CHOICE
            )


def _area_names(capacity: Capacity) -> list[tuple[AreaKey, str]]:
    return [*capacity.areas.items(), (None, "")]


def _group(
    capacity: Capacity, key: str, name: str, rows: dict[str, list[HalfDayFigures]], *, area_name: str = ""
) -> CapacityGroup:
    def cells(skill: str) -> list[CapacityCell]:
        return [
            _cell(half, figures, area=area_name, skill=skill)
            for half, figures in zip(capacity.horizon.half_days, rows[skill], strict=True)
        ]

    return CapacityGroup(
        key=key,
        name=name,
        cells=cells(""),
        skills=[
            CapacityRow(skill_name(skill), cells(skill), _shortages(row))
            for skill, row in rows.items()
            if skill
        ],
        shortages=_shortages(rows[""]),
    )


def _shortages(row: Sequence[HalfDayFigures]) -> int:
    return sum(figures.is_short for figures in row)


def _cell(half: HalfDay, figures: HalfDayFigures, *, area: str, skill: str) -> CapacityCell:
    is_morning = half.part == DayPart.MORNING
    if figures.is_empty:
        return CapacityCell(is_morning=is_morning)
    number = figures.short_jobs if figures.is_short else figures.spare_jobs
    minutes = figures.short if figures.is_short else figures.spare
    time = formatting.format_duration(timedelta(minutes=minutes))
    jobs = ngettext("%(number)d job", "%(number)d jobs", number) % {"number": number}
    return CapacityCell(
        booked=_hours(figures.booked),
        offered=_hours(figures.offered),
        time=f"{minutes // 60} h" if minutes >= LONG else time,
        jobs=_short_jobs(number),
        sentence=_sentence(half, figures, time=time, jobs=jobs),
        url=day_url(half.day.isoformat(), span=half.part, area=area, skill=skill) if figures.is_short else "",
        is_short=figures.is_short,
        is_morning=is_morning,
    )


def _short_jobs(number: int) -> str:
    """A text of its own: German has to abbreviate the noun here, and nowhere else."""
    return ngettext("%(short)d job", "%(short)d jobs", number) % {"short": number}


def _hours(minutes: int) -> str:
    return f"{minutes / 60:.0f}"


def _sentence(half: HalfDay, figures: HalfDayFigures, *, time: str, jobs: str) -> str:
    parameters = {
        "day": formatting.format_day(half.day),
        "part": str(half.part.label),
        "booked": formatting.format_duration(timedelta(minutes=figures.booked)),
        "offered": formatting.format_duration(timedelta(minutes=figures.offered)),
        "time": time,
        "jobs": jobs,
    }
    if figures.is_short:
        text = _("%(day)s, %(part)s: %(booked)s booked, %(offered)s offered; short: %(time)s (%(jobs)s).")
    else:
        text = _("%(day)s, %(part)s: %(booked)s booked, %(offered)s offered; spare: %(time)s (%(jobs)s).")
    return text % parameters


def capacity_csv(asked: date) -> tuple[str, bytes]:
    """Name and content of a file with a line for each area, half day and skill, times in minutes."""
    first = max(asked, tomorrow())
    head = [
        *(_("Area"), _("Day"), _("Half day"), _("Skill")),
        *(_("Offered (min)"), _("Booked (min)"), _("Spare (min)"), _("Short (min)")),
        *(_("Jobs"), _("Unassigned"), _("Jobs that fit"), _("Jobs short")),
    ]
    return f"capacity_{first.isoformat()}.csv", write_csv(
        [head, *_csv_rows(read_capacity(first))], delimiter=","
    )


def _csv_rows(capacity: Capacity) -> Iterator[list[str | int]]:
    for area, name in _area_names(capacity):
        if capacity.figures.row(area) is None:
            continue
        for skill in ["", *capacity.figures.skills_of(area)]:
            row = capacity.figures.row(area, skill) or [NOTHING] * len(capacity.horizon.half_days)
            for half, figures in zip(capacity.horizon.half_days, row, strict=True):
                labels = [
                    name or _("No area"),
                    half.day.isoformat(),
                    str(half.part.label),
                    skill_name(skill) if skill else _("All work"),
                ]
                yield [*labels, *_csv_figures(figures)]


def _csv_figures(figures: HalfDayFigures) -> list[int]:
    return [
        figures.offered,
        figures.booked,
        figures.spare,
        figures.short,
        figures.jobs,
        figures.waiting_jobs,
        figures.spare_jobs,
        figures.short_jobs,
    ]
