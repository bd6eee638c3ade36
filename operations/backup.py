"""A backup of everything while everything runs: rows of one moment, then the photos that they name, then settings."""

import gzip
import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from django.conf import settings
from django.core.files.base import File
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from closures import evidence, thumbnails
from closures.models import Photo
from config.storage import make_folder
from operations import backup_folders, backup_secrets, table_rows
from operations.backup_folders import NAME_FORMAT, Manifest


@dataclass
class CopiedPhotos:
    """What `_copy_photos` did; `problems` name files that are missing or not what their row says."""

    listed: int = 0
    copied: int = 0
    problems: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Backup:
    folder: Path
    manifest: Manifest
    photos: CopiedPhotos


def make_backup(folder: Path, *, with_evidence: bool, passphrase: str) -> Backup:
    """A new backup in `folder` (operations.backup_folders describes it). Without a passphrase keys are left out.

    Raises BackupUnusable, DatabaseDamaged, OSError or DatabaseError; then there is no backup.
    """
    moment = timezone.now()
    with (
        backup_folders.new_backup(folder, moment.strftime(NAME_FORMAT)) as unfinished,
        TemporaryFile("w+", dir=unfinished, encoding="utf-8") as listed,
    ):
        with table_rows.one_moment():
            make_folder(unfinished / backup_folders.DATABASE)
            rows = table_rows.write_tables(unfinished / backup_folders.DATABASE)
            migrations = applied_migrations()
            if with_evidence:
                _list_photos(listed)
        photos = _copy_photos(folder, unfinished, listed) if with_evidence else CopiedPhotos()
        _write_settings(unfinished, passphrase)
        manifest = Manifest(
            version=settings.VERSION,
            made_at=moment.isoformat(),
            database=connection.vendor,
            migrations=migrations,
            rows=rows,
            has_evidence=with_evidence,
            problems=photos.problems,
        )
        backup_folders.write_manifest(unfinished, manifest)
    return Backup(folder / moment.strftime(NAME_FORMAT), manifest, photos)


def applied_migrations() -> list[str]:
    """`app.name` of each migration that this database has."""
    return sorted(f"{app}.{name}" for app, name in MigrationRecorder(connection).applied_migrations())


def _write_settings(folder: Path, passphrase: str) -> None:
    (folder / backup_folders.SETTINGS).write_text(backup_secrets.open_settings())
    if passphrase:
        encrypted = backup_secrets.encrypt(backup_secrets.secret_settings(), passphrase)
        (folder / backup_folders.SECRETS).write_text(encrypted)


def _list_photos(listed: IO[str]) -> None:
    """In the moment in which the rows are read, so that both name the same photos: `stored_at` is by other machines'
    clocks. Into a file, since years of photos do not fit into the memory."""
    for path, sha256 in _paths():
        listed.write(json.dumps([path, sha256]) + "\n")


def _copy_photos(folder: Path, unfinished: Path, listed: IO[str]) -> CopiedPhotos:
    """Every photo that is listed; those that an earlier backup brought are not copied again."""
    done = CopiedPhotos()
    listed.seek(0)
    with gzip.open(unfinished / backup_folders.PHOTOS, "wt", encoding="utf-8") as file:
        for path, sha256 in map(json.loads, listed):
            copy = folder / backup_folders.EVIDENCE / path
            found = backup_folders.sha256_of(copy) if copy.is_file() else ""
            if not found or (sha256 and found != sha256):
                found = _copy_file(path, copy)
                done.copied += 1
            done.listed += 1
            if found:
                file.write(json.dumps({"path": path, "size": copy.stat().st_size, "sha256": found}) + "\n")
            done.problems += _problems(path, found=found, expected=sha256)
    return done


def _paths() -> Iterator[tuple[str, str]]:
    """Where each stored photo and its thumbnail lie, with the photo's hash."""
    photos = Photo.objects.stored().select_related("job", "thumbnail")
    for photo in photos.order_by("pk").iterator(chunk_size=500):
        yield evidence.object_path(photo), photo.stored_sha256
        if hasattr(photo, "thumbnail") and photo.thumbnail.made_at:
            yield thumbnails.object_path(photo), ""


def _problems(path: str, *, found: str, expected: str) -> list[str]:
    if not found:
        return [f"{path} is missing in the evidence storage"]
    return [f"{path} is not the file that was stored"] if expected and found != expected else []


def _copy_file(path: str, copy: Path) -> str:
    """Its hash; empty where the storage has none."""
    make_folder(copy.parent)
    unfinished = copy.with_name(f".{copy.name}.{os.getpid()}")
    digest = hashlib.sha256()
    try:
        with evidence.storage().open(path) as source, unfinished.open("wb") as target:
            for chunk in File(source).chunks():
                digest.update(chunk)
                target.write(chunk)
            target.flush()
            os.fsync(target.fileno())
        unfinished.rename(copy)
    except FileNotFoundError:
        return ""
    finally:
        unfinished.unlink(missing_ok=True)
    return digest.hexdigest()
