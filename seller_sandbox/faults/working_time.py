"""Time by a calendar: every hour, or the hours of working days by the local clock (D8, sample calendars)."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from django.conf import settings

from seller_sandbox.network import business_days

ONE_DAY = timedelta(days=1)
# nobody promises so many days; a calendar without hours ends here
MOST_DAYS = 400


@dataclass(frozen=True)
class Calendar:
    """Hours that count: from `starts` to `ends` of the local clock on `weekdays` (0 is Monday), never a bank holiday.

    Without hours every instant counts.
    """

    weekdays: frozenset[int] = frozenset()
    starts: time = time()
    ends: time = time()

    @property
    def is_always(self) -> bool:
        return not self.weekdays

    def elapsed(self, start: datetime, end: datetime) -> timedelta:
        """How much time counts between two instants; an hour that the clock skips or repeats is its real length."""
        if self.is_always:
            return max(_utc(end) - _utc(start), timedelta())
        windows = self._windows(_local_day(start), last=_local_day(end))
        parts = (min(_utc(end), after) - max(_utc(start), first) for first, after in windows)
        return sum((part for part in parts if part > timedelta()), timedelta())

    def add(self, start: datetime, duration: timedelta) -> datetime:
        """The first instant at which so much time has counted since `start`."""
        if self.is_always:
            return _utc(start) + duration
        last = _local_day(start) + timedelta(days=MOST_DAYS)
        for first, after in self._windows(_local_day(start), last=last):
            begin = max(first, _utc(start))
            if after - begin >= duration:
                return begin + duration
            duration -= max(after - begin, timedelta())
        raise ValueError(f"{duration} do not fit into {MOST_DAYS} days")

    def next_day_at(self, moment: datetime, hour: time) -> datetime:
        """This hour, by the local clock, of the first day with hours that count after that of `moment`."""
        day = _local_day(moment) + ONE_DAY
        while not self._has_hours(day):
            day += ONE_DAY
        return _at(day, hour)

    def _has_hours(self, day: date) -> bool:
        return day.weekday() in self.weekdays and not business_days.is_bank_holiday(day)

    def _windows(self, day: date, *, last: date) -> Iterator[tuple[datetime, datetime]]:
        while day <= last:
            if self._has_hours(day):
                yield _at(day, self.starts), _at(day, self.ends)
            day += ONE_DAY


def _at(day: date, hour: time) -> datetime:
    return _utc(datetime.combine(day, hour, tzinfo=settings.LOCAL_ZONE))


def _utc(moment: datetime) -> datetime:
    """Differences within one zone would be those of its clock face."""
    return moment.astimezone(UTC)


def _local_day(moment: datetime) -> date:
    return moment.astimezone(settings.LOCAL_ZONE).date()
