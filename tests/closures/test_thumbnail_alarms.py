"""The alarm about a photo of which no thumbnail could be made ends when nobody needs the photo any more."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from pytest_django import Settings

from closures import answers, tasks
from closures.models import Photo, Thumbnail
from closures.photos.thumbnails import MAX_ATTEMPTS
from closures.retention import purge_photos
from config.storage import evidence_storage
from dispatch.models import Job
from dispatch.states import JobState
from engineers.models import Role
from monitoring import alarms
from monitoring.alarms import open_alarms
from monitoring.models import AlarmKind
from tests import make

pytestmark = pytest.mark.django_db
CODE = "PHO01"


@pytest.fixture
def photo(tmp_path: Path, settings: Settings) -> Photo:
    """Given up."""
    settings.STORAGES = {**settings.STORAGES, "evidence": evidence_storage(f"file://{tmp_path}")}
    found = stored_photo(make.job(at_state=JobState.ON_SITE))
    give_up(found)
    return found


def stored_photo(job: Job) -> Photo:
    return make.photo(job, question_code=CODE)


def give_up(photo: Photo) -> None:
    Thumbnail.objects.create(photo=photo, attempts=MAX_ATTEMPTS)
    tasks.make_thumbnail(str(photo.pk))


def answer(*photos: Photo) -> None:
    make.record_answer(photos[0].job, CODE, [str(photo.pk) for photo in photos])


def failed() -> list[str]:
    return list(open_alarms().filter(kind=AlarmKind.THUMBNAIL_FAILED).values_list("subject", flat=True))


def test_it_lasts_while_the_photo_answers_its_question(photo: Photo) -> None:
    """Also before the answer has arrived."""
    tasks.sweep()
    assert failed() == [f"photo {photo.pk}"]
    answer(photo)

    tasks.sweep()

    assert failed() == [f"photo {photo.pk}"]


def test_it_ends_when_another_photo_answers(photo: Photo) -> None:
    answer(photo)
    answer(stored_photo(photo.job))

    tasks.sweep()

    assert failed() == []


def test_it_ends_when_the_answer_is_withdrawn(photo: Photo) -> None:
    answer(photo)
    make.act(answers.withdraw_answer, job=photo.job, question_code=CODE)

    tasks.sweep()

    assert failed() == []


def test_it_ends_when_the_office_sends_the_photo_back(photo: Photo) -> None:
    second = stored_photo(photo.job)
    answer(photo, second)
    give_up(second)
    active = photo.job.answers.get(question_code=CODE, withdrawn_at=None)
    answers.send_back_answer(answer=active, photo_id=str(photo.pk))

    tasks.sweep()

    assert failed() == [f"photo {second.pk}"]


def test_photo_that_was_replaced_before_it_was_given_up_raises_none(photo: Photo) -> None:
    second = stored_photo(photo.job)
    answer(second)
    answer(photo)

    give_up(second)

    assert failed() == [f"photo {photo.pk}"]


def test_it_ends_when_the_photo_is_purged(photo: Photo) -> None:
    other = stored_photo(photo.job)
    give_up(other)

    purge_photos(Photo.objects.filter(pk=photo.pk))

    assert failed() == [f"photo {other.pk}"]


def test_somebody_can_say_that_it_is_dealt_with(photo: Photo) -> None:
    by = make.dispatcher(role=Role.SUPERVISOR)
    Photo.objects.update(stored_at=timezone.now() - timedelta(hours=1))

    assert alarms.dismiss_alarm(open_alarms().get(), owner_id=by.pk)

    tasks.make_thumbnail(str(photo.pk))
    tasks.sweep()
    assert failed() == []
