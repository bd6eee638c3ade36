"""Is a job in danger of missing its window? Pure: a job, its visit with a forecast, and the time in; a level and a
reason out (look.md: amber is at risk, red is late or missed)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import models
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from dispatch.agreed_starts import agreed_start, latest_start
from dispatch.forecast import GRACE, Forecast
from dispatch.hours_conflicts import HoursConflict
from dispatch.models import Job, Visit
from dispatch.on_time_forecast.causes import Cause
from dispatch.on_time_forecast.stored_forecast import OnTimeForecast
from dispatch.states import BEFORE_ARRIVAL, JobState
from engineers.area_scope import title_for_reader
from engineers.models import Engineer
from engineers.moment_texts import format_span, format_time, format_time_on, format_when
from engineers.shifts import local_time

# a predicted start this close to the window's end is at risk
CLOSE = timedelta(minutes=15)
# the day before, from this hour on, a job without an engineer is at risk
ASSIGN_BY_HOUR = 13
# without an engineer so shortly before the last possible start, nobody gets there any more without help
UNASSIGNED_MARGIN = timedelta(hours=1)
# that a visit begins inside its window: below these it is at risk, and late
AT_RISK_BELOW, LATE_BELOW = 0.8, 0.5


class Level(models.TextChoices):
    NONE = "none", _("On time")
    AT_RISK = "at-risk", _("At risk")
    LATE = "late", _("Late")

    @property
    def severity(self) -> int:
        """Greater is worse."""
        return LEAST_URGENT_FIRST.index(self)


LEAST_URGENT_FIRST = (Level.NONE, Level.AT_RISK, Level.LATE)


@dataclass(frozen=True)
class Risk:
    """`agreed_at`: nobody has arrived yet, and nobody has to before that time (dispatch.agreed_starts)."""

    level: Level
    reason: str = ""
    agreed_at: datetime | None = None


ON_TIME = Risk(Level.NONE)


def assess_risk(
    *,
    job: Job,
    visit: Visit | None,
    forecast: Forecast | None,
    now: datetime,
    absent: Engineer | None = None,
    outside: HoursConflict | None = None,
    is_begun: bool = False,
    was_in_window: bool = False,
    concerns: Sequence[str] = (),
    on_time: OnTimeForecast | None = None,
) -> Risk:
    """The worst thing that can be said about the job now. `absent`: the one of the visit's people who is absent at that
    time, `outside`: one who does not work then. `is_begun`: somebody was on site already and kept the window
    (visits.assign). `was_in_window`: and did so before it ended, whoever arrived later. `concerns`: what else puts it
    at risk (risk_concerns). `on_time`: of the simulated day, where there is one; it decides whether the window is in
    danger, but makes no visit punctual that is predicted after it."""
    left = _left_because(absent, outside)
    if job.state == JobState.EN_ROUTE and left:
        # may still come in time
        concerns, left = [_sentence(left), *concerns], ""
    if job.state in BEFORE_ARRIVAL:
        risk = _window_risk(job, visit, forecast, now=now, left=left, is_begun=is_begun, on_time=on_time)
    else:
        risk = ON_TIME if visit is None or was_in_window else _assess_past(job, visit, now=now)
    if not concerns or not job.is_open:
        return risk
    level = Level.LATE if risk.level == Level.LATE else Level.AT_RISK
    return Risk(level, " ".join([_sentence(risk.reason), *concerns]).strip())


def _sentence(text: str) -> str:
    return f"{text}." if text and not text.endswith(".") else text


def _window_risk(
    job: Job,
    visit: Visit | None,
    forecast: Forecast | None,
    *,
    now: datetime,
    left: str,
    is_begun: bool,
    on_time: OnTimeForecast | None,
) -> Risk:
    if now >= latest_start(job, visit) and not is_begun:
        return Risk(Level.LATE, _nobody_on_site(job, visit, now=now))
    if visit is None or forecast is None:
        return _unassigned(job, now=now, is_begun=is_begun)
    if left:
        return Risk(Level.LATE, left)
    if on_time is not None and on_time.probability < AT_RISK_BELOW and not is_begun:
        return _unlikely(job, on_time, agreed=agreed_start(visit))
    return _predicted(
        job, visit, forecast, now=now, is_begun=is_begun, has_on_time_forecast=on_time is not None
    )


def _left_because(absent: Engineer | None, outside: HoursConflict | None) -> str:
    """Why somebody of a visit will not be there; empty where all will."""
    if absent is None:
        return outside.reason if outside else ""
    is_active = absent.user.is_active
    text = gettext("%(engineer)s is absent") if is_active else gettext("%(engineer)s is suspended")
    return text % {"engineer": absent.name}


def _nobody_on_site(job: Job, visit: Visit | None, *, now: datetime) -> str:
    agreed, today = agreed_start(visit), local_time(now).date()
    if agreed:
        return gettext("Agreed start was %(at)s, nobody on site") % {"at": format_time_on(agreed, day=today)}
    return gettext("Window ended %(when)s, nobody on site") % {"when": format_when(job.window_end, day=today)}


def _assess_past(job: Job, visit: Visit, *, now: datetime) -> Risk:
    """Whether somebody arrived too late, or nobody. While the day lasts, a job that needs nobody any more is quiet."""
    is_day_over = local_time(now).date() > job.window.last_day
    if not is_day_over or job.state == JobState.CANCELLED:
        return ON_TIME
    latest = latest_start(job, visit)
    if visit.arrived_at is None and visit.ended_at is not None and visit.ended_at > latest:
        return Risk(Level.LATE, _nobody_came(job, visit))
    if visit.arrived_at is not None and visit.arrived_at > latest:
        return Risk(Level.LATE, _came_late(job, visit, visit.arrived_at))
    return ON_TIME


def _nobody_came(job: Job, visit: Visit) -> str:
    agreed = agreed_start(visit)
    if agreed:
        return gettext("Nobody was on site at the agreed time, %(agreed)s") % {"agreed": format_time(agreed)}
    return gettext("Nobody was on site in the window %(window)s") % {"window": format_span(job.window)}


def _came_late(job: Job, visit: Visit, arrived_at: datetime) -> str:
    at, agreed = format_time(arrived_at), agreed_start(visit)
    if agreed:
        parameters = {"at": at, "agreed": format_time(agreed)}
        return gettext("On site at %(at)s, after the agreed start %(agreed)s") % parameters
    parameters = {"at": at, "window": format_span(job.window)}
    return gettext("On site at %(at)s, after the window %(window)s") % parameters


def _unlikely(job: Job, on_time: OnTimeForecast, *, agreed: datetime | None) -> Risk:
    parameters = {
        "percent": round(100 * on_time.probability),
        "window": format_span(job.window),
        "agreed": format_time(agreed) if agreed else "",
        "cause": _likely_cause(on_time),
    }
    if agreed:
        text = (
            gettext("%(percent)d %% chance to begin at the agreed time, %(agreed)s. %(cause)s") % parameters
        )
    else:
        text = gettext("%(percent)d %% chance to begin in the window %(window)s. %(cause)s") % parameters
    return Risk(Level.LATE if on_time.probability < LATE_BELOW else Level.AT_RISK, text.strip())


def _likely_cause(on_time: OnTimeForecast) -> str:
    cause = {"place": title_for_reader(on_time.cause_title)}
    match on_time.cause:
        case Cause.WORK:
            return gettext("The visit at %(place)s may take longer.") % cause
        case Cause.DRIVE:
            return gettext("The drive to %(place)s may take longer.") % cause
        case Cause.PLAN:
            return gettext("The plan leaves too little time.")
    return ""


def _predicted(
    job: Job, visit: Visit, forecast: Forecast, *, now: datetime, is_begun: bool, has_on_time_forecast: bool
) -> Risk:
    agreed = agreed_start(visit)
    if forecast.starts_at >= latest_start(job, visit) and not is_begun:
        level = Level.LATE
        if agreed:
            text = gettext("Predicted %(predicted)s, after the agreed start %(planned)s. %(cause)s")
        else:
            text = gettext("Predicted %(predicted)s, after the window %(window)s. %(cause)s")
    elif forecast.late > GRACE:
        level = Level.AT_RISK
        text = gettext("%(minutes)s min late: predicted %(predicted)s, planned %(planned)s. %(cause)s")
    elif agreed:
        reason = gettext("instead of the window %(window)s") % {"window": format_span(job.window)}
        return Risk(Level.NONE, reason, agreed)
    elif not is_begun and not has_on_time_forecast and _is_close(job, visit, forecast):
        level = Level.AT_RISK
        text = gettext("Predicted %(predicted)s, close to the end of the window %(window)s. %(cause)s")
    else:
        return ON_TIME
    parameters = {
        "predicted": format_time(forecast.starts_at),
        "planned": format_time(visit.planned_start),
        "minutes": _minutes(forecast.late),
        "cause": _cause(visit, forecast, now=now),
        "window": format_span(job.window),
    }
    return Risk(level, (text % parameters).strip())


def _is_close(job: Job, visit: Visit, forecast: Forecast) -> bool:
    return forecast.starts_at > job.window_end - CLOSE and visit.span.length <= job.window.length


def _cause(visit: Visit, forecast: Forecast, *, now: datetime) -> str:
    if forecast.delayed_by is not None:
        title = title_for_reader(forecast.delayed_by.job.title)
        return gettext("The visit at %(place)s takes longer.") % {"place": title}
    if visit.travel_started_at:
        return gettext("Still en route.")
    is_not_started = now + forecast.travel > visit.planned_start
    return gettext("Not started travelling.") if is_not_started else ""


def is_late_unassigned(job: Job, *, now: datetime) -> bool:
    """Whether a job without an engineer has hardly enough time left in its window."""
    return job.window_end - now < job.duration + UNASSIGNED_MARGIN


def _unassigned(job: Job, *, now: datetime, is_begun: bool) -> Risk:
    level = Level.LATE if is_late_unassigned(job, now=now) else Level.AT_RISK
    if is_begun:
        return Risk(level, gettext("Begun and unassigned"))
    # the window may have begun on an earlier day, or begin on a later one than a board of its last day shows
    today = local_time(now).date()
    if now >= job.window_start:
        if level == Level.LATE:
            text, when = gettext("Window ends %(when)s, unassigned"), job.window_end
        else:
            text, when = gettext("Window started %(when)s, unassigned"), job.window_start
        return Risk(level, text % {"when": format_when(when, day=today)})
    # the very first days of the calendar have no day before
    if level == Level.LATE or job.window_start.year == 1 or now >= _assign_by(job.window_start):
        text = gettext("Window starts %(when)s, unassigned")
        return Risk(level, text % {"when": format_when(job.window_start, day=today)})
    return ON_TIME


def _assign_by(window_start: datetime) -> datetime:
    """13:00 on the day before, in the site's zone."""
    local = local_time(window_start)
    return (local - timedelta(days=1)).replace(hour=ASSIGN_BY_HOUR, minute=0, second=0, microsecond=0)


def _minutes(span: timedelta) -> int:
    return int(span.total_seconds() // 60)
