"""Times and addresses in the site's language."""

from datetime import date, datetime

from django.utils.formats import date_format
from django.utils.translation import gettext as _

from dispatch.models import Job
from engineers.shifts import local_time

# a flat has its number, its building and its street; more belongs to the whole address
MAX_LINES = 3


def format_time(moment: datetime) -> str:
    return f"{local_time(moment):%H:%M}"


def local_day(moment: datetime) -> date:
    return local_time(moment).date()


def format_span(start: datetime, end: datetime) -> str:
    """`08:00–13:00`, with the days where it ends on another one."""
    start, end = local_time(start), local_time(end)
    if start.date() == end.date():
        return f"{start:%H:%M}–{end:%H:%M}"
    return f"{format_moment(start)} – {format_moment(end)}"


def format_window(job: Job) -> str:
    return format_span(job.window_start, job.window_end)


def format_day(day: date) -> str:
    """`Mon 23 Nov`, in each language as it is written there."""
    return date_format(day, _("D j M"))


def format_moment(moment: datetime) -> str:
    local = local_time(moment)
    return f"{format_day(local.date())} {local:%H:%M}"


def street(job: Job) -> str:
    """Where one drives to: a flat with its building and its street, a house with its street."""
    return ", ".join(job.address_lines[:MAX_LINES])


def short_address(job: Job) -> str:
    """The street and the postcode, for cards and heads."""
    return ", ".join(filter(None, [street(job), job.postcode]))
