"""How a job looks to the office: a label, an icon and a colour for each state, kind, flag and risk."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from operator import itemgetter

from django.utils.formats import date_format
from django.utils.translation import gettext as _

from dispatch import skills
from dispatch.models import Job
from dispatch.risk import Level, Risk
from dispatch.skills import Flag
from dispatch.states import JobState, JobType
from engineers import moment_texts
from engineers.shifts import local_time

format_day = moment_texts.format_day
format_time = moment_texts.format_time
format_moment = moment_texts.format_moment
format_recent_moment = moment_texts.format_recent_moment
format_moment_phrase = moment_texts.format_moment_phrase
format_span = moment_texts.format_span
format_span_with_day = moment_texts.format_span_with_day
format_span_on = moment_texts.format_span_on
format_days = moment_texts.format_days
format_duration = moment_texts.format_duration


@dataclass(frozen=True)
class StateBadge:
    """`slug` names the colour (`.state-<slug>`), `icon` the sprite's symbol."""

    slug: str
    icon: str
    label: str


@dataclass(frozen=True)
class RiskWord:
    """`slug` is one of none, at-risk, late; `label` is empty on time, unless the customer agreed to a start after the
    window."""

    slug: str
    label: str
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
    JobState.UNASSIGNED: ("unassigned", "circle"),
    JobState.ASSIGNED: ("assigned", "user"),
    JobState.EN_ROUTE: ("en-route", "arrow-right"),
    JobState.ON_SITE: ("on-site", "house"),
    JobState.IN_REVIEW: ("in-review", "clipboard"),
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
    return RiskWord(str(Level.LATE), _("Can't be displayed"), reason)


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
    return RiskWord(str(risk.level), _risk_label(risk), risk.reason)


def _risk_label(risk: Risk) -> str:
    if risk.agreed_at:
        return _("Agreed %(at)s") % {"at": format_time(risk.agreed_at)}
    return "" if risk.level == Level.NONE else str(Level(risk.level).label)


def drive_minutes(drive: timedelta) -> int:
    """Rounded, so that the board and a suggestion have one number for one drive."""
    return round(drive / timedelta(minutes=1))


def format_load(booked: timedelta, at_work: timedelta) -> str:
    """`3 h 20 min of 8 h`."""
    parameters = {"booked": format_duration(booked), "at_work": format_duration(at_work)}
    return _("%(booked)s of %(at_work)s") % parameters


def job_flags(job: Job) -> list[Flag]:
    return [skills.find_flag(code) for code in job.flags]


def skill_choices(codes: Iterable[str]) -> list[tuple[str, str]]:
    """Each code once with its name, by name."""
    named = {code: skills.skill_name(code) for code in set(codes)}
    return sorted(named.items(), key=itemgetter(1))


def format_window(job: Job) -> str:
    return format_span(job.window)


def format_short_window(job: Job) -> str:
    """For the list of one day: `08:00–13:00`, `19:00–24:00`, `22:00 – Tue 02:00`, with both weekdays or the dates when
    it is longer."""
    start, end = local_time(job.window_start), local_time(job.window_end)
    days = (end.date() - start.date()).days
    if days not in range(1, 7) or moment_texts.ends_at_midnight(job.window):
        return format_window(job)
    first = f"{date_format(start, 'D')} " if days > 1 else ""
    return f"{first}{format_time(start)} – {date_format(end, 'D')} {format_time(end)}"


def format_window_with_day(job: Job) -> str:
    return format_span_with_day(job.window)


def format_exact_moment(moment: datetime) -> str:
    """To the second, for the history and the messages."""
    local = local_time(moment)
    return f"{format_day(local.date())} {local:%H:%M:%S}"


def format_degrees(latitude: float, longitude: float) -> str:
    """`53.80000, −1.55000`."""
    return f"{latitude:.5f}, {longitude:.5f}".replace("-", "−")


def format_team(engineer: str, second: str) -> str:
    """`Erin Engineer with Sam Second`; `second` empty for who attends alone."""
    return (
        _("%(engineer)s with %(second)s") % {"engineer": engineer, "second": second} if second else engineer
    )
