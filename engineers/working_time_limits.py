"""Limits of an engineer's working time: hours in a day, hours in a week, and rest between two days of work."""

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import NamedTuple

from django.utils.formats import date_format, number_format
from django.utils.translation import gettext as _

from engineers.models import Engineer
from engineers.shifts import TimeSpan, local_time, merge_spans

DAYS_IN_WEEK = 7
HOUR = timedelta(hours=1)


@dataclass(frozen=True)
class WorkingTimeLimits:
    """Whole hours; None is no limit."""

    per_day: int | None = None
    per_week: int | None = None
    rest: int | None = None

    @property
    def is_any(self) -> bool:
        return any((self.per_day, self.per_week, self.rest))


class BrokenLimit(NamedTuple):
    """One limit on one day (for a week, its Monday); `text` is a sentence without its full stop."""

    kind: str
    day: date
    text: str


def limits_of(engineer: Engineer) -> WorkingTimeLimits:
    return WorkingTimeLimits(engineer.max_hours_per_day, engineer.max_hours_per_week, engineer.min_rest_hours)


def days_that_count(span: TimeSpan) -> list[date]:
    """The local days that matter to limits round a span: its weeks and a day before and after."""
    first, last = local_time(span.start).date(), local_time(span.end).date()
    first -= timedelta(days=first.weekday() + 1)
    number = min((last - first).days + DAYS_IN_WEEK + 2, 3 * DAYS_IN_WEEK)
    return [first + timedelta(days=offset) for offset in range(number)]


def newly_broken_limits(
    limits: WorkingTimeLimits, *, before: Iterable[TimeSpan], more: TimeSpan
) -> list[str]:
    """What work in `more` breaks that the work `before` did not break already."""
    before = list(before)
    known = {(broken.kind, broken.day) for broken in broken_limits(limits, before)}
    after = broken_limits(limits, [*before, more])
    return [broken.text for broken in after if (broken.kind, broken.day) not in known]


def broken_limits(limits: WorkingTimeLimits, work: Iterable[TimeSpan]) -> list[BrokenLimit]:
    """Every limit that this work breaks; spans may overlap and come in any order."""
    merged = merge_spans(work)
    return [
        *_too_long_days(limits.per_day, merged),
        *_too_long_weeks(limits.per_week, merged),
        *_too_short_rests(limits.rest, merged),
    ]


def _day_of(span: TimeSpan) -> date:
    """Work over midnight counts on the day on which it begins."""
    return local_time(span.start).date()


def _totals(spans: Iterable[TimeSpan], *, is_week: bool) -> dict[date, timedelta]:
    totals: dict[date, timedelta] = {}
    for span in spans:
        day = _day_of(span)
        key = day - timedelta(days=day.weekday()) if is_week else day
        totals[key] = totals.get(key, timedelta()) + span.length
    return totals


def _too_long_days(limit: int | None, spans: list[TimeSpan]) -> Iterator[BrokenLimit]:
    for day, total in _totals(spans, is_week=False).items():
        if limit and total > limit * HOUR:
            text = _("%(hours)s h on %(day)s; the limit is %(limit)d h a day")
            parameters = {"hours": hours_text(total), "day": _short(day), "limit": limit}
            yield BrokenLimit("day", day, text % parameters)


def _too_long_weeks(limit: int | None, spans: list[TimeSpan]) -> Iterator[BrokenLimit]:
    for monday, total in _totals(spans, is_week=True).items():
        if limit and total > limit * HOUR:
            text = _("%(hours)s h in the week of %(day)s; the limit is %(limit)d h a week")
            parameters = {"hours": hours_text(total), "day": _short(monday), "limit": limit}
            yield BrokenLimit("week", monday, text % parameters)


def _too_short_rests(limit: int | None, spans: list[TimeSpan]) -> Iterator[BrokenLimit]:
    for earlier, later in itertools.pairwise(spans):
        rest = later.start - earlier.end
        is_next_day = _day_of(later) != _day_of(earlier)
        if limit and is_next_day and rest < limit * HOUR:
            text = _("%(hours)s h of rest before %(day)s; the limit is %(limit)d h")
            parameters = {"hours": hours_text(rest), "day": _short(_day_of(later)), "limit": limit}
            yield BrokenLimit("rest", _day_of(later), text % parameters)


def _short(day: date) -> str:
    return date_format(day, _("D j M"))


def hours_text(span: timedelta) -> str:
    """`7.5`, `8`: at most two digits after the point; with a comma where the language has one."""
    return number_format(f"{round(span / HOUR, 2):g}")
