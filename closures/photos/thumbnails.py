"""Small pictures of photos for lists: made later by a worker, and until then the photo itself is shown.

Each try is counted and committed before it begins. So a photo that takes its worker with it (out of memory, killed)
is known after MAX_ATTEMPTS and given up; the worker's own counter never sees a try that killed it.

The alarm about a photo of which no thumbnail could be made ends when one is made, when the photo is purged, when its
answer no longer holds it, or when somebody dismisses it: a damaged photo never gets a thumbnail.
"""

import subprocess
import sys
from collections.abc import Collection
from datetime import datetime
from typing import IO
from uuid import UUID

from django.db import transaction
from django.dispatch import Signal
from django.utils import timezone

from closures.models import Answer, Photo, PhotoQuerySet, Thumbnail
from closures.photos import evidence, photo_similarity, thumbnail_process
from closures.question_matrix.matrix import PICTURE_KINDS
from monitoring.alarms import clear_alarms, open_alarms, raise_alarm
from monitoring.coded_texts import coded_text
from monitoring.models import AlarmKind

MAX_ATTEMPTS = 3
SHRINK_SECONDS = 20
# sent with `photo` in the transaction that gives it up
thumbnail_failed = Signal()
SUBJECT_PREFIX = "photo "


class ThumbnailFailed(Exception):
    """This try failed; there may be another one."""


def object_path(photo: Photo) -> str:
    """Beside the photo."""
    return evidence.object_path(photo).removesuffix(".jpg") + ".small.jpg"


def make_thumbnail(photo_id: UUID) -> bool:
    """Make it and keep it; whether it was this call that did. May be called any number of times, also at once.

    Raises ThumbnailFailed when the picture could not be read this time, and whatever a storage that is away raises.
    """
    photo = Photo.objects.stored().select_related("job").filter(pk=photo_id).first()
    if photo is None or Thumbnail.objects.over().filter(photo=photo).exists():
        return False
    # before the try is counted: a storage that is away is not the picture's fault
    # a file that is missing is as unreadable as a broken one
    raw = evidence.read_file(photo)
    if not _begin_attempt(photo):
        return False
    small = _shrink(raw)
    if small is None:
        _give_up_or_raise(photo)
        return False
    return _save_thumbnail(photo, small)


def photos_without_thumbnail(*, stored_before: datetime) -> PhotoQuerySet:
    """Photos without a small picture that somebody should have made by now."""
    photos = Photo.objects.stored().filter(awaits_thumbnail=True)
    return photos.filter(stored_at__lt=stored_before).order_by("stored_at")


def retry_failed() -> int:
    """Give all failed thumbnails another three attempts, after the cause was corrected; returns how many."""
    unfinished = Thumbnail.objects.filter(made_at=None).exclude(failed_at=None)
    with transaction.atomic():
        Photo.objects.filter(thumbnail__in=unfinished).update(awaits_thumbnail=True)
        return unfinished.update(attempts=0, failed_at=None)


def open_signed(token: str) -> tuple[IO[bytes], bool] | None:
    """The small picture behind a signed link, and whether it is: the photo itself as long as there is none, and where
    the storage has lost it.

    None as `evidence.open_signed`.
    """
    photo = evidence.signed_photo(token)
    if photo is None:
        return None
    is_made = Thumbnail.objects.filter(photo=photo).exclude(made_at=None).exists()
    small = evidence.open_file(object_path(photo)) if is_made else None
    file = evidence.open_file(evidence.object_path(photo)) if small is None else small
    return None if file is None else (file, small is not None)


@transaction.atomic(durable=True)
def _begin_attempt(photo: Photo) -> bool:
    """Count the attempt, or give the photo up when all attempts were used and none reported a result."""
    Thumbnail.objects.get_or_create(photo=photo)
    small = Thumbnail.objects.select_for_update().get(photo=photo)
    if small.attempts >= MAX_ATTEMPTS:
        _give_up(photo)
        return False
    small.attempts += 1
    small.save(update_fields=["attempts"])
    return True


