"""manage.py backup_sqlite TARGET: a copy of a running SQLite database that can be trusted."""

import os
import re
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection

from config.storage import make_file, sync_to_disk

UNFINISHED = re.compile(r"\..+\.\d+\.unfinished")
# no back-up takes as long; deploy/systemd gives it an hour
UNFINISHED_SECONDS = 24 * 3600


class Command(BaseCommand):
    help = (
        "Copy the SQLite database while everything runs, check the copy and put it at TARGET in one step, for the "
        "owner only. Uses the SQLite that the application ships: an older sqlite3 program can corrupt a WAL database."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("target", type=Path, help="a new file; its folder must exist")

    def handle(self, *_args: Any, **options: Any) -> None:
        target: Path = options["target"].absolute()
        if connection.vendor != "sqlite":
            raise CommandError(
                "The database is PostgreSQL: use pg_dump (docs/operating.md, Back up and restore)."
            )
        if target.exists():
            raise CommandError(f"{target} already exists. A backup never overwrites a file.")
        unfinished = target.with_name(f".{target.name}.{os.getpid()}.unfinished")
        try:
            _delete_unfinished(target.parent)
            self._copy(unfinished)
            unfinished.rename(target)
            sync_to_disk(target.parent)
        except (OSError, sqlite3.Error) as problem:
            raise CommandError(f"No backup was made: {problem}") from problem
        finally:
            unfinished.unlink(missing_ok=True)
        self.stdout.write(f"{target}: {target.stat().st_size} bytes, checked.")

    def _copy(self, path: Path) -> None:
        make_file(path)
        connection.ensure_connection()
        with closing(sqlite3.connect(path)) as copy:
            # in one step: a snapshot, however much is written at the same time
            connection.connection.backup(copy)
            # one file that is whole by itself; the application makes it a WAL database again
            copy.execute("PRAGMA journal_mode=DELETE")
            found = copy.execute("PRAGMA integrity_check").fetchone()[0]
            if found != "ok":
                raise CommandError(f"The database is damaged. No backup was made: {found}")
        sync_to_disk(path)


def _delete_unfinished(folder: Path) -> None:
    """What back-ups left that were killed: whole databases, which no retention would ever find. First of all, since
    they may be why the disk is full."""
    old = time.time() - UNFINISHED_SECONDS
    for path in folder.iterdir():
        if UNFINISHED.fullmatch(path.name) and path.stat().st_mtime < old:
            path.unlink(missing_ok=True)
