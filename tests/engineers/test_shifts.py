"""Working time, also on the two days on which the clocks change."""

from datetime import date, time, timedelta

import pytest
from django.db import IntegrityError, transaction

from engineers.models import Absence, Shift
from engineers.shifts import TimeSpan, day_span, subtract, work_time, work_time_on, working_spans
from tests import make

MONDAY = Shift(weekday=0, starts=time(8), ends=time(18))


def span(start: str, end: str) -> TimeSpan:
    return TimeSpan(make.at(start), make.at(end))


@pytest.mark.parametrize(
    ("excluded", "free"),
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
def test_what_is_left_of_a_window(excluded: list[tuple[str, str]], free: list[tuple[str, str]]) -> None:
    assert subtract(span("08:00", "18:00"), [span(*hours) for hours in excluded]) == [
        span(*hours) for hours in free
    ]


def test_shift_counts_on_its_weekday_only() -> None:
    assert working_spans(shifts=[MONDAY], absences=[], day=make.DAY) == [span("08:00", "18:00")]
    assert working_spans(shifts=[MONDAY], absences=[], day=make.DAY + timedelta(days=1)) == []


def test_absence_is_cut_out() -> None:
    away = Absence(starts_at=make.at("12:00"), ends_at=make.at("14:00"))

    worked = working_spans(shifts=[MONDAY], absences=[away], day=make.DAY)

    assert worked == [span("08:00", "12:00"), span("14:00", "18:00")]


@pytest.mark.parametrize(
    ("day", "hours"), [(date(2026, 3, 29), 23), (date(2026, 10, 25), 25), (date(2026, 11, 23), 24)]
)
def test_day_has_the_hours_that_the_clocks_give_it(day: date, hours: int) -> None:
    window = day_span(day)

    assert (window.end.timestamp() - window.start.timestamp()) / 3600 == hours


@pytest.mark.parametrize("day", [date(2026, 3, 29), date(2026, 10, 25)])
def test_shift_keeps_its_local_hours_when_the_clocks_change(day: date) -> None:
    sunday = Shift(weekday=6, starts=time(8), ends=time(18))

    (worked,) = working_spans(shifts=[sunday], absences=[], day=day)

    assert (worked.start, worked.end) == (make.at("08:00", day=day), make.at("18:00", day=day))


NIGHT = Shift(weekday=0, starts=time(22), ends=time(6))
TUESDAY = make.DAY + timedelta(days=1)


def test_night_shift_is_one_span_and_lies_on_both_days() -> None:
    night = work_time(shifts=[NIGHT], absences=[], days=[make.DAY])

    assert night.attended == [TimeSpan(make.at("22:00"), make.at("06:00", day=TUESDAY))]
    assert working_spans(shifts=[NIGHT], absences=[], day=make.DAY) == [
        TimeSpan(make.at("22:00"), make.at("00:00", day=TUESDAY))
    ]
    assert working_spans(shifts=[NIGHT], absences=[], day=TUESDAY) == [
        TimeSpan(make.at("00:00", day=TUESDAY), make.at("06:00", day=TUESDAY))
    ]


def test_short_gap_is_a_break_and_a_long_one_time_off() -> None:
    morning, noon = (Shift(weekday=0, starts=time(8 + n), ends=time(9 + n)) for n in (0, 2))
    evening = Shift(weekday=0, starts=time(14), ends=time(18))

    work = work_time_on(shifts=[morning, noon, evening], absences=[], day=make.DAY)

    assert (work.attended, work.breaks) == (
        [span("08:00", "11:00"), span("14:00", "18:00")],
        [span("09:00", "10:00")],
    )
    assert work.worked == [span("08:00", "09:00"), span("10:00", "11:00"), span("14:00", "18:00")]


def test_break_may_lie_over_midnight() -> None:
    evening, morning = (
        Shift(weekday=0, starts=time(20), ends=time(23, 45)),
        Shift(weekday=1, starts=time(0, 15), ends=time(4)),
    )

    work = work_time(shifts=[evening, morning], absences=[], days=[make.DAY, TUESDAY])

    assert work.attended == [TimeSpan(make.at("20:00"), make.at("04:00", day=TUESDAY))]
    assert work.breaks == [TimeSpan(make.at("23:45"), make.at("00:15", day=TUESDAY))]


@pytest.mark.parametrize("midnight", [time(0), time(23, 59)])
def test_shifts_that_follow_each_other_are_one_span(midnight: time) -> None:
    evening = Shift(weekday=0, starts=time(16), ends=midnight)
    morning = Shift(weekday=1, starts=time(0), ends=time(4))

    work = work_time(shifts=[evening, morning], absences=[], days=[make.DAY, TUESDAY])

    assert work.attended == [TimeSpan(make.at("16:00"), make.at("04:00", day=TUESDAY))]
    assert work.breaks == []


@pytest.mark.parametrize(("sunday", "hours"), [(date(2026, 3, 29), 7), (date(2026, 10, 25), 9)])
def test_night_shift_has_the_hours_that_the_clocks_give_it(sunday: date, hours: int) -> None:
    night = Shift(weekday=5, starts=time(22), ends=time(6))

    (worked,) = work_time(shifts=[night], absences=[], days=[sunday - timedelta(days=1)]).attended

    assert worked.length == timedelta(hours=hours)
    assert worked.end == make.at("06:00", day=sunday)


@pytest.mark.django_db
def test_shift_without_a_length_is_refused() -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        Shift.objects.create(engineer=make.engineer(), weekday=6, starts=time(9), ends=time(9))
