"""Background work for photos: small pictures, soon after a photo was stored or when a schedule finds it."""

from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django_q.brokers import get_broker

from closures import evidence_packs
from closures.models import Photo
from closures.photos import thumbnails
from monitoring import task_queue

SWEEP_DELAY = timedelta(minutes=2)
SWEEP_LIMIT = 500


@task_queue.task
def make_thumbnail(photo_id: str) -> None:
    if thumbnails.make_thumbnail(UUID(photo_id)):
        thumbnails.clear_thumbnail_alarms([UUID(photo_id)])


@task_queue.scheduled_task("search for missing thumbnails and old evidence packs")
def sweep() -> None:
    """Photos whose task was never queued or was lost, not while the queue has enough to do; and packs of evidence that
    nobody needs any more. A pack that cannot be deleted is no reason to leave photos without their small pictures."""
    task_queue.run_each(
        partial(evidence_packs.purge_expired, timezone.now()),
        _enqueue_missing_thumbnails,
        thumbnails.clear_outdated_alarms,
    )


def _enqueue_missing_thumbnails() -> None:
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
    thumbnails.raise_thumbnail_alarm(photo)
