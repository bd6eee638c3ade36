"""Is a job in danger of missing its promise? Pure: a job, its visit and the time in, a word and a reason out."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import models
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from dispatch.models import Job, Visit
from dispatch.states import JobState
from engineers.shifts import local_time

SOON_MINUTES = timedelta(hours=2)
GRACE = timedelta(minutes=10)


class Level(models.TextChoices):
    NONE = "none", _("On track")
    WATCH = "watch", _("Watch")
    ALARM = "alarm", _("At risk")


@dataclass(frozen=True)
class Risk:
    level: Level
    reason: str = ""


ON_TIME = Risk(Level.NONE)


def assess_risk(*, job: Job, visit: Visit | None, now: datetime) -> Risk:
    """The worst thing that can be said about the job now."""
    if job.state not in {JobState.RECEIVED, JobState.ASSIGNED, JobState.EN_ROUTE}:
        return ON_TIME
    if now >= job.window_end:
        return Risk(
            Level.ALARM, gettext("Window ended at %(at)s, nobody on site") % {"at": _at(job.window_end)}
        )
    if visit is None:
        return _unplaced(job=job, now=now)
    if job.state == JobState.ASSIGNED and now - visit.planned_start > GRACE:
        late = {"minutes": _minutes(now - visit.planned_start), "due": _at(visit.planned_start)}
        return Risk(Level.ALARM, gettext("%(minutes)s min late, due at %(due)s") % late)
    if job.state == JobState.EN_ROUTE and now - visit.planned_start > GRACE:
        return Risk(Level.WATCH, gettext("En route, due at %(due)s") % {"due": _at(visit.planned_start)})
    return ON_TIME


def _unplaced(*, job: Job, now: datetime) -> Risk:
    if now >= job.window_start:
        begun = gettext("Window started at %(at)s, unassigned") % {"at": _at(job.window_start)}
        return Risk(Level.ALARM, begun)
    # added to now and not taken from the window, which may begin in the first hours of year 1
    if now + SOON_MINUTES >= job.window_start:
        begins = gettext("Window starts at %(at)s, unassigned") % {"at": _at(job.window_start)}
        return Risk(Level.WATCH, begins)
    return ON_TIME


def _at(moment: datetime) -> str:
    return f"{local_time(moment):%H:%M}"


def _minutes(span: timedelta) -> int:
    return int(span.total_seconds() // 60)
