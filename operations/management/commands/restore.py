"""manage.py restore BACKUP: a backup into an empty, migrated database, and its photos into the evidence storage."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError
from django.utils import timezone

from operations import restore
from operations.backup import BUCKET_ERRORS
from operations.backup_folders import BackupUnusable
from operations.backup_secrets import WrongPassphrase
from operations.command_arguments import parse_folder
from operations.table_rows import UnreadableRows

FAILURES = (BackupUnusable, UnreadableRows, OSError, DatabaseError, *BUCKET_ERRORS)

# a relative name would be one in the folder of the version, and of root's own files the service reads none
RECORD = "/var/lib/fibre-dispatch/seller.jsonl"


class Command(BaseCommand):
    help = (
        "Restore a backup: its photos, then its rows in one transaction. The database must be empty and migrated by "
        "the version that made the backup; it may be of another kind than before. --settings-to writes the settings "
        "and keys of the backup instead and restores nothing else."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("backup", type=Path, help="the folder of one backup, named by its time")
        parser.add_argument(
            "--settings-to", type=parse_folder, help="a folder for the settings and the keys, decrypted"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        backup: Path = options["backup"].absolute()
        try:
            if options["settings_to"]:
                self._restore_settings(backup, options["settings_to"])
            else:
                self._restore(backup)
        except restore.NotEmpty as problem:
            raise CommandError(
                "The database is not empty. Nothing was changed. Restore into a new database: set DATABASE_URL to it "
                "and run `manage.py migrate` first."
            ) from problem
        except restore.SettingsNotWritten as problem:
            raise CommandError(f"--settings-to: no settings were written. {problem}") from problem
        except WrongPassphrase as problem:
            raise CommandError("BACKUP_PASSPHRASE_FILE: this passphrase does not open the keys.") from problem
        except FAILURES as problem:
            raise CommandError(f"Nothing was restored: {problem}") from problem

    def _restore(self, backup: Path) -> None:
        done = restore.restore_backup(backup)
        self.stdout.write(
            f"{sum(done.rows.values())} rows and {done.photos} photos of {done.manifest.made_at}."
        )
        self.stdout.write(
            "Next: manage.py check --deploy, manage.py check_link; then start the seller server and web, and run "
            f"the following before the relay, with the seller's message log of that time as {RECORD}, where the "
            "service's user can read it (docs/operating.md, Reconciliation):"
        )
        self.stdout.write(
            f"manage.py reconcile --from {done.manifest.made_at} --to {timezone.now().isoformat()} "
            f"--record {RECORD}"
        )

    def _restore_settings(self, backup: Path, target: Path) -> None:
        if not settings.BACKUP_PASSPHRASE:
            raise CommandError("BACKUP_PASSPHRASE_FILE: not set; the keys of a backup are encrypted with it.")
        for path in restore.restore_settings(backup, target=target, passphrase=settings.BACKUP_PASSPHRASE):
            self.stdout.write(str(path))
