"""A real `manage.py worker` on the test's own database, and a look at the processes that it is made of."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from django.conf import settings
from django.db import connection

ROOT = Path(__file__).resolve().parent.parent.parent


def database_url() -> str:
    """The test database, for another process."""
    database = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{database['NAME']}"
    user = ":".join(quote(part, safe="") for part in (database["USER"], database["PASSWORD"]) if part)
    return f"postgresql://{user}@{database['HOST']}:{database['PORT'] or 5432}/{database['NAME']}"


def environment(folder: Path, **more: str) -> dict[str, str]:
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "SECRET_KEY": settings.SECRET_KEY,
        "DATABASE_URL": database_url(),
        "EVIDENCE_STORAGE_URL": f"file://{folder}",
        "LOG_LEVEL": "INFO",
        **more,
    }


def eventually(condition: Callable[[], object], *, seconds: float = 150) -> bool:
    """Whether it came true; the limit is far above what a busy machine needs."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.1)
    return bool(condition())


def parents() -> dict[int, int]:
    """Every process that lives (no zombies), with its parent."""
    found = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = path.read_text().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        if state != "Z":
            found[int(path.parent.name)] = int(parent)
    return found


def children(pid: int) -> list[int]:
    return sorted(child for child, parent in parents().items() if parent == pid)


def descendants(pid: int) -> list[int]:
    """The process and its living descendants, oldest first."""
    known, found = parents(), [pid]
    for process in found:
        found += [child for child, parent in known.items() if parent == process]
    return found


@dataclass
class Worker:
    """The watchdog and what it wrote; the cluster's processes are looked up, since they come and go."""

    process: subprocess.Popen[bytes]
    log: Path

    @property
    def cluster(self) -> int:
        return children(self.process.pid)[0]

    def task_processes(self) -> list[int]:
        """Those that run tasks: made first, before the monitor and the pusher."""
        sentinel = children(self.cluster)[0]
        return children(sentinel)

    def family(self) -> list[int]:
        return descendants(self.process.pid)

    def is_up(self) -> bool:
        """Watchdog, cluster, sentinel, and one task process at least with monitor and pusher."""
        return len(self.family()) >= 6

    def wait_until_up(self) -> None:
        assert eventually(self.is_up), self.log.read_text()

    def end(self, number: signal.Signals) -> None:
        self.process.send_signal(number)
        self.process.wait(timeout=20)


@contextmanager
def running(folder: Path, **more: str) -> Iterator[Worker]:
    """One task process, short tasks; perhaps not up yet. Killed with its descendants at the end in any case."""
    log = folder / "worker.log"
    variables = environment(folder, **{"WORKER_PROCESSES": "1", "WORKER_TASK_SECONDS": "2", **more})
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "worker"], cwd=ROOT, env=variables, stdout=output, stderr=output
        )
    worker = Worker(process, log)
    try:
        yield worker
    finally:
        kin = worker.family()
        for pid in kin:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.wait()
