"""Photos on disk and in two S3 servers: the same code, chosen by EVIDENCE_STORAGE_URL alone."""

import hashlib
import io
import stat
import uuid
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.core import signing
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from pytest_django import Settings

from closures.models import Photo
from closures.photos import evidence
from closures.photos.evidence import Capture, PhotoDiffers
from closures.photos.image_validation import BadPicture
from config.bucket_storage import Bucket
from config.storage import evidence_storage
from dispatch.models import Job
from dispatch.states import JobState
from tests import make
from tests.closures.storage_kinds import running_storage
from tests.servers import object_store

RAW = make.jpeg()
STORAGES = ["disk", *object_store.SERVERS]


@pytest.fixture(scope="module", params=STORAGES)
def url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("evidence") / "kept"
    with running_storage(request.param, folder) as address:
        yield address


@pytest.fixture
def storage(url: str, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", object_store.KEY_ID)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", object_store.SECRET)
    settings.STORAGES = {**settings.STORAGES, "evidence": evidence_storage(url)}
    return url


@pytest.fixture
def job(db: None) -> Job:
    return make.job(at_state=JobState.ON_SITE)


def expected(job: Job, raw: bytes = RAW) -> Photo:
    capture = Capture(
        photo_id=uuid.uuid4(),
        question_code="PHO01",
        taken_at=make.now(),
        sha256=hashlib.sha256(raw).hexdigest(),
    )
    return make.act(evidence.announce_photo, job=job, capture=capture, by=None)


def test_photo_lies_under_the_agreed_path_and_its_link_gives_it(storage: str, job: Job) -> None:
    photo = evidence.store(photo=expected(job), content=io.BytesIO(RAW))

    with evidence.storage().open(f"jobs/{job.provider_job_id}/PHO01/{photo.pk}.jpg") as stored:
        content = stored.read()
    link = evidence.url_for(photo)
    answer = Client().get(link[link.index("/evidence/") :])
    assert hashlib.sha256(content).hexdigest() == photo.stored_sha256
    assert answer.status_code == 200
    assert b"".join(answer.streaming_content) == content


def test_seller_gets_the_full_endpoint_with_the_file_name(storage: str, job: Job) -> None:
    """installation-jobs.md, files: the bucket's own endpoint, our public evidence address for a folder."""
    photo = evidence.store(photo=expected(job), content=io.BytesIO(RAW))

    address = urlsplit(evidence.object_address(photo))

    endpoint = dict(parse_qsl(urlsplit(storage).query)).get("endpoint", "http://127.0.0.1:8000")
    assert f"{address.scheme}://{address.netloc}" == endpoint
    assert address.path == f"/evidence/jobs/{job.provider_job_id}/PHO01/{photo.pk}.jpg"
    # the stored object is the photo, where the bucket's owner finds it
    if storage.startswith("s3:"):
        bucket, key = address.path.removeprefix("/").split("/", 1)
        stored = object_store.client(endpoint).get_object(Bucket=bucket, Key=key)["Body"].read()
        assert hashlib.sha256(stored).hexdigest() == photo.stored_sha256


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("s3://photos", "https://s3.amazonaws.com/photos"),
        ("s3://photos?region=eu-west-2", "https://s3.eu-west-2.amazonaws.com/photos"),
        ("s3://photos?endpoint=https://s3.example.net/", "https://s3.example.net/photos"),
        (
            "s3://photos?endpoint=https://s3.example.net:9000&addressing=virtual",
            "https://s3.example.net:9000/photos",
        ),
    ],
)
def test_bucket_is_addressed_by_its_endpoint(url: str, address: str) -> None:
    assert Bucket(**evidence_storage(url)["OPTIONS"]).address == address


def test_same_bytes_again_change_nothing(storage: str, job: Job) -> None:
    photo = evidence.store(photo=expected(job), content=io.BytesIO(RAW))
    first = photo.stored_at

    again = evidence.store(photo=Photo.objects.get(pk=photo.pk), content=io.BytesIO(RAW))

    assert again.stored_at == first


def test_other_bytes_are_refused_and_the_first_stay(storage: str, job: Job) -> None:
    photo = evidence.store(photo=expected(job), content=io.BytesIO(RAW))

    with pytest.raises(PhotoDiffers):
        evidence.store(photo=photo, content=io.BytesIO(make.jpeg(colour="crimson")))

    with evidence.storage().open(evidence.object_path(photo)) as stored:
        assert hashlib.sha256(stored.read()).hexdigest() == photo.stored_sha256


def test_file_left_by_a_crash_before_its_mark_is_written_over(storage: str, job: Job) -> None:
    photo = expected(job)
    evidence.storage().save(evidence.object_path(photo), io.BytesIO(b"half"))

    stored = evidence.store(photo=photo, content=io.BytesIO(RAW))

    with evidence.storage().open(evidence.object_path(photo)) as on_disk:
        assert hashlib.sha256(on_disk.read()).hexdigest() == stored.stored_sha256


def test_photo_damaged_on_the_way_is_asked_for_again(storage: str, job: Job) -> None:
    photo = expected(job)

    with pytest.raises(BadPicture) as refusal:
        evidence.store(photo=photo, content=io.BytesIO(RAW[:-50]))

    assert [problem.code for problem in refusal.value.problems] == ["hash_differs"]
    assert not evidence.storage().exists(evidence.object_path(photo))
    assert evidence.store(photo=photo, content=io.BytesIO(RAW)).stored_at


def test_too_large_photo_is_refused_by_name(storage: str, job: Job, settings: Settings) -> None:
    settings.PHOTO_MAX_BYTES = 1024**2
    big = RAW + b"\0" * 1024**2

    with pytest.raises(BadPicture) as refusal:
        evidence.store(photo=expected(job, big), content=io.BytesIO(big))

    assert [problem.code for problem in refusal.value.problems] == ["too_large"]


def test_link_that_the_seller_has_from_before_still_opens(storage: str, job: Job) -> None:
    photo = evidence.store(photo=expected(job), content=io.BytesIO(RAW))

    link = signing.dumps(str(photo.pk), salt="closures.evidence")

    assert Client().get(f"/evidence/{link}").status_code == 200


def test_forged_link_and_link_of_a_missing_photo_give_nothing(storage: str, job: Job) -> None:
    photo = expected(job)

    assert evidence.open_signed("forged") is None
    assert evidence.open_signed(evidence.sign(photo)) is None


def test_files_are_for_the_owner_only(tmp_path: Path, settings: Settings, job: Job) -> None:
    settings.STORAGES = {**settings.STORAGES, "evidence": evidence_storage(f"file://{tmp_path}/kept")}
    photo = evidence.store(photo=expected(job), content=io.BytesIO(RAW))

    path = tmp_path / "kept" / evidence.object_path(photo)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [file.name for file in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize(
    "wrong",
    ["", "photos", "file://", "file://host/x", "s3://", "s3://b/path", "s3://b?colour=red", "ftp://x"],
)
def test_wrong_storage_address_names_the_setting(wrong: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="EVIDENCE_STORAGE_URL"):
        evidence_storage(wrong)
