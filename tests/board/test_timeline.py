"""The time axis: from 07:00 to 20:00, longer where work lies outside, true on the days when the clocks change."""

from datetime import date

import pytest

from board.day.timeline import GridPosition, Span, build_axis
from engineers.shifts import TimeSpan
from tests import make


def span(start: str, end: str, *, day: date = make.DAY) -> TimeSpan:
    return TimeSpan(make.at(start, day=day), make.at(end, day=day))


def test_empty_day_shows_seven_to_twenty() -> None:
    axis = build_axis(make.DAY, [])

    assert axis.start == make.at("07:00")
    assert axis.quarters == 13 * 4
    assert [tick.text for tick in axis.ticks][:2] == ["07:00", "08:00"]


def test_early_shift_and_late_visit_make_it_longer_by_full_hours() -> None:
    axis = build_axis(make.DAY, [span("05:30", "14:00"), span("19:00", "21:15")])

    assert axis.start == make.at("05:00")
    assert axis.end == make.at("22:00")


def test_span_is_placed_in_quarters_and_cut_at_the_edges() -> None:
    axis = build_axis(make.DAY, [])

    assert axis.position_of(span("08:30", "10:30")) == GridPosition(6, 8)
    assert axis.position_of(span("08:37", "08:40")) == GridPosition(6, 1)
    assert axis.position_of(span("05:00", "07:30")) == GridPosition(0, 2)
    assert axis.position_of(span("05:00", "07:00")) is None


def test_moment_is_placed_to_the_minute_and_nowhere_outside_the_axis() -> None:
    axis = build_axis(make.DAY, [])

    assert axis.percent(make.at("07:00")) == 0
    assert axis.percent(make.at("09:14")) == round(134 / 780 * 100, 3)
    assert axis.percent(make.at("06:59")) is None
    assert axis.percent(make.at("20:00")) is None


@pytest.mark.parametrize(
    ("part", "first", "last"),
    [(Span.DAY, "07:00", "19:00"), (Span.MORNING, "07:00", "12:00"), (Span.AFTERNOON, "12:00", "19:00")],
)
def test_part_of_the_day_bounds_the_axis(part: Span, first: str, last: str) -> None:
    ticks = build_axis(make.DAY, [], part=part).ticks

    assert (ticks[0].text, ticks[-1].text) == (first, last)


@pytest.mark.parametrize("part", [Span.MORNING, Span.AFTERNOON])
@pytest.mark.parametrize("day", [date(2026, 3, 29), date(2026, 10, 25)])
def test_half_of_a_clock_change_day_has_whole_hours(day: date, part: Span) -> None:
    axis = build_axis(day, [span("00:00", "23:30", day=day)], part=part)

    assert axis.quarters == {Span.MORNING: {3: 12, 10: 14}[day.month], Span.AFTERNOON: 12}[part] * 4


def test_night_of_the_clock_change_has_25_hours() -> None:
    day = date(2026, 10, 25)

    axis = build_axis(day, [span("00:00", "23:30", day=day)])

    assert axis.quarters == 25 * 4
    assert [tick.text for tick in axis.ticks][:4] == ["00:00", "01:00", "01:00", "02:00"]
    assert axis.position_of(span("08:00", "09:00", day=day)) == GridPosition(36, 4)
