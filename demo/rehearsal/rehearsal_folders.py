"""Where a rehearsal may run: never in production; and what it and the demo may delete: folders that they have made."""

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


def refuse_foreign_folder(folder: Path, *, proof: Path, maker: str) -> None:
    """Raises CommandError where it holds files but not `proof`, which a `maker` (demo, rehearsal) writes first."""
    try:
        is_foreign = folder.exists() and any(folder.iterdir()) and not proof.is_file()
    except OSError as problem:
        raise CommandError(f"--folder: {folder} cannot be used: {problem.strerror}.") from problem
    if is_foreign:
        raise CommandError(
            f"--folder: {folder} holds files and was not made by a {maker}. Nothing was deleted. Name a new or empty "
            "folder, or delete this one yourself."
        )


def empty_folder(folder: Path) -> None:
    """Leave it empty but for the mark. Raises CommandError when no rehearsal has made it, and deletes nothing then."""
    mark_new_folder(folder)
    refuse_foreign_folder(folder, proof=folder / MARK, maker="rehearsal")
    try:
        for path in folder.iterdir():
            # the mark stays: whoever is interrupted here may try again
            if path.name != MARK:
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    except OSError as problem:
        raise CommandError(f"--folder: {folder} cannot be emptied: {problem}") from problem
