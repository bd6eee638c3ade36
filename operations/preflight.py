"""What would be a problem in an upgrade, before anything is changed: findings of checks that exist elsewhere.

The new version asks the old version's tables, so a check may fail for a column that is not there yet.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.core import checks
from django.db import DatabaseError, connection
from django.utils import timezone

from monitoring import alarms, health_checks, heartbeats
from monitoring.alarm_kinds import ALARM_KINDS
from monitoring.models import AlarmKind
from operations import backup_folders, backup_location, pending_migrations
from operations.backup_folders import BackupUnusable
from seller_link import connection_check

PARTS_WITHIN_SECONDS = 5.0
# the complaints about certificates say more: which, until when and what to do; check_link names processes
PARTS_ELSEWHERE = {"certificates", "relay", "seller_server", "worker"}
HANDBOOK = "docs/operating.md"
BACKUP_REMEDY = "Run manage.py backup FOLDER."


@dataclass(frozen=True)
class Finding:
    """One line; without a remedy it is worth knowing and no problem."""

    text: str
    remedy: str = ""

    def __str__(self) -> str:
        # what others wrote moves no cursor and makes no second line
        line = " ".join(f"{self.text} {self.remedy}".split())
        return "".join(character for character in line if character.isprintable())


def list_findings(backups: Path | None, *, backup_hours: int) -> Iterator[Finding]:
    """Of every check; `backups` is the folder of `manage.py backup`, whose newest may be so many hours old."""
    for check in CHECKS:
        try:
            yield from check()
        except DatabaseError as problem:
            yield Finding(
                f"Not checked ({check.__name__.removeprefix('check_')}): {problem}.",
                "Run preflight with the running version as well.",
            )
    try:
        yield from check_backups(backups, hours=backup_hours)
    except OSError as problem:
        yield Finding(
            f"{backups} cannot be read: {problem.strerror}.", "Mount it again, then run preflight again."
        )


def check_deployment() -> Iterator[Finding]:
    """What `check --deploy` finds."""
    for found in checks.run_checks(include_deployment_checks=True):
        if found.level >= checks.WARNING and not found.is_silenced():
            remedy = found.hint or "See manage.py check --deploy."
            yield Finding(f"{found.id}: {found.msg}", remedy)


def check_migrations() -> Iterator[Finding]:
    for pending in pending_migrations.list_pending_migrations():
        if pending.changes:
            yield Finding(
                f"Migration {pending.name}: old code cannot run beside it ({'; '.join(pending.changes)}).",
                "Stop every process before migrate and start the new version afterwards.",
            )
        else:
            yield Finding(f"Migration {pending.name} only adds: migrate while the old version is running.")
    if unknown := pending_migrations.list_unknown_migrations():
        yield Finding(
            f"The database has migrations that this version does not know: {', '.join(unknown)}.",
            "Run the newer version, or restore a backup of this one.",
        )


def check_disk() -> Iterator[Finding]:
    """Whether SQLite's database fits a second time where it lies."""
    if connection.vendor != "sqlite":
        return
    path = Path(connection.settings_dict["NAME"])
    needed = sum(file.stat().st_size for file in (path, Path(f"{path}-wal")) if file.is_file())
    free = health_checks.free_bytes(path.parent)
    if free < needed:
        megabytes = f"{free // health_checks.MEGABYTE} MB free, {needed // health_checks.MEGABYTE} MB needed"
        yield Finding(
            f"{path.parent} has no space for a copy of the database: {megabytes}.",
            "Free up space or enlarge the disk.",
        )


def check_parts() -> Iterator[Finding]:
    """What `/readyz` reports."""
    for part, problem in health_checks.part_problems(within_seconds=PARTS_WITHIN_SECONDS).items():
        if problem and part not in PARTS_ELSEWHERE:
            yield Finding(f"Not ready: {part}: {problem}.", f"What to do: {HANDBOOK}, Health and metrics.")


def check_link() -> Iterator[Finding]:
    """Held messages, certificates, stale heartbeats, then the critical alarms that say something else."""
    queue = connection_check.check_queue()
    if queue.waiting:
        yield Finding(f"Messages waiting to be sent: {queue.waiting}. They are sent after the upgrade.")
    complaints = list(connection_check.queue_and_certificate_complaints(queue))
    for complaint in complaints:
        yield Finding(complaint.text, f"More: {HANDBOOK}, Alarms.")
    stale = heartbeats.stale_processes()
    for process in stale:
        yield Finding(f"No heartbeat of {process}.", "Restart it, and read its log for the reason.")
    known = {complaint.alarm for complaint in complaints}
    known |= {(AlarmKind.PROCESS_STUCK, process) for process in stale}
    blocking = [kind for kind, facts in ALARM_KINDS.items() if facts.blocks_upgrade]
    critical = alarms.open_alarms().filter(kind__in=blocking)
    for text in connection_check.alarm_complaints(critical, known):
        yield Finding(text, "Settle it before the upgrade.")


def check_backups(folder: Path | None, *, hours: int) -> Iterator[Finding]:
    """Where they are kept and how they are dated, then the newest."""
    if folder is None:
        yield Finding("Backups were not checked: name their folder with --backups, or set BACKUP_FOLDER.")
        return
    # of BACKUP_FOLDER, check_deployment has reported it
    is_checked = bool(settings.BACKUP_FOLDER) and folder == Path(settings.BACKUP_FOLDER).absolute()
    if not is_checked and (problem := backup_location.location_problem(folder)):
        yield Finding(problem, backup_location.REMEDY)
    if full := health_checks.space_problem(folder):
        yield Finding(f"No backup can be made in {folder}: {full}.", "Free up space or enlarge the disk.")
    dated = backup_folders.dated_backups(folder)
    for path in dated.future:
        yield Finding(
            f"{path} is dated in the future.",
            "Check the clock of this machine; if it is right, make a backup and then delete this one.",
        )
    if dated.past:
        yield from _check_newest(dated.past[-1], hours=hours)
    else:
        yield Finding(f"{folder} has no backup.", BACKUP_REMEDY)


def _check_newest(backup: Path, *, hours: int) -> Iterator[Finding]:
    """Whole, without a problem of its own and young enough."""
    try:
        manifest = backup_folders.read_manifest(backup)
    except BackupUnusable as problem:
        yield Finding(str(problem), BACKUP_REMEDY)
        return
    age = timezone.now() - datetime.fromisoformat(manifest.made_at)
    if age > timedelta(hours=hours):
        yield Finding(f"The newest backup is {int(age.total_seconds() // 3600)} hours old.", BACKUP_REMEDY)
    if manifest.problems:
        yield Finding(
            f"The newest backup lacks photos, or has other ones: {len(manifest.problems)}.",
            f"Read {backup / backup_folders.MANIFEST}, then compare with the evidence storage.",
        )


CHECKS: tuple[Callable[[], Iterator[Finding]], ...] = (
    check_deployment,
    check_migrations,
    check_disk,
    check_parts,
    check_link,
)
