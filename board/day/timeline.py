"""The board's time axis: instants turned into quarter hours from its left edge. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from math import ceil

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from dispatch.capacity.half_days import MORNING_ENDS
from engineers.shifts import TimeSpan, day_span, local_time

QUARTER = timedelta(minutes=15)
HOUR = timedelta(hours=1)
FIRST, LAST = time(7), time(20)
AFTERNOON_STARTS = time(12)


@dataclass(frozen=True)
class GridPosition:
    """Where something lies on the axis, as the CSS classes `.s<start>` and `.w<width>` say it."""

    start: int
    width: int

    @property
    def end(self) -> int:
        return self.start + self.width

    @property
    def classes(self) -> str:
        return f"s{self.start} w{self.width}"


@dataclass(frozen=True)
class Tick:
    """One full hour at the top of the board."""

    text: str
    cell: GridPosition


@dataclass(frozen=True)
class Axis:
    """From `start` (UTC), `quarters` steps of 15 minutes; real minutes, so a clock change only moves the labels."""

    start: datetime
    quarters: int

    @property
    def end(self) -> datetime:
        return self.start + QUARTER * self.quarters

    @property
    def ticks(self) -> list[Tick]:
        hours = [self.start + HOUR * number for number in range(self.quarters // 4)]
        return [
            Tick(f"{local_time(hour):%H:%M}", GridPosition(4 * number, 4))
            for number, hour in enumerate(hours)
        ]

    def position_of(self, span: TimeSpan) -> GridPosition | None:
        """The part of a span that is on the axis, at least one quarter wide; None if nothing is."""
        if span.end <= self.start or span.start >= self.end:
            return None
        first = max(0, (span.start - self.start) // QUARTER)
        last = min(self.quarters, ceil((span.end - self.start) / QUARTER))
        return GridPosition(first, max(1, last - first))

    def start_of(self, position: GridPosition) -> datetime:
        """What a move to this place plans, to the quarter hour."""
        return self.start + QUARTER * position.start

    def percent(self, moment: datetime) -> float | None:
        """How far along the axis a moment lies, to the minute, or None outside it."""
        if not self.start <= moment < self.end:
            return None
        return round((moment - self.start) / (self.end - self.start) * 100, 3)


class Span(models.TextChoices):
    """How much time the board shows; the week has a page of its own (board.day.week_presenter)."""

    DAY = "day", _("Day")
    MORNING = "morning", _("Morning")
    AFTERNOON = "afternoon", _("Afternoon")
    WEEK = "week", _("Week")


def build_axis(day: date, spans: Iterable[TimeSpan], *, part: str = Span.DAY) -> Axis:
    """07:00 to 20:00, longer by full hours where shifts or visits of the day lie outside; a half ends or begins
    round noon."""
    whole, zone = day_span(day), timezone.get_current_timezone()
    start = datetime.combine(day, FIRST, tzinfo=zone)
    end = datetime.combine(day, LAST, tzinfo=zone)
    for span in spans:
        start = min(start, max(span.start, whole.start))
        end = max(end, min(span.end, whole.end))
    if part == Span.MORNING:
        end = max(datetime.combine(day, MORNING_ENDS, tzinfo=zone), start + HOUR)
    elif part == Span.AFTERNOON:
        start = datetime.combine(day, AFTERNOON_STARTS, tzinfo=zone)
    # aware arithmetic inside one zone counts wall-clock time, so both ends go to UTC first
    start, end = start.astimezone(UTC), end.astimezone(UTC)
    start -= timedelta(minutes=start.minute, seconds=start.second, microseconds=start.microsecond)
    return Axis(start, 4 * ceil((end - start) / HOUR))
