"""Days, times of day and spans in words, in the site's own zone and the reader's language."""

from datetime import date, datetime, time, timedelta

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from engineers.shifts import TimeSpan, local_time


def format_day(day: date) -> str:
    """`Mon 23 Nov`, with the year when it is not this one; in each language as it is written there."""
    return date_format(day, _("D j M") if day.year == timezone.localdate().year else _("D j M Y"))


def format_time(moment: datetime) -> str:
    """`08:30`; `01:30 BST` in the hour that comes twice when the clocks go back."""
    local = local_time(moment)
    is_repeated = local.utcoffset() != local.replace(fold=1 - local.fold).utcoffset()
    return f"{local:%H:%M} {local.tzname()}" if is_repeated else f"{local:%H:%M}"


def format_moment(moment: datetime) -> str:
    return f"{format_day(local_time(moment).date())} {format_time(moment)}"


def format_span(span: TimeSpan) -> str:
    """`08:00–13:00`, `19:00–24:00`, with the days where it ends on another: `Mon 23 Nov 22:00 – Tue 24 Nov 02:00`."""
    first, end = local_time(span.start), local_time(span.end)
    if first.date() == end.date():
        return f"{format_time(span.start)}–{format_time(span.end)}"
    if ends_at_midnight(span):
        return f"{format_time(span.start)}–24:00"
    return f"{format_moment(span.start)} – {format_moment(span.end)}"


def format_span_with_day(span: TimeSpan) -> str:
    """`Mon 23 Nov 08:00–13:00`, and over midnight as `format_span`."""
    first = local_time(span.start).date()
    return f"{format_day(first)} {format_span(span)}" if first == span.last_day else format_span(span)


def format_time_on(moment: datetime, *, day: date) -> str:
    """`08:30`, and `Mon 23 Nov 08:30` where it is on another day than this one."""
    return format_time(moment) if local_time(moment).date() == day else format_moment(moment)


def format_recent_moment(moment: datetime) -> str:
    """`08:30` of today, `Mon 23 Nov 08:30` of another day."""
    return format_time_on(moment, day=timezone.localdate())


def format_moment_phrase(moment: datetime) -> str:
    """`at 08:30` of today, `on Mon 23 Nov at 08:30` of another day: which preposition it is depends on the language."""
    return format_when(moment, day=timezone.localdate())


def format_when(moment: datetime, *, day: date) -> str:
    """`at 08:30`, and `on Mon 23 Nov at 08:30` where it is on another day than this one."""
    own, time_of_day = local_time(moment).date(), format_time(moment)
    if own == day:
        return _("at %(time)s") % {"time": time_of_day}
    return _("on %(day)s at %(time)s") % {"day": format_day(own), "time": time_of_day}


def format_span_on(span: TimeSpan, *, day: date) -> str:
    """`08:00–13:00`, and `Mon 23 Nov 08:00–13:00` where it begins on another day than this one."""
    return format_span(span) if local_time(span.start).date() == day else format_span_with_day(span)


def ends_at_midnight(span: TimeSpan) -> bool:
    """Of its first day."""
    first, end = local_time(span.start).date(), local_time(span.end)
    return end.time() == time.min and end.date() - first == timedelta(days=1)


def format_days(span: TimeSpan) -> str:
    """`Mon 23 Nov – Fri 27 Nov` or `Mon 23 Nov` for whole days, otherwise as `format_span_with_day`."""
    first, end = local_time(span.start), local_time(span.end)
    if (first.time(), end.time()) != (time.min, time.min):
        return format_span_with_day(span)
    last = span.last_day
    return format_day(last) if first.date() == last else f"{format_day(first.date())} – {format_day(last)}"


def format_duration(span: timedelta) -> str:
    """`2 h`, `1 h 30`, `45 min`."""
    hours, minutes = divmod(int(span.total_seconds()) // 60, 60)
    if not hours:
        return _("%(minutes)d min") % {"minutes": minutes}
    return f"{hours} h {minutes:02d}" if minutes else f"{hours} h"
