"""How old the newest complete backup in BACKUP_FOLDER is, and what it lacks: an alarm and a metric."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.utils import timezone
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from monitoring.alarms import clear_alarm, raise_alarm
from monitoring.coded_texts import CodedText, coded_text
from monitoring.file_systems import ask_file_system
from monitoring.models import AlarmKind
from operations.backup_folders import dated_backups, moment_of, read_problems
from operations.backup_retention import read_failure

SUBJECT = "backup"


def newest_backup_at() -> datetime | None:
    """When the newest complete backup was begun; None without one, and where BACKUP_FOLDER cannot be read. One that is
    dated in the future does not count."""
    if not settings.BACKUP_FOLDER:
        return None
    try:
        past = ask_file_system(Path(settings.BACKUP_FOLDER), dated_backups).past
    except OSError:
        return None
    return moment_of(past[-1]) if past else None


def backup_complaint() -> CodedText | None:
    """What is wrong with the backups in BACKUP_FOLDER; None while they are as they should be, or not watched."""
    if not settings.BACKUP_FOLDER:
        return None
    try:
        return ask_file_system(Path(settings.BACKUP_FOLDER), _complaint)
    except OSError:
        return coded_text("backup_missing", folder=settings.BACKUP_FOLDER)


def _complaint(folder: Path) -> CodedText | None:
    found = dated_backups(folder)
    if found.past and (complaint := _newest_complaint(found.past[-1])):
        return complaint
    if found.future:
        return coded_text("backup_in_future", path=str(found.future[-1]))
    if not found.past:
        return coded_text("backup_missing", folder=settings.BACKUP_FOLDER)
    reason = read_failure(folder)
    return coded_text("backup_not_deleted", reason=reason) if reason else None


def _newest_complaint(newest: Path) -> CodedText | None:
    folder, newest_at = settings.BACKUP_FOLDER, moment_of(newest)
    if newest_at and timezone.now() - newest_at > timedelta(hours=settings.BACKUP_WARNING_HOURS):
        return coded_text("backup_overdue", folder=folder, newest_at=newest_at)
    problems = read_problems(newest)
    if problems is None:
        return coded_text("backup_missing", folder=folder)
    return coded_text("backup_incomplete", path=str(newest), photos=len(problems)) if problems else None


def watch_backups() -> None:
    """Raise BACKUP_OVERDUE, or clear it after a good backup and when nothing is watched any more."""
    complaint = backup_complaint()
    if complaint:
        raise_alarm(AlarmKind.BACKUP_OVERDUE, SUBJECT, complaint)
    else:
        clear_alarm(AlarmKind.BACKUP_OVERDUE, SUBJECT)


class BackupCollector(Collector):
    """The age in seconds; missing where BACKUP_FOLDER is empty, infinite without a backup."""

    def collect(self) -> Iterator[Metric]:
        if not settings.BACKUP_FOLDER:
            return
        age = GaugeMetricFamily("backup_age_seconds", "Since the newest complete backup was begun")
        newest_at = newest_backup_at()
        age.add_metric([], (timezone.now() - newest_at).total_seconds() if newest_at else float("inf"))
        yield age
