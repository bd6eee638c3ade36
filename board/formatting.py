"""How a job looks to the office: a word, an icon and a colour for each state, kind, flag and risk (look.md)."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from dispatch import skills
from dispatch.models import Job
from dispatch.risk import Level, Risk
from dispatch.skills import Flag
from dispatch.states import JobState, JobType
from engineers.shifts import Window, local_time


@dataclass(frozen=True)
class StateBadge:
    """`slug` names the colour (`.state-<slug>`), `icon` the sprite's symbol."""

    slug: str
    icon: str
    word: str


@dataclass(frozen=True)
class RiskWord:
    """`slug` is one of none, watch, alarm; `word` is empty on course."""

    slug: str
    word: str
    reason: str


@dataclass(frozen=True)
class ClosedAs:
    """How a job ended: its code, what the code says, and whether the service works."""

    code: str
    description: str
    is_success: bool


# of a job whose stored data cannot be shown
BROKEN_BADGE = StateBadge("cancelled", "warning", "")

_SLUGS = {
    JobState.RECEIVED: ("unassigned", "circle"),
    JobState.ASSIGNED: ("assigned", "user"),
    JobState.EN_ROUTE: ("en-route", "arrow-right"),
    JobState.ON_SITE: ("on-site", "house"),
    JobState.CANCELLED: ("cancelled", "x"),
}


def state_badge(job: Job, closed_as: ClosedAs | None = None) -> StateBadge:
    """A closed job is `Done` when the service works, otherwise it says why it is closed."""
    state = JobState(job.state)
    if state == JobState.CLOSED:
        return _closed_badge(closed_as)
    slug, icon = _SLUGS[state]
    return StateBadge(slug, icon, str(state.label))


def _closed_badge(closed_as: ClosedAs | None) -> StateBadge:
    if closed_as is None:
        return StateBadge("closed", "check-bar", _("Closed"))
    if closed_as.is_success:
        return StateBadge("done", "check", _("Done"))
    return StateBadge("closed", "check-bar", _("Closed: %(why)s") % {"why": closed_as.description})


def broken_risk_word(reason: str) -> RiskWord:
    return RiskWord(str(Level.ALARM), _("Cannot be displayed"), reason)


def job_type_label(job: Job) -> str:
    # several times faster than Django's own get_job_type_display, which counts at 300 cards
    return str(JobType(job.job_type).label)


def legend() -> list[StateBadge]:
    """Every state once, for the board's legend."""
    looks = [StateBadge(slug, icon, str(state.label)) for state, (slug, icon) in _SLUGS.items()]
    return [
        *looks[:-1],
        StateBadge("done", "check", _("Done")),
        StateBadge("closed", "check-bar", _("Closed, not completed")),
        looks[-1],
    ]


def build_risk_word(risk: Risk) -> RiskWord:
    word = "" if risk.level == Level.NONE else str(Level(risk.level).label)
    return RiskWord(str(risk.level), word, risk.reason)


def job_flags(job: Job) -> list[Flag]:
    return [skills.find_flag(code) for code in job.flags]


def format_window(job: Job) -> str:
    """`08:00–13:00`, with the day where the window ends on another one: `Mon 23 Nov 08:00 – Tue 24 Nov 13:00`."""
    start, end = local_time(job.window_start), local_time(job.window_end)
    if start.date() == end.date():
        return f"{start:%H:%M}–{end:%H:%M}"
    return f"{format_moment(start)} – {format_moment(end)}"


def format_window_with_day(job: Job) -> str:
    start, end = local_time(job.window_start), local_time(job.window_end)
    if start.date() == end.date():
        return f"{format_day(start.date())} {start:%H:%M}–{end:%H:%M}"
    return format_window(job)


def format_time(moment: datetime) -> str:
    return f"{local_time(moment):%H:%M}"


def format_span(span: Window) -> str:
    return f"{format_time(span.start)}–{format_time(span.end)}"


def format_day(day: date) -> str:
    """`Mon 23 Nov`, with the year when it is not this one; in each language as it is written there."""
    return date_format(day, _("D j M") if day.year == timezone.localdate().year else _("D j M Y"))


def format_moment(moment: datetime) -> str:
    local = local_time(moment)
    return f"{format_day(local.date())} {local:%H:%M}"


def format_exact_moment(moment: datetime) -> str:
    """To the second, for the history and the messages."""
    local = local_time(moment)
    return f"{format_day(local.date())} {local:%H:%M:%S}"


def format_duration(span: timedelta) -> str:
    """`2 h`, `1 h 30`, `45 min`."""
    hours, minutes = divmod(int(span.total_seconds()) // 60, 60)
    if not hours:
        return _("%(minutes)d min") % {"minutes": minutes}
    return f"{hours} h {minutes:02d}" if minutes else f"{hours} h"
