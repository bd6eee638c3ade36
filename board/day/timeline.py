"""The board's time axis: instants turned into quarter hours from its left edge. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from math import ceil

from django.utils import timezone

from engineers.shifts import Window, day_window, local_time

QUARTER = timedelta(minutes=15)
HOUR = timedelta(hours=1)
FIRST, LAST = time(7), time(20)


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

    words: str
    place: GridPosition


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

    def place(self, span: Window) -> GridPosition | None:
        """The part of a span that is on the axis, at least one quarter wide; None if nothing is."""
        if span.end <= self.start or span.start >= self.end:
            return None
        first = max(0, (span.start - self.start) // QUARTER)
        last = min(self.quarters, ceil((span.end - self.start) / QUARTER))
        return GridPosition(first, max(1, last - first))

    def step(self, moment: datetime) -> int | None:
        """The quarter in which a moment lies, or None outside the axis."""
        return (moment - self.start) // QUARTER if self.start <= moment < self.end else None


def build_axis(day: date, spans: Iterable[Window]) -> Axis:
    """07:00 to 20:00, longer by full hours where shifts or visits of the day lie outside."""
    whole, zone = day_window(day), timezone.get_current_timezone()
    start = datetime.combine(day, FIRST, tzinfo=zone)
    end = datetime.combine(day, LAST, tzinfo=zone)
    for span in spans:
        start = min(start, max(span.start, whole.start))
        end = max(end, min(span.end, whole.end))
    # aware arithmetic inside one zone counts wall-clock time, so both ends go to UTC first
    start, end = start.astimezone(UTC), end.astimezone(UTC)
    start -= timedelta(minutes=start.minute, seconds=start.second, microseconds=start.microsecond)
    return Axis(start, 4 * ceil((end - start) / HOUR))
