"""manage.py personal_data where something is missing: a file that is whole or none, and a sentence for what fails."""

import sys
import zipfile
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from closures.models import Photo
from closures.photos import evidence
from dispatch.states import JobState
from tests import make
from tests.servers import small_disk

pytestmark = pytest.mark.django_db


def export(target: Path, *, contact: str = "pat@example.com") -> str:
    """What it writes to standard error."""
    errors = StringIO()
    call_command(
        "personal_data", "export", "--customer", contact, str(target), stdout=StringIO(), stderr=errors
    )
    return errors.getvalue()


@pytest.mark.skipif(bool(small_disk.missing()), reason=small_disk.missing() or "-")
def test_full_disk_leaves_no_broken_zip(tmp_path: Path) -> None:
    make.job()
    with small_disk.mounted(tmp_path / "disk", megabytes=1) as disk:
        balloon = small_disk.fill(disk)
        with pytest.raises(CommandError, match=r"pat\.zip cannot be written: No space left on device"):
            export(disk / "pat.zip")
        assert list(disk.iterdir()) == [balloon]
        balloon.unlink()

        export(disk / "pat.zip")

        assert zipfile.ZipFile(disk / "pat.zip").testzip() is None


def test_photo_that_the_storage_has_lost_is_listed(tmp_path: Path) -> None:
    job = make.job(at_state=JobState.ON_SITE)
    make.answer_all(job)
    make.photo(job, question_code="PHO01")
    photos = list(Photo.objects.stored().filter(job=job).order_by("pk"))
    lost = photos[0]
    evidence.storage().delete(evidence.object_path(lost))

    errors = export(tmp_path / "pat.zip")

    name = f"{lost.question_code}-{lost.pk}.jpg"
    with zipfile.ZipFile(tmp_path / "pat.zip") as zipped:
        stored = [entry for entry in zipped.namelist() if entry.startswith("photos/")]
        assert zipped.read("missing_photos.txt").decode() == f"{name}\n"
    assert len(stored) == len(photos) - 1
    assert errors == f"Missing in the evidence storage: {name}\n"


def test_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    make.job()

    with pytest.raises(CommandError, match=r"none/pat\.zip cannot be written: No such file or directory"):
        export(tmp_path / "none" / "pat.zip")


@pytest.mark.parametrize("action", [("export",), ("erase", "--yes")])
@pytest.mark.parametrize(
    ("person", "message"), [("--customer", "No job has"), ("--engineer", "No engineer has")]
)
def test_person_without_a_name_is_nobody(
    tmp_path: Path, action: tuple[str, ...], person: str, message: str
) -> None:
    file = [str(tmp_path / "pat.zip")] if action == ("export",) else []

    with pytest.raises(CommandError, match=message):
        call_command("personal_data", *action, person, "", *file)


def test_erasure_without_a_terminal_changes_nothing_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    job = make.job()
    with Path("/dev/null").open() as nobody:
        monkeypatch.setattr(sys, "stdin", nobody)
        with pytest.raises(CommandError, match="nobody is there to answer"):
            call_command("personal_data", "erase", "--customer", "pat@example.com")

    job.refresh_from_db()
    assert job.contact_email == "pat@example.com"
