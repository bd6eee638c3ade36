"""manage.py backup: one moment, every photo once, never half, never over another."""

import gzip
import json
import os
import stat
import subprocess
import sys
import threading
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone
from pytest_django import Settings

from closures.models import Photo
from closures.photos import evidence
from dispatch.models import Job
from operations import table_rows
from operations.backup_folders import LOCK, backups, lock_folder
from tests import make
from tests.background import worker_process
from tests.background.worker_process import eventually
from tests.conventions.sources import ROOT
from tests.engineers.test_admin import signed_in
from tests.operations import installations
from tests.operations.backups import back_up
from tests.servers import small_disk

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgresql]


def manifest(backup: Path) -> dict[str, object]:
    return json.loads((backup / "manifest.json").read_text())


def rows(backup: Path, table: str) -> list[list[object]]:
    with gzip.open(backup / "database" / f"{table}.jsonl.gz", "rt") as file:
        return [json.loads(line) for line in file][1:]


def test_backup_is_whole_while_others_write(photo: Photo, tmp_path: Path) -> None:
    stop = threading.Event()

    def write() -> None:
        while not stop.is_set():
            make.job()
        connection.close()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        backup = back_up(tmp_path / "backups")
    finally:
        stop.set()
        writer.join()

    # each job is committed with its event
    jobs = {row[0] for row in rows(backup, "dispatch.Job")}
    events = rows(backup, "dispatch.JobEvent")
    assert 0 < len(jobs) <= len(events)
    assert len(jobs) <= Job.objects.count()
    assert manifest(backup)["rows"]["dispatch.JobEvent"] == len(events)


def test_photo_stored_by_a_machine_whose_clock_is_ahead_is_in_the_backup(
    photo: Photo, tmp_path: Path
) -> None:
    Photo.objects.update(stored_at=timezone.now() + timedelta(hours=1))

    backup = back_up(tmp_path / "backups")

    assert [row[0] for row in rows(backup, "closures.Photo")] == [str(photo.pk)]
    assert [json.loads(line)["path"] for line in installations.unpacked(backup / "evidence.jsonl.gz")] == [
        evidence.object_path(photo)
    ]
    assert (tmp_path / "backups" / "evidence" / evidence.object_path(photo)).is_file()


def test_backup_is_for_its_owner_only(photo: Photo, tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        backup = back_up(tmp_path / "backups")
    finally:
        os.umask(before)

    assert stat.S_IMODE(backup.stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "backups").stat().st_mode) == 0o700


def test_whoever_reads_a_backup_is_not_signed_in(photo: Photo, tmp_path: Path, settings: Settings) -> None:
    client = signed_in(make.dispatcher())
    key = client.cookies[settings.SESSION_COOKIE_NAME].value

    backup = back_up(tmp_path / "backups")

    files = [path.read_bytes() for path in backup.rglob("*") if path.is_file()]
    texts = [gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data for data in files]
    assert b"dispatcher" in b"".join(texts)
    assert [text for text in texts if key.encode() in text] == []


