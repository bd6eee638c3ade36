"""Data files are for the service's user only, whatever its umask is."""

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.files import File

from config.storage import DurableFileStorage
from demo.process_manager import ProcessManager, ProcessSpec
from tests.conventions.sources import ROOT

MIGRATE = [sys.executable, "manage.py", "migrate", "engineers", "0001", "-v", "0"]


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(autouse=True)
def open_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def migrate(folder: Path) -> None:
    fields = {"DEPLOYMENT": "test", "DATABASE_URL": f"sqlite:///{folder / 'dispatch.sqlite3'}"}
    subprocess.run(MIGRATE, cwd=ROOT, env={**os.environ, **fields}, check=True)


def test_sqlite_files_are_private(tmp_path: Path) -> None:
    migrate(tmp_path)

    assert {path.name: oct(mode(path)) for path in tmp_path.glob("dispatch*")} == {
        path.name: oct(0o600) for path in tmp_path.glob("dispatch*")
    }
    assert (tmp_path / "dispatch.sqlite3").exists()


def test_file_of_an_earlier_version_is_closed(tmp_path: Path) -> None:
    migrate(tmp_path)
    (tmp_path / "dispatch.sqlite3").chmod(0o644)

    migrate(tmp_path)

    assert mode(tmp_path / "dispatch.sqlite3") == 0o600


def test_evidence_is_private(tmp_path: Path) -> None:
    storage = DurableFileStorage(str(tmp_path / "evidence"))
    with (tmp_path / "photo.jpg").open("w+b") as raw:
        storage.save("J-1/PHO01/photo.jpg", File(raw))

    made = [tmp_path / "evidence", *(tmp_path / "evidence").rglob("*")]
    assert {str(path): mode(path) for path in made} == {
        str(path): 0o700 if path.is_dir() else 0o600 for path in made
    }


def test_logs_of_the_demo_are_private(tmp_path: Path) -> None:
    supervisor = ProcessManager(folder=ROOT, logs=tmp_path / "demo" / "logs", say=print)
    supervisor.start([ProcessSpec("quick", [sys.executable, "-c", "pass"], {})])
    supervisor.stop()

    assert (mode(tmp_path / "demo"), mode(tmp_path / "demo" / "logs")) == (0o700, 0o700)
