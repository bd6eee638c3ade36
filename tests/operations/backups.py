"""Backups as a test makes them."""

from io import StringIO
from pathlib import Path

from django.core.management import call_command

from operations.backup_folders import backups


def back_up(folder: Path, *options: str) -> Path:
    """The newest backup in the folder."""
    call_command("backup", folder, *options, stdout=StringIO())
    return backups(folder)[-1]
