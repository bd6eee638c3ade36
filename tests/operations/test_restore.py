"""manage.py restore: another machine, another database, and nothing differs."""

import gzip
import io
import json
import os
import stat
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone
from pytest_django import Settings

from closures.models import Photo
from closures.photos import evidence
from config.storage import evidence_storage
from dispatch.models import Job
from dispatch.states import JobState
from operations import table_rows
from operations.backup_folders import backups, sha256_of
from seller_link.models import InboundMessage, OutboundMessage, OutboundState
from tests import make
from tests.operations import installations
from tests.operations.backups import back_up
from tests.operations.installations import Installation
from tests.seller_link.inbox import say
from tests.seller_link.record_lines import line, received_line
from tests.seller_link.wire import message as seller_message
from tools.check import postgresql_missing

pytestmark = pytest.mark.django_db(transaction=True)
needs_postgresql = pytest.mark.skipif(bool(postgresql_missing()), reason="no PostgreSQL answers")
PASSPHRASE = "correct horse battery staple"
LOOK = """
import json, tempfile
from pathlib import Path
from closures.photos import evidence
from engineers.models import User
from operations import table_rows
from tests import make
with tempfile.TemporaryDirectory() as folder, table_rows.one_moment():
    rows = table_rows.write_tables(Path(folder))
opened = evidence.open_signed(%r)
print(json.dumps({"rows": rows, "photo": opened.read().hex() if opened else None}))
# the next rows get numbers that none has
User.objects.create_user("somebody new")
make.job()
"""

RECORD_NEWER = """
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
MigrationRecorder(connection).record_applied("dispatch", "0002_of_newer_version")
"""
COUNT_SESSIONS = "from django.contrib.sessions.models import Session; print(Session.objects.count())"


@pytest.fixture
def photo(tmp_path: Path, settings: Settings) -> Photo:
    (tmp_path / "evidence").mkdir()
    settings.STORAGES = {**settings.STORAGES, "evidence": evidence_storage(f"file://{tmp_path / 'evidence'}")}
    make.engineer()
    job = make.job(at_state=JobState.ON_SITE)
    make.scan(job)
    make.result(job, 1)
    photo = make.photo(job, question_code="PHO01")
    make.answer_all(job)
    make.close(Job.objects.get(pk=job.pk))
    # what the seller sent us, too
    assert [say("createJob", seller_message("createJob")).status] == [200]
    OutboundMessage.objects.update(state=OutboundState.SENT, sent_at=timezone.now())
    return photo


@pytest.fixture
def backup(photo: Photo, tmp_path: Path, settings: Settings) -> Path:
    settings.BACKUP_PASSPHRASE = PASSPHRASE
    return back_up(tmp_path / "backups")


def rows_of(backup: Path) -> dict[str, int]:
    return json.loads((backup / "manifest.json").read_text())["rows"]


def seller_lines() -> list[dict[str, Any]]:
    """The seller's own record, of both directions."""
    received = [received_line(message) for message in InboundMessage.objects.all()]
    return [*received, *(line(sent) for sent in OutboundMessage.objects.select_related("job"))]


def check_lost_messages_are_named(
    elsewhere: Installation, record: Path, lines: list[dict[str, Any]], reconcile: Sequence[str]
) -> None:
    """Of each direction: what came or went after the backup is a difference, and not overlooked."""
    after = [
        {**next(line for line in lines if line["direction"] == direction), "messageId": str(uuid4())}
        for direction in ("in", "out")
    ]
    record.write_text("\n".join(map(json.dumps, [*lines, *after])))
    done = elsewhere.run(*reconcile)
    assert done.returncode == 1
    assert all(lost["messageId"] in done.stdout for lost in after)


def check_restored(elsewhere: Installation, backup: Path, photo: Photo) -> None:
    """Every row, the photo behind the seller's link, and the seller's own record."""
    output = elsewhere.must("restore", str(backup))

    record = elsewhere.folder / "seller.jsonl"
    lines = seller_lines()
    assert {line["direction"] for line in lines} == {"in", "out"}
    record.write_text("\n".join(map(json.dumps, lines)))
    command = next(line for line in output.splitlines() if line.startswith("manage.py reconcile "))
    elsewhere.must(*command.replace("/var/lib/fibre-dispatch/seller.jsonl", str(record)).split()[1:])
    times = [(timezone.now() + timedelta(hours=hours)).isoformat() for hours in (-1, 1)]
    reconcile = ("reconcile", "--from", times[0], "--to", times[1], "--record", str(record))
    elsewhere.must(*reconcile)
    check_lost_messages_are_named(elsewhere, record, lines, reconcile)
    token = urlsplit(evidence.url_for(photo)).path.removeprefix("/evidence/")
    found = json.loads(elsewhere.must("shell", "-v", "0", "-c", LOOK % token))
    assert found == {"rows": rows_of(backup), "photo": evidence.read_file(photo).hex()}


