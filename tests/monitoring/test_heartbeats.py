"""A background process that has fallen silent is an alarm until it beats again, is replaced, or ends as it should."""

import os
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection
from django.utils import timezone, translation
from pytest_django import Settings

from monitoring import heartbeats
from monitoring.alarms import open_alarms, raise_alarm, text_of
from monitoring.coded_texts import coded_text
from monitoring.models import AlarmKind, Heartbeat
from tests.background import worker_process
from tests.background.worker_process import ROOT, environment, eventually
from tests.servers import small_disk
from tests.servers.seller_server import serve_on_port

pytestmark = pytest.mark.django_db(transaction=True)
NOW = timezone.now()
# two heartbeats: the shortest time after which a process may be called silent
SOON_SECONDS = 10
LONG_HOST = "dispatch-server-of-the-partner." * 2 + "xx"


def beat(process: str, *, seconds_ago: int = 0, began_ago: int = 60) -> None:
    facts = heartbeats.initial_facts(NOW - timedelta(seconds=began_ago))
    moment = NOW - timedelta(seconds=seconds_ago)
    Heartbeat.objects.update_or_create(process=process, defaults={"beat_at": moment, "facts": facts})


def stuck() -> list[str]:
    return list(open_alarms().filter(kind=AlarmKind.PROCESS_STUCK).values_list("subject", flat=True))


def is_frozen_at_rest(pid: int) -> bool:
    """One that is stopped in the middle of a transaction keeps SQLite's one writer's place, and nobody else could
    write down what they see."""
    os.kill(pid, signal.SIGSTOP)
    if connection.vendor != "sqlite":
        return True
    with closing(sqlite3.connect(settings.DATABASES["default"]["NAME"], timeout=0)) as other:
        try:
            other.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            os.kill(pid, signal.SIGCONT)
            return False
    return True


