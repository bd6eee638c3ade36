"""Small pictures: made once, shown instead of the photo, and poison given up after three tries."""

import io
import resource
from datetime import timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from PIL import Image
from pytest_django import Settings

from closures.models import Photo, Thumbnail
from closures.photos import evidence, image_validation, thumbnail_process, thumbnails
from closures.photos.image_validation import BadPicture
from closures.photos.thumbnails import MAX_ATTEMPTS, ThumbnailFailed
from config.storage import evidence_storage
from dispatch.models import Job
from dispatch.states import JobState
from tests import make
from tests.closures.poison import START_OF_SCAN, poison_jpeg

LARGE = make.jpeg(width=1600, height=1200)


@pytest.fixture
def folder(tmp_path: Path, settings: Settings) -> Path:
    settings.STORAGES = {**settings.STORAGES, "evidence": evidence_storage(f"file://{tmp_path}")}
    return tmp_path


@pytest.fixture
def job(db: None, folder: Path) -> Job:
    return make.job(at_state=JobState.ON_SITE)


def put(photo: Photo, content: bytes) -> None:
    """Past all checks, as a damaged disk or an older version of ours would."""
    evidence.write(evidence.object_path(photo), content)


def small_picture(photo: Photo) -> Image.Image:
    with evidence.storage().open(thumbnails.object_path(photo)) as stored:
        return Image.open(io.BytesIO(stored.read()))


def shown_to(photo: Photo) -> tuple[bytes, str]:
    answer = Client().get(reverse("evidence-small", args=[evidence.sign(photo)]))
    return b"".join(answer.streaming_content), answer.headers["Cache-Control"]


def test_thumbnail_is_stored_next_to_the_photo(job: Job, folder: Path) -> None:
    photo = make.photo(job, question_code="PHO01", raw=LARGE)

    assert thumbnails.make_thumbnail(photo.pk)

    assert small_picture(photo).size == (320, 240)
    assert sorted(file.name for file in (folder / "jobs" / job.provider_job_id / "PHO01").iterdir()) == [
        f"{photo.pk}.jpg",
        f"{photo.pk}.small.jpg",
    ]


def test_small_picture_is_made_once(job: Job) -> None:
    photo = make.photo(job, question_code="PHO01")

    assert [thumbnails.make_thumbnail(photo.pk) for _ in range(3)] == [True, False, False]
    assert Thumbnail.objects.get().attempts == 1


def test_small_photo_is_not_made_larger(job: Job) -> None:
    photo = make.photo(job, question_code="PHO01", raw=make.jpeg(width=64, height=48))

    thumbnails.make_thumbnail(photo.pk)

    assert small_picture(photo).size == (64, 48)


def test_photo_itself_is_shown_until_there_is_a_small_one(job: Job) -> None:
    photo = make.photo(job, question_code="PHO01", raw=LARGE)
    before, kept_before = shown_to(photo)

    thumbnails.make_thumbnail(photo.pk)

    after, kept_after = shown_to(photo)
    assert [Image.open(io.BytesIO(content)).size for content in (before, after)] == [(1600, 1200), (320, 240)]
    assert kept_before == "private, no-cache"
    assert kept_after == "private, max-age=86400, immutable"


def test_lost_files_are_not_found_and_the_photo_stands_for_its_small_picture(job: Job) -> None:
    photo = make.photo(job, question_code="PHO01", raw=LARGE)
    thumbnails.make_thumbnail(photo.pk)

    evidence.storage().delete(thumbnails.object_path(photo))
    content, cache_control = shown_to(photo)
    evidence.storage().delete(evidence.object_path(photo))
    links = [reverse(name, args=[evidence.sign(photo)]) for name in ("evidence", "evidence-small")]

    assert (Image.open(io.BytesIO(content)).size, cache_control) == ((1600, 1200), "private, no-cache")
    assert [Client().get(link).status_code for link in links] == [404, 404]


def test_photo_that_has_not_arrived_waits_for_nothing(job: Job) -> None:
    photo = make.photo(job, question_code="PHO01")
    Photo.objects.update(stored_at=None)

    assert not thumbnails.make_thumbnail(photo.pk)
    assert not Thumbnail.objects.exists()


