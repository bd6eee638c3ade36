"""Background work for photos: small pictures, soon after a photo was stored or when a schedule finds it."""

from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django_q.brokers import get_broker

from closures import evidence_packs, thumbnails
from closures.models import Photo
from monitoring import task_queue
from monitoring.alarms import AlarmKind, alarm_text, clear_alarm, raise_alarm

SWEEP_DELAY = timedelta(minutes=2)
SWEEP_LIMIT = 500


@task_queue.task
def make_thumbnail(photo_id: str) -> None:
    if thumbnails.make_thumbnail(UUID(photo_id)):
        clear_alarm(AlarmKind.THUMBNAIL_FAILED, _alarm_subject(photo_id))


@task_queue.task
def sweep() -> None:
    """Photos whose task was never queued or was lost, not while the queue has enough to do; and packs of evidence that
    nobody needs any more."""
    evidence_packs.purge_expired(timezone.now())
    if get_broker().queue_size():
        return
    for photo in thumbnails.photos_without_thumbnail(stored_before=timezone.now() - SWEEP_DELAY)[
        :SWEEP_LIMIT
    ]:
        task_queue.enqueue(make_thumbnail, str(photo.pk))


def on_photo_stored(*, photo: Photo, **_kwargs: Any) -> None:
    """Not before the row is there for the worker to find."""
    transaction.on_commit(partial(task_queue.enqueue, make_thumbnail, str(photo.pk)))


def on_thumbnail_failed(*, photo: Photo, **_kwargs: Any) -> None:
    text = alarm_text(
        "thumbnail_failed",
        question=photo.question_code,
        job=photo.job.provider_job_id,
        attempts=thumbnails.MAX_ATTEMPTS,
    )
    raise_alarm(AlarmKind.THUMBNAIL_FAILED, _alarm_subject(str(photo.pk)), text)


def _alarm_subject(photo_id: str) -> str:
    return f"photo {photo_id}"
