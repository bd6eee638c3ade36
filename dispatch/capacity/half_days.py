"""Half days: the two parts of a local day in which customers are promised a visit. Pure."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import cached_property

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from engineers.shifts import TimeSpan, day_span

# a morning's window ends and an afternoon's begins then
MORNING_ENDS = time(13)
MINUTE = timedelta(minutes=1)
# from a minute to a minute of a horizon, the end excluded
MinuteSpan = tuple[int, int]


class DayPart(models.TextChoices):
    MORNING = "morning", _("Morning")
    AFTERNOON = "afternoon", _("Afternoon")


@dataclass(frozen=True)
class HalfDay:
    """From local midnight to 13:00, or from then to midnight: real hours, also when the clocks change."""

    day: date
    part: DayPart
    span: TimeSpan


def list_half_days(first: date, *, days: int) -> list[HalfDay]:
    """Of so many days, in order."""
    return [half for offset in range(days) for half in _halves(first + timedelta(days=offset))]


def _halves(day: date) -> Iterator[HalfDay]:
    whole = day_span(day)
    middle = datetime.combine(day, MORNING_ENDS, tzinfo=timezone.get_current_timezone()).astimezone(UTC)
    yield HalfDay(day, DayPart.MORNING, TimeSpan(whole.start, middle))
    yield HalfDay(day, DayPart.AFTERNOON, TimeSpan(middle, whole.end))


@dataclass(frozen=True)
class Horizon:
    """Half days that follow each other, counted in whole minutes from the beginning of the first."""

    half_days: Sequence[HalfDay]

    @property
    def whole(self) -> TimeSpan:
        return TimeSpan(self.half_days[0].span.start, self.half_days[-1].span.end)

    @cached_property
    def bounds(self) -> list[int]:
        """Where each half day begins, and the end of the last."""
        ends = [half.span.end for half in self.half_days]
        return [self.minute(moment) for moment in [self.whole.start, *ends]]

    @property
    def end(self) -> int:
        return self.bounds[-1]

    def minute(self, moment: datetime) -> int:
        """May lie before the first, and after the last."""
        return (moment - self.whole.start) // MINUTE

    def minutes(self, span: TimeSpan) -> MinuteSpan:
        return self.minute(span.start), self.minute(span.end)

    def index_at(self, minute: int) -> int:
        """Of the half day that has the minute; the nearest for a minute outside."""
        return min(max(bisect_right(self.bounds, minute) - 1, 0), len(self.half_days) - 1)

    def parts(self, span: MinuteSpan) -> Iterator[tuple[int, MinuteSpan]]:
        """(index, part of the span in that half day); nothing for what lies outside."""
        start, end = max(span[0], 0), min(span[1], self.end)
        index = self.index_at(start)
        while start < end:
            until = min(self.bounds[index + 1], end)
            yield index, (start, until)
            start, index = until, index + 1
