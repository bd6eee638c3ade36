"""PUT /phone/photos/<uuid>: stored once, refused with a sentence, never another engineer's."""

import hashlib
import uuid

import pytest
from pytest_django import Settings

from closures.models import Photo
from dispatch.models import Job
from dispatch.states import JobState
from engineers.models import Engineer
from tests import make
from tests.phone.phone import Phone

RAW = make.jpeg()


@pytest.fixture
def job(engineer: Engineer) -> Job:
    return make.job(at_state=JobState.ON_SITE, to=engineer)


def announce(phone: Phone, job: Job, raw: bytes = RAW) -> str:
    photo_id = str(uuid.uuid4())
    body = {
        "photo_id": photo_id,
        "question": "PHO01",
        "taken_at": "2026-11-23T09:00:00+00:00",
        "sha256": hashlib.sha256(raw).hexdigest(),
        "source": "camera",
    }
    assert phone.say("photo_taken", job, body)["outcome"] == "applied"
    return photo_id


def test_photo_is_stored_and_the_same_again_changes_nothing(phone: Phone, job: Job) -> None:
    photo_id = announce(phone, job)
    first = phone.put(photo_id, RAW)
    stored_at = Photo.objects.get().stored_at
    second = phone.put(photo_id, RAW)

    assert first.json() == {"photo_id": photo_id, "sha256": hashlib.sha256(RAW).hexdigest(), "stored": True}
    assert (second.status_code, second.json()) == (200, first.json())
    assert (stored_at is not None, Photo.objects.get().stored_at) == (True, stored_at)


def test_photo_with_another_hash_is_refused(phone: Phone, job: Job) -> None:
    answer = phone.put(announce(phone, job), make.jpeg(colour="crimson"))

    assert (answer.status_code, answer.json()["problems"][0]["code"]) == (422, "hash_differs")
    assert Photo.objects.stored().count() == 0


def test_something_else_than_a_picture_is_refused(phone: Phone, job: Job) -> None:
    answer = phone.put(announce(phone, job, b"%PDF-1.7"), b"%PDF-1.7")

    assert (answer.status_code, answer.json()["problems"][0]["code"]) == (422, "wrong_type")


def test_photo_that_nobody_announced_is_not_there(phone: Phone, job: Job) -> None:
    assert phone.put(str(uuid.uuid4()), RAW).status_code == 404


def test_photo_of_another_engineer_is_not_there(phone: Phone, job: Job) -> None:
    assert Phone(make.engineer()).put(announce(phone, job), RAW).status_code == 404


@pytest.mark.parametrize(("verb", "step"), [("PUT", ""), ("GET", "/address"), ("POST", "/put")])
def test_upload_of_a_queue_of_another_engineer_waits_for_them(
    phone: Phone, job: Job, verb: str, step: str
) -> None:
    path = f"/phone/photos/{announce(phone, job)}{step}?engineer={phone.engineer.staff_number}"
    other, own = (Phone(owner).client.generic(verb, path) for owner in (make.engineer(), phone.engineer))

    assert (other.status_code, other.json()["error"]) == (409, "other_engineer")
    assert own.status_code != 409


def test_too_large_photo_is_refused(phone: Phone, job: Job, settings: Settings) -> None:
    photo_id = announce(phone, job)
    settings.PHOTO_MAX_BYTES = 1024

    assert phone.put(photo_id, RAW + b"x" * 1024).status_code == 413


def test_photo_larger_than_a_form_may_be_is_stored(phone: Phone, job: Job, settings: Settings) -> None:
    photo_id = announce(phone, job)
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 100

    assert phone.put(photo_id, RAW).status_code == 200
