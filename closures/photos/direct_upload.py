"""Photos that a phone puts into the object storage itself, by a signed address, and that we then take in from there.

They lie under `incoming/` until they were checked, a day at most; only the clean picture stands at the agreed path.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import IO, Protocol, runtime_checkable

import structlog
from botocore.exceptions import BotoCoreError, ClientError
from django.conf import settings
from django.utils.translation import gettext as _

from closures.models import Photo
from closures.photos import evidence
from closures.photos.image_validation import BadPicture
from dispatch.problems import ActionRefused

log = structlog.get_logger("closures.photos.direct_upload")
STORAGE_ERRORS = (OSError, BotoCoreError, ClientError)
LINK_SECONDS = 900
INCOMING = "incoming"
INCOMING_AGE = timedelta(days=1)


@runtime_checkable
class PresigningStorage(Protocol):
    """A storage that phones can reach (config.bucket_storage)."""

    takes_puts: bool

    def signed_put(
        self, name: str, *, size: int, sha256: str, seconds: int
    ) -> tuple[str, dict[str, str]]: ...

    def size_there(self, name: str) -> int | None: ...

    def list_written_before(self, moment: datetime, *, folder: str) -> Iterator[str]: ...


@dataclass(frozen=True)
class UploadAddress:
    url: str
    headers: dict[str, str]


def create_upload_address(photo: Photo, *, size: int) -> UploadAddress | None:
    """Where the phone may put the bytes that it announced; None when they have to come through us."""
    storage = _upload_storage(photo)
    if storage is None or not 0 < size <= settings.PHOTO_MAX_BYTES:
        return None
    put = storage.signed_put(incoming_path(photo), size=size, sha256=photo.sha256, seconds=LINK_SECONDS)
    return UploadAddress(*put)


def _upload_storage(photo: Photo) -> PresigningStorage | None:
    """Where the phone may put this photo; None where it gets no address."""
    storage = evidence.storage()
    if isinstance(storage, PresigningStorage) and storage.takes_puts and photo.sha256:
        return storage
    return None


def confirm_upload(photo: Photo) -> Photo:
    """Check and keep what the phone has put, as `evidence.store`. Raises BadPicture, PhotoDiffers."""
    if photo.stored_at:
        _try_delete_incoming(photo)
        return photo
    storage, path = evidence.storage(), incoming_path(photo)
    size = storage.size_there(path) if isinstance(storage, PresigningStorage) else None
    if size is None:
        return _was_confirmed_by_another(photo)
    if size > settings.PHOTO_MAX_BYTES:
        _try_delete_incoming(photo)
        raise BadPicture(
            "too_large",
            _("Photos can be at most %(limit)s MB.") % {"limit": settings.PHOTO_MAX_BYTES // 2**20},
        )
    try:
        with storage.open(path) as content:
            stored = evidence.store(photo=photo, content=content)
    except FileNotFoundError:
        return _was_confirmed_by_another(photo)
    except ActionRefused:
        _try_delete_incoming(photo)
        raise
    _try_delete_incoming(photo)
    return stored


def store_sent(photo: Photo, content: IO[bytes]) -> Photo:
    """As `evidence.store`, for bytes that came through us: the phone may have put them into the bucket before."""
    stored = evidence.store(photo=photo, content=content)
    # as it was announced: without a hash it had no address
    _try_delete_incoming(photo)
    return stored


def _was_confirmed_by_another(photo: Photo) -> Photo:
    """The phone may report the same photo twice at once: the first report takes the upload away."""
    photo.refresh_from_db()
    if photo.stored_at is None:
        raise BadPicture(
            "not_arrived", _("The photo is not in the storage yet. It is sent again automatically.")
        )
    return photo


def incoming_path(photo: Photo) -> str:
    return f"{INCOMING}/{photo.pk}"


def delete_incoming(photo: Photo) -> None:
    """What the phone may have put, and nobody takes in any more. Raises STORAGE_ERRORS."""
    if _upload_storage(photo):
        evidence.storage().delete(incoming_path(photo))


def _try_delete_incoming(photo: Photo) -> None:
    """What became of the photo is certain by then, and `purge_incoming` deletes what is left."""
    try:
        delete_incoming(photo)
    except STORAGE_ERRORS as problem:
        log.warning("upload not deleted", photo=str(photo.pk), error=type(problem).__name__)


def purge_incoming(now: datetime) -> None:
    """What was never confirmed, or was put after the photo had been stored or purged: a phone that still has it sends
    it again."""
    storage = evidence.storage()
    if isinstance(storage, PresigningStorage):
        for name in storage.list_written_before(now - INCOMING_AGE, folder=INCOMING):
            storage.delete(name)


def check_bucket() -> None:
    """For `/readyz`: a bucket is asked for the head of an object; a folder is the disk's part."""
    storage = evidence.storage()
    if isinstance(storage, PresigningStorage):
        storage.size_there("health/probe")
