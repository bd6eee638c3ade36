"""manage.py backup and restore while the evidence bucket is away."""

import json
import os
import signal
import threading
import time
from io import StringIO
from pathlib import Path

import pytest
from botocore.config import Config
from django.core.management import call_command
from pytest_django import Settings

from closures.models import Photo
from closures.photos import evidence
from config import bucket_storage
from config.storage import evidence_storage
from operations import backup
from operations.backup_folders import backups
from tests import make
from tests.operations import installations
from tests.operations.backups import back_up
from tests.servers import object_store
from tests.servers.ports import free_port

pytestmark = pytest.mark.django_db(transaction=True)
KEYS = {"AWS_ACCESS_KEY_ID": object_store.KEY_ID, "AWS_SECRET_ACCESS_KEY": object_store.SECRET}
NOBODY = f"s3://{object_store.BUCKET}?endpoint=http://127.0.0.1:{{port}}"


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)


def use_storage(settings: Settings, url: str) -> None:
    settings.STORAGES = {**settings.STORAGES, "evidence": evidence_storage(url)}


def test_photos_that_the_bucket_does_not_give_are_named_and_the_backup_is_made(
    photo: Photo, tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of earlier backups are there; the new ones are not waited for one by one."""
    back_up(tmp_path / "backups").rename(tmp_path / "backups" / "2026-01-01T000000Z")
    new = [make.photo(photo.job, question_code=code) for code in ("PHO02", "PHO03")]
    use_storage(settings, NOBODY.format(port=free_port()))
    pauses: list[float] = []
    monkeypatch.setattr(backup, "BUCKET_PAUSE_SECONDS", 0.001)
    monkeypatch.setattr(time, "sleep", pauses.append)
    errors = StringIO()

    with pytest.raises(SystemExit):
        call_command("backup", tmp_path / "backups", stdout=StringIO(), stderr=errors)

    made = backups(tmp_path / "backups")[-1]
    problems = json.loads((made / "manifest.json").read_text())["problems"]
    assert sorted(problem.partition(" could not be read: ")[0] for problem in problems) == sorted(
        evidence.object_path(photo) for photo in new
    )
    assert all(problem in errors.getvalue() for problem in problems)
    assert pauses.count(0.001) == 1
    listed = [json.loads(line)["path"] for line in installations.unpacked(made / "evidence.jsonl.gz")]
    assert listed == [evidence.object_path(photo)]


@pytest.mark.slow
def test_bucket_that_is_away_for_a_moment_is_asked_again(
    photo: Photo, tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = evidence.read_file(photo)
    (tmp_path / "bucket").mkdir()
    monkeypatch.setattr(backup, "BUCKET_PAUSE_SECONDS", 4)
    monkeypatch.setattr("monitoring.backoff.BACKOFF_SECONDS", 3)
    monkeypatch.setattr(
        bucket_storage, "LIMITS", Config(connect_timeout=2, read_timeout=5, retries={"total_max_attempts": 1})
    )
    with object_store.started("moto", tmp_path / "bucket") as (url, process):
        use_storage(settings, url)
        evidence.write(evidence.object_path(photo), content)
        process.send_signal(signal.SIGSTOP)
        # after the first try has failed, before the second
        awake = threading.Timer(6, os.kill, (process.pid, signal.SIGCONT))
        awake.start()
        try:
            made = back_up(tmp_path / "backups")
        finally:
            awake.join()

    assert (made.parent / "evidence" / evidence.object_path(photo)).read_bytes() == content
    assert json.loads((made / "manifest.json").read_text())["problems"] == []


def test_restore_into_a_bucket_that_is_away_ends_with_a_sentence(photo: Photo, tmp_path: Path) -> None:
    made = back_up(tmp_path / "backups")
    elsewhere = installations.on_sqlite(tmp_path / "elsewhere")

    done = elsewhere.run("restore", str(made), EVIDENCE_STORAGE_URL=NOBODY.format(port=free_port()), **KEYS)

    assert done.returncode == 1
    assert "Nothing was restored: Could not connect to the endpoint URL" in done.stderr
    assert "Traceback" not in done.stderr
