"""Photos: announced by a message, stored by a second request, never before the file is safe."""

import hashlib
from dataclasses import dataclass, field
from datetime import datetime
from typing import IO, Protocol, runtime_checkable
from uuid import UUID

import structlog
from django.conf import settings
from django.core import signing
from django.core.files.base import ContentFile
from django.core.files.storage import Storage, storages
from django.db import DatabaseError, transaction
from django.dispatch import Signal
from django.utils import timezone
from django.utils.translation import gettext as _

from closures.models import Photo, PhotoSource
from closures.photos import image_validation
from closures.photos.image_validation import BadPicture, Picture
from closures.question_matrix.matrix_editions import matrices_by_edition
from dispatch.job_events import LockedJob
from dispatch.models import Job
from dispatch.problems import ActionRefused, Problem
from engineers.models import Engineer
from engineers.staff import Position, PositionMissing
from monitoring.alarms import clear_alarm, raise_alarm
from monitoring.coded_texts import coded_text
from monitoring.models import AlarmKind

# the seller fetches evidence when it settles a job, which may be weeks later
LINK_SECONDS = 90 * 24 * 3600
# never changed: the seller has addresses that were signed with it
SALT = "closures.evidence"
NO_POSITION = Position(missing_because=PositionMissing.NOT_ASKED.value)
# the label's photo that a phone takes with a scan; no question of a matrix
ONT_LABEL = "ONT_LABEL"
# far above what a job needs, with every photo taken several times
MAX_PER_QUESTION = 30
MAX_PER_JOB = 150
# sent with `photo` in the transaction that says "stored"
photo_stored = Signal()


@runtime_checkable
class AddressableStorage(Protocol):
    """A storage that others reach under an address of its own (config.bucket_storage)."""

    @property
    def address(self) -> str: ...


class PhotoDiffers(ActionRefused):
    """The same photo id with other bytes; the first ones stay."""

    def __init__(self) -> None:
        super().__init__(
            [Problem("photo_differs", "photo", _("This photo was already stored with different content."))]
        )


class PhotoRefused(ActionRefused):
    """A photo that cannot be announced."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__([Problem(code, "question", message)])


@dataclass(frozen=True)
class Capture:
    """What the phone knows of a picture; `sha256` of the bytes that it will send, empty when unknown."""

    photo_id: UUID
    question_code: str
    taken_at: datetime
    sha256: str = ""
    source: str = PhotoSource.UNKNOWN
    position: Position = NO_POSITION
    checks: dict[str, bool] = field(default_factory=dict)
    original_sha256: str = ""
    signer: str = ""


def storage() -> Storage:
    """Disk or S3, by EVIDENCE_STORAGE_URL."""
    return storages["evidence"]


def job_folder(job: Job) -> str:
    return f"jobs/{job.provider_job_id}"


def object_path(photo: Photo) -> str:
    """`jobs/<provider job id>/<question>/<photo id>.jpg`: where it lies in the storage."""
    return f"{job_folder(photo.job)}/{photo.question_code}/{photo.pk}.jpg"


def read_file(photo: Photo) -> bytes:
    """The stored photo; empty where it is missing."""
    try:
        with storage().open(object_path(photo)) as stored:
            content: bytes = stored.read()
    except FileNotFoundError:
        return b""
    return content


def object_address(photo: Photo) -> str:
    """The full endpoint with the file name, as the seller gets it (job-messages.md, closeJob)."""
    address_storage = storage()
    base = (
        address_storage.address
        if isinstance(address_storage, AddressableStorage)
        else f"{settings.PUBLIC_URL}/evidence"
    )
    return f"{base}/{object_path(photo)}"


def available_photos(job: Job) -> list[Photo]:
    """The job's photos that are stored and not purged, oldest first."""
    return [photo for photo in job.photos.all() if photo.is_available]


def announce_photo(*, job: LockedJob, capture: Capture, by: Engineer | None) -> Photo:
    """Announce a photo before its bytes; the same announcement again is the same photo.

    Raises PhotoDiffers for an id that is in use, PhotoRefused for a question without photos and for too many.
    """
    known = Photo.objects.filter(pk=capture.photo_id).first()
    if known:
        return _matches_announcement(known, job=job, capture=capture, by=by)
    _check_announcement(job, capture.question_code)
    return Photo.objects.create(
        pk=capture.photo_id,
        job=job,
        question_code=capture.question_code,
        sha256=capture.sha256,
        taken_at=capture.taken_at,
        source=capture.source,
        latitude=capture.position.latitude,
        longitude=capture.position.longitude,
        accuracy_metres=capture.position.accuracy_metres,
        checks=capture.checks,
        original_sha256=capture.original_sha256,
        signer=capture.signer,
        by=by,
        recorded_at=timezone.now(),
    )


def _matches_announcement(known: Photo, *, job: Job, capture: Capture, by: Engineer | None) -> Photo:
    """A photo announced without a hash got that of its bytes."""
    is_same = (known.job_id, known.question_code, known.by) == (job.pk, capture.question_code, by)
    if not is_same or capture.sha256 not in {"", known.sha256}:
        raise PhotoDiffers
    return known


