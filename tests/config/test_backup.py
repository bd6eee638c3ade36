"""Back-up and restore: what comes back is what was there, and the links that the seller has still open."""

import json
import os
import shlex
import shutil
import stat
import subprocess
import sys
import threading
import time
from io import StringIO
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import connection
from pytest_django import Settings

from closures import evidence
from closures.models import Photo
from config.storage import evidence_storage
from dispatch.models import Job
from dispatch.states import JobState
from tests import make
from tests.background import worker_process
from tests.conventions.sources import ROOT

pytestmark = pytest.mark.django_db(transaction=True)
COUNTED = ("engineers", "dispatch", "closures", "seller_link")
LOOK = """
import json, sys
from django.apps import apps
from closures import evidence
counts = {model._meta.label: model.objects.count() for name in %r for model in apps.get_app_config(name).get_models()}
opened = evidence.open_signed(%r)
print(json.dumps({"counts": counts, "photo": opened.read().hex() if opened else None}))
"""
on_sqlite = pytest.mark.skipif("connection.vendor != 'sqlite'", reason="of SQLite only")


@pytest.fixture
def photo(tmp_path: Path, settings: Settings) -> Photo:
    (tmp_path / "evidence").mkdir()
    settings.STORAGES = {**settings.STORAGES, "evidence": evidence_storage(f"file://{tmp_path / 'evidence'}")}
    make.engineer()
    return make.photo(make.job(at_state=JobState.ON_SITE), question_code="PHO01")


def counts() -> dict[str, int]:
    return {
        model._meta.label: model.objects.count()
        for name in COUNTED
        for model in apps.get_app_config(name).get_models()
    }


def look(token: str, folder: Path, **variables: str) -> dict[str, object]:
    """What another installation finds that was started with these settings."""
    environment = worker_process.environment(folder, **variables)
    command = [sys.executable, "manage.py", "shell", "-v", "0", "-c", LOOK % (COUNTED, token)]
    done = subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def token_of(photo: Photo) -> str:
    return urlsplit(evidence.url_for(photo)).path.removeprefix("/evidence/")


@on_sqlite
def test_restored_database_is_equal_and_links_open(photo: Photo, tmp_path: Path) -> None:
    before, token = counts(), token_of(photo)
    content = evidence.storage().open(evidence.object_path(photo)).read().hex()
    call_command("backup_sqlite", tmp_path / "copy.sqlite3", stdout=StringIO())
    shutil.copytree(tmp_path / "evidence", tmp_path / "restored-evidence")
    restored = tmp_path / "restored.sqlite3"
    shutil.copy(tmp_path / "copy.sqlite3", restored)
    url = f"sqlite:///{restored}"

    found = look(token, tmp_path / "restored-evidence", DATABASE_URL=url)

    assert found == {"counts": before, "photo": content}
    # without the key the links that the seller has are lost: it belongs to the back-up
    other_key = look(token, tmp_path / "restored-evidence", DATABASE_URL=url, SECRET_KEY="another-key" * 5)
    assert other_key == {"counts": before, "photo": None}


