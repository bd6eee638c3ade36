"""A backup folder apart from the live photos, and never the current folder by mistake."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from config.storage import evidence_storage
from operations.backup_folders import backups
from operations.backup_location import backup_folder_is_apart

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("name", ["", " "])
def test_empty_folder_name_is_refused(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    with pytest.raises(CommandError, match="an empty path is no folder"):
        call_command("backup", name)

    assert not list(tmp_path.iterdir())


@pytest.fixture(params=["is", "holds", "lies in", "links to"])
def shared_folder(request: pytest.FixtureRequest, tmp_path: Path, settings: Settings) -> Iterator[Path]:
    """A backup folder whose evidence is, holds or lies in the evidence storage."""
    folder = tmp_path / "live" / "backups" if request.param == "lies in" else tmp_path / "backups"
    live = {"is": folder / "evidence", "holds": folder / "evidence" / "live"}.get(
        request.param, tmp_path / "live"
    )
    live.mkdir(parents=True)
    if request.param == "links to":
        folder.mkdir()
        (folder / "evidence").symlink_to(live)
    (live / "photo.jpg").write_bytes(b"live")
    settings.STORAGES = {**settings.STORAGES, "evidence": evidence_storage(f"file://{live}")}
    yield folder
    assert (live / "photo.jpg").read_bytes() == b"live"
    assert backups(folder) == []


def test_backup_folder_that_shares_the_evidence_storage_is_refused(
    shared_folder: Path, settings: Settings
) -> None:
    settings.BACKUP_FOLDER = ""
    with pytest.raises(CommandError, match=rf"No backup was made: .*{shared_folder}.*EVIDENCE_STORAGE_URL"):
        call_command("backup", shared_folder, "--keep-days", "14")
    assert backup_folder_is_apart() == []

    settings.BACKUP_FOLDER = str(shared_folder)
    with pytest.raises(CommandError, match=r"No backup was made: BACKUP_FOLDER .*EVIDENCE_STORAGE_URL"):
        call_command("backup")
    (warning,) = backup_folder_is_apart()
    assert warning.msg.startswith(f"BACKUP_FOLDER ({shared_folder})")
