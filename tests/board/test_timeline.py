"""The time axis: from 07:00 to 20:00, longer where work lies outside, true on the days when the clocks change."""

from datetime import date

from board.day.timeline import GridPosition, build_axis
from engineers.shifts import Window
from tests import make


def span(start: str, end: str, *, day: date = make.DAY) -> Window:
    return Window(make.at(start, day=day), make.at(end, day=day))


def test_empty_day_goes_from_seven_to_twenty() -> None:
    axis = build_axis(make.DAY, [])

    assert axis.start == make.at("07:00")
    assert axis.quarters == 13 * 4
    assert [tick.words for tick in axis.ticks][:2] == ["07:00", "08:00"]


def test_early_shift_and_late_visit_make_it_longer_by_full_hours() -> None:
    axis = build_axis(make.DAY, [span("05:30", "14:00"), span("19:00", "21:15")])

    assert axis.start == make.at("05:00")
    assert axis.end == make.at("22:00")


def test_span_is_placed_in_quarters_and_cut_at_the_edges() -> None:
    axis = build_axis(make.DAY, [])

    assert axis.place(span("08:30", "10:30")) == GridPosition(6, 8)
    assert axis.place(span("08:37", "08:40")) == GridPosition(6, 1)
    assert axis.place(span("05:00", "07:30")) == GridPosition(0, 2)
    assert axis.place(span("05:00", "07:00")) is None


def test_moment_outside_the_axis_has_no_step() -> None:
    axis = build_axis(make.DAY, [])

    assert axis.step(make.at("09:14")) == 8
    assert axis.step(make.at("06:59")) is None
    assert axis.step(make.at("20:00")) is None


def test_night_of_the_clock_change_has_25_hours() -> None:
    day = date(2026, 10, 25)

    axis = build_axis(day, [span("00:00", "23:30", day=day)])

    assert axis.quarters == 25 * 4
    assert [tick.words for tick in axis.ticks][:4] == ["00:00", "01:00", "01:00", "02:00"]
    assert axis.place(span("08:00", "09:00", day=day)) == GridPosition(36, 4)
