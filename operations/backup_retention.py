"""Old backups end, and with them the photos that only they name: they hold personal data."""

import gzip
import hashlib
import json
import os
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

from django.utils import timezone

from monitoring.coded_texts import CodedText, coded_text, technical_reason
from operations import backup_folders

# in addition to the days of --keep-days: two backups farther apart are a wrong clock rather than a pause
PAUSE = timedelta(days=7)
# in the folder of the backups: why old ones were not deleted the last time
FAILURE = ".not_deleted"


class NotDeleted(Exception):
    """`reason` says why and what to do."""

    def __init__(self, reason: CodedText) -> None:
        super().__init__(reason)
        self.reason = reason


def delete_old_backups(folder: Path, *, keep_days: int, is_clock_right: bool = False) -> list[Path]:
    """Delete those made more than so many days ago, never the newest; the deleted ones. `is_clock_right`: a person has
    looked.

    Raises NotDeleted: before anything is deleted where a clock or a list of photos cannot be trusted. The reason stays
    in the folder, for the alarm, until they are deleted or a backup keeps them all.
    """
    try:
        deleted = _delete_old(folder, timedelta(days=keep_days), is_clock_right=is_clock_right)
    except NotDeleted as problem:
        with suppress(OSError):
            (folder / FAILURE).write_text(json.dumps(problem.reason.as_json()))
        raise
    forget_failure(folder)
    return deleted


def forget_failure(folder: Path) -> None:
    """Old backups were deleted, or are to be kept."""
    (folder / FAILURE).unlink(missing_ok=True)


def read_failure(folder: Path) -> CodedText | None:
    """Why old backups were not deleted the last time; None when they were."""
    try:
        text = (folder / FAILURE).read_text()
    except FileNotFoundError:
        return None
    try:
        return CodedText.from_json(json.loads(text))
    except (ValueError, KeyError, TypeError):
        # of another version
        return technical_reason(text)


def _delete_old(folder: Path, keep: timedelta, *, is_clock_right: bool) -> list[Path]:
    old = _list_old(backup_folders.dated_backups(folder).past, keep, is_clock_right=is_clock_right)
    # of renamed backups too
    lists = [path for path in folder.glob(f"[!.]*/{backup_folders.PHOTOS}") if path.parent not in old]
    try:
        with closing(sqlite3.connect("")) as index:
            _index_photos(lists, index)
            for path in old:
                backup_folders.delete_backup(path)
            _delete_other_photos(folder / backup_folders.EVIDENCE, index)
    except OSError as problem:
        raise NotDeleted(coded_text("backup_folder_failed", detail=str(problem))) from problem
    except sqlite3.Error as problem:
        raise NotDeleted(coded_text("backup_temporary_folder_failed", detail=str(problem))) from problem
    return old


def _list_old(past: list[Path], keep: timedelta, *, is_clock_right: bool) -> list[Path]:
    """Those to delete. A clock that is far ahead makes all of them old: then there is a long time without a backup. It
    is still there after the next night's, so that only a person ends it. Today counts as well: with too little space
    there is no backup of tonight yet."""
    now = timezone.now()
    moments = {path: moment for path in past if (moment := backup_folders.moment_of(path))}
    old = [path for path in past[:-1] if moments[path] < now - keep]
    names = [*((path.name, moment) for path, moment in moments.items()), ("", now)]
    for (earlier, earlier_at), (later, later_at) in pairwise(names if old and not is_clock_right else []):
        if (gap := later_at - earlier_at) > keep + PAUSE:
            named = {"earlier": earlier, "days": gap.days, "keep_days": keep.days}
            raise NotDeleted(
                coded_text("backup_gap", later=later, **named)
                if later
                else coded_text("backup_gap_today", **named)
            )
    return old


def _index_photos(lists: Iterable[Path], index: sqlite3.Connection) -> None:
    """Which photos these name: a database without a name is a temporary file, and ends with its connection. After some
    months there are millions, and the kernel kills a backup that wants more memory than MemoryMax."""
    index.execute("PRAGMA cache_size = -65536")
    index.execute("CREATE TABLE photo (digest INTEGER PRIMARY KEY)")
    for listed in lists:
        rows = ((_digest(path),) for path in _photos_in(listed))
        index.executemany("INSERT OR IGNORE INTO photo VALUES (?)", rows)


def _digest(path: bytes) -> int:
    """Much smaller than the path. Where two were the same, a photo would be kept."""
    return int.from_bytes(hashlib.blake2b(path, digest_size=8).digest(), "big", signed=True)


def _delete_other_photos(evidence: Path, index: sqlite3.Connection) -> None:
    for path in _files_in(evidence):
        digest = _digest(os.fsencode(path.relative_to(evidence)))
        if not index.execute("SELECT 1 FROM photo WHERE digest = ?", (digest,)).fetchone():
            path.unlink()


def _files_in(folder: Path) -> Iterator[Path]:
    """In all its folders. `rglob` remembers each path that it has given."""
    if not folder.is_dir():
        return
    for parent, _folders, names in os.walk(folder, onerror=_raise):
        yield from (path for name in names if (path := Path(parent, name)).is_file())


def _raise(problem: OSError) -> None:
    raise problem


def _photos_in(listed: Path) -> Iterator[bytes]:
    try:
        with gzip.open(listed, "rt", encoding="utf-8") as file:
            yield from (os.fsencode(json.loads(line)["path"]) for line in file)
    except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError) as problem:
        named = {"path": str(listed), "folder": str(listed.parent), "detail": str(problem)}
        raise NotDeleted(coded_text("backup_photos_unreadable", **named)) from problem
