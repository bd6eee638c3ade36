"""A photo that a phone puts into the bucket by a signed address, over a real connection, and that we take in."""

import hashlib
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterator
from datetime import timedelta
from http import HTTPStatus

import pytest
import time_machine
from botocore.awsrequest import AWSPreparedRequest
from django.core.exceptions import ImproperlyConfigured
from django.utils import timezone
from pytest_django import Settings

from background.tasks import clean_up
from closures import retention
from closures.models import Photo
from closures.photos import direct_upload, evidence
from closures.photos.evidence import Capture
from closures.photos.image_validation import BadPicture
from config.bucket_storage import BucketUnavailable
from config.storage import direct_origins, evidence_storage
from dispatch.models import Job
from dispatch.states import JobState
from phone import pwa
from tests import make
from tests.phone.phone import Phone
from tests.servers import object_store

RAW = make.jpeg()


@pytest.fixture(scope="module")
def bucket(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("direct") / "kept"
    folder.mkdir()
    with object_store.running("moto", folder) as address:
        yield address


@pytest.fixture
def storage(bucket: str, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", object_store.KEY_ID)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", object_store.SECRET)
    settings.STORAGES = {**settings.STORAGES, "evidence": evidence_storage(f"{bucket}&direct=yes")}
    return bucket


@pytest.fixture
def phone(db: None) -> Phone:
    return Phone(make.engineer())


@pytest.fixture
def photo(phone: Phone) -> Photo:
    job: Job = make.job(at_state=JobState.ON_SITE, to=phone.engineer)
    digest = hashlib.sha256(RAW).hexdigest()
    capture = Capture(photo_id=uuid.uuid4(), question_code="PHO01", taken_at=make.now(), sha256=digest)
    return make.act(evidence.announce_photo, job=job, capture=capture, by=phone.engineer)


def incoming() -> list[str]:
    return [f"incoming/{name}" for name in evidence.storage().listdir("incoming")[1]]


def address_of(phone: Phone, photo: Photo, raw: bytes = RAW) -> dict[str, str]:
    return phone.json(f"/phone/photos/{photo.pk}/address", size=str(len(raw)))


def put(address: dict[str, object], raw: bytes) -> int:
    headers = address["headers"]
    assert isinstance(headers, dict)
    request = urllib.request.Request(str(address["url"]), data=raw, method="PUT", headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as refusal:
        return refusal.code


def test_photo_is_uploaded_to_the_bucket_and_stored_clean(storage: str, phone: Phone, photo: Photo) -> None:
    status = put(address_of(phone, photo), RAW)
    answer = phone.client.post(f"/phone/photos/{photo.pk}/put")

    photo.refresh_from_db()
    with evidence.storage().open(evidence.object_path(photo)) as stored:
        content = stored.read()
    assert (status, answer.status_code, answer.json()["stored"]) == (200, 200, True)
    assert hashlib.sha256(content).hexdigest() == photo.stored_sha256
    assert not evidence.storage().exists(direct_upload.incoming_path(photo))


def test_upload_confirmed_twice_is_taken_in_once(storage: str, phone: Phone, photo: Photo) -> None:
    put(address_of(phone, photo), RAW)
    first, again = (phone.client.post(f"/phone/photos/{photo.pk}/put") for _ in range(2))

    assert (first.json(), again.status_code) == (again.json(), HTTPStatus.OK)


def test_other_bytes_are_refused_and_not_left_lying(storage: str, phone: Phone, photo: Photo) -> None:
    other = make.jpeg(colour="crimson")
    evidence.storage().save(direct_upload.incoming_path(photo), evidence.ContentFile(other))

    answer = phone.client.post(f"/phone/photos/{photo.pk}/put")

    assert answer.json()["problems"][0]["code"] == "hash_differs"
    assert (
        Photo.objects.stored().count(),
        evidence.storage().exists(direct_upload.incoming_path(photo)),
    ) == (
        0,
        False,
    )


def test_photo_that_was_stored_another_way_is_not_left_lying(
    storage: str, phone: Phone, photo: Photo
) -> None:
    """The phone lost the signal after its upload, and then sent the photo through us; a late upload follows."""
    put(address := address_of(phone, photo), RAW)
    phone.put(str(photo.pk), RAW)
    after_store = incoming()
    put(address, RAW)
    answer = phone.client.post(f"/phone/photos/{photo.pk}/put")

    assert (after_store, answer.status_code, incoming()) == ([], 200, [])


def test_purged_photo_leaves_no_upload(storage: str, phone: Phone, photo: Photo) -> None:
    address = address_of(phone, photo)
    phone.put(str(photo.pk), RAW)
    put(address, RAW)

    retention.purge_photos(Photo.objects.all())

    assert incoming() == []


@pytest.fixture
def deletions(storage: str) -> Iterator[list[str]]:
    """The objects that the bucket was asked to delete; it does not before the end."""
    asked: list[str] = []

    def fail(request: AWSPreparedRequest, **_facts: object) -> None:
        asked.append(str(request.url).partition(f"/{object_store.BUCKET}/")[2])
        raise BucketUnavailable

    events = evidence.storage().connection.meta.client.meta.events
    events.register("before-send.s3.DeleteObject", fail)
    yield asked
    events.unregister("before-send.s3.DeleteObject", fail)
    direct_upload.purge_incoming(timezone.now() + timedelta(hours=25))


def test_stored_photo_is_no_error_where_its_upload_cannot_be_deleted(
    deletions: list[str], phone: Phone, photo: Photo
) -> None:
    put(address_of(phone, photo), RAW)
    path = f"/phone/photos/{photo.pk}"
    answers = [phone.client.post(f"{path}/put") for _ in range(2)] + [phone.put(str(photo.pk), RAW)]

    assert [(answer.status_code, answer.json()["stored"]) for answer in answers] == [(200, True)] * 3
    assert deletions == incoming() * 3
    with pytest.raises(retention.PhotosNotDeleted):
        retention.purge_photos(Photo.objects.all())


def test_refusal_is_sent_where_the_upload_cannot_be_deleted(
    deletions: list[str], phone: Phone, photo: Photo
) -> None:
    other = evidence.ContentFile(make.jpeg(colour="crimson"))
    evidence.storage().save(direct_upload.incoming_path(photo), other)

    answer = phone.client.post(f"/phone/photos/{photo.pk}/put")

    assert (answer.status_code, answer.json()["problems"][0]["code"]) == (422, "hash_differs")


def test_photo_that_had_no_address_leaves_nothing_to_delete(
    deletions: list[str], phone: Phone, photo: Photo
) -> None:
    Photo.objects.update(sha256="")

    assert address_of(phone, photo)["url"] == ""
    assert (phone.put(str(photo.pk), RAW).json()["stored"], deletions) == (True, [])


def test_upload_that_nobody_confirmed_is_deleted_after_a_day(
    storage: str, phone: Phone, photo: Photo
) -> None:
    put(address_of(phone, photo), RAW)
    direct_upload.purge_incoming(timezone.now() + timedelta(hours=23))
    after_hours = incoming()

    with time_machine.travel(timezone.now() + timedelta(hours=25)):
        clean_up()

    assert (after_hours, incoming()) == ([direct_upload.incoming_path(photo)], [])


def test_checksum_is_signed_with_the_address(storage: str, phone: Phone, photo: Photo) -> None:
    address = address_of(phone, photo)

    assert "x-amz-checksum-sha256" in address["url"]
    assert set(address["headers"]) == {"content-type", "x-amz-checksum-sha256"}


def test_confirmation_before_the_upload_asks_again(storage: str, photo: Photo) -> None:
    with pytest.raises(BadPicture) as refusal:
        direct_upload.confirm_upload(photo)

    assert [problem.code for problem in refusal.value.problems] == ["not_arrived"]


def test_too_large_photo_has_no_address_and_is_not_read(
    storage: str, phone: Phone, photo: Photo, settings: Settings
) -> None:
    settings.PHOTO_MAX_BYTES = 100
    evidence.storage().save(direct_upload.incoming_path(photo), evidence.ContentFile(RAW))

    answer = phone.client.post(f"/phone/photos/{photo.pk}/put")

    assert address_of(phone, photo)["url"] == ""
    assert answer.json()["problems"][0]["code"] == "too_large"


@pytest.mark.parametrize("size", ["", "-1", "much", "0"])
def test_odd_size_has_no_address(storage: str, phone: Phone, photo: Photo, size: str) -> None:
    assert phone.json(f"/phone/photos/{photo.pk}/address", size=size)["url"] == ""


def test_another_engineers_photo_is_not_there(storage: str, photo: Photo) -> None:
    other_phone = Phone(make.engineer())

    assert address_of(other_phone, photo)["url"] == ""
    assert other_phone.client.post(f"/phone/photos/{photo.pk}/put").status_code == 404


def test_disk_and_a_bucket_that_says_nothing_offer_no_address(phone: Phone, photo: Photo) -> None:
    assert address_of(phone, photo)["url"] == ""


@pytest.mark.parametrize(
    ("url", "origins"),
    [
        ("file:///var/evidence", []),
        ("s3://evidence?region=eu-west-2", []),
        ("s3://evidence?endpoint=https://s3.example.net:9000&direct=no", []),
        ("s3://evidence?endpoint=https://s3.example.net:9000&direct=yes", ["https://s3.example.net:9000"]),
        (
            "s3://evidence?endpoint=https://s3.example.net&addressing=virtual&direct=yes",
            ["https://evidence.s3.example.net"],
        ),
        (
            "s3://evidence?region=eu-west-2&direct=yes",
            ["https://evidence.s3.amazonaws.com", "https://evidence.s3.eu-west-2.amazonaws.com"],
        ),
    ],
)
def test_policy_follows_the_address_of_the_bucket(url: str, origins: list[str]) -> None:
    assert direct_origins(url) == origins


def test_installed_phones_learn_where_the_bucket_is(settings: Settings) -> None:
    """Their worker keeps the page with its policy until there is another version."""
    before = pwa.version.__wrapped__()
    directives = {**settings.CONTENT_SECURITY_POLICY["DIRECTIVES"], "connect-src": ["https://s3.example.net"]}
    settings.CONTENT_SECURITY_POLICY = {"DIRECTIVES": directives}

    assert pwa.version.__wrapped__() != before


def test_invalid_value_of_direct_stops_the_start() -> None:
    with pytest.raises(ImproperlyConfigured, match="direct is yes or no"):
        evidence_storage("s3://evidence?direct=maybe")
