"""Health checks of `/readyz`: each app registers its own in `apps.ready()`.

A check may hang: it is asked in a thread of its own, waited for only so long, and remembered briefly.

Ours are the database and the free space where evidence and the SQLite database are kept; an alarm comes before a disk
is full.
"""

import os
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from pathlib import Path
from time import monotonic

from django.conf import settings
from django.core.files.storage import FileSystemStorage, storages
from django.db import DatabaseError, InterfaceError, connection
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from monitoring import alarms
from monitoring.coded_texts import CodedText, coded_text, technical_reason
from monitoring.file_systems import ask_file_system
from monitoring.models import AlarmKind

CACHE_SECONDS = 2.0
DISK_CHECK_INTERVAL_SECONDS = 30.0
MEGABYTE = 1024 * 1024
BACKUPS, AWAY = "backups", "disk_away"
PARTS: dict[str, Callable[[], None]] = {}
CHECKS: dict[str, "TimeboxedCheck"] = {}
# reported, but without these parts the application works
DISPENSABLE: set[str] = set()


def register_check(name: str, part: Callable[[], None], *, is_dispensable: bool = False) -> None:
    """`part` raises NotReady, or anything, while it is not fit for work; a dispensable one leaves us ready. Registered
    again it replaces the old one."""
    if is_dispensable:
        DISPENSABLE.add(name)
    PARTS[name] = part
    CHECKS[name] = TimeboxedCheck(part)


def part_problems(*, within_seconds: float) -> dict[str, str]:
    """Name of each part → why it is not fit for work; empty for one that is. All are asked at the same time."""
    deadline = monotonic() + within_seconds
    for check in CHECKS.values():
        check.begin()
    return {name: check.problem(until=deadline) for name, check in CHECKS.items()}


class NotReady(Exception):
    """A part that is not ready for work, as text."""


class TimeboxedCheck:
    """One thread asks, however many requests wait for it and however long the part hangs.

    It is kept: what it has made to ask with (the bucket's client) costs more than the question.
    """

    def __init__(self, part: Callable[[], None]) -> None:
        self._part = part
        self._lock = threading.Lock()
        self._asked, self._answered = threading.Event(), threading.Event()
        self._thread: threading.Thread | None = None
        self._is_asking = False
        self._problem = ""
        self._answered_at = float("-inf")

    def begin(self) -> None:
        """Ask, unless that is being done or was done a moment ago."""
        with self._lock:
            if self._is_asking or monotonic() - self._answered_at < CACHE_SECONDS:
                return
            self._is_asking = True
            self._answered.clear()
            self._asked.set()
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="readiness", daemon=True)
                self._thread.start()

    def problem(self, *, until: float) -> str:
        """Nothing when the part works; `until` is a time of the monotonic clock."""
        if not self._answered.wait(max(0.0, until - monotonic())):
            return "no answer in time"
        return self._problem

    def _run(self) -> None:
        while True:
            self._asked.wait()
            self._asked.clear()
            self._ask()

    def _ask(self) -> None:
        try:
            self._problem = _problem_of(self._part)
        finally:
            with suppress(DatabaseError, InterfaceError):
                connection.close()
            with self._lock:
                self._is_asking, self._answered_at = False, monotonic()
                self._answered.set()


def _problem_of(part: Callable[[], None]) -> str:
    try:
        part()
    except NotReady as problem:
        return str(problem)
    # whatever a database or a storage raises: it is not ready, and its words may name what nobody should know
    except Exception as problem:
        return type(problem).__name__
    return ""


def check_database() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


def data_folders() -> dict[str, Path]:
    """What is kept on this machine's disks → its folder. A bucket and PostgreSQL look after their own."""
    found = {}
    evidence = storages["evidence"]
    if isinstance(evidence, FileSystemStorage):
        found["evidence"] = Path(evidence.location)
    if connection.vendor == "sqlite":
        found["database"] = Path(connection.settings_dict["NAME"]).parent
    return found


def watched_folders() -> dict[str, Path]:
    """Those and the backups, with which PostgreSQL shares its file system where the installer made both."""
    backups = {BACKUPS: Path(settings.BACKUP_FOLDER)} if settings.BACKUP_FOLDER else {}
    return data_folders() | backups


def disk_complaints() -> dict[str, CodedText | None]:
    """Why nothing more can be kept in each watched folder soon, or nothing. Only `manage.py backup` may write to the
    backups (ProtectSystem= of the other services), so nobody else asks whether it can."""
    return {
        name: _complaint(folder, space_problem, "backup_disk_full")
        if name == BACKUPS
        else _complaint(folder, disk_problem, "disk_full")
        for name, folder in watched_folders().items()
    }


