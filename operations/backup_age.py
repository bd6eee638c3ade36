"""How old the newest complete backup in BACKUP_FOLDER is: an alarm and a metric."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.utils import timezone
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from monitoring.alarms import AlarmKind, AlarmText, alarm_text, clear_alarm, raise_alarm
from operations.backup import NAME_FORMAT
from operations.backup_folders import backups

SUBJECT = "backup"


def newest_backup_at() -> datetime | None:
    """When the newest complete backup was begun; None without one, and where BACKUP_FOLDER cannot be read."""
    if not settings.BACKUP_FOLDER:
        return None
    moments = (_moment(path.name) for path in backups(Path(settings.BACKUP_FOLDER)))
    return max((moment for moment in moments if moment is not None), default=None)


def _moment(name: str) -> datetime | None:
    """None for a folder that somebody renamed or put there."""
    try:
        return datetime.strptime(name, NAME_FORMAT).replace(tzinfo=UTC)
    except ValueError:
        return None


def backup_complaint(newest_at: datetime | None) -> AlarmText | None:
    """What is wrong with the backups in BACKUP_FOLDER; None while they are as they should be, or not watched."""
    if not settings.BACKUP_FOLDER:
        return None
    if newest_at is None:
        return alarm_text("backup_missing", folder=settings.BACKUP_FOLDER)
    if timezone.now() - newest_at <= timedelta(hours=settings.BACKUP_WARNING_HOURS):
        return None
    return alarm_text("backup_overdue", folder=settings.BACKUP_FOLDER, newest_at=newest_at)


def watch_backups() -> None:
    """Raise BACKUP_OVERDUE, or clear it after a good backup and when nothing is watched any more."""
    complaint = backup_complaint(newest_backup_at())
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