@pytest.mark.postgresql
def test_restored_on_sqlite(backup: Path, photo: Photo, tmp_path: Path) -> None:
    check_restored(installations.on_sqlite(tmp_path / "elsewhere"), backup, photo)


@pytest.mark.postgresql
@needs_postgresql
def test_restored_on_postgresql(backup: Path, photo: Photo, tmp_path: Path) -> None:
    with installations.on_postgresql(tmp_path / "elsewhere", f"test_restore_{os.getpid()}") as elsewhere:
        check_restored(elsewhere, backup, photo)


def test_every_value_comes_back_as_it_was(backup: Path, photo: Photo, tmp_path: Path) -> None:
    """The second backup has the same bytes in every table: no digit, no moment and no null has changed."""
    elsewhere = installations.on_sqlite(tmp_path / "elsewhere")
    elsewhere.must("restore", str(backup))
    elsewhere.must("backup", str(tmp_path / "again"))
    again = backups(tmp_path / "again")[0]

    for model in table_rows.tables():
        files = [table_rows.table_file(made / "database", model) for made in (backup, again)]
        first, second = (installations.unpacked(file) for file in files)
        assert first == second, model


def test_backup_of_a_version_that_kept_sessions_is_restored_without_them(
    backup: Path, tmp_path: Path
) -> None:
    sessions = backup / "database" / "sessions.Session.jsonl.gz"
    columns, row = (
        ["session_key", "session_data", "expire_date"],
        ["k" * 32, "data", "2036-01-01T00:00:00+00:00"],
    )
    sessions.write_bytes(gzip.compress(f"{json.dumps(columns)}\n{json.dumps(row)}\n".encode()))
    manifest = json.loads((backup / "manifest.json").read_text())
    manifest["rows"]["sessions.Session"] = 1
    manifest["files"]["database/sessions.Session.jsonl.gz"] = sha256_of(sessions)
    (backup / "manifest.json").write_text(json.dumps(manifest))
    elsewhere = installations.on_sqlite(tmp_path / "elsewhere")

    elsewhere.must("restore", str(backup))

    assert elsewhere.must("shell", "-v", "0", "-c", COUNT_SESSIONS).strip() == "0"


def test_database_with_rows_is_not_overwritten(backup: Path) -> None:
    before = Job.objects.count()
    with pytest.raises(CommandError, match=r"The database is not empty. Nothing was changed."):
        call_command("restore", backup)

    assert Job.objects.count() == before


@pytest.mark.parametrize("damaged", ["database/dispatch.Job.jsonl.gz", "evidence.jsonl.gz", "settings.env"])
def test_changed_file_is_named(backup: Path, damaged: str) -> None:
    (backup / damaged).write_bytes(b"something else")

    with pytest.raises(CommandError, match=f"{backup / damaged} is missing or was changed"):
        call_command("restore", backup)


def test_damaged_photo_stops_the_restore_before_a_row_is_written(
    backup: Path, photo: Photo, tmp_path: Path
) -> None:
    elsewhere = installations.on_sqlite(tmp_path / "elsewhere")
    copy = backup.parent / "evidence" / evidence.object_path(photo)
    good = copy.read_bytes()
    copy.write_bytes(good[:-1])

    done = elsewhere.run("restore", str(backup))
    assert done.returncode == 1
    assert f"{copy} is missing or was changed" in done.stderr

    copy.write_bytes(good)
    elsewhere.must("restore", str(backup))


def test_other_version_is_refused(backup: Path) -> None:
    manifest = json.loads((backup / "manifest.json").read_text())
    newer = {**manifest, "version": "9.9.0", "migrations": [*manifest["migrations"], "board.0009_newer"]}
    (backup / "manifest.json").write_text(json.dumps(newer))

    with pytest.raises(CommandError, match=r"version 9.9.0 with other migrations \(board.0009_newer\)"):
        call_command("restore", backup)


@pytest.fixture
def rolled_back() -> Iterator[None]:
    """A newer version has migrated this database, and ours runs again."""
    recorder = MigrationRecorder(connection)
    recorder.record_applied("dispatch", "0002_of_newer_version")
    yield
    recorder.record_unapplied("dispatch", "0002_of_newer_version")


