"""manage.py backup --keep-days, and what must never be deleted by it."""

import gzip
import hashlib
import json
import os
import shutil
import tracemalloc
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone, translation
from pytest_django import Settings

from closures.models import Photo
from closures.photos import evidence
from monitoring import alarms
from operations.backup_folders import NAME_FORMAT, backups
from operations.backup_retention import NotDeleted, delete_old_backups
from operations.tasks import watch_backups
from tests import make
from tests.operations.backups import back_up
from tests.servers import small_disk

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgresql]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "backups"


def dated(backup: Path, *, days: float) -> Path:
    """The same backup as if it had been made so many days ago."""
    name = (timezone.now() - timedelta(days=days)).strftime(NAME_FORMAT)
    return backup.rename(backup.with_name(name))


def photo_of_no_backup(folder: Path) -> Path:
    path = folder / "evidence" / "jobs" / "PJ-1" / "PHO01" / "purged.jpg"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"of a photo that was purged")
    return path


def test_old_backups_end_with_the_photos_that_only_they_name(photo: Photo, folder: Path) -> None:
    old = dated(back_up(folder), days=15)
    recent = dated(back_up(folder), days=1)
    forgotten = photo_of_no_backup(folder)

    newest = back_up(folder, "--keep-days", "14")

    assert (old.exists(), forgotten.exists(), backups(folder)) == (False, False, [recent, newest])
    assert (folder / "evidence" / evidence.object_path(photo)).exists()


def enlarge(photo: Photo, *, megabytes: int) -> None:
    content = os.urandom(megabytes << 20)
    Path(evidence.storage().path(evidence.object_path(photo))).write_bytes(content)
    Photo.objects.filter(pk=photo.pk).update(stored_sha256=hashlib.sha256(content).hexdigest())


@pytest.mark.skipif(bool(small_disk.missing()), reason=small_disk.missing() or "-")
def test_old_backups_free_space_for_the_new_one(photo: Photo, tmp_path: Path, settings: Settings) -> None:
    """A backup that stops for space would else never come as far as deleting them, tonight or any other night."""
    settings.DISK_FREE_MB = 3
    enlarge(photo, megabytes=3)
    with small_disk.mounted(tmp_path / "backups", megabytes=10) as folder:
        old = dated(back_up(folder), days=15)
        Photo.objects.update(purged_at=timezone.now())
        recent = dated(back_up(folder), days=1)
        copied, not_copied = (make.photo(photo.job, question_code=code) for code in ("PHO02", "PHO03"))
        enlarge(copied, megabytes=3)
        enlarge(not_copied, megabytes=2)

        with pytest.raises(CommandError, match=r"No backup was made: .* MB free, fewer than 3"):
            back_up(folder)
        assert backups(folder) == [old, recent]
        newest = back_up(folder, "--keep-days", "14")

        assert backups(folder) == [recent, newest]
        paths = [folder / "evidence" / evidence.object_path(each) for each in (photo, copied, not_copied)]
        assert [path.exists() for path in paths] == [False, True, True]


def test_newest_backup_stays_however_old(photo: Photo, folder: Path) -> None:
    back_up(folder, "--without-evidence")
    shutil.rmtree(backups(folder)[0])
    only = back_up(folder, "--without-evidence", "--keep-days", "1")

    assert backups(folder) == [only]
    assert not (only / "evidence.jsonl.gz").exists()


@pytest.mark.parametrize("name", ["2020 before the upgrade", "before the upgrade"])
def test_backup_that_somebody_renamed_stays_with_its_photos(photo: Photo, folder: Path, name: str) -> None:
    back_up(folder).rename(folder / name)
    Photo.objects.update(purged_at=timezone.now())

    back_up(folder, "--keep-days", "14")

    assert (folder / name).exists()
    assert (folder / "evidence" / evidence.object_path(photo)).exists()


def test_clock_far_ahead_deletes_no_backup(photo: Photo, folder: Path) -> None:
    """Seen from that clock, all others are years old. A person says that the clock is right, and no later night."""
    old = [dated(back_up(folder), days=days) for days in (402, 401, 400)]

    for days_ago in (2, 1):
        with pytest.raises(
            CommandError, match=r"The backup was made, but old ones were not deleted.*Check the clock"
        ):
            back_up(folder, "--keep-days", "14")
        dated(backups(folder)[-1], days=days_ago)
    assert all(path.exists() for path in old)

    back_up(folder, "--keep-days", "14", "--clock-is-right")
    assert not any(path.exists() for path in old)


