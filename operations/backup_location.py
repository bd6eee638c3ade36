"""Where backups may be kept: apart from the live photos, since retention deletes every photo that no backup names."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Warning, register

from operations.backup_folders import EVIDENCE

REMEDY = "Choose a backup folder outside of the evidence storage."


def location_problem(folder: Path, name: str = "The backup folder") -> str:
    """Why no backup may be kept there, or nothing. A bucket lies in no folder."""
    # not from `storages`: that would load boto3 with every command
    location = settings.STORAGES["evidence"].get("OPTIONS", {}).get("location")
    if not location:
        return ""
    copies, live = (folder / EVIDENCE).resolve(), Path(location).resolve()
    if not (copies.is_relative_to(live) or live.is_relative_to(copies)):
        return ""
    return (
        f"{name} ({folder}) would keep copies of photos in {copies}, where EVIDENCE_STORAGE_URL keeps the live ones "
        f"({live}): with old backups, live photos would be deleted."
    )


@register("settings")
def backup_folder_is_apart(**_kwargs: Any) -> list[CheckMessage]:
    """A warning: `manage.py backup` refuses such a folder, and everything else may go on."""
    if not settings.BACKUP_FOLDER:
        return []
    problem = location_problem(Path(settings.BACKUP_FOLDER), "BACKUP_FOLDER")
    return [Warning(problem, hint=REMEDY, id="operations.W001")] if problem else []
