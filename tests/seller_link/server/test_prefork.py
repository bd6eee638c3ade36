"""Several processes at one port: kill one and the next takes its place, kill the parent and the port is free."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from demo.environment import wait_until
from monitoring.alarms import open_alarms
from monitoring.heartbeats import HeartbeatMonitor, host_name
from monitoring.models import AlarmKind, Heartbeat
from tests.background.worker_process import children, environment, eventually, parents
from tests.monitoring.test_heartbeats import SOON_SECONDS, is_frozen_at_rest
from tests.servers.ports import free_port

PROGRAM = """
import socket, os, sys
from seller_link.server.prefork import PreforkServer

listening = socket.create_server(("127.0.0.1", int(sys.argv[1])))

def work():
    if sys.argv[2] == "broken":
        sys.exit(3)
    while True:
        line, _address = listening.accept()
        line.sendall(str(os.getpid()).encode())
        line.close()

sys.exit(PreforkServer(work, count=2).run())
"""
ROOT = Path(__file__).parents[3]


@contextmanager
def prefork_server(port: int, kind: str = "sound") -> Iterator[subprocess.Popen[bytes]]:
    parent = subprocess.Popen([sys.executable, "-c", PROGRAM, str(port), kind], cwd=ROOT)
    try:
        yield parent
    finally:
        parent.kill()
        parent.wait()


def who_answers(port: int) -> int:
    """The process behind the port, or 0."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=5) as line:
            return int(line.recv(20) or 0)
    except OSError:
        return 0


def test_one_that_was_killed_is_replaced_and_the_port_answers() -> None:
    port = free_port()
    with prefork_server(port) as parent:
        assert wait_until(lambda: who_answers(port) > 0, seconds=20)
        killed = who_answers(port)
        os.kill(killed, signal.SIGKILL)
        # dying, it may still take a line along
        assert wait_until(lambda: not Path(f"/proc/{killed}").exists(), seconds=10)
        later = {who_answers(port) for _ in range(20)}
        assert later
        assert killed not in later
        assert 0 not in later
        assert parent.poll() is None


def test_stopped_child_ends_with_its_parent() -> None:
    port = free_port()
    with prefork_server(port) as parent:
        assert wait_until(lambda: who_answers(port) > 0, seconds=20)
        family = children(parent.pid)
        os.kill(family[0], signal.SIGSTOP)

        parent.kill()
        parent.wait()

        assert eventually(lambda: not set(family) & set(parents()), seconds=20)


def test_children_end_with_their_parent_however_it_ends() -> None:
    port = free_port()
    with prefork_server(port) as parent:
        assert wait_until(lambda: who_answers(port) > 0, seconds=20)
        parent.kill()
        assert wait_until(lambda: who_answers(port) == 0, seconds=10)
    with prefork_server(port):
        assert wait_until(lambda: who_answers(port) > 0, seconds=20)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_asked_to_end_all_end_without_an_error(number: signal.Signals) -> None:
    port = free_port()
    with prefork_server(port) as parent:
        assert wait_until(lambda: who_answers(port) > 0, seconds=20)
        parent.send_signal(number)
        assert parent.wait(timeout=20) == 0
    assert who_answers(port) == 0


def test_prefork_server_that_cannot_work_reports_it_by_its_exit_code() -> None:
    with prefork_server(free_port(), "broken") as parent:
        assert parent.wait(timeout=20) == 3


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_stopped_process_of_the_server_is_an_alarm_until_it_runs_again(
    our_certificates: None, tmp_path: Path, settings: Settings
) -> None:
    settings.HEARTBEAT_SILENT_SECONDS = SOON_SECONDS
    port, watch = free_port(), HeartbeatMonitor()
    command = [sys.executable, "manage.py", "seller_server", "--port", str(port)]
    variables = {**environment(tmp_path), **certificates_of(settings)}
    server = subprocess.Popen(command, cwd=ROOT, env=variables)
    try:
        assert eventually(lambda: Heartbeat.objects.count() == 2)
        first = children(server.pid)[0]
        name = f"seller server {host_name()} {first}"
        assert eventually(lambda: is_frozen_at_rest(first))

        assert eventually(lambda: stuck(watch) == [name])
        os.kill(first, signal.SIGCONT)
        assert eventually(lambda: stuck(watch) == [])
        server.terminate()
        server.wait(timeout=60)
        assert Heartbeat.objects.count() == 0
    finally:
        server.kill()
        server.wait()


def certificates_of(ours: Any) -> dict[str, str]:
    names = (
        "SELLER_CA",
        "SELLER_CLIENT_CERT",
        "SELLER_CLIENT_KEY",
        "SELLER_SERVER_CERT",
        "SELLER_SERVER_KEY",
    )
    return {name: getattr(ours, name) for name in names}


def stuck(watch: HeartbeatMonitor) -> list[str]:
    watch.check()
    return list(open_alarms().filter(kind=AlarmKind.PROCESS_STUCK).values_list("subject", flat=True))