def test_photo_is_copied_once_and_listed_in_each_backup(photo: Photo, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    first = back_up(folder)
    copy = folder / "evidence" / evidence.object_path(photo)
    copied_at = copy.stat().st_mtime_ns
    first.rename(folder / "2026-01-01T000000Z")

    second = back_up(folder)

    assert copy.stat().st_mtime_ns == copied_at
    assert copy.read_bytes() == evidence.read_file(photo)
    assert gzip.decompress((second / "evidence.jsonl.gz").read_bytes()).count(b"\n") == 1


def test_copy_that_was_damaged_is_made_again(photo: Photo, tmp_path: Path) -> None:
    back_up(tmp_path / "backups").rename(tmp_path / "backups" / "2026-01-01T000000Z")
    copy = tmp_path / "backups" / "evidence" / evidence.object_path(photo)
    copy.write_bytes(b"bits that fell over")

    back_up(tmp_path / "backups")

    assert copy.read_bytes() == evidence.read_file(photo)


def test_missing_photo_is_named_and_the_backup_is_kept(photo: Photo, tmp_path: Path) -> None:
    evidence.storage().delete(evidence.object_path(photo))
    errors = StringIO()

    with pytest.raises(SystemExit) as ended:
        call_command("backup", tmp_path / "backups", stdout=StringIO(), stderr=errors)

    assert ended.value.code == 1
    assert f"{evidence.object_path(photo)} is missing" in errors.getvalue()
    assert len(backups(tmp_path / "backups")) == 1


def test_photo_that_cannot_be_read_is_named_and_the_backup_is_kept(photo: Photo, tmp_path: Path) -> None:
    path = tmp_path / "evidence" / evidence.object_path(photo)
    path.unlink()
    # as a bad sector or a wrong owner, an error of the one file
    path.mkdir()
    errors = StringIO()

    with pytest.raises(SystemExit) as ended:
        call_command("backup", tmp_path / "backups", stdout=StringIO(), stderr=errors)

    assert ended.value.code == 1
    assert f"{evidence.object_path(photo)} could not be read: " in errors.getvalue()
    (made,) = backups(tmp_path / "backups")
    assert len(rows(made, "closures.Photo")) == 1


def test_unfinished_backups_of_killed_ones_are_deleted(photo: Photo, tmp_path: Path) -> None:
    """They hold personal data, outside of every retention, and may be why the disk is full."""
    unfinished = tmp_path / "backups" / ".2026-11-20T000000Z.4711.unfinished"
    (unfinished / "database").mkdir(parents=True)

    back_up(tmp_path / "backups")

    assert not unfinished.exists()


def test_backup_that_is_stopped_leaves_nothing(photo: Photo, tmp_path: Path) -> None:
    folder, path = tmp_path / "backups", tmp_path / "evidence" / evidence.object_path(photo)
    path.unlink()
    # whoever opens it waits
    os.mkfifo(path)
    process = subprocess.Popen(
        [sys.executable, "manage.py", "backup", str(folder)],
        cwd=ROOT,
        env=worker_process.environment(tmp_path / "evidence"),
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert eventually(lambda: bool(list(folder.glob(".*.unfinished/evidence.jsonl.gz"))))
        process.terminate()
        _, errors = process.communicate(timeout=60)
    finally:
        process.kill()

    assert (process.returncode, "Stopped by SIGTERM" in errors) == (1, True)
    assert [path.name for path in folder.iterdir() if path.name != "evidence"] == [LOCK]


def test_second_backup_into_one_folder_is_refused(photo: Photo, tmp_path: Path) -> None:
    """Its retention would delete the photos that the first one has copied and not named yet."""
    folder = tmp_path / "backups"
    back_up(folder).rename(folder / "2026-01-01T000000Z")
    copied = folder / "evidence" / "not-named-yet.jpg"
    copied.write_bytes(b"a photo")

    with (
        lock_folder(folder),
        pytest.raises(CommandError, match=r"No backup was made: process \d+ on .*since"),
    ):
        call_command("backup", folder, "--keep-days", "14")

    assert (len(backups(folder)), copied.exists()) == (1, True)
    assert back_up(folder) in backups(folder)


def test_full_disk_leaves_no_backup(photo: Photo, tmp_path: Path) -> None:
    (tmp_path / "backups").write_text("a file where the folder should be")

    with pytest.raises(CommandError, match="No backup was made"):
        call_command("backup", tmp_path / "backups")


def test_backup_leaves_free_space_to_the_database(photo: Photo, tmp_path: Path, settings: Settings) -> None:
    settings.DISK_FREE_MB = 10**9

    with pytest.raises(CommandError, match=r"No backup was made: .* MB free, fewer than 1000000000"):
        call_command("backup", tmp_path / "backups")

    assert [path.name for path in (tmp_path / "backups").iterdir()] == [LOCK]


@pytest.mark.skipif(bool(small_disk.missing()), reason=small_disk.missing() or "-")
def test_photos_leave_free_space_too(photo: Photo, tmp_path: Path, settings: Settings) -> None:
    settings.DISK_FREE_MB = 4
    (tmp_path / "evidence" / evidence.object_path(photo)).write_bytes(os.urandom(5 << 20))

    with small_disk.mounted(tmp_path / "backups", megabytes=8) as folder:
        with pytest.raises(CommandError, match=r"No backup was made: .* 3 MB free, fewer than 4"):
            call_command("backup", folder)

        assert [path for path in folder.rglob("*") if path.is_file()] == [folder / LOCK]


@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="of SQLite only")
def test_writers_do_not_wait_for_a_backup(photo: Photo) -> None:
    done = threading.Event()

    def write() -> None:
        make.job()
        connection.close()
        done.set()

    with table_rows.one_moment():
        before = Job.objects.count()
        writer = threading.Thread(target=write)
        writer.start()
        assert done.wait(timeout=60)
        assert Job.objects.count() == before
    writer.join()
    assert Job.objects.count() == before + 1


@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="of SQLite only")
def test_damaged_database_is_not_backed_up(tmp_path: Path) -> None:
    broken = installations.on_sqlite(tmp_path / "broken")
    database = tmp_path / "broken" / "database.sqlite3"
    # the first page names the tables; behind it, some of what they hold is overwritten
    with database.open("r+b") as file:
        file.seek(20 * 4096)
        file.write(os.urandom(40 * 4096))

    done = broken.run("backup", str(tmp_path / "backups"))

    assert done.returncode == 1
    assert "No backup was made" in done.stderr
    assert [path.name for path in (tmp_path / "backups").iterdir()] == [LOCK]
