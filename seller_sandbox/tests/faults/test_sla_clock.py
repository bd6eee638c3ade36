"""SLA arithmetic: exact over holds, weekends, bank holidays and both clock changes (D8)."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seller_sandbox.faults import sample_values, sla
from seller_sandbox.faults.models import FaultReport, FaultType
from seller_sandbox.faults.working_time import Calendar
from seller_sandbox.network import business_days
from seller_sandbox.tests.faults import samples

ALWAYS = Calendar()
OFFICE = Calendar(frozenset(range(5)), time(8), time(18))
SIX_DAYS = Calendar(frozenset(range(6)), time(8), time(18))
# by the local clock, whatever the season: hours around both changes count, too
ALL_DAY = Calendar(frozenset(range(7)), time(0), time(23, 59))
HOUR = timedelta(hours=1)
ZONE = ZoneInfo("Europe/London")


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


@pytest.mark.parametrize(
    ("calendar", "start", "end", "hours"),
    [
        (ALWAYS, "2026-11-27T17:00+00:00", "2026-11-30T09:00+00:00", 64),
        # a Friday evening to a Monday morning
        (OFFICE, "2026-11-27T17:00+00:00", "2026-11-30T09:00+00:00", 2),
        (SIX_DAYS, "2026-11-27T17:00+00:00", "2026-11-30T09:00+00:00", 12),
        (OFFICE, "2026-11-28T09:00+00:00", "2026-11-29T20:00+00:00", 0),
        (OFFICE, "2026-11-25T06:00+00:00", "2026-11-25T22:00+00:00", 10),
        # Christmas and the Monday in place of Boxing Day
        (OFFICE, "2026-12-24T17:00+00:00", "2026-12-29T09:00+00:00", 2),
        # the night of 29 March 2026 has 23 hours, that of 25 October 25
        (ALWAYS, "2026-03-28T12:00+00:00", "2026-03-29T12:00+01:00", 23),
        (ALWAYS, "2026-10-24T12:00+01:00", "2026-10-25T12:00+00:00", 25),
        # office hours follow the local clock
        (OFFICE, "2026-03-27T17:00+00:00", "2026-03-30T09:00+01:00", 2),
        (OFFICE, "2026-10-23T17:00+01:00", "2026-10-26T09:00+00:00", 2),
        (OFFICE, "2026-06-15T07:00+00:00", "2026-06-15T08:00+00:00", 1),
    ],
)
def test_hours_that_count(calendar: Calendar, start: str, end: str, hours: int) -> None:
    assert calendar.elapsed(at(start), at(end)) == hours * HOUR


INSTANTS = st.datetimes(
    # hypothesis adds the zone
    min_value=datetime(2026, 1, 1),  # noqa: DTZ001
    max_value=datetime(2027, 12, 31),  # noqa: DTZ001
    timezones=st.just(UTC),
)
CALENDARS = st.sampled_from([ALWAYS, OFFICE, SIX_DAYS, ALL_DAY])
DURATIONS = st.timedeltas(min_value=timedelta(), max_value=timedelta(days=9))


@given(CALENDARS, INSTANTS, DURATIONS, DURATIONS)
@settings(max_examples=60, deadline=None)
def test_parts_add_up_to_the_whole(
    calendar: Calendar, start: datetime, first: timedelta, second: timedelta
) -> None:
    middle, end = start + first, start + first + second

    assert calendar.elapsed(start, middle) + calendar.elapsed(middle, end) == calendar.elapsed(start, end)


@given(CALENDARS, INSTANTS, DURATIONS)
@settings(max_examples=60, deadline=None)
def test_never_more_than_real_time(calendar: Calendar, start: datetime, length: timedelta) -> None:
    assert timedelta() <= calendar.elapsed(start, start + length) <= length


@given(CALENDARS, INSTANTS, st.timedeltas(min_value=timedelta(seconds=1), max_value=timedelta(hours=60)))
@settings(max_examples=60, deadline=None)
def test_end_of_a_duration_is_where_it_has_elapsed(
    calendar: Calendar, start: datetime, duration: timedelta
) -> None:
    end = calendar.add(start, duration)

    assert calendar.elapsed(start, end) == duration
    assert calendar.elapsed(start, end - timedelta(seconds=1)) < duration


@given(INSTANTS, st.integers(min_value=0, max_value=72 * 60))
@settings(max_examples=25, deadline=None)
def test_same_as_counting_minute_by_minute(start: datetime, minutes: int) -> None:
    start = start.replace(second=0, microsecond=0)
    moments = (start + timedelta(minutes=number) for number in range(minutes))
    counted = sum(_is_open(moment.astimezone(ZONE)) for moment in moments)

    assert OFFICE.elapsed(start, start + timedelta(minutes=minutes)) == timedelta(minutes=counted)


def _is_open(local: datetime) -> bool:
    is_working_day = local.weekday() < 5 and not business_days.is_bank_holiday(local.date())
    return is_working_day and 8 <= local.hour < 18


@pytest.mark.parametrize("fault_type", FaultType.values)
def test_each_type_has_a_sample_target(fault_type: str) -> None:
    row = sample_values.read("sla_targets")["targets"][fault_type]

    assert row["hours"] > 0
    assert sample_values.calendar(row)


def _with_intervals(fault_type: str, *intervals: tuple[str, str]) -> FaultReport:
    report = samples.in_progress()
    report.sla_intervals.all().delete()
    report.fault_type = fault_type
    for start, end in intervals:
        report.sla_intervals.create(started_at=at(start), ended_at=at(end) if end else None)
    return report


@pytest.mark.usefixtures("network")
def test_intervals_are_added_and_the_rest_is_due_at_an_instant() -> None:
    report = _with_intervals(
        "Service Outage",
        ("2026-10-24T12:00+01:00", "2026-10-25T00:00+01:00"),
        ("2026-10-25T06:00+00:00", ""),
    )
    reading = sla.read(report, at=at("2026-10-25T10:00+00:00"))

    assert reading.elapsed == 16 * HOUR
    assert reading.remaining == 8 * HOUR
    assert reading.due_at == at("2026-10-25T18:00+00:00")


@pytest.mark.usefixtures("network")
def test_reading_of_the_past_ends_there() -> None:
    report = _with_intervals("Impaired Service", ("2026-11-27T08:00+00:00", "2026-11-30T18:00+00:00"))

    assert sla.read(report, at=at("2026-11-27T18:00+00:00")).elapsed == 10 * HOUR
    assert sla.read(report, at=at("2026-12-24T00:00+00:00")).elapsed == 30 * HOUR
    assert sla.read(report, at=at("2026-12-24T00:00+00:00")).is_breached


@pytest.mark.usefixtures("network")
def test_clock_runs_from_accepted_to_resolved_and_on_after_re_opened() -> None:
    report = samples.accepted()
    assert report.sla_intervals.get().started_at == report.accepted_at
    report = samples.resolved()
    first = report.sla_intervals.get()
    assert (first.started_at, first.ended_at) == (report.accepted_at, report.resolved_at)
    report = samples.after(report, seconds=3600)
    samples.answer_resolution(report, accepted=False)
    second = report.sla_intervals.last()

    assert second.ended_at is None
    assert second.started_at >= first.ended_at + HOUR
