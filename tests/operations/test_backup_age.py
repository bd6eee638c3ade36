"""The newest backup's age: an alarm until the next complete one, and a figure."""

import json
import os
import shutil
import threading
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone, translation
from pytest_django import Settings

from background.tasks import SCHEDULES
from monitoring import alarms, file_systems, metrics
from monitoring.models import Alarm, AlarmKind
from monitoring.task_queue import REGISTERED
from operations.backup_age import BackupCollector, newest_backup_at
from operations.backup_folders import MANIFEST, NAME_FORMAT, UNFINISHED, backups
from operations.tasks import watch_backups
from tests.background.worker_process import eventually

pytestmark = pytest.mark.django_db


@pytest.fixture
def folder(tmp_path: Path, settings: Settings) -> Path:
    settings.BACKUP_FOLDER, settings.BACKUP_WARNING_HOURS = str(tmp_path / "backups"), 30
    return tmp_path / "backups"


def complete_backup(folder: Path, *, hours: float) -> Path:
    """One that was begun so many hours ago."""
    path = folder / (timezone.now() - timedelta(hours=hours)).strftime(NAME_FORMAT)
    path.mkdir(parents=True)
    (path / MANIFEST).write_text("{}")
    return path


def open_texts() -> list[str]:
    return [str(alarms.text_of(alarm)) for alarm in alarms.open_alarms()]


def age_line() -> str:
    text = metrics.render_metrics(BackupCollector()).decode()
    return next((line for line in text.splitlines() if line.startswith("backup_age_seconds")), "")


def test_folder_that_is_away_is_an_alarm(settings: Settings, tmp_path: Path) -> None:
    # as a stale mount, an error of the file system that is none of "not there"
    settings.BACKUP_FOLDER = str(tmp_path / ("x" * 300))

    watch_backups()

    assert open_texts()[0].startswith("There is no complete backup")
    assert (newest_backup_at(), age_line()) == (None, "backup_age_seconds +Inf")


def test_folder_that_hangs_is_an_alarm(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_systems, "ANSWER_SECONDS", 0.2)
    manifest = complete_backup(folder, hours=1) / MANIFEST
    manifest.unlink()
    # whoever opens it waits
    os.mkfifo(manifest)

    watch_backups()
    threads = threading.active_count()
    watch_backups()

    assert open_texts()[0].startswith("There is no complete backup")
    assert threading.active_count() == threads
    manifest.write_text("{}")
    assert eventually(lambda: newest_backup_at() is not None)


def test_old_backup_is_an_alarm_until_the_next_one(folder: Path) -> None:
    complete_backup(folder, hours=31)
    watch_backups()
    watch_backups()

    alarm = Alarm.objects.get()
    assert (alarm.kind, alarm.cleared_at) == (AlarmKind.BACKUP_OVERDUE, None)
    assert open_texts()[0].startswith(f"The newest complete backup in {folder} is of ")
    with translation.override("de"):
        assert open_texts()[0].startswith(f"Die neueste vollständige Sicherung in {folder} ist von ")

    complete_backup(folder, hours=1)
    watch_backups()
    assert open_texts() == []


def test_recent_backup_is_no_alarm(folder: Path) -> None:
    complete_backup(folder, hours=29)
    watch_backups()

    assert not Alarm.objects.exists()


def test_no_backup_is_an_alarm(folder: Path) -> None:
    watch_backups()

    assert open_texts() == [
        f"There is no complete backup in {folder}, or the folder can't be read. Read the log of the backup, and make "
        "one now."
    ]


def test_only_complete_backups_count(folder: Path) -> None:
    old = complete_backup(folder, hours=40)
    (folder / timezone.now().strftime(NAME_FORMAT)).mkdir()
    complete_backup(folder, hours=0.5).rename(folder / f".2026-11-24T031500Z.7{UNFINISHED}")
    complete_backup(folder, hours=0.25).rename(folder / "2026 before the upgrade")

    newest_at = newest_backup_at()
    assert newest_at is not None and newest_at.strftime(NAME_FORMAT) == old.name


def test_backup_dated_in_the_future_is_an_alarm_and_hides_no_overdue_one(folder: Path) -> None:
    future = complete_backup(folder, hours=-24 * 3650)
    watch_backups()
    assert open_texts()[0].startswith(f"The backup {future} is dated in the future and does not count.")
    assert age_line() == "backup_age_seconds +Inf"

    complete_backup(folder, hours=31)
    watch_backups()
    assert open_texts()[0].startswith(f"The newest complete backup in {folder} is of ")
    complete_backup(folder, hours=1)
    watch_backups()
    assert open_texts()[0].startswith(f"The backup {future} is dated in the future")
    with translation.override("de"):
        assert open_texts()[0].startswith(f"Die Sicherung {future} ist auf die Zukunft datiert")

    shutil.rmtree(future)
    watch_backups()
    assert open_texts() == []


def test_backup_of_a_clock_a_little_ahead_is_no_alarm(folder: Path) -> None:
    complete_backup(folder, hours=-0.1)
    watch_backups()

    assert open_texts() == []


def test_newest_backup_that_lacks_photos_is_an_alarm(folder: Path) -> None:
    complete_backup(folder, hours=2)
    newest = complete_backup(folder, hours=1)
    (newest / MANIFEST).write_text(json.dumps({"problems": ["a.jpg is missing", "b.jpg is missing"]}))
    watch_backups()

    assert open_texts()[0].startswith(
        f"The newest backup ({newest}) is incomplete. Photos that are missing or damaged: 2."
    )
    with translation.override("de"):
        assert open_texts()[0].startswith(f"Die neueste Sicherung ({newest}) ist unvollständig.")
    complete_backup(folder, hours=0.5)
    watch_backups()
    assert open_texts() == []


def test_newest_backup_without_a_readable_manifest_is_an_alarm(folder: Path) -> None:
    (complete_backup(folder, hours=1) / MANIFEST).write_text("{")
    watch_backups()

    assert open_texts()[0].startswith(f"There is no complete backup in {folder}")


def test_no_folder_to_watch_is_no_alarm_and_clears_an_old_one(folder: Path, settings: Settings) -> None:
    watch_backups()
    settings.BACKUP_FOLDER = ""
    watch_backups()

    assert (open_texts(), age_line()) == ([], "")


def test_age_is_a_figure(folder: Path) -> None:
    assert age_line() == "backup_age_seconds +Inf"

    complete_backup(folder, hours=2)
    assert 7200 <= float(age_line().split()[1]) < 7300


def test_worker_looks_again_and_again() -> None:
    function, _kind, minutes = SCHEDULES["watch_backups"]

    assert (function in REGISTERED, minutes) == (True, 10)


@pytest.mark.django_db(transaction=True)
def test_backup_goes_to_the_watched_folder(folder: Path) -> None:
    call_command("backup", "--without-evidence", stdout=StringIO())
    watch_backups()

    assert (len(backups(folder)), open_texts()) == (1, [])


def test_backup_without_any_folder_is_refused(settings: Settings) -> None:
    settings.BACKUP_FOLDER = ""

    with pytest.raises(CommandError, match="set BACKUP_FOLDER"):
        call_command("backup")
