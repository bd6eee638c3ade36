"""When an engineer works: pure time arithmetic over shifts and absences, in the site's own zone."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import lru_cache
from itertools import pairwise

from django.utils import timezone

from engineers.models import Absence, Engineer, RotaWeek, Shift, ShiftException

LAST_MINUTE = time(23, 59)
# a longer gap between two shifts of a day is time off
LONGEST_BREAK = timedelta(hours=2)
# what looks longer is none
LONGEST_NIGHT = timedelta(hours=14)
# before and after a moment, whatever the date: a night shift goes on over midnight
NIGHT = timedelta(hours=6)


@dataclass(frozen=True, order=True)
class TimeSpan:
    """A span of aware instants, end excluded."""

    start: datetime
    end: datetime

    def contains(self, other: "TimeSpan") -> bool:
        return self.start <= other.start and other.end <= self.end

    def overlaps(self, other: "TimeSpan") -> bool:
        return self.start < other.end and other.start < self.end

    @property
    def length(self) -> timedelta:
        return self.end - self.start

    @property
    def last_day(self) -> date:
        """The local day of the last moment: a span that ends at 24:00 does not touch the next day."""
        return local_time(max(self.start, self.end - timedelta(microseconds=1))).date()


def local_time(moment: datetime) -> datetime:
    """The moment in the site's zone. At the very ends of the calendar (a sentinel such as year 1 or 9999) there is no
    local time, so it stays as it is: a stored date must never stop a page."""
    # two moments of the hour that comes twice are equal
    return _in_zone(moment, moment.fold, timezone.get_default_timezone())


@lru_cache(maxsize=10_000)
def _in_zone(moment: datetime, _fold: int, zone: tzinfo) -> datetime:
    """A large board asks for a few hundred moments twenty thousand times."""
    try:
        return timezone.localtime(moment, zone)
    except OverflowError:
        return moment


def day_span(day: date) -> TimeSpan:
    """From local midnight to local midnight: 23 or 25 hours when the clocks change."""
    return TimeSpan(_local_moment(day, time.min), _local_moment(day + timedelta(days=1), time.min))


def working_day_span(moment: datetime) -> TimeSpan:
    """The local day of a moment, and where midnight is near the hours of the night before or after it."""
    day = day_span(local_time(moment).date())
    return TimeSpan(min(day.start, moment - NIGHT), max(day.end, moment + NIGHT))


def subtract(span: TimeSpan, excluded: Iterable[TimeSpan]) -> list[TimeSpan]:
    """What is left of a span when other spans are cut out of it, in order."""
    free, start = [], span.start
    for cut in sorted(excluded):
        if cut.start > start:
            free.append(TimeSpan(start, min(cut.start, span.end)))
        start = max(start, cut.end)
        if start >= span.end:
            break
    if start < span.end:
        free.append(TimeSpan(start, span.end))
    return [span for span in free if span.start < span.end]


def absence_spans(absences: Iterable[Absence]) -> list[TimeSpan]:
    return [TimeSpan(absence.starts_at, absence.ends_at) for absence in absences]


def is_absent_during(span: TimeSpan, absences: Iterable[Absence]) -> bool:
    """Whether one of these absences of an engineer lies in the span, at least in part."""
    return any(away.overlaps(span) for away in absence_spans(absences))


def rota_week(day: date) -> RotaWeek:
    """Whether a two-week pattern is in its week A or B; weeks begin on Monday."""
    # day 1 of the calendar was a Monday
    return RotaWeek.B if (day.toordinal() - 1) // 7 % 2 else RotaWeek.A


def hours_of_day(
    *, shifts: Iterable[Shift], exceptions: Iterable[ShiftException], day: date
) -> list[tuple[time, time]]:
    """The planned hours of one day: those of its exception if it has one, otherwise those of the pattern
    that counted on that day."""
    for exception in exceptions:
        if exception.day == day:
            is_off = exception.starts is None or exception.ends is None
            return [] if is_off else [(exception.starts, exception.ends)]  # type: ignore[list-item]
    weeks = {RotaWeek.EVERY, rota_week(day)}
    return sorted(
        (shift.starts, shift.ends)
        for shift in shifts
        if shift.weekday == day.weekday() and shift.week in weeks and shift.counts_on(day)
    )


@dataclass(frozen=True)
class WorkTime:
    """When somebody is at work, breaks included, and when the breaks are; both in order and without absences."""

    attended: list[TimeSpan]
    breaks: list[TimeSpan]

    @property
    def worked(self) -> list[TimeSpan]:
        return [span for window in self.attended for span in subtract(window, self.breaks)]

    def on_day(self, day: date) -> "WorkTime":
        """The part that lies in one local day."""
        return WorkTime(clip(self.attended, day_span(day)), clip(self.breaks, day_span(day)))


def clip(spans: Iterable[TimeSpan], bounds: TimeSpan) -> list[TimeSpan]:
    """What of these spans lies inside the bounds."""
    return [
        TimeSpan(max(span.start, bounds.start), min(span.end, bounds.end))
        for span in spans
        if span.start < span.end and span.overlaps(bounds)
    ]


def with_day_before(days: Iterable[date]) -> list[date]:
    """Those on which a shift may begin that is worked on these days: also the night shift of the evening before."""
    known = sorted(days)
    return [known[0] - timedelta(days=1), *known] if known and known[0] > date.min else known


def work_time(
    *,
    shifts: Iterable[Shift],
    absences: Iterable[Absence],
    days: Iterable[date],
    exceptions: Iterable[ShiftException] = (),
) -> WorkTime:
    """Of the shifts that begin on these local days. One that follows another at once goes on with it, and a short gap
    between both is a break: `08:00–12:00, 12:30–17:00`."""
    shifts, exceptions, away = list(shifts), list(exceptions), absence_spans(absences)
    zone = timezone.get_current_timezone()
    spans = sorted(
        shift_span(starts, ends, day, zone=zone)
        for day in days
        # at the ends of the calendar there is no day before or after
        if date.min.year < day.year < date.max.year
        for starts, ends in hours_of_day(shifts=shifts, exceptions=exceptions, day=day)
    )
    breaks = [
        TimeSpan(earlier.end, later.start)
        for earlier, later in pairwise(spans)
        if earlier.end < later.start <= earlier.end + LONGEST_BREAK
    ]
    return WorkTime(
        attended=[free for span in merge_spans([*spans, *breaks]) for free in subtract(span, away)],
        breaks=[free for span in breaks for free in subtract(span, away)],
    )


def work_time_on(
    *,
    shifts: Iterable[Shift],
    absences: Iterable[Absence],
    day: date,
    exceptions: Iterable[ShiftException] = (),
) -> WorkTime:
    """Of one local day, with what is left of the night shift that began the day before."""
    days = with_day_before([day])
    return work_time(shifts=shifts, exceptions=exceptions, absences=absences, days=days).on_day(day)


def working_spans(
    *,
    shifts: Iterable[Shift],
    absences: Iterable[Absence],
    day: date,
    exceptions: Iterable[ShiftException] = (),
) -> list[TimeSpan]:
    """The spans of one local day in which somebody with these shifts, exceptions and absences works, without breaks."""
    return work_time_on(shifts=shifts, exceptions=exceptions, absences=absences, day=day).worked


def work_time_of(
    engineer: Engineer, *, days: Iterable[date], absences: Iterable[Absence] | None = None
) -> WorkTime:
    """Of the engineer's shifts that begin on these days; reads `shifts`, `shift_exceptions` and, unless others are
    given, `absences`."""
    return work_time(
        shifts=engineer.shifts.all(),
        exceptions=engineer.shift_exceptions.all(),
        absences=engineer.absences.all() if absences is None else absences,
        days=days,
    )


def end_with_night_shifts(engineers: Iterable[Engineer], *, day: date) -> datetime:
    """The end of this local day, or of the night shift of one of them that begins on it and goes on, absent or not."""
    nights = (part.end for engineer in engineers for part in _night_parts(engineer, day))
    return max([day_span(day).end, *nights])


def _night_parts(engineer: Engineer, day: date) -> Iterator[TimeSpan]:
    """The shifts of this day; and where one ends at midnight, what follows it at once as the same night."""
    own = work_time_of(engineer, days=[day], absences=()).attended
    yield from own
    midnight = day_span(day).end
    if own and own[-1].end == midnight:
        for part in work_time_of(engineer, days=[day + timedelta(days=1)], absences=()).attended:
            # the next day's own shift is not the end of this one
            if part.start == midnight and part.end - own[-1].start <= LONGEST_NIGHT:
                yield part


def whole_days(engineer: Engineer, *, first: date, last: date) -> TimeSpan:
    """These days of the engineer: the night shift of the last one too, without that of the evening before the first."""
    evening_before = first - timedelta(days=1)
    return TimeSpan(
        end_with_night_shifts([engineer], day=evening_before), end_with_night_shifts([engineer], day=last)
    )


def shift_span(starts: time, ends: time, day: date, *, zone: tzinfo) -> TimeSpan:
    """Of a shift that begins on this day, and ends on the next where its end is not after its start."""
    # 24:00 is kept as the last minute (working_hours.parse_hours)
    until = time.min if ends == LAST_MINUTE else ends
    last = day + timedelta(days=until <= starts)
    return TimeSpan(_moment_in(zone, day, starts), _moment_in(zone, last, until))


def _local_moment(day: date, clock: time) -> datetime:
    return _moment_in(timezone.get_current_timezone(), day, clock)


def _moment_in(zone: tzinfo, day: date, clock: time) -> datetime:
    """In UTC: arithmetic inside one zone would count wall-clock time."""
    return datetime.combine(day, clock, tzinfo=zone).astimezone(UTC)


def merge_spans(spans: Iterable[TimeSpan]) -> list[TimeSpan]:
    """The same time as spans that neither overlap nor touch, in order."""
    joined: list[TimeSpan] = []
    for span in sorted(spans):
        if joined and span.start <= joined[-1].end:
            joined[-1] = TimeSpan(joined[-1].start, max(joined[-1].end, span.end))
        else:
            joined.append(span)
    return joined
