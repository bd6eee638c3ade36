"""Old backups end, and with them the photos that only they name: they hold personal data."""

import gzip
import json
import shutil
from datetime import timedelta
from pathlib import Path

from django.utils import timezone

from operations import backup_folders
from operations.backup import NAME_FORMAT


def delete_old_backups(folder: Path, *, keep_days: int) -> list[Path]:
    """Delete those made more than so many days ago, never the newest; the deleted ones."""
    oldest = (timezone.now() - timedelta(days=keep_days)).strftime(NAME_FORMAT)
    found = backup_folders.backups(folder)
    deleted = [path for path in found[:-1] if path.name < oldest]
    for path in deleted:
        shutil.rmtree(path)
    if deleted:
        _delete_photos_of_none(folder)
    return deleted


def _delete_photos_of_none(folder: Path) -> None:
    evidence = folder / backup_folders.EVIDENCE
    named = {path for backup in backup_folders.backups(folder) for path in _photos_of(backup)}
    for path in evidence.rglob("*"):
        if path.is_file() and str(path.relative_to(evidence)) not in named:
            path.unlink()


def _photos_of(backup: Path) -> list[str]:
    listed = backup / backup_folders.PHOTOS
    if not listed.is_file():
        return []
    with gzip.open(listed, "rt", encoding="utf-8") as file:
        return [json.loads(line)["path"] for line in file]
