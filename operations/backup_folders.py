"""How a backup lies in its folder.

FOLDER/evidence/…                    every photo once: a file never changes, so all backups share it
FOLDER/2026-11-24T031500Z/           one backup; it has this name when it is complete
    manifest.json                    version, migrations, rows of each table, hash of each file beside it
    database/engineers.User.jsonl.gz one file for each table (operations.table_rows)
    evidence.jsonl.gz                path, size and hash of each photo that belongs to it
    settings.env                     the settings, without secrets
    secrets.json                     keys and secret settings, encrypted; only with a passphrase
FOLDER/.not_deleted                  why old backups were not deleted (operations.backup_retention)
FOLDER/.lock                         who makes a backup now (operations.backup_folders)
"""

import fcntl
import hashlib
import json
import os
import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO

from django.utils import timezone

from config.storage import FILE, FOLDER, make_folder, sync_to_disk
from monitoring.health_checks import space_problem

EVIDENCE, MANIFEST, DATABASE, PHOTOS = "evidence", "manifest.json", "database", "evidence.jsonl.gz"
SETTINGS, SECRETS = "settings.env", "secrets.json"
NAME_FORMAT = "%Y-%m-%dT%H%M%SZ"
# by as much may the clocks of two machines differ
CLOCK_TOLERANCE = timedelta(minutes=10)
UNFINISHED = ".unfinished"
READ_BYTES = 1 << 20


class BackupUnusable(Exception):
    """It is not complete or was changed, or cannot be made; the message names the file and the remedy."""


class NotEnoughSpace(BackupUnusable):
    """To write on would take the space that others need; the message says how much is free."""


@dataclass(frozen=True)
class Manifest:
    """What a backup is; `rows` by table, `files` by name with their SHA-256."""

    version: str
    made_at: str
    database: str
    migrations: list[str]
    rows: dict[str, int]
    has_evidence: bool
    problems: list[str] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)


def sha256_of(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(READ_BYTES):
            digest.update(chunk)
    return digest.hexdigest()


@contextmanager
def new_backup(folder: Path, name: str) -> Iterator[Path]:
    """A folder to write into, for whoever holds the lock of `folder`; it gets its name when everything is on the disk,
    and is deleted when that fails."""
    make_folder(folder)
    _delete_unfinished(folder)
    target, unfinished = folder / name, folder / f".{name}.{os.getpid()}{UNFINISHED}"
    if target.exists():
        raise BackupUnusable(f"{target} already exists. A backup never overwrites another one.")
    unfinished.mkdir(mode=FOLDER)
    try:
        yield unfinished
        for path in [*unfinished.rglob("*"), unfinished]:
            sync_to_disk(path)
        unfinished.rename(target)
        sync_to_disk(folder)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def require_space(folder: Path) -> None:
    """Before each piece that is written: a backup leaves DISK_FREE_MB to who shares its disk, as PostgreSQL does where
    the installer made both. Raises NotEnoughSpace."""
    if problem := space_problem(folder):
        raise NotEnoughSpace(f"{folder}: {problem} (DISK_FREE_MB). Free up space or enlarge the disk.")


def _delete_unfinished(folder: Path) -> None:
    """What killed backups left: whole databases, which no retention would ever find. First of all, since they may be
    why the disk is full. Whoever makes a backup holds the lock of the folder, so none of them is still written."""
    for path in folder.glob(f".*{UNFINISHED}"):
        shutil.rmtree(path, ignore_errors=True)


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """The last file: with the hashes of those that are there."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    files = {str(path.relative_to(folder)): sha256_of(path) for path in paths}
    path = folder / MANIFEST
    path.write_text(json.dumps(asdict(manifest) | {"files": files}, indent=2) + "\n")


def read_manifest(folder: Path) -> Manifest:
    """Raises BackupUnusable unless every file is there as it was written."""
    try:
        manifest = Manifest(**json.loads((folder / MANIFEST).read_text()))
    except (OSError, ValueError, TypeError) as problem:
        raise BackupUnusable(
            f"{folder / MANIFEST} cannot be read: {problem}. Choose another backup."
        ) from problem
    for name, sha256 in manifest.files.items():
        path = folder / name
        if not path.is_file() or sha256_of(path) != sha256:
            raise BackupUnusable(f"{path} is missing or was changed. Choose another backup.")
    return manifest


def read_problems(backup: Path) -> list[str] | None:
    """The photos that it lacks, without reading the rest of it; None where its manifest cannot be read."""
    try:
        problems: list[str] = json.loads((backup / MANIFEST).read_text()).get("problems", [])
    except (OSError, ValueError, AttributeError):
        return None
    return problems


def backups(folder: Path) -> list[Path]:
    """The complete ones, oldest first."""
    return sorted(path.parent for path in folder.glob(f"[0-9]*/{MANIFEST}"))


@dataclass(frozen=True)
class DatedBackups:
    """Oldest first. What is in the `future` was made with a wrong clock, or ours is wrong: it is no newest backup."""

    past: list[Path]
    future: list[Path]


def dated_backups(folder: Path) -> DatedBackups:
    """The complete ones; without folders that somebody renamed or put there."""
    latest = timezone.now() + CLOCK_TOLERANCE
    dated = [(moment, path) for path in backups(folder) if (moment := moment_of(path))]
    return DatedBackups(
        past=[path for moment, path in dated if moment <= latest],
        future=[path for moment, path in dated if moment > latest],
    )


def moment_of(backup: Path) -> datetime | None:
    """When it was begun, by its name; None for any other name."""
    try:
        return datetime.strptime(backup.name, NAME_FORMAT).replace(tzinfo=UTC)
    except ValueError:
        return None


def delete_backup(backup: Path) -> None:
    """Under another name first: what a failure leaves of it is no backup, and a later one deletes it."""
    doomed = backup.with_name(f".{backup.name}.{os.getpid()}{UNFINISHED}")
    backup.rename(doomed)
    shutil.rmtree(doomed)


LOCK = ".lock"


class NotLocked(Exception):
    """The message says which process makes a backup, or why the folder cannot be written."""


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """For a backup and its retention. The kernel gives the lock up when the process ends, however it ends.

    Raises NotLocked.
    """
    try:
        make_folder(folder)
        file = os.fdopen(os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, FILE), "r+")
    except OSError as problem:
        raise NotLocked(str(problem)) from problem
    with file:
        _lock(file, folder)
        yield


def _lock(file: IO[str], folder: Path) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as problem:
        holder = file.read().strip() or "another process"
        raise NotLocked(f"{holder} makes one in {folder}. Wait until it has ended.") from problem
    except OSError as problem:
        raise NotLocked(f"{folder / LOCK} cannot be locked: {problem.strerror}.") from problem
    file.truncate()
    file.write(f"process {os.getpid()} on {socket.gethostname()}, since {timezone.now():%d %b %H:%M} UTC,")
    file.flush()
