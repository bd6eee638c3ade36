"""manage.py backup [FOLDER]: rows, photos, settings and keys, while everything runs."""

import signal
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from operations.backup import BUCKET_ERRORS, Backup, make_backup
from operations.backup_folders import BackupUnusable, NotEnoughSpace, NotLocked, lock_folder
from operations.backup_location import REMEDY, location_problem
from operations.backup_retention import NotDeleted, delete_old_backups, forget_failure
from operations.command_arguments import MAX_KEEP_DAYS, backup_folder, parse_folder, parse_keep_days
from operations.table_rows import DatabaseDamaged


def _folder(argument: Path | None) -> Path:
    folder = backup_folder(argument)
    if folder is None:
        raise CommandError("No backup was made: name a folder, or set BACKUP_FOLDER.")
    if problem := location_problem(folder, "The backup folder" if argument else "BACKUP_FOLDER"):
        raise CommandError(f"No backup was made: {problem} {REMEDY}")
    return folder


@contextmanager
def _ending_on_sigterm() -> Iterator[None]:
    """As an exception, so that what was begun is deleted: an unfinished backup is a whole database."""
    before = signal.signal(signal.SIGTERM, _end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _end(*_args: object) -> None:
    raise SystemExit("Stopped by SIGTERM. An unfinished backup was deleted.")


class Command(BaseCommand):
    help = (
        "Back up the database, the evidence, the settings and, with BACKUP_PASSPHRASE_FILE, the keys (encrypted) into "
        "FOLDER. Everything keeps running. The exit code is 1 when a photo is missing, not readable or damaged, too."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "folder",
            type=parse_folder,
            nargs="?",
            help="where backups are kept; each gets a folder of its own in it (default: BACKUP_FOLDER)",
        )
        parser.add_argument(
            "--without-evidence",
            action="store_true",
            help="photos have a backup of their own (a bucket's versions)",
        )
        parser.add_argument(
            "--keep-days",
            type=parse_keep_days,
            default=0,
            help=f"afterwards delete backups that are older, up to {MAX_KEEP_DAYS}; 0 deletes none",
        )

        parser.add_argument(
            "--clock-is-right",
            action="store_true",
            help="delete old backups also after a long time without one: you have checked the clock of this machine",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        folder = _folder(options["folder"])
        try:
            with _ending_on_sigterm(), lock_folder(folder):
                made = self._make(folder, options)
                self._print_summary(made)
                self._delete_old(folder, options, "The backup was made, but old ones were not deleted")
        except NotLocked as problem:
            raise CommandError(f"No backup was made: {problem}") from problem
        if made.photos.problems:
            raise SystemExit(1)

    def _make(self, folder: Path, options: dict[str, Any]) -> Backup:
        try:
            return self._make_in_free_space(folder, options)
        except DatabaseDamaged as problem:
            raise CommandError(f"The database is damaged. No backup was made: {problem}") from problem
        except (BackupUnusable, OSError, DatabaseError, *BUCKET_ERRORS) as problem:
            raise CommandError(f"No backup was made: {problem}") from problem

    def _make_in_free_space(self, folder: Path, options: dict[str, Any]) -> Backup:
        """With too little of it once more when old backups are deleted, and with them the photos that no list names:
        else no later night would come as far as deleting them."""
        make = partial(
            make_backup,
            folder,
            with_evidence=not options["without_evidence"],
            passphrase=settings.BACKUP_PASSPHRASE,
        )
        try:
            return make()
        except NotEnoughSpace as problem:
            if not options["keep_days"]:
                raise
            self._delete_old(folder, options, f"No backup was made: {problem} Old ones were not deleted")
        return make()

    def _print_summary(self, made: Backup) -> None:
        rows = sum(made.manifest.rows.values())
        self.stdout.write(
            f"{made.folder}: {rows} rows, {made.photos.listed} photos ({made.photos.copied} new)."
        )
        if not settings.BACKUP_PASSPHRASE:
            self.stdout.write("Without keys: set BACKUP_PASSPHRASE_FILE to back them up, encrypted.")
        for problem in made.photos.problems:
            self.stderr.write(problem)

    def _delete_old(self, folder: Path, options: dict[str, Any], failure: str) -> None:
        if not options["keep_days"]:
            forget_failure(folder)
            return
        try:
            deleted = delete_old_backups(
                folder, keep_days=options["keep_days"], is_clock_right=options["clock_is_right"]
            )
        except NotDeleted as problem:
            raise CommandError(f"{failure}: {problem}") from problem
        for path in deleted:
            self.stdout.write(f"{path} was older and is deleted.")