@pytest.mark.usefixtures("rolled_back")
def test_backup_after_a_roll_back_is_restored_by_the_version_that_made_it(
    photo: Photo, tmp_path: Path
) -> None:
    backup = back_up(tmp_path / "backups")
    elsewhere = installations.on_sqlite(tmp_path / "elsewhere")

    elsewhere.must("restore", str(backup))


def test_database_of_a_newer_version_is_refused(backup: Path, tmp_path: Path) -> None:
    """Its migrations would never be run for the rows of ours."""
    elsewhere = installations.on_sqlite(tmp_path / "elsewhere")
    elsewhere.must("shell", "-v", "0", "-c", RECORD_NEWER)

    done = elsewhere.run("restore", str(backup))

    assert done.returncode == 1
    assert "The database was migrated by a newer version (dispatch.0002_of_newer_version)" in done.stderr


def test_keys_come_back_with_the_passphrase_only(photo: Photo, tmp_path: Path) -> None:
    key = tmp_path / "partner.key"
    key.write_text("the key of the link")
    passphrase = tmp_path / "passphrase"
    passphrase.write_text(PASSPHRASE)
    here = installations.on_sqlite(tmp_path / "here")
    secrets = {"BACKUP_PASSPHRASE_FILE": str(passphrase), "SELLER_CLIENT_KEY": str(key)}
    tiles = "https://tiles.example/{z}/{x}/{y}.png?key=tile-key"
    record = "https://reader:record-password@seller.example/record"
    addresses = {
        "MAP_TILES_URL": tiles,
        "SELLER_RECORD_URL": record,
        "TRAVEL_SERVER_URL": "http://osrm.example",
    }
    here.must("backup", str(tmp_path / "backups"), OFFICE_PHONE="0113 496 0111", **addresses, **secrets)
    backup, target = backups(tmp_path / "backups")[0], tmp_path / "etc"
    in_clear = (backup / "settings.env").read_text()
    assert 'OFFICE_PHONE="0113 496 0111"' in in_clear
    assert 'TRAVEL_SERVER_URL="http://osrm.example"' in in_clear
    secret = ("SECRET_KEY", "DATABASE_URL", PASSPHRASE, "tile-key", "record-password")
    assert all(text not in in_clear for text in secret)

    refused = here.run("restore", str(backup), "--settings-to", str(target), BACKUP_PASSPHRASE="another")
    assert "this passphrase does not open the keys" in refused.stderr
    here.must("restore", str(backup), "--settings-to", str(target), **secrets)

    environment = (target / "environment").read_text()
    assert f'DATABASE_URL="{here.database_url}"' in environment
    assert "record-password" in environment
    restored = target / str(key).lstrip("/")
    assert restored.read_text() == "the key of the link"
    assert stat.S_IMODE(restored.stat().st_mode) == 0o600


@pytest.fixture
def backup_with_key(
    photo: Photo, tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """Its settings name the file `key` of the folder of the test."""
    settings.BACKUP_PASSPHRASE = PASSPHRASE
    (tmp_path / "key").write_text("the key of the link")
    monkeypatch.setenv("SELLER_CLIENT_KEY", str(tmp_path / "key"))
    return back_up(tmp_path / "backups", "--without-evidence")


def test_settings_are_not_written_where_a_file_is(backup_with_key: Path, tmp_path: Path) -> None:
    target = tmp_path / "etc"
    existing = target / str(tmp_path / "key").lstrip("/")
    existing.parent.mkdir(parents=True)
    existing.write_text("of somebody else")

    with pytest.raises(
        CommandError, match=rf"no settings were written\. {existing} already exists.* Name a folder"
    ):
        call_command("restore", backup_with_key, "--settings-to", target)

    assert [path for path in target.rglob("*") if path.is_file()] == [existing]
    assert existing.read_text() == "of somebody else"


def test_settings_that_cannot_be_written_leave_no_file(backup_with_key: Path, tmp_path: Path) -> None:
    """The first file is written, and the folder of the second cannot be made, as on a full disk."""
    target = tmp_path / "etc"
    target.mkdir()
    obstacle = target / tmp_path.parts[1]
    obstacle.write_text("a file where a folder should be")

    with pytest.raises(CommandError, match=r"no settings were written.*Free up space, or name a folder"):
        call_command("restore", backup_with_key, "--settings-to", target)

    assert list(target.iterdir()) == [obstacle]


def test_backup_without_passphrase_holds_no_keys(photo: Photo, tmp_path: Path) -> None:
    out = io.StringIO()
    call_command("backup", tmp_path / "backups", stdout=out)

    assert "Without keys: set BACKUP_PASSPHRASE_FILE" in out.getvalue()
    assert not (backups(tmp_path / "backups")[0] / "secrets.json").exists()
