"""Photos: announced by a message, stored by a second request, never before the file is safe."""

import hashlib
from dataclasses import dataclass, field
from datetime import datetime
from typing import IO
from uuid import UUID

from django.conf import settings
from django.core import signing
from django.core.files.base import ContentFile
from django.core.files.storage import Storage, storages
from django.db import transaction
from django.dispatch import Signal
from django.utils import timezone

from closures import pictures
from closures.models import Photo, PhotoSource
from closures.pictures import BadPicture, Picture
from dispatch.models import Job
from dispatch.problems import Problem, Refused
from engineers.models import Engineer
from engineers.people import Position

# the seller fetches evidence when it settles a job, which may be weeks later
LINK_SECONDS = 90 * 24 * 3600
SALT = "closures.evidence"
NOWHERE = Position(missing_because="not asked")
# sent with `photo` in the transaction that says "stored"
photo_stored = Signal()


class PhotoDiffers(Refused):
    """The same photo id with other bytes; the first ones stay."""

    def __init__(self) -> None:
        super().__init__(
            [Problem("photo_differs", "photo", "This photo was stored before with another content.")]
        )


@dataclass(frozen=True)
class Capture:
    """What the phone knows of a picture; `sha256` of the bytes that it will send, empty when unknown."""

    photo_id: UUID
    question_code: str
    taken_at: datetime
    sha256: str = ""
    source: str = PhotoSource.UNKNOWN
    position: Position = NOWHERE
    checks: dict[str, bool] = field(default_factory=dict)
    original_sha256: str = ""
    signer: str = ""


def storage() -> Storage:
    """Disk or S3, by EVIDENCE_STORAGE_URL."""
    return storages["evidence"]


def object_path(photo: Photo) -> str:
    """`jobs/<provider job id>/<question>/<photo id>.jpg`: where it lies, and what the seller is told."""
    return f"jobs/{photo.job.provider_job_id}/{photo.question_code}/{photo.pk}.jpg"


@transaction.atomic
def expect(*, job: Job, capture: Capture, by: Engineer | None) -> Photo:
    """Announce a photo before its bytes; said again it is the same one. Raises PhotoDiffers."""
    photo, is_new = Photo.objects.get_or_create(
        pk=capture.photo_id,
        defaults={
            "job": job,
            "question_code": capture.question_code,
            "sha256": capture.sha256,
            "taken_at": capture.taken_at,
            "source": capture.source,
            "latitude": capture.position.latitude,
            "longitude": capture.position.longitude,
            "accuracy_metres": capture.position.accuracy_metres,
            "checks": capture.checks,
            "original_sha256": capture.original_sha256,
            "signer": capture.signer,
            "by": by,
            "recorded_at": timezone.now(),
        },
    )
    if not is_new and (photo.job_id, photo.sha256) != (job.pk, capture.sha256):
        raise PhotoDiffers
    return photo


def store(*, photo: Photo, content: IO[bytes]) -> Photo:
    """Check, clean and keep the bytes, then mark the photo as stored. The same bytes again change nothing.

    The file is written outside any transaction and before the row says so: a crash in between leaves a file
    that the next try overwrites, never a row without its file. Raises BadPicture, PhotoDiffers.
    """
    raw = content.read(settings.PHOTO_MAX_BYTES + 1)
    if len(raw) > settings.PHOTO_MAX_BYTES:
        limit = settings.PHOTO_MAX_BYTES // 2**20
        raise BadPicture("too_large", f"A photo has at most {limit} MB.")
    # before a decoder sees the bytes: what was damaged on the way is sent again
    if photo.sha256 and photo.sha256 != hashlib.sha256(raw).hexdigest():
        if photo.stored_at:
            raise PhotoDiffers
        raise BadPicture("hash_differs", "The photo did not arrive whole. It will be sent again.")
    if photo.stored_at:
        return photo
    picture = pictures.clean(raw)
    write(object_path(photo), picture.content)
    return _mark_stored(photo, picture)


def write(path: str, content: bytes) -> None:
    """Put it there, instead of what may have been there before."""
    if storage().exists(path):
        storage().delete(path)
    name = storage().save(path, ContentFile(content))
    if name != path:
        # the same file came twice at once; the other one lies where it belongs
        storage().delete(name)


@transaction.atomic
def _mark_stored(photo: Photo, picture: Picture) -> Photo:
    photo = Photo.objects.select_for_update().get(pk=photo.pk)
    photo.sha256, photo.stored_sha256 = picture.sha256, picture.stored_sha256
    photo.content_type, photo.size_bytes = picture.original_type, len(picture.content)
    photo.width, photo.height = picture.width, picture.height
    photo.stored_at = timezone.now()
    photo.save()
    photo_stored.send(sender=Photo, photo=photo)
    return photo


def url_for(photo: Photo) -> str:
    """An address that gives the picture to a plain GET, signed and good for LINK_SECONDS."""
    return f"{settings.PUBLIC_URL}/evidence/{sign(photo)}"


def sign(photo: Photo) -> str:
    return signing.dumps(str(photo.pk), salt=SALT)


def open_signed(token: str) -> IO[bytes] | None:
    """The picture behind a signed link; None as `signed_photo`."""
    photo = signed_photo(token)
    return storage().open(object_path(photo)) if photo else None


def signed_photo(token: str) -> Photo | None:
    """The photo behind a signed link; None when the link is forged or too old, or the photo is not stored."""
    try:
        photo_id = signing.loads(token, salt=SALT, max_age=LINK_SECONDS)
    except signing.BadSignature:
        return None
    return Photo.objects.stored().filter(pk=photo_id).select_related("job").first()


def waiting(job: Job) -> int:
    """Photos that a phone announced and that have not arrived."""
    return Photo.objects.missing().filter(job=job).count()
