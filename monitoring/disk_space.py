"""Free space where we keep evidence and the SQLite database: an alarm comes before the disk is full."""

import os
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

from django.conf import settings
from django.core.files.storage import FileSystemStorage, storages
from django.db import connection
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from monitoring import alarms
from monitoring.alarm_texts import alarm_text
from monitoring.alarms import AlarmKind
from monitoring.health_checks import NotReady

CHECK_INTERVAL_SECONDS = 30.0
MEGABYTE = 1024 * 1024


def data_folders() -> dict[str, Path]:
    """What is kept on this machine's disks → its folder. A bucket and PostgreSQL look after their own."""
    found = {}
    evidence = storages["evidence"]
    if isinstance(evidence, FileSystemStorage):
        found["evidence"] = Path(evidence.location)
    if connection.vendor == "sqlite":
        found["database"] = Path(connection.settings_dict["NAME"]).parent
    return found


def disk_problem(folder: Path) -> str:
    """Why nothing more can be kept in the folder soon, or nothing. Asks the file system and writes nothing."""
    there = next(one for one in (folder, *folder.parents) if one.exists())
    if not there.is_dir():
        return f"{there} is no folder"
    system = os.statvfs(there)
    free = system.f_bavail * system.f_frsize // MEGABYTE
    if system.f_flag & os.ST_RDONLY or not os.access(there, os.W_OK | os.X_OK):
        return f"{there} cannot be written"
    if free < settings.DISK_FREE_MB:
        return f"{free} MB free, fewer than {settings.DISK_FREE_MB}"
    if system.f_files and not system.f_favail:
        return "no inodes free"
    return ""


def check_disk_space() -> None:
    """For `/readyz`. Raises NotReady with the folders that are full or cannot be written."""
    problems = {name: disk_problem(folder) for name, folder in data_folders().items()}
    found = [f"{name}: {problem}" for name, problem in problems.items() if problem]
    if found:
        raise NotReady("; ".join(found))


def free_bytes(folder: Path) -> int:
    there = next(one for one in (folder, *folder.parents) if one.exists())
    system = os.statvfs(there)
    return system.f_bavail * system.f_frsize


class DiskCollector(Collector):
    """The free space in figures, beside those of the link."""

    def collect(self) -> Iterator[Metric]:
        free = GaugeMetricFamily("disk_free_bytes", "free space where data is kept", labels=["folder"])
        for name, folder in data_folders().items():
            free.add_metric([name], free_bytes(folder))
        yield free


class DiskMonitor:
    """For a process that looks again and again."""

    def __init__(self) -> None:
        self._looked_at = float("-inf")

    def look_when_due(self) -> None:
        if monotonic() - self._looked_at >= CHECK_INTERVAL_SECONDS:
            self._looked_at = monotonic()
            self.look()

    def look(self) -> None:
        """Raise DISK_FULL for each folder with a problem, clear it for the others."""
        for name, folder in data_folders().items():
            problem = disk_problem(folder)
            if problem:
                alarms.raise_alarm(AlarmKind.DISK_FULL, name, alarm_text("disk_full", problem=problem))
            else:
                alarms.clear_alarm(AlarmKind.DISK_FULL, name)
