"""Old backups end, and with them the photos that only they name: they hold personal data."""

import gzip
import json
import zlib
from collections.abc import Iterator
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
    named = {photo for listed in lists for photo in _photos_in(listed)}
    try:
        for path in old:
            backup_folders.delete_backup(path)
        _delete_other_photos(folder / backup_folders.EVIDENCE, named)
    except OSError as problem:
        raise NotDeleted(f"{problem}. Mend the folder; the next backup tries again.") from problem
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


def _delete_other_photos(evidence: Path, named: set[str]) -> None:
    for path in evidence.rglob("*"):
        if path.is_file() and str(path.relative_to(evidence)) not in named:
            path.unlink()


def _photos_in(listed: Path) -> Iterator[str]:
    try:
        with gzip.open(listed, "rt", encoding="utf-8") as file:
            yield from (json.loads(line)["path"] for line in file)
    except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError) as problem:
        raise NotDeleted(
            f"{listed} cannot be read ({problem}), and says which photos are still needed. Bring it back, or delete "
            f"{listed.parent}."
        ) from problem
