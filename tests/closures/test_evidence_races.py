"""One photo that comes twice at once: it is stored, and its file is there at every moment from then on."""

import hashlib
import io
import threading
import uuid
from collections.abc import Iterator

import pytest
from pytest_django import Settings

from closures.models import Photo
from closures.photos import direct_upload, evidence
from closures.photos.evidence import Capture, PhotoDiffers
from config.storage import evidence_storage
from dispatch.states import JobState
from tests import make
from tests.closures.storage_kinds import running_storage
from tests.servers import object_store
from tests.together import at_once

RAW = make.jpeg()
WRITES = 60


@pytest.fixture(scope="module", params=["disk", "moto"])
def url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("races") / "kept"
    with running_storage(request.param, folder) as address:
        yield address if request.param == "disk" else f"{address}&direct=yes"


@pytest.fixture
def storage(url: str, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", object_store.KEY_ID)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", object_store.SECRET)
    settings.STORAGES = {**settings.STORAGES, "evidence": evidence_storage(url)}
    return url


def expected(*, sha256: str = hashlib.sha256(RAW).hexdigest()) -> Photo:
    job = make.job(at_state=JobState.ON_SITE)
    capture = Capture(photo_id=uuid.uuid4(), question_code="PHO01", taken_at=make.now(), sha256=sha256)
    return make.act(evidence.announce_photo, job=job, capture=capture, by=None)


def stored(photo: Photo) -> str:
    with evidence.storage().open(evidence.object_path(photo)) as file:
        return hashlib.sha256(file.read()).hexdigest()


def test_file_is_there_and_whole_while_it_is_written_again(storage: str) -> None:
    path, contents = "jobs/J/PHO01/again.jpg", [b"a" * 40_000, b"b" * 40_000]
    evidence.write(path, contents[0])
    is_over = threading.Event()

    def write_again() -> None:
        try:
            for number in range(WRITES):
                evidence.write(path, contents[number % 2])
        finally:
            is_over.set()

    def read_always() -> None:
        while not is_over.is_set():
            with evidence.storage().open(path) as file:
                assert file.read() in contents

    at_once(write_again, read_always)


@pytest.mark.django_db(transaction=True)
def test_two_puts_at_once_leave_one_stored_photo_with_its_file(storage: str) -> None:
    photo = expected()
    notified: list[Photo] = []

    def put() -> None:
        # both have read the row before the other one was through
        notified.append(evidence.store(photo=photo, content=io.BytesIO(RAW)))

    at_once(put, put)

    row = Photo.objects.get()
    assert [each.stored_at for each in notified] == [row.stored_at, row.stored_at]
    assert stored(photo) == row.stored_sha256


@pytest.mark.django_db(transaction=True)
def test_late_put_that_fails_takes_nothing_away(storage: str, settings: Settings) -> None:
    """It read the row before the first one was through, and its storage is full."""
    photo = expected()
    stale = Photo.objects.get(pk=photo.pk)
    evidence.store(photo=photo, content=io.BytesIO(RAW))
    sound = settings.STORAGES
    settings.STORAGES = {**sound, "evidence": evidence_storage("file:///proc/full")}

    with pytest.raises(OSError, match="/proc/full"):
        evidence.store(photo=stale, content=io.BytesIO(RAW))

    settings.STORAGES = sound
    assert stored(photo) == Photo.objects.get().stored_sha256


@pytest.mark.django_db(transaction=True)
def test_photo_announced_without_a_hash_is_of_one_of_both(storage: str) -> None:
    photo, bodies = expected(sha256=""), [RAW, make.jpeg(colour="crimson")]
    refused: list[bytes] = []

    def put(raw: bytes) -> None:
        try:
            # both have read the row before the other one was through
            evidence.store(photo=photo, content=io.BytesIO(raw))
        except PhotoDiffers:
            refused.append(raw)

    at_once(lambda: put(bodies[0]), lambda: put(bodies[1]))

    row = Photo.objects.get()
    (loser,) = refused
    assert row.sha256 != hashlib.sha256(loser).hexdigest()
    assert stored(photo) == row.stored_sha256


@pytest.mark.django_db(transaction=True)
def test_upload_reported_twice_at_once_is_taken_in_once(storage: str) -> None:
    if storage.startswith("file:"):
        pytest.skip("phones put into a bucket only")
    photo = expected()
    evidence.write(direct_upload.incoming_path(photo), RAW)
    notified: list[Photo] = []

    at_once(*[lambda: notified.append(direct_upload.confirm_upload(Photo.objects.get(pk=photo.pk)))] * 2)

    row = Photo.objects.get()
    assert [each.stored_at for each in notified] == [row.stored_at] * 2
    assert stored(photo) == row.stored_sha256