@on_sqlite
def test_copy_is_one_private_file(photo: Photo, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()
    before = os.umask(0o022)
    try:
        call_command("backup_sqlite", folder / "copy.sqlite3", stdout=StringIO())
    finally:
        os.umask(before)

    assert [path.name for path in folder.iterdir()] == ["copy.sqlite3"]
    assert stat.S_IMODE((folder / "copy.sqlite3").stat().st_mode) == 0o600


@on_sqlite
def test_copy_is_whole_while_others_write(photo: Photo, tmp_path: Path) -> None:
    stop = threading.Event()

    def write() -> None:
        while not stop.is_set():
            make.job()
        connection.close()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for number in range(3):
            call_command("backup_sqlite", tmp_path / f"{number}.sqlite3", stdout=StringIO())
    finally:
        stop.set()
        writer.join()

    found = look("none", tmp_path, DATABASE_URL=f"sqlite:///{tmp_path / '2.sqlite3'}")["counts"]
    # each job is committed with its event
    assert 0 < found["dispatch.Job"] <= found["dispatch.JobEvent"]
    assert found["dispatch.Job"] <= Job.objects.count()


@on_sqlite
def test_back_up_is_never_written_over_another(photo: Photo, tmp_path: Path) -> None:
    target = tmp_path / "copy.sqlite3"
    target.write_bytes(b"an older one")

    with pytest.raises(CommandError, match="already exists"):
        call_command("backup_sqlite", target)

    assert target.read_bytes() == b"an older one"


def killed_copy(folder: Path, name: str, *, hours: int) -> Path:
    """What a back-up leaves that was killed with SIGKILL so long ago."""
    left = folder / f".{name}.4711.unfinished"
    left.write_bytes(b"half a copy")
    then = time.time() - hours * 3600
    os.utime(left, (then, then))
    return left


@on_sqlite
def test_copies_of_killed_back_ups_are_deleted(photo: Photo, tmp_path: Path) -> None:
    """They hold personal data, outside of every retention. One that may still be written stays."""
    old = killed_copy(tmp_path, "dispatch-2026-11-20-020000.sqlite3", hours=25)
    recent = killed_copy(tmp_path, "dispatch-2026-11-22-020000.sqlite3", hours=1)
    other = tmp_path / ".notes.unfinished"
    other.touch()
    os.utime(other, (0, 0))

    call_command("backup_sqlite", tmp_path / "dispatch-2026-11-23-020000.sqlite3", stdout=StringIO())

    assert (old.exists(), recent.exists(), other.exists()) == (False, True, True)


@pytest.mark.skipif(not shutil.which("find"), reason="find is not installed")
def test_unit_deletes_old_copies_finished_or_not(tmp_path: Path) -> None:
    """Finished ones after the next success only, so that the last good one stays while back-ups fail."""
    folder = "/var/lib/fibre-dispatch-backups"
    unit = (ROOT / "deploy/systemd/fibre-dispatch-backup.service").read_text()
    commands = dict(line.split("=", 1) for line in unit.splitlines() if "/find " in line)
    old = [tmp_path / "dispatch-1.sqlite3", killed_copy(tmp_path, "dispatch-2.sqlite3", hours=0)]
    for path in old:
        path.touch()
        os.utime(path, (0, 0))
    remaining = [tmp_path / "dispatch-3.sqlite3", killed_copy(tmp_path, "dispatch-4.sqlite3", hours=1)]
    remaining[0].touch()

    left = []
    for setting in ("ExecStopPost", "ExecStartPost"):
        subprocess.run(shlex.split(commands[setting].replace(folder, str(tmp_path))), check=True)
        left.append(sorted(tmp_path.iterdir()))

    assert left == [sorted([*remaining, old[0]]), sorted(remaining)]


@on_sqlite
def test_folder_that_is_not_there_is_named(photo: Photo, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="No backup was made"):
        call_command("backup_sqlite", tmp_path / "nowhere" / "copy.sqlite3")


@pytest.mark.postgresql
@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="of PostgreSQL only")
def test_postgresql_is_refused_with_the_command_to_use(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="pg_dump"):
        call_command("backup_sqlite", tmp_path / "copy.sqlite3")


@pytest.mark.postgresql
@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="of PostgreSQL only")
@pytest.mark.skipif(not shutil.which("pg_dump"), reason="pg_dump is not installed")
def test_postgresql_comes_back_by_the_handbook(photo: Photo, tmp_path: Path) -> None:
    before, token = counts(), token_of(photo)
    content = evidence.storage().open(evidence.object_path(photo)).read().hex()
    url, dump = worker_process.database_url(), tmp_path / "dispatch.dump"
    restored = f"{urlsplit(url).path.strip('/')}_restored"
    target = urlsplit(url)._replace(path=f"/{restored}").geturl()
    run("pg_dump", "--format=custom", f"--file={dump}", url)
    with connection.cursor() as cursor:
        cursor.execute(f'DROP DATABASE IF EXISTS "{restored}"')
        cursor.execute(f'CREATE DATABASE "{restored}"')
    try:
        run("pg_restore", "--no-owner", "--exit-on-error", f"--dbname={target}", str(dump))

        assert look(token, tmp_path / "evidence", DATABASE_URL=target) == {"counts": before, "photo": content}
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f'DROP DATABASE "{restored}"')


def run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)
