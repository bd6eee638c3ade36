"""What a run has seen: waits by kind of request, answers that failed, and what each part of the machine used."""

import os
import threading
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
MEGABYTE = 1024 * 1024
# the first words of a command line → the part it belongs to
PARTS = {
    "granian --interface wsgi": "web",
    "manage.py board_stream": "board stream",
    "manage.py worker": "worker",
    "manage.py relay": "relay",
    "manage.py webhooks": "webhooks",
    "manage.py seller_server": "seller server",
    "nginx": "nginx",
    "rclone": "S3 server",
    "postgres": "PostgreSQL",
    "redis-server": "Redis",
    "tests.load.generator": "generators",
    "tests.bench.stub": "generators",
}


@dataclass
class Waits:
    """Seconds of each answer by kind, from the moment at which the request was due. For many threads."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    failures: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, kind: str, seconds: float) -> None:
        with self.lock:
            self.seconds[kind].append(seconds)

    def fail(self, kind: str, reason: str) -> None:
        with self.lock:
            self.failures[f"{kind}: {reason}"] += 1

    def take(self) -> dict[str, object]:
        """All since the last call, as JSON can hold it."""
        with self.lock:
            measured = {"seconds": dict(self.seconds), "failures": dict(self.failures)}
            self.seconds, self.failures = defaultdict(list), Counter()
        return measured


def percentile(values: Iterable[float], share: float) -> float:
    """0.99: the value that 99 of 100 do not exceed; 0 of nothing."""
    ascending = sorted(values)
    return ascending[min(len(ascending) - 1, int(len(ascending) * share))] if ascending else 0.0


@dataclass(frozen=True)
class Used:
    """Of one part at one moment: processor seconds since its start, and resident megabytes (shared pages of
    PostgreSQL's buffers are counted in each of its processes)."""

    processor_seconds: float
    megabytes: float


def used_by_part(database: str) -> Mapping[str, Used]:
    """Of the processes that this one has started, of the sessions of this database with PostgreSQL's own helpers, and
    of Redis."""
    found = {process.pid: process for process in _processes()}
    sums: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for process in found.values():
        if process.is_ours(found, database):
            sums[process.part][0] += process.processor_seconds
            sums[process.part][1] += process.megabytes
    return {part: Used(*values) for part, values in sums.items()}


@dataclass(frozen=True)
class _Process:
    pid: int
    parent: int
    command: str
    processor_seconds: float
    megabytes: float

    @property
    def part(self) -> str:
        return next((part for command, part in PARTS.items() if command in self.command), "others")

    def is_ours(self, found: Mapping[int, "_Process"], database: str) -> bool:
        if self.part == "PostgreSQL":
            return (
                f" {database} " in self.command or " writer" in self.command or "checkpointer" in self.command
            )
        if self.part == "Redis":
            return True
        above = found.get(self.parent)
        while above and above.pid != os.getpid():
            above = found.get(above.parent)
        return above is not None


def _processes() -> Iterator[_Process]:
    for folder in Path("/proc").iterdir():
        # a process may end while it is looked at
        with suppress(OSError, ValueError, IndexError):
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            yield _Process(
                pid=int(folder.name),
                parent=int(fields[1]),
                command=command,
                # user and system, of itself and of children that have ended (proc(5), fields 14 to 17)
                processor_seconds=sum(map(int, fields[11:15])) / TICKS,
                megabytes=int((folder / "statm").read_text().split()[1]) * PAGE_BYTES / MEGABYTE,
            )


def cores_used(before: Mapping[str, Used], after: Mapping[str, Used], *, seconds: float) -> dict[str, float]:
    """Processor seconds a second by part, the busiest first."""
    spent = {
        part: (now.processor_seconds - before.get(part, Used(0, 0)).processor_seconds) / seconds
        for part, now in after.items()
    }
    return dict(sorted(spent.items(), key=lambda item: -item[1]))
