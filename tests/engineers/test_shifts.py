"""Working time, also on the two days on which the clocks change."""

from datetime import date, time, timedelta

import pytest

from engineers.models import Absence, Shift
from engineers.shifts import Window, day_window, subtract, working_windows
from tests import make

MONDAY = Shift(weekday=0, starts=time(8), ends=time(18))


def span(start: str, end: str) -> Window:
    return Window(make.at(start), make.at(end))


@pytest.mark.parametrize(
    ("taken", "free"),
    [
        ([], [("08:00", "18:00")]),
        ([("09:00", "10:00")], [("08:00", "09:00"), ("10:00", "18:00")]),
        ([("07:00", "08:30")], [("08:30", "18:00")]),
        ([("17:00", "19:00")], [("08:00", "17:00")]),
        ([("07:00", "19:00")], []),
        ([("12:00", "13:00"), ("09:00", "12:30")], [("08:00", "09:00"), ("13:00", "18:00")]),
        ([("18:00", "19:00")], [("08:00", "18:00")]),
    ],
)
def test_what_is_left_of_a_window(taken: list[tuple[str, str]], free: list[tuple[str, str]]) -> None:
    assert subtract(span("08:00", "18:00"), [span(*one) for one in taken]) == [span(*one) for one in free]


def test_shift_counts_on_its_weekday_only() -> None:
    assert working_windows(shifts=[MONDAY], absences=[], day=make.DAY) == [span("08:00", "18:00")]
    assert working_windows(shifts=[MONDAY], absences=[], day=make.DAY + timedelta(days=1)) == []


def test_absence_is_cut_out() -> None:
    away = Absence(starts_at=make.at("12:00"), ends_at=make.at("14:00"))

    worked = working_windows(shifts=[MONDAY], absences=[away], day=make.DAY)

    assert worked == [span("08:00", "12:00"), span("14:00", "18:00")]


@pytest.mark.parametrize(
    ("day", "hours"), [(date(2026, 3, 29), 23), (date(2026, 10, 25), 25), (date(2026, 11, 23), 24)]
)
def test_day_has_the_hours_that_the_clocks_give_it(day: date, hours: int) -> None:
    window = day_window(day)

    assert (window.end.timestamp() - window.start.timestamp()) / 3600 == hours


@pytest.mark.parametrize("day", [date(2026, 3, 29), date(2026, 10, 25)])
def test_shift_keeps_its_local_hours_when_the_clocks_change(day: date) -> None:
    sunday = Shift(weekday=6, starts=time(8), ends=time(18))

    (worked,) = working_windows(shifts=[sunday], absences=[], day=day)

    assert (worked.start, worked.end) == (make.at("08:00", day=day), make.at("18:00", day=day))
