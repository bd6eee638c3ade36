"""The web server as real processes: none outlives its main process, and a killed worker is replaced."""

import json
import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from pytest_django import Settings

from config.management.commands.web import STOP_SECONDS
from demo.ports import free_ports, is_listening, is_taken
from monitoring.alarms import open_alarms
from monitoring.heartbeats import HeartbeatMonitor, host_name
from monitoring.models import AlarmKind, Heartbeat
from monitoring.processes import kill_group
from tests.background.worker_process import ROOT, children, environment, eventually, parents
from tests.monitoring.test_heartbeats import SOON_SECONDS, is_frozen_at_rest

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
WORKERS = 2


@dataclass
class Web:
    process: subprocess.Popen[bytes]
    port: int
    log: Path

    def workers(self) -> list[int]:
        return children(self.process.pid)

    def answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/healthz", timeout=10) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    def is_up(self) -> bool:
        return is_listening(self.port) and len(self.workers()) == WORKERS and self.answers()


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Web]:
    with serving(tmp_path) as made:
        yield made


@contextmanager
def starting(tmp_path: Path, **more: str) -> Iterator[Web]:
    """The web server on the test's database, with these further settings; perhaps not up yet."""
    port, log = free_ports().people, tmp_path / "web.log"
    variables = environment(tmp_path, **{"DEPLOYMENT": "demo", "WEB_PROCESSES": str(WORKERS), **more})
    command = [sys.executable, "manage.py", "web", "--port", str(port)]
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, cwd=ROOT, env=variables, stdout=output, stderr=output, start_new_session=True
        )
    made = Web(process, port, log)
    try:
        yield made
    finally:
        # also what a failed test has left over
        kill_group(process)
        process.wait()


@contextmanager
def serving(tmp_path: Path, **more: str) -> Iterator[Web]:
    with starting(tmp_path, **more) as made:
        assert eventually(made.is_up), made.log.read_text()
        yield made


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_worker_outlives_the_main_process(web: Web, number: signal.Signals) -> None:
    workers = web.workers()

    web.process.send_signal(number)
    web.process.wait(timeout=60)

    assert eventually(lambda: not set(workers) & set(parents()), seconds=30)
    # a process that is dying gives its sockets back a moment after its last line in the table
    assert eventually(lambda: not is_taken(web.port), seconds=30)


def ends_at_once(pid: int) -> bool:
    """No handler catches SIGTERM there."""
    status = Path(f"/proc/{pid}/status").read_text()
    caught = int(status.partition("SigCgt:")[2].split()[0], 16)
    return not caught >> (signal.SIGTERM - 1) & 1


def test_server_that_is_stopped_while_its_workers_load_ends_at_once(tmp_path: Path) -> None:
    """Forked with the handler of their main process, they would be killed after STOP_SECONDS."""
    with starting(tmp_path) as web:
        assert eventually(lambda: len(web.workers()) == WORKERS and all(map(ends_at_once, web.workers())))

        web.process.terminate()

        # not by its log: granian asks whether a worker is there a millisecond after another thread has seen it end, and
        # on a busy machine says that it had to be killed
        assert web.process.wait(timeout=STOP_SECONDS - 5) == 0


def test_stopped_worker_ends_with_its_main_process(web: Web) -> None:
    workers = web.workers()
    # one that is stopped while it starts looks for its parent only when it goes on
    assert eventually(lambda: len(heartbeats()) == WORKERS)
    os.kill(workers[0], signal.SIGSTOP)

    web.process.kill()
    web.process.wait(timeout=60)

    assert eventually(lambda: not set(workers) & set(parents()), seconds=30)


def test_killed_worker_is_replaced_and_the_server_keeps_running(web: Web) -> None:
    first, second = web.workers()

    os.kill(first, signal.SIGKILL)

    assert eventually(lambda: len(set(web.workers()) - {first, second}) == 1), web.log.read_text()
    assert web.process.poll() is None
    assert second in web.workers()
    assert eventually(web.answers)


def stuck(watch: HeartbeatMonitor) -> list[str]:
    watch.check()
    return list(open_alarms().filter(kind=AlarmKind.PROCESS_STUCK).values_list("subject", flat=True))


def heartbeats() -> set[str]:
    return set(Heartbeat.objects.values_list("process", flat=True))


def test_stopped_worker_is_an_alarm_until_it_runs_again(web: Web, settings: Settings) -> None:
    settings.HEARTBEAT_SILENT_SECONDS = SOON_SECONDS
    first, second = web.workers()
    here, watch = host_name(), HeartbeatMonitor()
    assert eventually(lambda: heartbeats() == {f"web {here} {first}", f"web {here} {second}"})

    assert eventually(lambda: is_frozen_at_rest(first))

    assert eventually(lambda: stuck(watch) == [f"web {here} {first}"])
    os.kill(first, signal.SIGCONT)
    assert eventually(lambda: stuck(watch) == [])


def test_web_server_that_is_stopped_leaves_no_heartbeat(web: Web) -> None:
    assert eventually(lambda: len(heartbeats()) == WORKERS)

    web.process.terminate()
    web.process.wait(timeout=60)

    assert heartbeats() == set()


def test_every_line_of_the_log_is_json(web: Web) -> None:
    web.process.terminate()
    web.process.wait(timeout=60)

    lines = [json.loads(line) for line in web.log.read_text().splitlines()]
    assert {line["logger"] for line in lines} >= {"_granian", "request"}