@transaction.atomic(durable=True)
def _give_up_or_raise(photo: Photo) -> None:
    if Thumbnail.objects.filter(photo=photo, attempts__lt=MAX_ATTEMPTS).exists():
        raise ThumbnailFailed(f"photo {photo.pk} could not be read")
    _give_up(photo)


def _give_up(photo: Photo) -> None:
    if Thumbnail.objects.filter(photo=photo, made_at=None).update(failed_at=timezone.now()):
        _stop_waiting(photo)
        thumbnail_failed.send(sender=Photo, photo=photo)


def _save_thumbnail(photo: Photo, small: bytes) -> bool:
    """False where the photo was purged meanwhile: nothing of it may stay."""
    ours = Thumbnail.objects.filter(photo=photo)
    try:
        evidence.write(object_path(photo), small)
    except Exception:
        # the picture is sound, the storage is not
        ours.update(attempts=0)
        raise
    is_saved = _record_thumbnail(photo, small)
    if not is_saved:
        evidence.storage().delete(object_path(photo))
    return is_saved


@transaction.atomic
def _record_thumbnail(photo: Photo, small: bytes) -> bool:
    # its own row before the photo's, as _give_up
    thumbnail = Thumbnail.objects.select_for_update().get(photo=photo)
    if Photo.objects.select_for_update().get(pk=photo.pk).purged_at:
        return False
    photo_similarity.record_fingerprint(photo, small)
    thumbnail.made_at, thumbnail.failed_at = timezone.now(), None
    thumbnail.save(update_fields=["made_at", "failed_at"])
    _stop_waiting(photo)
    return True


def _stop_waiting(photo: Photo) -> None:
    Photo.objects.filter(pk=photo.pk).update(awaits_thumbnail=False)


def _shrink(raw: bytes) -> bytes | None:
    """None when the decoder did not live to the end, whatever ended it."""
    command = [sys.executable, "-I", thumbnail_process.__file__]
    try:
        done = subprocess.run(  # noqa: S603  # our own command
            command, input=raw, capture_output=True, timeout=SHRINK_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return None
    return done.stdout if done.returncode == 0 else None


def raise_thumbnail_alarm(photo: Photo) -> None:
    """Not for a photo that was replaced while its thumbnail was tried."""
    if _is_replaced(photo):
        return
    text = coded_text(
        "thumbnail_failed",
        question=photo.question_code,
        job=photo.job.provider_job_id,
        attempts=MAX_ATTEMPTS,
    )
    raise_alarm(AlarmKind.THUMBNAIL_FAILED, _alarm_subject(photo.pk), text)


def clear_thumbnail_alarms(photo_ids: Collection[UUID]) -> None:
    clear_alarms(AlarmKind.THUMBNAIL_FAILED, [_alarm_subject(photo_id) for photo_id in photo_ids])


def clear_outdated_alarms() -> None:
    """Those of photos that no active answer holds any more, whatever changed the answer."""
    failed = open_alarms().filter(kind=AlarmKind.THUMBNAIL_FAILED)
    photo_ids = [subject.removeprefix(SUBJECT_PREFIX) for subject in failed.values_list("subject", flat=True)]
    replaced = [photo.pk for photo in Photo.objects.filter(pk__in=photo_ids) if _is_replaced(photo)]
    if replaced:
        clear_thumbnail_alarms(replaced)


def _is_replaced(photo: Photo) -> bool:
    """Whether it has answered its question and does so no longer; an answer may also arrive after its photo."""
    answers = Answer.objects.filter(
        job=photo.job_id, question_code=photo.question_code, kind__in=PICTURE_KINDS
    )
    withdrawn = [
        withdrawn_at is not None
        for value, withdrawn_at in answers.values_list("value", "withdrawn_at")
        if str(photo.pk) in value
    ]
    return bool(withdrawn) and all(withdrawn)


def _alarm_subject(photo_id: UUID) -> str:
    return f"{SUBJECT_PREFIX}{photo_id}"
