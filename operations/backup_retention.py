"""Old backups end, and with them the photos that only they name: they hold personal data."""

import gzip
import hashlib
import json
import os
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

from django.utils import timezone

from operations import backup_folders

# in addition to the days of --keep-days: two backups farther apart are a wrong clock rather than a pause
PAUSE = timedelta(days=7)


class NotDeleted(Exception):
    """The message says why and what to do."""


def delete_old_backups(folder: Path, *, keep_days: int) -> list[Path]:
    """Delete those made more than so many days ago, never the newest; the deleted ones.

    Raises NotDeleted: before anything is deleted where a clock or a list of photos cannot be trusted.
    """
    dated = backup_folders.dated_backups(folder)
    old = _list_old(dated.past, timedelta(days=keep_days))
    # of renamed backups too
    lists = [path for path in folder.glob(f"[!.]*/{backup_folders.PHOTOS}") if path.parent not in old]
    try:
        with closing(sqlite3.connect("")) as index:
            _index_photos(lists, index)
            for path in old:
                backup_folders.delete_backup(path)
            _delete_other_photos(folder / backup_folders.EVIDENCE, index)
    except OSError as problem:
        raise NotDeleted(f"{problem}. Mend the folder; the next backup tries again.") from problem
    except sqlite3.Error as problem:
        raise NotDeleted(
            f"{problem}, in the folder for temporary files. Mend it; the next backup tries again."
        ) from problem
    return old


def _list_old(past: list[Path], keep: timedelta) -> list[Path]:
    """Those to delete. A clock that is far ahead makes all of them old: then there is a long time without a backup."""
    moments = {path: moment for path in past if (moment := backup_folders.moment_of(path))}
    old = [path for path in past[:-1] if moments[path] < timezone.now() - keep]
    if old and moments[past[-1]] - moments[past[-2]] > keep + PAUSE:
        raise NotDeleted(
            f"{past[-1].name} is {(moments[past[-1]] - moments[past[-2]]).days} days after {past[-2].name}, the newest "
            "before it, as if a clock were wrong. Check the clock of this machine. If it is right, run the same "
            "command once more."
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
        raise NotDeleted(
            f"{listed} cannot be read ({problem}), and says which photos are still needed. Bring it back, or delete "
            f"{listed.parent}."
        ) from problem
