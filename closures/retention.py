"""Photos, signatures and what was written in answers: when they end, and what stays.

Of a picture stay hashes, size, times and question, so that a copy which the seller holds can still be recognised.
"""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from uuid import UUID

import structlog
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from closures.models import Answer, Closure, Photo, PhotoQuerySet
from closures.photos import direct_upload, evidence, thumbnails
from closures.photos.thumbnails import clear_thumbnail_alarms
from dispatch.models import Job
from dispatch.retention import has_ended_before
from dispatch.states import ENDED_STATES
from engineers.models import Engineer
from engineers.retention import in_batches

log = structlog.get_logger("closures.retention")
FILES_PER_BATCH = 50
NOWHERE: dict[str, None] = {"latitude": None, "longitude": None, "accuracy_metres": None}


def expired_photos(before: datetime) -> PhotoQuerySet:
    """Pictures of ended jobs that were stored before that moment, signatures left out."""
    return _expired(before).exclude(_is_signature())


def expired_signatures(before: datetime) -> PhotoQuerySet:
    return _expired(before).filter(_is_signature())


def list_signatures(jobs: models.QuerySet[Job]) -> PhotoQuerySet:
    return Photo.objects.stored().filter(_is_signature(), job__in=jobs)


def expired_announcements(before: datetime) -> PhotoQuerySet:
    """Pictures of jobs that ended before that moment which never arrived, and still say who signed or where."""
    return _announced().filter(has_ended_before(before, job="job"), job__state__in=ENDED_STATES)


def _announced() -> PhotoQuerySet:
    return Photo.objects.missing().filter(~Q(signer="") | Q(latitude__isnull=False))


def _expired(before: datetime) -> PhotoQuerySet:
    """Counted from the job's end, as the links to the pictures are, or later where one came later."""
    stored = Photo.objects.stored().filter(stored_at__lt=before, job__state__in=ENDED_STATES)
    return stored.filter(has_ended_before(before, job="job"))


def _is_signature() -> Q:
    answered = Answer.objects.filter(
        job=OuterRef("job"), question_code=OuterRef("question_code"), kind="signature"
    )
    return ~Q(signer="") | Q(Exists(answered))


class PhotosNotDeleted(Exception):
    """Files of these photos could not be deleted; so many others were."""

    def __init__(self, remaining: dict[UUID, str], *, deleted: int) -> None:
        super().__init__(f"{len(remaining)} photos could not be deleted; the log names them")
        self.remaining, self.deleted = remaining, deleted


def purge_photos(photos: PhotoQuerySet) -> int:
    """Delete the files, then say so in the rows; how many.

    Files go outside any transaction: a bucket must never hold the database's writer. After a crash in between the
    next run deletes what is left. Raises PhotosNotDeleted, after all others were deleted.
    """
    done, remaining = 0, dict[UUID, str]()
    left = photos.select_related("job").order_by("pk")
    batch = list(left[:FILES_PER_BATCH])
    while batch:
        problems = _delete_all_files(batch)
        deleted = [photo for photo in batch if photo.pk not in problems]
        problems |= _say_deleted(deleted)
        done += len(batch) - len(problems)
        remaining |= problems
        batch = list(left.filter(pk__gt=batch[-1].pk)[:FILES_PER_BATCH])
    if remaining:
        raise PhotosNotDeleted(remaining, deleted=done)
    return done


def _say_deleted(photos: Sequence[Photo]) -> dict[UUID, str]:
    """Why some are not. Deleted once more: whoever wrote a thumbnail or the photo before it was said believes that it
    may stay, and whoever writes later looks at the row and deletes it (evidence, thumbnails)."""
    rows = Photo.objects.filter(pk__in=[photo.pk for photo in photos])
    rows.update(**NOWHERE, purged_at=timezone.now(), signer="")
    problems = _delete_all_files(photos)
    rows.filter(pk__in=problems).update(purged_at=None)
    clear_thumbnail_alarms([photo.pk for photo in photos if photo.pk not in problems])
    return problems


def _delete_all_files(photos: Iterable[Photo]) -> dict[UUID, str]:
    return {photo.pk: problem for photo in photos if (problem := _delete_files(photo))}


def _delete_files(photo: Photo) -> str:
    """Why it cannot be deleted, or nothing."""
    try:
        for path in (thumbnails.object_path(photo), evidence.object_path(photo)):
            evidence.storage().delete(path)
        direct_upload.delete_incoming(photo)
    except direct_upload.STORAGE_ERRORS as problem:
        log.error("photo not deleted", photo=str(photo.pk), error=type(problem).__name__)
        return type(problem).__name__
    return ""


def purge_announcements(photos: PhotoQuerySet) -> int:
    """Say no more who signed and where; how many. One that arrives after all is stored and purged like any other."""
    return in_batches(photos, lambda some: some.update(**NOWHERE, signer=""))


def anonymise_answers(jobs: models.QuerySet[Job]) -> int:
    """Empty free texts, names of who signed, remarks and positions of these jobs; choices, numbers and yes/no stay.
    How many texts."""
    of_jobs = Answer.objects.filter(job__in=jobs).exclude(answer_text="")
    texts, signed = of_jobs.filter(kind="text"), of_jobs.filter(kind="signature")
    remarks = Closure.objects.filter(job__in=jobs).exclude(remarks="")
    placed = Photo.objects.filter(job__in=jobs).exclude(latitude=None)
    in_batches(placed, lambda some: some.update(**NOWHERE))
    purge_announcements(_announced().filter(job__in=jobs))
    return (
        in_batches(texts, lambda some: some.update(value="", answer_text=""))
        # the value is the picture's id
        + in_batches(signed, lambda some: some.update(answer_text=""))
        + in_batches(remarks, lambda some: some.update(remarks=""))
    )


def forget_positions(engineer: Engineer) -> None:
    """Where the engineer took pictures; the pictures stay, the seller must be able to prove them."""
    placed = Photo.objects.filter(by=engineer).exclude(latitude=None)
    in_batches(placed, lambda some: some.update(**NOWHERE))


def forget_engineer_name(engineer: Engineer) -> None:
    """Closures name the staff number instead."""
    Closure.objects.filter(engineer=engineer).update(by_name=engineer.staff_number)


def forget_office_names(names: Collection[str], jobs: models.QuerySet[Job], *, former: str) -> None:
    """Of these jobs, those that the office closed."""
    closed = Closure.objects.filter(engineer=None, job__in=jobs, by_name__in=names)
    closed.update(by_name=former)
