"""When an engineer works: pure time arithmetic over shifts and absences, in the site's own zone."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.utils import timezone

from engineers.models import Absence, Shift


@dataclass(frozen=True, order=True)
class Window:
    """A span of aware instants, end excluded."""

    start: datetime
    end: datetime

    def holds(self, other: "Window") -> bool:
        return self.start <= other.start and other.end <= self.end

    def touches(self, other: "Window") -> bool:
        return self.start < other.end and other.start < self.end

    @property
    def length(self) -> timedelta:
        return self.end - self.start


def local_time(moment: datetime) -> datetime:
    """The moment in the site's zone. At the very ends of the calendar (a sentinel such as year 1 or 9999) there is no
    local time, so it stays as it is: a stored date must never stop a page."""
    try:
        return timezone.localtime(moment)
    except OverflowError:
        return moment


def day_window(day: date) -> Window:
    """From local midnight to local midnight: 23 or 25 hours when the clocks change."""
    zone = timezone.get_current_timezone()
    midnight = datetime.min.time()
    return Window(
        datetime.combine(day, midnight, tzinfo=zone),
        datetime.combine(day + timedelta(days=1), midnight, tzinfo=zone),
    )


def subtract(window: Window, taken: Iterable[Window]) -> list[Window]:
    """What is left of a window when other spans are cut out of it, in order."""
    free, start = [], window.start
    for cut in sorted(taken):
        if cut.start > start:
            free.append(Window(start, min(cut.start, window.end)))
        start = max(start, cut.end)
        if start >= window.end:
            break
    if start < window.end:
        free.append(Window(start, window.end))
    return [span for span in free if span.start < span.end]


def working_windows(*, shifts: Iterable[Shift], absences: Iterable[Absence], day: date) -> list[Window]:
    """The spans of one local day in which somebody with these shifts and absences works."""
    zone = timezone.get_current_timezone()
    away = [Window(absence.starts_at, absence.ends_at) for absence in absences]
    spans: list[Window] = []
    for shift in shifts:
        if shift.weekday == day.weekday():
            at_work = Window(
                datetime.combine(day, shift.starts, tzinfo=zone),
                datetime.combine(day, shift.ends, tzinfo=zone),
            )
            spans += subtract(at_work, away)
    return sorted(spans)
