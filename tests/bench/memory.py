"""Whether server and relay grow with what passes through them: their own memory against messages, on SQLite."""

import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from demo.environment import BASE_DIR, DemoEnvironment
from demo.ports import free_ports
from demo.process_manager import ProcessManager
from tests.bench import drain, inbound
from tests.bench.rows import Row

# each way; before that, caches of the database and of the interpreter fill up
WARM_UP, MEASURED = 15_000, 30_000
# a backlog is made of whole jobs, and may fall short by less than one
WHOLE_JOB = 3
ROUND_SECONDS, LOOK_EVERY_SECONDS = 2.0, 0.25
SECONDS = 300
MILLION = 1_000_000
GOAL_MEGABYTES = 64


@dataclass
class Growth:
    """Messages so far and kilobytes then, of one command with all its processes."""

    name: str
    pid: int
    warm_up: int
    measured: int
    messages: int = 0
    points: list[tuple[int, int]] = field(default_factory=list)

    def note(self, more: int) -> None:
        """Only while something passes: a process at rest says nothing about messages."""
        self.messages += more
        if more and self.messages >= self.warm_up:
            self.points.append((self.messages, _resident_kilobytes(self.pid)))

    @property
    def is_measured(self) -> bool:
        return self.messages >= self.warm_up + self.measured

    def megabytes_per_million(self) -> float:
        slope, _begin = statistics.linear_regression(*zip(*self.points, strict=True))
        return slope * MILLION / 1024

    def megabytes(self) -> float:
        return (self.points[-1][1] - self.points[0][1]) / 1024

    def __str__(self) -> str:
        first, last = self.points[0], self.points[-1]
        return f"{self.name} {first[1] / 1024:.1f} MB at {first[0]} and {last[1] / 1024:.1f} MB at {last[0]}"


def measure(folder: Path) -> list[Row]:
    """A bounded run; what it says about a million is a straight line through its points, and no more than that."""
    grown = _run(folder, warm_up=WARM_UP, measured=MEASURED)
    slopes = {process.name: process.megabytes_per_million() for process in grown}
    unit = f"MB a million messages, extrapolated from {MEASURED} each way"
    return [_row(unit, slopes, grown, is_within=max(slopes.values()) <= GOAL_MEGABYTES)]


def measure_start(folder: Path, *, warm_up: int, measured: int) -> list[Row]:
    """Another quantity: too short for a line, since caches still fill up."""
    grown = _run(folder, warm_up=warm_up, measured=measured)
    unit = f"MB more after {measured} messages each way, soon after the start and not extrapolated"
    return [_row(unit, {process.name: process.megabytes() for process in grown}, grown, is_within=None)]


def _run(folder: Path, *, warm_up: int, measured: int) -> list[Growth]:
    demo = DemoEnvironment(folder=folder, ports=free_ports(), with_sandbox=False, apart=True)
    demo.prepare()
    url = f"sqlite:///{folder / 'memory.sqlite3'}"
    environment = {**demo.our_environment(), "DATABASE_URL": url, "LOG_LEVEL": "ERROR"}
    with drain.stub(demo) as seller, inbound.seller_server(demo, url) as server:
        _fill(environment, warm_up + measured + WHOLE_JOB)
        with drain.relays(demo, environment, number=1) as relays:
            both = [
                Growth(name, _pid(process), warm_up, measured)
                for name, process in (("door", server), ("relay", relays))
            ]
            return _grown(demo, seller, *both)


def _row(unit: str, grown_by: dict[str, float], grown: list[Growth], *, is_within: bool | None) -> Row:
    each = ", ".join(f"{name} {megabytes:+.1f}" for name, megabytes in grown_by.items())
    return Row(
        name="memory_flat",
        value=round(max(grown_by.values()), 1),
        unit=f"{unit}: {each}",
        compared_with="; ".join(map(str, grown)),
        ratio=None,
        goal=f"neither grows by more than {GOAL_MEGABYTES} MB a million",
        is_within_limit=is_within,
    )


def _fill(environment: dict[str, str], messages: int) -> None:
    backlog = [sys.executable, "-m", "tests.bench.backlog", "--messages", str(messages)]
    url = drain.whole(environment)
    subprocess.run(backlog, cwd=BASE_DIR, env=url, check=True, stdout=subprocess.DEVNULL)


def _grown(demo: DemoEnvironment, seller: drain.Stub, server: Growth, relay: Growth) -> list[Growth]:
    """Both work at the same time, each until it is measured."""
    until = time.monotonic() + SECONDS
    with ThreadPoolExecutor(1) as callers:
        calling = callers.submit(_call, demo, server, until=until)
        while not relay.is_measured and time.monotonic() < until:
            time.sleep(LOOK_EVERY_SECONDS)
            relay.note(seller.next_report()["requests"])
        calling.result()
    if not (server.is_measured and relay.is_measured):
        raise RuntimeError(f"only {server.messages} came in and {relay.messages} went out in {SECONDS} s")
    return [server, relay]


def _call(demo: DemoEnvironment, server: Growth, *, until: float) -> None:
    while not server.is_measured and time.monotonic() < until:
        server.note(inbound.called(demo, "--seconds", str(ROUND_SECONDS))["answers"])


def _pid(supervisor: ProcessManager) -> int:
    return supervisor.running[0].process.pid


def _resident_kilobytes(session: int) -> int:
    """Their own memory, of all processes of a session; a page that several of them share counts once.

    Not that of files: what of a library is counted here depends on who else on the machine uses it.
    """
    return sum(map(_own_kilobytes, filter(partial(_is_of, session), Path("/proc").glob("[0-9]*"))))


def _is_of(session: int, process: Path) -> bool:
    with suppress(OSError):
        # the name, in brackets, may hold anything
        return int((process / "stat").read_text().rpartition(")")[2].split()[3]) == session
    return False


def _own_kilobytes(process: Path) -> int:
    """Counted now; /proc's status lags behind. None of a process that has just ended."""
    with suppress(OSError):
        text = (process / "smaps_rollup").read_text()
        return int(next(line.split()[1] for line in text.splitlines() if line.startswith("Pss_Anon:")))
    return 0