def _complaint(folder: Path, question: Callable[[Path], CodedText | None], text: str) -> CodedText | None:
    """Also that its file system is away, which is a problem of this folder and of nothing else."""
    try:
        problem = ask_file_system(folder, question)
    except PermissionError as refusal:
        problem = coded_text("of_address", address=str(folder), reason=technical_reason(refusal.strerror))
    except OSError:
        return coded_text(AWAY, folder=str(folder))
    return coded_text(text, problem=problem) if problem else None


def disk_problem(folder: Path) -> CodedText | None:
    """Why nothing more can be kept in the folder soon, or nothing. Asks the file system and writes nothing."""
    there = _nearest(folder)
    if not there.is_dir():
        return coded_text("disk_no_folder", folder=str(there))
    if os.statvfs(there).f_flag & os.ST_RDONLY or not os.access(there, os.W_OK | os.X_OK):
        return coded_text("disk_not_writable", folder=str(there))
    return space_problem(folder)


def space_problem(folder: Path) -> CodedText | None:
    """Why whatever is written there next may take the last of the disk, or nothing."""
    system, free = _file_system(folder), free_bytes(folder) // MEGABYTE
    if free < settings.DISK_FREE_MB:
        return coded_text("disk_low", free=free, least=settings.DISK_FREE_MB)
    if system.f_files and not system.f_favail:
        return coded_text("disk_without_inodes")
    return None


def check_disk_space() -> None:
    """For `/readyz`. Raises NotReady with the folders that are full or cannot be written."""
    problems = {name: disk_problem(folder) for name, folder in data_folders().items()}
    found = [f"{name}: {problem}" for name, problem in problems.items() if problem]
    if found:
        raise NotReady("; ".join(found))


def free_bytes(folder: Path) -> int:
    system = _file_system(folder)
    return system.f_bavail * system.f_frsize


def disk_space(folder: Path) -> tuple[int, int] | None:
    """Free bytes and all of them; None while its file system does not answer."""
    try:
        system = ask_file_system(folder, _file_system)
    except OSError:
        return None
    return system.f_bavail * system.f_frsize, system.f_blocks * system.f_frsize


def _file_system(folder: Path) -> os.statvfs_result:
    return os.statvfs(_nearest(folder))


def _nearest(folder: Path) -> Path:
    """It, or what there is of the way to it."""
    return next(path for path in (folder, *folder.parents) if path.exists())


class DiskCollector(Collector):
    """The free space in figures, in addition to those of the link; without a folder that does not answer."""

    def collect(self) -> Iterator[Metric]:
        free = GaugeMetricFamily("disk_free_bytes", "free space where data is kept", labels=["folder"])
        size = GaugeMetricFamily("disk_size_bytes", "size of that file system", labels=["folder"])
        for name, folder in watched_folders().items():
            if space := disk_space(folder):
                free.add_metric([name], space[0])
                size.add_metric([name], space[1])
        yield from (free, size)


class DiskMonitor:
    """For a process that looks again and again."""

    def __init__(self) -> None:
        self._looked_at = float("-inf")
        # who did not answer at the last look
        self._away: set[str] = set()

    def check_when_due(self) -> None:
        if monotonic() - self._looked_at >= DISK_CHECK_INTERVAL_SECONDS:
            self._looked_at = monotonic()
            self.check()

    def check(self) -> None:
        """Raise DISK_FULL for each folder with a problem, and DISK_AWAY for one that has not answered twice in a row:
        a disk may be slow. Clear them for the others and for those no longer used."""
        known = alarms.known_alarms(AlarmKind.DISK_FULL, AlarmKind.DISK_AWAY)
        found = {name: text for name, text in disk_complaints().items() if text}
        away = {name: text for name, text in found.items() if text.key == AWAY}
        again = {name: text for name, text in away.items() if name in self._away}
        self._away = set(away)
        full = {name: text for name, text in found.items() if name not in away}
        # who does not answer may still be full
        for kind, texts in ((AlarmKind.DISK_FULL, full), (AlarmKind.DISK_AWAY, again)):
            alarms.replace_alarms(kind, texts | _open_texts(kind, away), known=known[kind])


def _open_texts(kind: AlarmKind, subjects: Collection[str]) -> dict[str, CodedText]:
    found = alarms.open_alarms().filter(kind=kind, subject__in=subjects)
    return {alarm.subject: alarms.text_of(alarm) for alarm in found}
