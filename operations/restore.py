"""A backup becomes an installation again: on this machine or another, on SQLite or PostgreSQL."""

import base64
import gzip
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from django.core.files.base import File

from closures.photos import evidence
from config.storage import make_folder
from dispatch.models import Job
from engineers.models import User
from operations import backup_folders, backup_secrets, table_rows
from operations.backup import applied_migrations
from operations.backup_folders import BackupUnusable, Manifest
from operations.pending_migrations import list_unknown_migrations
from seller_link.models import InboundMessage, OutboundMessage

ENVIRONMENT = "environment"


class NotEmpty(Exception):
    """The database holds an installation that a restore would overwrite."""


class SettingsNotWritten(Exception):
    """The message names the path and the remedy."""


@dataclass(frozen=True)
class Restored:
    manifest: Manifest
    rows: dict[str, int]
    photos: int


def restore_backup(folder: Path) -> Restored:
    """Photos first, then all rows in one transaction, so that a row never names a photo that is not there.

    Raises BackupUnusable, NotEmpty or UnreadableRows before anything has changed, or OSError and DatabaseError: then
    the database is as it was, and the same restore may be tried again.
    """
    manifest = backup_folders.read_manifest(folder)
    _refuse_other_version(manifest)
    if any(model._base_manager.exists() for model in (User, Job, InboundMessage, OutboundMessage)):
        raise NotEmpty
    photos = sum(1 for _ in _restore_photos(folder)) if manifest.has_evidence else 0
    rows = table_rows.load_tables(folder / backup_folders.DATABASE)
    # a version before may have written tables that are no longer part of a backup
    written = {name: count for name, count in manifest.rows.items() if name not in table_rows.EXCLUDED_TABLES}
    if rows != written:
        raise BackupUnusable("The restored rows are not as many as the manifest says. Choose another backup.")
    return Restored(manifest, rows, photos)


def _refuse_other_version(manifest: Manifest) -> None:
    if unknown := list_unknown_migrations():
        # it would not run them for the rows of this version
        raise BackupUnusable(
            f"The database was migrated by a newer version ({', '.join(unknown)}). Make a new database, run "
            "`manage.py migrate` with the version that made the backup, restore, and upgrade afterwards."
        )
    here = applied_migrations()
    if manifest.migrations != here:
        differing = ", ".join(sorted(set(manifest.migrations) ^ set(here)))
        raise BackupUnusable(
            f"The backup was made by version {manifest.version} with other migrations ({differing}). Install that "
            "version, run `manage.py migrate`, restore, and upgrade afterwards."
        )


def _restore_photos(folder: Path) -> Iterator[str]:
    with gzip.open(folder / backup_folders.PHOTOS, "rt", encoding="utf-8") as file:
        for line in file:
            listed = json.loads(line)
            _restore_photo(folder.parent / backup_folders.EVIDENCE / listed["path"], listed)
            yield listed["path"]


def _restore_photo(copy: Path, listed: dict[str, str]) -> None:
    if not copy.is_file() or backup_folders.sha256_of(copy) != listed["sha256"]:
        raise BackupUnusable(f"{copy} is missing or was changed. Bring it back, or choose another backup.")
    with copy.open("rb") as content:
        evidence.storage().save(listed["path"], File(content))


def restore_settings(folder: Path, *, target: Path, passphrase: str) -> list[Path]:
    """Write the settings and the files that they name into `target`, for the owner only; the paths that were written.

    Raises BackupUnusable or WrongPassphrase, or SettingsNotWritten: then no file is left behind, and none was changed.
    """
    backup_folders.read_manifest(folder)
    encrypted = folder / backup_folders.SECRETS
    if not encrypted.is_file():
        raise BackupUnusable(f"{folder} was made without BACKUP_PASSPHRASE_FILE and holds no keys.")
    secrets = backup_secrets.decrypt(encrypted.read_text(), passphrase)
    environment = (folder / backup_folders.SETTINGS).read_text() + "".join(
        backup_secrets.environment_line(name, value) for name, value in secrets["environment"].items()
    )
    files = {target / ENVIRONMENT: environment.encode()}
    files |= {
        target / path.lstrip("/"): base64.b64decode(content) for path, content in secrets["files"].items()
    }
    _refuse_existing(files)
    return _write_all(files)


def _refuse_existing(paths: Iterable[Path]) -> None:
    if there := [path for path in paths if path.exists() or path.is_symlink()]:
        raise SettingsNotWritten(
            f"{there[0]} already exists and is not overwritten. Name a folder that is new or empty."
        )


def _write_all(files: dict[Path, bytes]) -> list[Path]:
    """All of them or none: keys in clear do not stay behind in a folder that somebody gives up."""
    written: list[Path] = []
    for path, content in files.items():
        try:
            make_folder(path.parent)
            path.touch(mode=0o600, exist_ok=False)
            written.append(path)
            path.write_bytes(content)
        except OSError as problem:
            for unfinished in written:
                unfinished.unlink()
            raise SettingsNotWritten(
                f"{path} cannot be written ({problem.strerror}); what was written before was deleted again. "
                "Free up space, or name a folder that is new and can be written to."
            ) from problem
    return written