@pytest.mark.parametrize("damage", [b"", b"not a picture", LARGE[: len(LARGE) // 2]])
def test_unreadable_photo_is_given_up_after_three_tries(job: Job, damage: bytes) -> None:
    photo = make.photo(job, question_code="PHO01", raw=LARGE)
    put(photo, damage)

    for _ in range(MAX_ATTEMPTS - 1):
        with pytest.raises(ThumbnailFailed):
            thumbnails.make_thumbnail(photo.pk)
    assert not thumbnails.make_thumbnail(photo.pk)

    small = Thumbnail.objects.get()
    assert (small.attempts, small.made_at) == (MAX_ATTEMPTS, None)
    assert small.failed_at
    assert shown_to(photo)[0] == damage


def test_poison_ends_only_its_decoder(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thumbnails, "SHRINK_SECONDS", 2)
    photo = make.photo(job, question_code="PHO01")
    put(photo, poison_jpeg())

    for _ in range(MAX_ATTEMPTS - 1):
        with pytest.raises(ThumbnailFailed):
            thumbnails.make_thumbnail(photo.pk)
    thumbnails.make_thumbnail(photo.pk)

    assert Thumbnail.objects.get().failed_at


def test_photo_whose_tries_all_died_is_given_up_untried(job: Job) -> None:
    photo = make.photo(job, question_code="PHO01")
    Thumbnail.objects.create(photo=photo, attempts=MAX_ATTEMPTS)

    assert not thumbnails.make_thumbnail(photo.pk)
    assert Thumbnail.objects.get().failed_at


def test_lost_file_counts_as_unreadable(job: Job) -> None:
    photo = make.photo(job, question_code="PHO01")
    evidence.storage().delete(evidence.object_path(photo))

    with pytest.raises(ThumbnailFailed):
        thumbnails.make_thumbnail(photo.pk)
    assert Thumbnail.objects.get().attempts == 1


def test_storage_that_is_away_is_not_the_photo_s_fault(job: Job, folder: Path) -> None:
    photo = make.photo(job, question_code="PHO01")
    # a folder in place of the thumbnail: it can be read, and nothing can be written
    (folder / thumbnails.object_path(photo) / "in the way").mkdir(parents=True)

    for _ in range(MAX_ATTEMPTS + 1):
        with pytest.raises(OSError, match="Is a directory"):
            thumbnails.make_thumbnail(photo.pk)
    assert Thumbnail.objects.get().attempts == 0


def test_photo_given_up_gets_three_tries_again(job: Job) -> None:
    photo = make.photo(job, question_code="PHO01", raw=LARGE)
    Thumbnail.objects.create(photo=photo, attempts=MAX_ATTEMPTS, failed_at=timezone.now())
    assert not thumbnails.make_thumbnail(photo.pk)

    assert thumbnails.retry_failed() == 1

    assert thumbnails.make_thumbnail(photo.pk)
    assert Thumbnail.objects.get().failed_at is None


def test_waiting_are_those_that_are_neither_made_nor_given_up(job: Job) -> None:
    made, failed, tried, untouched = (make.photo(job, question_code=f"PHO0{n}") for n in range(1, 5))
    thumbnails.make_thumbnail(made.pk)
    Thumbnail.objects.create(photo=failed, attempts=MAX_ATTEMPTS)
    thumbnails.make_thumbnail(failed.pk)
    Thumbnail.objects.create(photo=tried, attempts=1)
    now = timezone.now()

    assert set(thumbnails.photos_without_thumbnail(stored_before=now)) == {tried, untouched}
    assert not thumbnails.photos_without_thumbnail(stored_before=now - timedelta(hours=1)).exists()
    thumbnails.retry_failed()
    assert set(thumbnails.photos_without_thumbnail(stored_before=now)) == {failed, tried, untouched}


def test_decoder_keeps_to_its_memory(tmp_path: Path) -> None:
    assert thumbnail_process.MEMORY_BYTES <= 1024**3
    raw = make.jpeg(width=8000, height=5000)

    small = thumbnails._shrink(raw)

    assert small is not None
    assert Image.open(io.BytesIO(small)).size == (320, 200)
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 1024**2


def test_poison_is_refused_on_upload() -> None:
    with pytest.raises(BadPicture) as refusal:
        image_validation.clean(poison_jpeg())

    assert [problem.code for problem in refusal.value.problems] == ["unreadable"]


def test_film_after_the_picture_is_no_poison() -> None:
    film = START_OF_SCAN * 1000

    assert image_validation.clean(LARGE + film).width == 1600
