"""Values on the command line of the operations: a wrong one ends the command before anything is done."""

from argparse import ArgumentTypeError
from pathlib import Path

from django.conf import settings

MAX_KEEP_DAYS = 3650


def parse_folder(text: str) -> Path:
    """Absolute. An empty text would be the current folder: a variable that was not set, and never what was meant."""
    if not text.strip():
        raise ArgumentTypeError("an empty path is no folder; name one, `.` for the current folder")
    return Path(text).absolute()


def backup_folder(argument: Path | None) -> Path | None:
    """What was named, or BACKUP_FOLDER, absolute; None where neither is."""
    if argument is None and settings.BACKUP_FOLDER:
        return Path(settings.BACKUP_FOLDER).absolute()
    return argument


def parse_keep_days(text: str) -> int:
    """Days after which backups are deleted; 0 deletes none."""
    if not (text.isdecimal() and int(text) <= MAX_KEEP_DAYS):
        raise ArgumentTypeError(
            f"{text!r} is not a number of days from 0 to {MAX_KEEP_DAYS}; 0 deletes no backup"
        )
    return int(text)
