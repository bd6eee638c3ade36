"""Times and addresses in the site's language."""

from datetime import date, datetime

from dispatch.models import Job
from engineers import moment_texts
from engineers.shifts import TimeSpan, local_time

format_day = moment_texts.format_day
format_moment = moment_texts.format_moment
format_time = moment_texts.format_time
# a flat has its number, its building and its street; more belongs to the whole address
MAX_LINES = 3


def local_day(moment: datetime) -> date:
    return local_time(moment).date()


def format_span(start: datetime, end: datetime) -> str:
    """`08:00–13:00`, with the days where it ends on another one."""
    return moment_texts.format_span(TimeSpan(start, end))


def format_window(job: Job) -> str:
    return format_span(job.window_start, job.window_end)


def street(job: Job) -> str:
    """Where one drives to: a flat with its building and its street, a house with its street."""
    return ", ".join(job.address_lines[:MAX_LINES])


def short_address(job: Job) -> str:
    """The street and the postcode, for cards and heads."""
    return ", ".join(filter(None, [street(job), job.postcode]))
