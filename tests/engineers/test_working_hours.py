"""Hours as people write them, weeks in turn, and the limits of working time."""

import itertools
from datetime import date, time, timedelta

import pytest
from django.utils import translation

from engineers.models import RotaWeek, Shift, ShiftException
from engineers.shifts import LAST_MINUTE, TimeSpan, rota_week, working_spans
from engineers.working_hours import PlannedShift, UnreadableHours, parse_hours, pattern_problems, write_hours
from engineers.working_time_limits import WorkingTimeLimits, hours_text, newly_broken_limits
from tests import make


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("", ""),
        ("8-16", "08:00–16:00"),
        ("08:00–16:30", "08:00–16:30"),
        ("0800-1630", "08:00–16:30"),
        ("13.00 - 17.00, 8-12", "08:00–12:00, 13:00–17:00"),
        ("20:00-24:00", "20:00–24:00"),
    ],
)
def test_hours_are_read_and_written(text: str, written: str) -> None:
    hours = parse_hours(text)

    assert write_hours(hours) == written
    assert parse_hours(written) == hours


@pytest.mark.parametrize("text", ["8", "8-25", "8:70-9", "9-8", "8-8", "8-12,11-13", "=1+1", "8-12;13-17"])
def test_what_is_no_hours_is_refused(text: str) -> None:
    with pytest.raises(UnreadableHours):
        parse_hours(text)


def test_weeks_take_turns_over_every_new_year() -> None:
    mondays = [date(2026, 1, 5) + timedelta(days=7 * number) for number in range(400)]
    weeks = [rota_week(monday) for monday in mondays]

    assert all(first != second for first, second in itertools.pairwise(weeks))
    assert rota_week(mondays[0]) == rota_week(mondays[0] + timedelta(days=6))


def test_shift_counts_in_its_week_only() -> None:
    week = rota_week(make.DAY)
    other = RotaWeek.A if week == RotaWeek.B else RotaWeek.B
    shifts = [
        Shift(week=week, weekday=0, starts=time(8), ends=time(12)),
        Shift(week=other, weekday=0, starts=time(14), ends=time(18)),
    ]

    assert working_spans(shifts=shifts, absences=[], day=make.DAY) == [
        TimeSpan(make.at("08:00"), make.at("12:00"))
    ]
    next_week = working_spans(shifts=shifts, absences=[], day=make.DAY + timedelta(days=7))
    assert [span.start.hour for span in next_week] == [14]


def test_exception_replaces_the_pattern_of_its_day() -> None:
    shifts = [Shift(weekday=day, starts=time(8), ends=time(18)) for day in range(7)]
    longer = ShiftException(day=make.DAY, starts=time(6), ends=time(20))
    off = ShiftException(day=make.DAY + timedelta(days=1))

    def worked(day: date) -> list[TimeSpan]:
        return working_spans(shifts=shifts, exceptions=[longer, off], absences=[], day=day)

    assert worked(make.DAY) == [TimeSpan(make.at("06:00"), make.at("20:00"))]
    assert worked(make.DAY + timedelta(days=1)) == []
    assert len(worked(make.DAY + timedelta(days=2))) == 1


def test_rest_is_seen_from_sunday_to_monday_and_between_the_weeks() -> None:
    late = PlannedShift(RotaWeek.B, 6, time(14), time(23))
    early = PlannedShift(RotaWeek.A, 0, time(6), time(12))

    assert pattern_problems([late, early], WorkingTimeLimits(rest=11)) == [
        "Only 7 h of rest before Monday; the limit is 11 h."
    ]
    assert pattern_problems([late, early], WorkingTimeLimits(rest=7)) == []


def test_only_what_the_extra_work_breaks_is_named() -> None:
    limits = WorkingTimeLimits(per_day=8, per_week=40, rest=11)
    rota = [
        TimeSpan(
            make.at("08:00", day=make.DAY + timedelta(days=n)),
            make.at("16:00", day=make.DAY + timedelta(days=n)),
        )
        for n in range(5)
    ]
    more = TimeSpan(make.at("16:00"), make.at("18:00"))

    texts = newly_broken_limits(limits, before=rota, more=more)

    assert texts == [
        "10 h on Mon 23 Nov; the limit is 8 h a day",
        "42 h in the week of Mon 23 Nov; the limit is 40 h a week",
    ]
    assert newly_broken_limits(limits, before=[*rota, more], more=more) == []


def test_night_shift_is_read_and_a_mistyped_one_refused() -> None:
    assert parse_hours("22:00-06:00") == ((time(22), time(6)),)
    for text in ("16:00-08:00", "08:00-08:00", "22:00-06:00, 23:00-23:30"):
        with pytest.raises(UnreadableHours):
            parse_hours(text)


ALL_LIMITS = WorkingTimeLimits(per_day=8, per_week=40, rest=11)


@pytest.mark.parametrize("evening", range(7))
def test_night_in_two_shifts_is_as_one(evening: int) -> None:
    """Each night of the week, the one from Sunday to Monday included."""
    split = [
        PlannedShift(RotaWeek.EVERY, evening, time(20), LAST_MINUTE),
        PlannedShift(RotaWeek.EVERY, (evening + 1) % 7, time(0), time(4)),
    ]

    assert pattern_problems(split, ALL_LIMITS) == []
    assert pattern_problems(split, WorkingTimeLimits(per_day=7, per_week=7)) == pattern_problems(
        [PlannedShift(RotaWeek.EVERY, evening, time(20), time(4))], WorkingTimeLimits(per_day=7, per_week=7)
    )


def whole_days(number: int) -> list[PlannedShift]:
    return [PlannedShift(RotaWeek.EVERY, day, time(0), LAST_MINUTE) for day in range(number)]


def test_two_whole_days_have_no_rest_between_them() -> None:
    assert pattern_problems(whole_days(2), WorkingTimeLimits(rest=11)) == [
        "Only 0 h of rest before Tuesday; the limit is 11 h."
    ]


@pytest.mark.parametrize("limit", ["per_day", "per_week", "rest"])
def test_work_without_any_end_breaks_every_limit(limit: str) -> None:
    assert len(pattern_problems(whole_days(7), WorkingTimeLimits(**{limit: 11}))) == 1


@pytest.mark.parametrize(
    ("minutes", "english", "german"), [(450, "7.5", "7,5"), (480, "8", "8"), (605, "10.08", "10,08")]
)
def test_hours_in_two_languages(minutes: int, english: str, german: str) -> None:
    assert hours_text(timedelta(minutes=minutes)) == english
    with translation.override("de"):
        assert hours_text(timedelta(minutes=minutes)) == german
