"""`manage.py demo` as a real process: however it ends, no process of it lives on and every port is free."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from fcntl import LOCK_EX, flock
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from demo.environment import DemoEnvironment
from demo.management.commands.demo_day import MARK
from demo.ports import free_ports
from dispatch.states import JobState
from monitoring.models import AlarmKind
from tests.background.worker_process import ROOT, descendants, eventually, parents
from tests.servers import system

pytestmark = pytest.mark.slow
# web 3, board stream 1, seller's server 3, relay 1, worker 5 or more, webhooks 1, sandbox 5
FEWEST = 19
JOBS = 20


@dataclass
class Demo:
    process: subprocess.Popen[bytes]
    plan: DemoEnvironment
    log: Path

    def is_up(self) -> bool:
        return "Ctrl-C ends all" in self.log.read_text() and len(descendants(self.process.pid)) >= FEWEST


@pytest.fixture
def demo(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Demo]:
    """With so many jobs as the test asks for: a day takes longer to fill than all processes to start. The first time
    in an empty folder; a test that says how many jobs goes on with the data of an earlier start."""
    jobs = getattr(request, "param", JOBS)
    ports, folder, log = free_ports(), tmp_path / "demo", tmp_path / "demo.log"
    if hasattr(request, "param"):
        shutil.copytree(system.fresh_folder(), folder)
    options = [f"--{name.replace('_', '-')}-port={port}" for name, port in ports.named().items()]
    variables = {name: value for name, value in os.environ.items() if name in {"PATH", "HOME", "LANG"}}
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "demo", f"--folder={folder}", f"--jobs={jobs}", *options],
            cwd=ROOT,
            env={**variables, "DEPLOYMENT": "demo"},
            stdout=output,
            stderr=output,
        )
    made = Demo(process, DemoEnvironment(folder=folder, ports=ports), log)
    family: list[int] = []
    try:
        assert eventually(made.is_up), log.read_text()
        family = descendants(process.pid)
        yield made
    finally:
        process.kill()
        process.wait()
        for pid in family:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


# minutes beside other work
@pytest.mark.timeout(900)
def test_day_is_filled_and_ctrl_c_ends_all(demo: Demo) -> None:
    family = descendants(demo.process.pid)
    log = demo.plan.folder / "logs" / "demo_day.log"

    assert eventually((demo.plan.folder / MARK).exists, seconds=400), log.read_text()

    url = f"file:{demo.plan.folder / 'dispatch.sqlite3'}?mode=ro"
    with closing(sqlite3.connect(url, uri=True)) as database:
        states = dict(database.execute("SELECT state, count(*) FROM dispatch_job GROUP BY state"))
        alarms = {kind for (kind,) in database.execute("SELECT kind FROM monitoring_alarm")}
    assert sum(states.values()) == JOBS
    # nothing waits for the office's review, which is off by default
    assert set(states) == set(JobState) - {JobState.IN_REVIEW}
    assert {AlarmKind.CANCELLED_EN_ROUTE, AlarmKind.PROVISIONING_FAILED, AlarmKind.MESSAGE_HELD} <= alarms
    demo.process.send_signal(signal.SIGINT)
    demo.process.wait(timeout=60)
    assert eventually(lambda: not set(family) & set(parents()), seconds=60)


# killed in the middle of filling its day, and ended when it has none to fill
@pytest.mark.parametrize(("demo", "number"), [(0, signal.SIGTERM), (JOBS, signal.SIGKILL)], indirect=["demo"])
def test_nothing_is_left_of_a_demo(demo: Demo, number: signal.Signals) -> None:
    family = descendants(demo.process.pid)

    demo.process.send_signal(number)
    demo.process.wait(timeout=60)

    assert eventually(lambda: not set(family) & set(parents()), seconds=60)
    # a process that is dying gives its sockets back a moment after its last line in the table
    assert eventually(lambda: demo.plan.taken_ports() == [], seconds=30)


def test_second_demo_with_the_same_folder_is_refused_before_it_starts_anything(tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    with (tmp_path / "demo.lock").open("w") as lock:
        flock(lock, LOCK_EX)

        with pytest.raises(CommandError, match=r"Another demo runs with .*demo\. Nothing"):
            call_command("demo", folder=folder)

    assert not folder.exists()


@pytest.mark.parametrize("demo", [0], indirect=True)
def test_nothing_is_left_when_the_web_server_was_killed_before(demo: Demo) -> None:
    web = next(pid for pid in descendants(demo.process.pid) if is_web_server(pid, demo.plan.ports.people))
    workers = descendants(web)
    os.kill(web, signal.SIGKILL)
    assert eventually(lambda: "people ended" in demo.log.read_text())
    assert eventually(lambda: not set(workers) & set(parents()), seconds=60)
    family = descendants(demo.process.pid)

    demo.process.terminate()
    demo.process.wait(timeout=60)

    assert eventually(lambda: not set(family) & set(parents()), seconds=60)
    # a process that is dying gives its sockets back a moment after its last line in the table
    assert eventually(lambda: demo.plan.taken_ports() == [], seconds=30)


def is_web_server(pid: int, port: int) -> bool:
    with suppress(OSError):
        arguments = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        return b"granian" in arguments and str(port).encode() in arguments
    return False
