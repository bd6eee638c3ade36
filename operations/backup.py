"""A backup of everything while everything runs: rows of one moment, then the photos that they name, then settings."""

import gzip
import hashlib
import json
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from botocore.exceptions import BotoCoreError, ClientError
from django.conf import settings
from django.core.files.base import File
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.utils import timezone

from closures.models import Photo
from closures.photos import evidence, thumbnails
from config.storage import make_folder
from monitoring.backoff import BACKOFF_SECONDS
from operations import backup_folders, backup_secrets, table_rows
from operations.backup_folders import NAME_FORMAT, Manifest

BUCKET_ERRORS = (BotoCoreError, ClientError)
# until config.bucket_storage asks a bucket again that did not answer
BUCKET_PAUSE_SECONDS = BACKOFF_SECONDS + 1


@dataclass
class CopiedPhotos:
    """What `_copy_photos` did; `problems` name files that are missing, not readable or not what their row says."""

    listed: int = 0
    copied: int = 0
    problems: list[str] = field(default_factory=list)
    # the last one could not be read
    is_bucket_away: bool = False


class PhotoUnreadable(Exception):
    """The disk of the evidence storage does not give this file; the message says why."""


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
    """`app.name` of each migration that this database has and this version knows: its models are what is read."""
    loader = MigrationLoader(connection)
    return sorted(
        f"{app}.{name}" for app, name in loader.applied_migrations.keys() & loader.disk_migrations.keys()
    )


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
                found = _copy_if_readable(path, copy, done)
                done.copied += bool(found)
            done.listed += 1
            if found:
                file.write(json.dumps({"path": path, "size": copy.stat().st_size, "sha256": found}) + "\n")
            if found and sha256 and found != sha256:
                done.problems.append(f"{path} is not the file that was stored")
    return done


def _paths() -> Iterator[tuple[str, str]]:
    """Where each stored photo and its thumbnail lie, with the photo's hash."""
    photos = Photo.objects.stored().select_related("job", "thumbnail")
    for photo in photos.order_by("pk").iterator(chunk_size=500):
        yield evidence.object_path(photo), photo.stored_sha256
        if hasattr(photo, "thumbnail") and photo.thumbnail.made_at:
            yield thumbnails.object_path(photo), ""


def _copy_if_readable(path: str, copy: Path, done: CopiedPhotos) -> str:
    """Its hash; empty with a problem. A bucket that is away is waited for once, and not again for each photo."""
    problem: Exception | None = None
    for pause in (0,) if done.is_bucket_away else (0, BUCKET_PAUSE_SECONDS):
        time.sleep(pause)
        try:
            found = _copy_file(path, copy)
        except FileNotFoundError:
            done.problems.append(f"{path} is missing in the evidence storage")
            return ""
        except PhotoUnreadable as error:
            done.problems.append(f"{path} could not be read: {error}")
            return ""
        except BUCKET_ERRORS as error:
            problem = error
        else:
            done.is_bucket_away = False
            return found
    done.is_bucket_away = True
    done.problems.append(f"{path} could not be read: {problem}")
    return ""


def _copy_file(path: str, copy: Path) -> str:
    """Its hash. Raises what `_read` raises; what the backup's own disk raises ends the backup."""
    make_folder(copy.parent)
    unfinished = copy.with_name(f".{copy.name}.{os.getpid()}")
    digest = hashlib.sha256()
    try:
        with unfinished.open("wb") as target:
            for chunk in _read(path):
                backup_folders.require_space(copy.parent)
                digest.update(chunk)
                target.write(chunk)
            target.flush()
            os.fsync(target.fileno())
        unfinished.rename(copy)
    finally:
        unfinished.unlink(missing_ok=True)
    return digest.hexdigest()


def _read(path: str) -> Iterator[bytes]:
    """In pieces. Raises FileNotFoundError where the storage has none, PhotoUnreadable, or one of BUCKET_ERRORS."""
    try:
        with evidence.storage().open(path) as source:
            yield from File(source).chunks()
    # some of a bucket's are OSErrors
    except (FileNotFoundError, *BUCKET_ERRORS):
        raise
    except OSError as problem:
        raise PhotoUnreadable(str(problem)) from problem