def _check_announcement(job: Job, question_code: str) -> None:
    if question_code != ONT_LABEL and not _takes_photos(job, question_code):
        sentence = _("Question %(question)s of this job does not take photos.")
        raise PhotoRefused("unknown_question", sentence % {"question": question_code})
    announced = Photo.objects.filter(job=job)
    if announced.filter(question_code=question_code).count() >= MAX_PER_QUESTION:
        sentence = _(
            "This question already has %(number)d photos, which is the maximum. Call the dispatch office."
        )
        raise PhotoRefused("too_many_photos", sentence % {"number": MAX_PER_QUESTION})
    if announced.count() >= MAX_PER_JOB:
        sentence = _(
            "This job already has %(number)d photos, which is the maximum. Call the dispatch office."
        )
        raise PhotoRefused("too_many_photos", sentence % {"number": MAX_PER_JOB})


def _takes_photos(job: Job, question_code: str) -> bool:
    """By any edition that is kept: a phone without signal works with the one that it carries."""
    found = (matrix.find(question_code) for matrix in matrices_by_edition().values())
    return any(
        question is not None and question.is_picture and job.job_type in question.job_types
        for question in found
    )


def store(*, photo: Photo, content: IO[bytes]) -> Photo:
    """Check, clean and keep the bytes, then mark the photo as stored. The same bytes again change nothing.

    The file is written outside any transaction and before the row says so: a crash in between leaves a file
    that the next try overwrites, never a row without its file. Raises BadPicture, PhotoDiffers, DecoderBusy.
    """
    raw = content.read(settings.PHOTO_MAX_BYTES + 1)
    if len(raw) > settings.PHOTO_MAX_BYTES:
        limit = settings.PHOTO_MAX_BYTES // 2**20
        raise BadPicture("too_large", _("Photos can be at most %(limit)s MB.") % {"limit": limit})
    # before a decoder sees the bytes: what was damaged on the way is sent again
    if photo.sha256 and photo.sha256 != hashlib.sha256(raw).hexdigest():
        if photo.stored_at:
            raise PhotoDiffers
        raise BadPicture("hash_differs", _("The photo did not arrive completely. Send it again."))
    if photo.stored_at:
        return photo
    with image_validation.decoder_slot():
        picture = image_validation.clean(raw)
    return store_picture(photo=photo, picture=picture)


def store_picture(*, photo: Photo, picture: Picture) -> Photo:
    """Keep a picture that was looked at, as `store` does. Raises PhotoDiffers for another one than was announced."""
    if not photo.sha256:
        _claim(photo, picture.sha256)
    write(object_path(photo), picture.content)
    stored = _mark_stored(photo, picture)
    if stored.purged_at:
        # it came twice, and was purged before this one was written
        storage().delete(object_path(stored))
    return stored


def write(path: str, content: bytes) -> None:
    """Put it there whole, in place of what is there: whoever reads gets the old file or the new one, never none."""
    try:
        storage().save(path, ContentFile(content))
    except Exception as problem:
        _raise_unavailable(problem)
        raise


@transaction.atomic
def _claim(photo: Photo, sha256: str) -> None:
    """A photo announced without a hash belongs to the bytes that come first, before any of them are written."""
    photo = Photo.objects.select_for_update().get(pk=photo.pk)
    if photo.sha256 and photo.sha256 != sha256:
        raise PhotoDiffers
    photo.sha256 = sha256
    photo.save(update_fields=["sha256"])


@transaction.atomic
def _mark_stored(photo: Photo, picture: Picture) -> Photo:
    photo = Photo.objects.select_for_update().select_related("job").get(pk=photo.pk)
    if photo.stored_at:
        # the same photo came twice at once, with the same bytes
        return photo
    photo.stored_sha256 = picture.stored_sha256
    photo.content_type, photo.size_bytes = picture.original_type, len(picture.content)
    photo.width, photo.height = picture.width, picture.height
    photo.stored_at = timezone.now()
    photo.save()
    photo_stored.send(sender=Photo, photo=photo)
    clear_alarm(AlarmKind.EVIDENCE_UNAVAILABLE, ALARM_SUBJECT)
    return photo


def url_for(photo: Photo) -> str:
    """An address that gives the picture to a plain GET, signed and good for LINK_SECONDS."""
    return f"{settings.PUBLIC_URL}/evidence/{sign(photo)}"


def sign(photo: Photo) -> str:
    return signing.dumps(str(photo.pk), salt=SALT)


def open_signed(token: str) -> IO[bytes] | None:
    """The picture behind a signed link; None as `signed_photo`, and where the storage has lost it."""
    photo = signed_photo(token)
    return open_file(object_path(photo)) if photo else None


def open_file(path: str) -> IO[bytes] | None:
    """None where there is no such file."""
    try:
        file: IO[bytes] = storage().open(path)
    except FileNotFoundError:
        return None
    return file


def signed_photo(token: str) -> Photo | None:
    """The photo behind a signed link; None when the link is forged or too old, or the photo is not stored."""
    try:
        photo_id = signing.loads(token, salt=SALT, max_age=LINK_SECONDS)
    except signing.BadSignature:
        return None
    return Photo.objects.stored().filter(pk=photo_id).select_related("job").first()


log = structlog.get_logger("closures.photos.evidence")
ALARM_SUBJECT = "evidence"


def _raise_unavailable(failure: Exception) -> None:
    """A database that is away as well is no reason to hide what failed."""
    text = coded_text("evidence_unavailable", error=type(failure).__name__)
    try:
        raise_alarm(AlarmKind.EVIDENCE_UNAVAILABLE, ALARM_SUBJECT, text)
    except DatabaseError as problem:
        log.error("database away", error=type(problem).__name__)
