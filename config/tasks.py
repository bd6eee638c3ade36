"""Background work: each task is a thin wrapper round a function of the business, takes ids, and may run twice.

A task that cannot be queued is no failure of the request that wanted it: `sweep` finds what was left.
"""

from collections.abc import Callable
from datetime import timedelta
from functools import partial, wraps
from typing import Any, ParamSpec
from uuid import UUID

import structlog
from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.core.management import call_command
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django_q.brokers import get_broker
from django_q.models import Schedule, Task
from django_q.tasks import async_task

from closures import thumbnails
from closures.models import Photo
from config.queue import QUEUE_AWAY
from dispatch import old_places
from engineers import positions
from seller_link.alarms import AlarmKind, clear, raise_alarm
from seller_link.models import Heartbeat

P = ParamSpec("P")
log = structlog.get_logger("config.tasks")
WORKER = "worker"
SWEPT_AFTER = timedelta(minutes=2)
SWEEP_AT_MOST = 500
# also how long somebody's wrong log-ins are remembered
KEPT_FOR = timedelta(days=30)
SCHEDULES = {"sweep": (Schedule.MINUTES, 5), "clean_up": (Schedule.DAILY, None)}


def task(work: Callable[P, None]) -> Callable[P, None]:
    """Note that the worker gets something done; log a failure without the traceback, which may carry people."""

    @wraps(work)
    def told(*args: P.args, **kwargs: P.kwargs) -> None:
        note_progress()
        try:
            work(*args, **kwargs)
        except Exception as problem:
            log.error("task failed", task=work.__name__, error=type(problem).__name__)
            raise

    return told


# --- the tasks --------------------------------------------------------------------------------------------
@task
def beat() -> None:
    """The watchdog asks for it; that it runs is all there is to it."""


@task
def make_thumbnail(photo_id: str) -> None:
    if thumbnails.make(UUID(photo_id)):
        clear(AlarmKind.TASK_SET_ASIDE, _alarm_subject(photo_id))


@task
def sweep() -> None:
    """Photos whose task was never queued or was lost; not while the queue has enough to do."""
    if get_broker().queue_size():
        return
    for photo in thumbnails.waiting(stored_before=timezone.now() - SWEPT_AFTER)[:SWEEP_AT_MOST]:
        put(make_thumbnail, str(photo.pk))


@task
def clean_up() -> None:
    """Log-ins that ended, what is older than KEPT_FOR of failed tasks and of attempts to log in, and places of
    engineers by their rule."""
    positions.expire(timezone.now())
    old_places.round_off(timezone.now())
    call_command("clearsessions")
    old = timezone.now() - KEPT_FOR
    Task.objects.filter(stopped__lt=old).delete()
    for attempts in (AccessAttempt, AccessFailureLog, AccessLog):
        attempts.objects.filter(attempt_time__lt=old).delete()


# --- how they come about ----------------------------------------------------------------------------------
def put(work: Callable[P, None], *args: P.args, **kwargs: P.kwargs) -> bool:
    """Queue a task of this module; whether that was possible."""
    try:
        async_task(f"{work.__module__}.{work.__name__}", *args, **kwargs)
    except QUEUE_AWAY as problem:
        log.warning("not queued", task=work.__name__, error=type(problem).__name__)
        return False
    return True


def keep_schedules() -> None:
    """The rows that make `sweep` and `clean_up` come again and again."""
    for name, (schedule_type, minutes) in SCHEDULES.items():
        given = {"func": f"{__name__}.{name}", "schedule_type": schedule_type, "minutes": minutes}
        if not Schedule.objects.filter(name=name).update(**given):
            Schedule.objects.create(name=name, **given)


def note_progress() -> None:
    """For the watchdog, and for whoever asks whether the background works."""
    beat_at = timezone.now()
    if not Heartbeat.objects.filter(process=WORKER).update(beat_at=beat_at):
        Heartbeat.objects.get_or_create(process=WORKER, defaults={"beat_at": beat_at})


def on_photo_stored(*, photo: Photo, **_given: Any) -> None:
    """Not before the row is there for the worker to find."""
    transaction.on_commit(partial(put, make_thumbnail, str(photo.pk)))


def on_photo_set_aside(*, photo: Photo, **_given: Any) -> None:
    words = _(
        "The small picture of photo %(question)s of job %(job)s could not be made in %(tries)d tries. "
        "The photo itself is kept and shown. Open it: if it is damaged, ask the engineer for another one."
    )
    given = {
        "question": photo.question_code,
        "job": photo.job.provider_job_id,
        "tries": thumbnails.MOST_TRIES,
    }
    raise_alarm(AlarmKind.TASK_SET_ASIDE, _alarm_subject(str(photo.pk)), words % given)


def _alarm_subject(photo_id: str) -> str:
    return f"photo {photo_id}"
