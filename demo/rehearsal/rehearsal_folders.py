"""Where a rehearsal may run and what it may delete: never in production, and only folders that it has made itself."""

import shutil
from pathlib import Path

from django.conf import settings
from django.core.management.base import CommandError

from config.storage import make_folder

MARK = ".made_by_a_rehearsal"


def refuse_production() -> None:
    """Raises CommandError: orders, people and log-ins are invented."""
    if settings.DEPLOYMENT == "production":
        raise CommandError(
            "A rehearsal makes invented jobs and people with one known password, and is not allowed in production. "
            "Run it with DEPLOYMENT=demo (make rehearse does)."
        )


def mark_new_folder(folder: Path) -> None:
    """Mark a folder that is missing or empty as a rehearsal's; one with anything in it stays as it is."""
    try:
        if not folder.exists() or not any(folder.iterdir()):
            make_folder(folder)
            (folder / MARK).touch()
    except OSError as problem:
        raise CommandError(f"--folder: {folder} cannot be used: {problem.strerror}.") from problem


def empty_folder(folder: Path) -> None:
    """Leave it empty but for the mark. Raises CommandError when no rehearsal has made it, and deletes nothing then."""
    mark_new_folder(folder)
    if not (folder / MARK).is_file():
        raise CommandError(
            f"--folder: {folder} holds files and was not made by a rehearsal. Nothing was deleted. Name a new or empty "
            "folder, or delete this one yourself."
        )
    try:
        for path in folder.iterdir():
            # the mark stays: whoever is interrupted here may try again
            if path.name != MARK:
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    except OSError as problem:
        raise CommandError(f"--folder: {folder} cannot be emptied: {problem}") from problem
