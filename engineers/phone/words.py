"""How a job looks to an engineer: a word, an icon and a colour for each state (look.md), times and places."""

from dataclasses import dataclass
from datetime import date, datetime

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from closures import codes
from dispatch.models import Job
from dispatch.states import JobState


@dataclass(frozen=True)
class Look:
    """`slug` names the colour (`.state-<slug>`), `icon` the sprite's symbol."""

    slug: str
    icon: str
    word: str


def look_of(job: Job, *, closure_code: str = "", is_next: bool = True) -> Look:
    """`is_next` False: another job comes before this one."""
    if job.state == JobState.CLOSED:
        return _closed_look(closure_code)
    looks = {
        JobState.RECEIVED: Look("to-place", "circle", _("Not with you")),
        JobState.ASSIGNED: Look("assigned", "user", _("Next") if is_next else _("Later")),
        JobState.EN_ROUTE: Look("en-route", "arrow-right", _("On my way")),
        JobState.ON_SITE: Look("on-site", "house", _("On site")),
        JobState.CANCELLED: Look("cancelled", "x", _("Cancelled")),
    }
    return looks[JobState(job.state)]


def _closed_look(closure_code: str) -> Look:
    if closure_code and codes.find(closure_code).succeeds:
        return Look("done", "check", _("Done"))
    return Look("closed", "check-bar", _("Closed"))


def clock(moment: datetime) -> str:
    return f"{timezone.localtime(moment):%H:%M}"


def local_day(moment: datetime) -> date:
    return timezone.localtime(moment).date()


def span_words(start: datetime, end: datetime) -> str:
    """`08:00–13:00`, with the days where it ends on another one."""
    start, end = timezone.localtime(start), timezone.localtime(end)
    if start.date() == end.date():
        return f"{start:%H:%M}–{end:%H:%M}"
    return f"{moment_words(start)} – {moment_words(end)}"


def window_words(job: Job) -> str:
    return span_words(job.window_start, job.window_end)


def day_words(day: date) -> str:
    """`Mon 23 Nov`, in each language as it is written there."""
    return date_format(day, _("D j M"))


def moment_words(moment: datetime) -> str:
    local = timezone.localtime(moment)
    return f"{day_words(local.date())} {local:%H:%M}"


def short_address(job: Job) -> str:
    """What fits on one line of a phone: the first line and the postcode."""
    return ", ".join(filter(None, [*job.address_lines[:1], job.postcode]))
