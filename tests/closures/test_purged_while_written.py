"""A photo that is purged while it, or its thumbnail, is written: no file stays."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from closures import retention
from closures.models import Photo, PhotoFingerprint
from closures.photos import evidence, thumbnails
from config.storage import DurableFileStorage
from dispatch.states import JobState
from tests import make
from tests.together import at_once

pytestmark = pytest.mark.django_db(transaction=True)
RAW = make.jpeg(width=1600, height=1200)


class InterruptedStorage(DurableFileStorage):
    """Does once what somebody else does before a file is written, or after one was deleted."""

    before_save: list[Callable[[], object]] = []
    after_delete: list[Callable[[], object]] = []

    def _save(self, name: str, content: Any) -> str:
        if self.before_save:
            at_once(self.before_save.pop())
        return super()._save(name, content)

    def delete(self, name: str) -> None:
        super().delete(name)
        if self.after_delete:
            at_once(self.after_delete.pop())


@pytest.fixture
def photo(tmp_path: Path, settings: Settings) -> Photo:
    storage = {"BACKEND": f"{__name__}.InterruptedStorage", "OPTIONS": {"location": str(tmp_path)}}
    settings.STORAGES = {**settings.STORAGES, "evidence": storage}
    return make.photo(make.job(at_state=JobState.ON_SITE), question_code="PHO01", raw=RAW)


def files(folder: Path) -> list[str]:
    return [path.name for path in folder.rglob("*") if path.is_file()]


def purge() -> None:
    assert retention.purge_photos(Photo.objects.stored()) == 1


def test_thumbnail_of_a_purged_photo_does_not_stay(photo: Photo, tmp_path: Path) -> None:
    InterruptedStorage.before_save.append(purge)

    assert not thumbnails.make_thumbnail(photo.pk)

    assert (files(tmp_path), PhotoFingerprint.objects.count()) == ([], 0)
    assert Photo.objects.get().purged_at


def test_thumbnail_that_is_made_between_the_files_and_the_row_does_not_stay(
    photo: Photo, tmp_path: Path
) -> None:
    InterruptedStorage.after_delete.append(lambda: thumbnails.make_thumbnail(photo.pk))

    purge()

    assert (files(tmp_path), InterruptedStorage.after_delete) == ([], [])


def test_second_upload_of_a_purged_photo_does_not_stay(photo: Photo, tmp_path: Path) -> None:
    """Both uploads have read the row before the first one was through."""
    second = Photo.objects.get()
    second.stored_at = None
    InterruptedStorage.before_save.append(purge)

    stored = evidence.store(photo=second, content=io.BytesIO(RAW))

    assert (files(tmp_path), stored.purged_at is None) == ([], False)


def test_photo_that_cannot_be_deleted_again_is_purged_by_the_next_run(photo: Photo, tmp_path: Path) -> None:
    folder = tmp_path / "jobs" / photo.job.provider_job_id / "PHO01"

    def put_something_in_the_way() -> None:
        # no file, which cannot be deleted as one is
        (folder / f"{photo.pk}.small.jpg" / "x").mkdir(parents=True)

    InterruptedStorage.after_delete.append(put_something_in_the_way)
    with pytest.raises(retention.PhotosNotDeleted) as refused:
        purge()

    assert (refused.value.deleted, list(refused.value.remaining)) == (0, [photo.pk])
    (folder / f"{photo.pk}.small.jpg" / "x").rmdir()
    purge()
    assert Photo.objects.get().purged_at