class Clock:
    """A process' own, which no one sets."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def look_for(seconds: int, watch: heartbeats.HeartbeatMonitor, clock: Clock, *, beating: str = "") -> None:
    """As a watching process does: every five seconds; `beating` does so in the meantime."""
    for _look in range(0, seconds, 5):
        if beating:
            beat(beating, seconds_ago=-int(clock.seconds))
        watch.check()
        clock.seconds += 5


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def watch(clock: Clock) -> heartbeats.HeartbeatMonitor:
    return heartbeats.HeartbeatMonitor(clock=clock)


@pytest.mark.parametrize(("process", "seconds"), [("relay host 1", 40), ("worker", 100)])
def test_silent_process_is_an_alarm_until_it_beats_again(
    watch: heartbeats.HeartbeatMonitor, clock: Clock, process: str, seconds: int
) -> None:
    beat(process)
    look_for(seconds - 15, watch, clock)
    before = stuck()
    look_for(15, watch, clock)
    silent = stuck()

    beat(process, seconds_ago=-1)
    look_for(5, watch, clock)

    assert (before, silent, stuck()) == ([], [process], [])


def test_process_that_beats_is_no_alarm(watch: heartbeats.HeartbeatMonitor, clock: Clock) -> None:
    look_for(150, watch, clock, beating="relay host 1")

    assert stuck() == []


@pytest.mark.parametrize("kind", heartbeats.REQUIRED)
def test_required_process_that_does_not_come_up_is_an_alarm(
    watch: heartbeats.HeartbeatMonitor, clock: Clock, kind: str
) -> None:
    others = [other for other in heartbeats.REQUIRED if other != kind]
    for required in heartbeats.REQUIRED:
        beat(required if required == heartbeats.WORKER else f"{required}host 1")
    look_for(20, watch, clock)
    # a restart: the old process removed its row, the new one never wrote any
    Heartbeat.objects.filter(process__startswith=kind).delete()

    def look_again(seconds: int) -> list[str]:
        for _look in range(0, seconds, 5):
            for other in others:
                ahead = -int(clock.seconds)
                beat(other if other == heartbeats.WORKER else f"{other}host 1", seconds_ago=ahead)
            look_for(5, watch, clock)
        return stuck()

    assert (look_again(175), look_again(15)) == ([], [kind.strip()])
    name = kind if kind == heartbeats.WORKER else f"{kind}host 2"
    beat(name)
    look_for(5, watch, clock)
    beat(name, seconds_ago=-10_000)
    assert look_again(5) == []


def test_missing_process_has_its_name_for_people(watch: heartbeats.HeartbeatMonitor, clock: Clock) -> None:
    look_for(200, watch, clock)

    text = text_of(open_alarms().get(subject="seller server"))
    assert str(text).startswith("No process “Server for the seller” is running.")
    with translation.override("de"):
        assert str(text).startswith("Kein Prozess „Server für den Auftraggeber“ läuft.")


def test_missing_worker_keeps_the_words_of_its_watchdog(
    watch: heartbeats.HeartbeatMonitor, clock: Clock
) -> None:
    raise_alarm(AlarmKind.PROCESS_STUCK, "worker", coded_text("worker_not_starting"))

    look_for(200, watch, clock)

    assert open_alarms().get(subject="worker").text == "worker_not_starting"


def test_watcher_that_was_away_itself_waits_before_it_says_anything(
    watch: heartbeats.HeartbeatMonitor, clock: Clock
) -> None:
    # the database was away from everybody
    beat("relay host 1")
    look_for(10, watch, clock)
    clock.seconds += 600

    look_for(20, watch, clock)

    assert stuck() == []


def test_relay_that_was_started_in_its_place_ends_the_alarm(
    watch: heartbeats.HeartbeatMonitor, clock: Clock
) -> None:
    beat("relay host 1", seconds_ago=90)
    look_for(40, watch, clock)
    silent = stuck()
    beat("relay host 2", began_ago=10)

    look_for(5, watch, clock)

    assert (silent, stuck()) == (["relay host 1"], [])
    assert list(Heartbeat.objects.values_list("process", flat=True)) == ["relay host 2"]


def test_relay_that_ran_all_along_does_not_hide_the_silent_one(
    watch: heartbeats.HeartbeatMonitor, clock: Clock
) -> None:
    beat("relay host 1", seconds_ago=30, began_ago=600)

    look_for(40, watch, clock, beating="relay host 2")

    assert stuck() == ["relay host 1"]


def test_process_that_ends_as_it_should_leaves_no_alarm(
    watch: heartbeats.HeartbeatMonitor, clock: Clock
) -> None:
    beat("relay host 1")
    beat("worker")
    look_for(100, watch, clock)
    silent = stuck()

    heartbeats.remove_heartbeat("relay host 1")
    heartbeats.remove_heartbeat("worker")
    look_for(5, watch, clock)

    assert (len(silent), stuck()) == (2, [])
    assert Heartbeat.objects.count() == 0


def test_alarm_of_a_relay_that_was_forgotten_is_over(
    watch: heartbeats.HeartbeatMonitor, clock: Clock
) -> None:
    beat("relay host 1")
    look_for(40, watch, clock)
    silent = stuck()
    Heartbeat.objects.all().delete()

    look_for(5, watch, clock)

    assert (silent, stuck()) == (["relay host 1"], [])


@pytest.mark.parametrize("kind", [*heartbeats.REPLACEABLE, heartbeats.WORKER])
def test_last_process_of_its_kind_keeps_its_row_and_its_alarm(
    watch: heartbeats.HeartbeatMonitor, clock: Clock, kind: str
) -> None:
    dead = kind if kind == heartbeats.WORKER else f"{kind}host 1"
    beat(dead, seconds_ago=7200)
    # others that work are of another kind
    beat("relay other 2" if kind != heartbeats.RELAY else "web other 2", began_ago=9000)
    look_for(100, watch, clock)

    heartbeats.forget_silent_processes(NOW)
    look_for(10, watch, clock)

    assert dead in stuck()
    assert Heartbeat.objects.filter(process=dead).exists()


@pytest.mark.parametrize("kind", heartbeats.REPLACEABLE)
def test_silent_process_is_forgotten_after_an_hour_while_another_of_its_kind_works(
    watch: heartbeats.HeartbeatMonitor, clock: Clock, kind: str
) -> None:
    beat(f"{kind}host 1", seconds_ago=7200)
    beat(f"{kind}host 2", seconds_ago=1800, began_ago=9000)
    beat(f"{kind}host 3", began_ago=9000)

    heartbeats.forget_silent_processes(NOW)

    # the second one is kept for somebody to wonder: an hour is not over
    remaining = Heartbeat.objects.order_by("process").values_list("process", flat=True)
    assert list(remaining) == [f"{kind}host 2", f"{kind}host 3"]


def test_of_processes_that_ended_together_one_remains(
    watch: heartbeats.HeartbeatMonitor, clock: Clock
) -> None:
    for number in range(4):
        beat(f"web host {number}", seconds_ago=7200 + number % 2)

    heartbeats.forget_silent_processes(NOW)

    assert set(Heartbeat.objects.values_list("process", flat=True)) == {"web host 0", "web host 2"}


def test_new_watcher_does_not_take_an_alarm_away(watch: heartbeats.HeartbeatMonitor, clock: Clock) -> None:
    beat("relay host 1")
    look_for(40, watch, clock)

    look_for(20, heartbeats.HeartbeatMonitor(clock=clock), clock)

    assert stuck() == ["relay host 1"]


def test_alarm_that_the_workers_watchdog_raised_is_left_to_it(watch: heartbeats.HeartbeatMonitor) -> None:
    raise_alarm(AlarmKind.PROCESS_STUCK, "worker", coded_text("worker_not_starting"))

    watch.check()

    assert stuck() == ["worker"]


@pytest.fixture
def relay(our_certificates: None, tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    log = (tmp_path / "relay.log").open("wb")
    process = subprocess.Popen(
        [sys.executable, "manage.py", "relay"], cwd=ROOT, env=environment(tmp_path), stdout=log, stderr=log
    )
    yield process
    process.kill()
    process.wait()
    log.close()


@pytest.mark.slow
def test_frozen_relay_is_an_alarm_until_it_runs_again(
    relay: subprocess.Popen[bytes], settings: Settings
) -> None:
    settings.HEARTBEAT_SILENT_SECONDS = SOON_SECONDS
    assert eventually(Heartbeat.objects.exists)
    watch = heartbeats.HeartbeatMonitor()

    def is_stuck(*, expected: bool) -> bool:
        watch.check()
        return bool(stuck()) is expected

    assert eventually(lambda: is_frozen_at_rest(relay.pid))
    assert eventually(lambda: is_stuck(expected=True))
    os.kill(relay.pid, signal.SIGCONT)
    assert eventually(lambda: is_stuck(expected=False))
    assert Heartbeat.objects.count() == 1
    relay.terminate()
    relay.wait(timeout=20)

    watch.check()
    assert (stuck(), Heartbeat.objects.count()) == ([], 0)


@pytest.mark.slow
def test_workers_watchdog_sees_a_dead_relay_and_leaves_nothing_when_it_ends(tmp_path: Path) -> None:
    beat("relay host 1")
    with worker_process.running(tmp_path, HEARTBEAT_SILENT_SECONDS=str(SOON_SECONDS)) as worker:
        is_seen = eventually(lambda: stuck() == ["relay host 1"])
        has_beaten = eventually(Heartbeat.objects.filter(process="worker").exists)
        worker.end(signal.SIGTERM)

    assert (is_seen, has_beaten) == (True, True), worker.log.read_text()
    assert list(Heartbeat.objects.values_list("process", flat=True)) == ["relay host 1"]


@pytest.mark.slow
def test_seller_server_sees_a_dead_relay(our_certificates: None, settings: Settings) -> None:
    settings.HEARTBEAT_SILENT_SECONDS = SOON_SECONDS
    beat("relay host 1")

    with serve_on_port():
        assert eventually(lambda: stuck() == ["relay host 1"])


@pytest.mark.parametrize("kind", heartbeats.REPLACEABLE)
def test_name_of_a_process_on_a_host_with_a_long_name_can_be_stored(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: LONG_HOST)
    monkeypatch.setattr(os, "getpid", lambda: 4194304)

    assert len(heartbeats.process_name(kind)) <= Heartbeat._meta.get_field("process").max_length


@pytest.mark.skipif(bool(small_disk.missing()), reason=small_disk.missing() or "-")
def test_processes_of_two_containers_on_one_host_have_names_of_their_own() -> None:
    code = (
        "import os; from unittest.mock import patch; import django; django.setup(); from monitoring import heartbeats; "
        f"p = patch('socket.gethostname', lambda: {LONG_HOST!r}); p.start(); "
        "print(os.getpid(), heartbeats.process_name(heartbeats.SERVER))"
    )
    command = ["unshare", "--pid", "--fork", sys.executable, "-c", code]
    begun = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings"}

    # both at the same time: a number of a namespace that has ended may come again
    containers = [
        subprocess.Popen(command, cwd=ROOT, env=begun, stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]
    (pid, first), (other_pid, second) = (
        container.communicate(timeout=120)[0].split(" ", 1) for container in containers
    )

    assert pid == other_pid
    assert first != second
    assert max(len(first), len(second)) <= Heartbeat._meta.get_field("process").max_length


@pytest.mark.parametrize("host", ["", LONG_HOST])
def test_stopped_process_of_this_machine_is_not_taken_for_replaced(
    watch: heartbeats.HeartbeatMonitor, clock: Clock, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if host:
        monkeypatch.setattr(socket, "gethostname", lambda: host)
    # it runs: it is the test's own
    stopped = heartbeats.process_name(heartbeats.WEB)
    beat(stopped, seconds_ago=90)
    beat("web host 2")

    look_for(60, watch, clock, beating="web host 2")

    assert stuck() == [stopped]


@pytest.mark.parametrize("kind", [heartbeats.WEB, heartbeats.SERVER, heartbeats.BOARD_STREAM])
def test_killed_server_process_is_forgotten_when_another_took_its_place(
    watch: heartbeats.HeartbeatMonitor, clock: Clock, kind: str
) -> None:
    beat(f"{kind}host 1", seconds_ago=90)
    beat(f"{kind}host 2", began_ago=10)

    look_for(60, watch, clock, beating=f"{kind}host 2")

    assert stuck() == []
    assert list(Heartbeat.objects.values_list("process", flat=True)) == [f"{kind}host 2"]
