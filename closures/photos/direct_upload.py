"""Photos that a phone puts into the object storage itself, by a signed address, and that we then take in from there.

They lie under `incoming/` until they were checked; only the clean picture stands at the agreed path.
"""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from django.conf import settings
from django.utils.translation import gettext as _

from closures.models import Photo
from closures.photos import evidence
from closures.photos.image_validation import BadPicture
from dispatch.problems import ActionRefused

LINK_SECONDS = 900


@runtime_checkable
class PresigningStorage(Protocol):
    """A storage that phones can reach (config.bucket_storage)."""

    takes_puts: bool

    def signed_put(
        self, name: str, *, size: int, sha256: str, seconds: int
    ) -> tuple[str, dict[str, str]]: ...

    def size_there(self, name: str) -> int | None: ...


@dataclass(frozen=True)
class UploadAddress:
    url: str
    headers: dict[str, str]


def create_upload_address(photo: Photo, *, size: int) -> UploadAddress | None:
    """Where the phone may put the bytes that it announced; None when they have to come through us."""
    storage = evidence.storage()
    fits = 0 < size <= settings.PHOTO_MAX_BYTES
    if not isinstance(storage, PresigningStorage) or not storage.takes_puts or not photo.sha256 or not fits:
        return None
    put = storage.signed_put(incoming_path(photo), size=size, sha256=photo.sha256, seconds=LINK_SECONDS)
    return UploadAddress(*put)


def confirm_upload(photo: Photo) -> Photo:
    """Check and keep what the phone has put, as `evidence.store`. Raises BadPicture, PhotoDiffers."""
    if photo.stored_at:
        return photo
    storage, path = evidence.storage(), incoming_path(photo)
    size = storage.size_there(path) if isinstance(storage, PresigningStorage) else None
    if size is None:
        return _was_confirmed_by_another(photo)
    if size > settings.PHOTO_MAX_BYTES:
        storage.delete(path)
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
        storage.delete(path)
        raise
    storage.delete(path)
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
    return f"incoming/{photo.pk}"


def check_bucket() -> None:
    """For `/readyz`: a bucket is asked for the head of an object; a folder is the disk's part."""
    storage = evidence.storage()
    if isinstance(storage, PresigningStorage):
        storage.size_there("health/probe")
