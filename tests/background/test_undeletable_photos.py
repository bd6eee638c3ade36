"""A photo whose file cannot be deleted: the others go, it is an alarm, and an erasure says so."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from pytest_django import Settings

from background import erasure, personal_data
from closures.models import Photo
from closures.photos import evidence
from closures.retention import PhotosNotDeleted, expired_photos
from config.storage import evidence_storage
from dispatch.models import Job
from dispatch.states import JobState
from monitoring.alarms import open_alarms, text_of
from monitoring.models import AlarmKind
from seller_link.models import OutboundMessage, OutboundState
from tests import make

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def folder(tmp_path: Path, settings: Settings) -> Path:
    """Of the evidence."""
    settings.STORAGES = {**settings.STORAGES, "evidence": evidence_storage(f"file://{tmp_path}")}
    settings.RETENTION_PHOTO_DAYS = settings.RETENTION_SIGNATURE_DAYS = 90
    return tmp_path


@pytest.fixture
def job(folder: Path) -> Job:
    """Closed, with photos and signatures, and all messages delivered."""
    job = make.job(at_state=JobState.ON_SITE)
    make.scan(job)
    make.result(job, 1)
    make.answer_all(job)
    make.close(job)
    OutboundMessage.objects.update(state=OutboundState.SENT, sent_at=timezone.now())
    return job


def obstruct(folder: Path, photo: Photo) -> Path:
    """What stands where its file was cannot be deleted as a file; deletable again when it is removed."""
    path = folder / evidence.object_path(photo)
    path.unlink()
    (path / "something").mkdir(parents=True)
    return path / "something"


def test_others_are_purged_and_an_alarm_lasts_until_it_is_too(
    job: Job, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # the first batch is full of what cannot be deleted
    monkeypatch.setattr(personal_data, "BATCH_SIZE", 1)
    later = timezone.now() + timedelta(days=100)
    number, stuck = expired_photos(later).count(), expired_photos(later).order_by("pk")[0]
    obstacle = obstruct(folder, stuck)

    counts = personal_data.purge(later)

    assert (counts["photos"], counts["signatures"] > 0) == (number - 1, True)
    assert [photo.pk for photo in Photo.objects.stored()] == [stuck.pk]
    (alarm,) = open_alarms()
    assert (alarm.kind, alarm.subject) == (AlarmKind.DUTY_FAILING, "purge of photos")
    assert "could not be deleted (OSError): 1." in str(text_of(alarm))

    personal_data.purge(later, seconds=0)
    assert open_alarms().exists()
    obstacle.rmdir()
    assert personal_data.purge(later)["photos"] == 1
    assert not open_alarms().exists()


def test_bucket_that_deletes_nothing_ends_the_purge_of_photos(
    job: Job, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(personal_data, "BATCH_SIZE", 1)
    monkeypatch.setattr(personal_data, "MOST_FAILURES", 2)
    later = timezone.now() + timedelta(days=100)
    for photo in Photo.objects.stored():
        obstruct(folder, photo)

    counts = personal_data.purge(later)

    assert (counts["photos"], counts["signatures"]) == (0, 0)
    assert "(OSError): 2." in str(text_of(open_alarms().get(subject="purge of photos")))


def test_erasure_that_cannot_delete_a_signature_fails(job: Job, folder: Path) -> None:
    signature = make.photo(job, question_code="SIG01")
    Photo.objects.filter(pk=signature.pk).update(signer="Pat Tester")
    obstacle = obstruct(folder, signature)

    with pytest.raises(PhotosNotDeleted):
        erasure.erase_customer(job.provider_job_id)

    obstacle.rmdir()
    assert erasure.erase_customer(job.provider_job_id)["signatures"] == 1


def test_command_says_that_nothing_else_of_the_customer_was_erased(job: Job, folder: Path) -> None:
    signature = Photo.objects.stored().filter(question_code="SIG01").first()
    assert signature
    obstruct(folder, signature)

    with pytest.raises(CommandError, match="Nothing else of this person was erased"):
        call_command("personal_data", "erase", "--customer", str(job), "--yes")

    job.refresh_from_db()
    assert (job.anonymised_at, job.contact_name) == (None, "Pat Tester")