def test_clock_far_ahead_deletes_none_before_a_backup_either(photo: Photo, folder: Path) -> None:
    """As with too little space, where tonight's is not made yet."""
    old = [dated(back_up(folder), days=days) for days in (402, 401, 400)]

    with pytest.raises(NotDeleted, match=f"Today is 400 days after {old[-1].name}"):
        delete_old_backups(folder, keep_days=14)

    assert backups(folder) == old


def test_backups_that_are_not_deleted_are_an_alarm_until_they_are(
    photo: Photo, folder: Path, settings: Settings
) -> None:
    settings.BACKUP_FOLDER = str(folder)
    old = dated(back_up(folder), days=400)
    with pytest.raises(CommandError):
        back_up(folder, "--keep-days", "14")

    watch_backups()
    text = str(alarms.text_of(alarms.open_alarms().get()))
    assert text.startswith("Old backups were not deleted") and old.name in text
    with translation.override("de"):
        german = str(alarms.text_of(alarms.open_alarms().get()))
    assert old.name in german and "ginge eine Uhr falsch" in german

    dated(backups(folder)[-1], days=1)
    back_up(folder, "--keep-days", "14", "--clock-is-right")
    watch_backups()
    assert not alarms.open_alarms().exists()


def test_backup_that_keeps_all_ends_the_alarm(photo: Photo, folder: Path, settings: Settings) -> None:
    settings.BACKUP_FOLDER = str(folder)
    old = dated(back_up(folder), days=400)
    with pytest.raises(CommandError):
        back_up(folder, "--keep-days", "14")
    dated(backups(folder)[-1], days=1)
    watch_backups()
    assert alarms.open_alarms().exists()

    back_up(folder)
    watch_backups()
    assert (old.exists(), alarms.open_alarms().exists()) == (True, False)


def test_backup_dated_in_the_future_is_not_the_newest(photo: Photo, folder: Path) -> None:
    only = dated(back_up(folder), days=20)
    future = dated(back_up(folder), days=-3650)

    assert delete_old_backups(folder, keep_days=14) == []
    assert backups(folder) == [only, future]


def test_unreadable_list_of_photos_stops_deleting_and_the_backup_is_made(photo: Photo, folder: Path) -> None:
    old, recent = dated(back_up(folder), days=15), dated(back_up(folder), days=1)
    listed = recent / "evidence.jsonl.gz"
    listed.write_bytes(listed.read_bytes()[:-12])

    with pytest.raises(CommandError, match=f"The backup was made, but old ones were not deleted: {listed}"):
        back_up(folder, "--keep-days", "14")

    assert (len(backups(folder)), old.exists()) == (3, True)


@pytest.mark.parametrize("days", ["-1", "999999", "much", "1.5", ""])
def test_days_that_cannot_be_meant_are_refused(folder: Path, days: str) -> None:
    with pytest.raises(CommandError, match=r"--keep-days: .* is not a number of days from 0 to 3650"):
        call_command("backup", str(folder), f"--keep-days={days}")

    assert not folder.exists()


def test_photos_do_not_fill_the_memory(folder: Path) -> None:
    """Each night the paths of all photos would be some 500 MB after months, and the kernel kills at 600."""
    backup = folder / timezone.now().strftime(NAME_FORMAT)
    names = [f"jobs/PJ-{number // 100}/PHO01/{number}.jpg" for number in range(10_000)]
    for name in names:
        (folder / "evidence" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "evidence" / name).touch()
    backup.mkdir()
    (backup / "manifest.json").touch()
    with gzip.open(backup / "evidence.jsonl.gz", "wt") as file:
        file.writelines(json.dumps({"path": name}) + "\n" for name in names[1:])

    tracemalloc.start()
    delete_old_backups(folder, keep_days=14)
    _now, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < 500_000
    assert [(folder / "evidence" / name).exists() for name in names[:2]] == [False, True]
