"""Hours as people write them: `08:00–16:30`, or `08:00-12:00, 13:00-17:00`; and what a pattern of them breaks."""

import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, time, timedelta

from django.utils.translation import gettext as _

from engineers.models import RotaWeek, Shift, Weekday
from engineers.shifts import LAST_MINUTE, LONGEST_NIGHT, TimeSpan, merge_spans, shift_span
from engineers.working_time_limits import HOUR, WorkingTimeLimits, hours_text

# 8-16, 8:00-16:30, 08.00–16.30, 0800-1630
SPAN = re.compile(r"(\d{1,2})(?:[:.]?(\d{2}))?\s*[-–—]\s*(\d{1,2})(?:[:.]?(\d{2}))?")
Hours = tuple[tuple[time, time], ...]


class UnreadableHours(ValueError):
    """These are no hours; the message says which part is wrong."""


@dataclass(frozen=True, order=True)
class PlannedShift:
    """One shift of a pattern: `week` as RotaWeek, Monday is 0."""

    week: int
    weekday: int
    starts: time
    ends: time


def parse_hours(text: str) -> Hours:
    """The spans of one day in order, none for an empty text; 24:00 is the last minute, `22:00–06:00` ends on the next
    day. Raises UnreadableHours."""
    spans = sorted(_parse_span(part.strip()) for part in text.split(",") if part.strip())
    for earlier, later in itertools.pairwise(spans):
        is_night = earlier[1] <= earlier[0]
        if is_night or later[0] < earlier[1]:
            raise UnreadableHours(_("“%(text)s”: these hours overlap.") % {"text": text.strip()})
    return tuple(spans)


def _parse_span(text: str) -> tuple[time, time]:
    found = SPAN.fullmatch(text)
    if found is None:
        raise UnreadableHours(_("“%(text)s” is not a time span, for example 08:00-16:30.") % {"text": text})
    numbers = [int(part or 0) for part in found.groups()]
    starts, ends = _parse_time(text, *numbers[:2]), _parse_time(text, *numbers[2:])
    longest = LONGEST_NIGHT // HOUR
    if ends <= starts and _hours_over_midnight(starts, ends) > longest:
        # it was mistyped
        message = _(
            "“%(text)s”: the end must be after the start, or that of a night shift of at most %(limit)d hours."
        )
        raise UnreadableHours(message % {"text": text, "limit": longest})
    return starts, ends


def _hours_over_midnight(starts: time, ends: time) -> float:
    return 24 - (starts.hour + starts.minute / 60) + ends.hour + ends.minute / 60


def _parse_time(text: str, hour: int, minute: int) -> time:
    if (hour, minute) == (24, 0):
        return LAST_MINUTE
    try:
        return time(hour, minute)
    except ValueError as problem:
        raise UnreadableHours(_("“%(text)s” is not a time of day.") % {"text": text}) from problem


def write_hours(spans: Iterable[tuple[time, time]]) -> str:
    """`08:00–12:00, 13:00–17:00`, `22:00–24:00`: as parse_hours reads it."""
    return ", ".join(f"{starts:%H:%M}–{_write_end(ends)}" for starts, ends in spans)


def _write_end(ends: time) -> str:
    return "24:00" if ends == LAST_MINUTE else f"{ends:%H:%M}"


def planned_shift(row: Shift) -> PlannedShift:
    return PlannedShift(row.week, row.weekday, row.starts, row.ends)


def planned_shifts(shifts: Iterable[Shift]) -> tuple[PlannedShift, ...]:
    """The present pattern, without what counted until a day in the past (engineers.rota)."""
    return tuple(sorted(planned_shift(row) for row in shifts if row.ends_on is None))


def hours_by_day(shifts: Iterable[PlannedShift]) -> dict[tuple[int, int], Hours]:
    """By (week, weekday)."""
    found: dict[tuple[int, int], Hours] = {}
    for shift in sorted(shifts):
        key = (shift.week, shift.weekday)
        found[key] = (*found.get(key, ()), (shift.starts, shift.ends))
    return found


def pattern_problems(shifts: Iterable[PlannedShift], limits: WorkingTimeLimits) -> list[str]:
    """Sentences: which limits the pattern itself breaks, without exceptions and overtime."""
    spans = merge_spans(_spans(list(shifts)))
    return [
        *_day_problems(spans, limits),
        *_week_problems(spans, limits),
        *_rest_problems(spans, limits),
    ]


# a Monday; two weeks of the pattern with the day before and the day after, whose work may go on over midnight
MONDAY = date(2024, 1, 1)
CYCLE_DAYS = 14


def _spans(shifts: list[PlannedShift]) -> Iterator[TimeSpan]:
    """On a calendar without a change of the clocks."""
    for offset in range(-1, CYCLE_DAYS + 1):
        week = RotaWeek.A if offset % CYCLE_DAYS < CYCLE_DAYS // 2 else RotaWeek.B
        for shift in shifts:
            if shift.weekday == offset % 7 and shift.week in {RotaWeek.EVERY, week}:
                day = MONDAY + timedelta(days=offset)
                yield shift_span(shift.starts, shift.ends, day, zone=UTC)


def _day_number(span: TimeSpan) -> int:
    return (span.start.date() - MONDAY).days


def _day_name(offset: int) -> str:
    return str(Weekday(offset % 7).label)


def _total(spans: Iterable[TimeSpan], days: range) -> timedelta:
    return sum((span.length for span in spans if _day_number(span) in days), timedelta())


def _day_problems(spans: list[TimeSpan], limits: WorkingTimeLimits) -> Iterator[str]:
    for day in range(7):
        # work without any end begins on the day before
        total = max(_total(spans, range(start, start + 1)) for start in (day - 7, day, day + 7))
        if limits.per_day and total > limits.per_day * HOUR:
            parameters = {"day": _day_name(day), "hours": hours_text(total), "limit": limits.per_day}
            yield _("%(day)s has %(hours)s h; the limit is %(limit)d h a day.") % parameters


def _week_problems(spans: list[TimeSpan], limits: WorkingTimeLimits) -> Iterator[str]:
    total_a = _total(spans, range(7))
    total_b = max(_total(spans, range(-7, 0)), _total(spans, range(7, CYCLE_DAYS)))
    weeks = (
        [(RotaWeek.A, total_a), (RotaWeek.B, total_b)] if total_a != total_b else [(RotaWeek.EVERY, total_a)]
    )
    for week, total in weeks:
        if limits.per_week and total > limits.per_week * HOUR:
            parameters = {"week": week.label, "hours": hours_text(total), "limit": limits.per_week}
            yield _("%(week)s: %(hours)s h; the limit is %(limit)d h a week.") % parameters


def _rest_problems(spans: list[TimeSpan], limits: WorkingTimeLimits) -> Iterator[str]:
    found: dict[str, None] = {}
    for day, rest in _rests(spans):
        if limits.rest and rest < limits.rest * HOUR:
            parameters = {"day": _day_name(day), "hours": hours_text(rest), "limit": limits.rest}
            text = _("Only %(hours)s h of rest before %(day)s; the limit is %(limit)d h.") % parameters
            found[text] = None
    yield from found


def _rests(spans: list[TimeSpan]) -> Iterator[tuple[int, timedelta]]:
    """Before which day, and how long; none after work that goes on for a whole day."""
    for span in spans:
        if span.length >= 24 * HOUR:
            yield _day_number(span) + 1, timedelta()
    for earlier, later in itertools.pairwise(spans):
        if _day_number(later) != _day_number(earlier):
            yield _day_number(later), later.start - earlier.end
