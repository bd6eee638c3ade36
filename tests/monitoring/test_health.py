"""Alive and ready: reported to our own machines within a time limit, with the part that is not, and without writing."""

import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone, translation
from pytest_django import Settings

from closures.photos import evidence
from config.storage import evidence_storage
from demo.ports import is_listening
from monitoring import health_checks
from monitoring.alarms import open_alarms, text_of
from monitoring.health_checks import DiskCollector, DiskMonitor, TimeboxedCheck
from monitoring.models import AlarmKind, Heartbeat
from tests.background.worker_process import eventually
from tests.servers import object_store, small_disk
from tests.servers.certificates import Authority
from tests.servers.ports import free_port

pytestmark = pytest.mark.django_db(transaction=True)
PARTS = [
    *("database", "disk", "evidence", "redis", "worker", "relay", "seller_server"),
    *("certificates", "board_stream"),
]
needs_small_disk = pytest.mark.skipif(bool(small_disk.missing()), reason=small_disk.missing() or "-")


def beat(*, seconds_ago: int = 0) -> None:
    moment = timezone.now() - timedelta(seconds=seconds_ago)
    for process in ("relay host 1", "seller server host 2", "worker"):
        Heartbeat.objects.update_or_create(process=process, defaults={"beat_at": moment})


def ready() -> tuple[int, dict[str, str]]:
    answer = Client().get("/readyz")
    return answer.status_code, answer.json()["parts"]


def broken(parts: dict[str, str]) -> dict[str, str]:
    return {name: status for name, status in parts.items() if status != "ok"}


@pytest.fixture(autouse=True)
def nothing_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    fresh = {name: TimeboxedCheck(part) for name, part in health_checks.PARTS.items()}
    monkeypatch.setattr(health_checks, "CHECKS", fresh)


@pytest.fixture
def evidence_folder(our_certificates: None, settings: Settings, tmp_path: Path) -> Path:
    """Every part works; the folder of evidence."""
    settings.DISK_FREE_MB = 1
    folder = tmp_path / "evidence"
    settings.STORAGES = {**settings.STORAGES, "evidence": evidence_storage(f"file://{folder}")}
    beat()
    return folder


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", object_store.KEY_ID)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", object_store.SECRET)


def test_alive_asks_nothing(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    connection.close()
    away = "/nowhere/at.all" if connection.vendor == "sqlite" else "nothing_has_this_name"
    monkeypatch.setitem(connection.settings_dict, "NAME", away)
    settings.STORAGES = {**settings.STORAGES, "evidence": evidence_storage("file:///nowhere")}

    assert Client().get("/healthz").json() == {"status": "alive"}


def test_ready_while_every_part_works_and_nothing_is_written(evidence_folder: Path) -> None:
    assert ready() == (200, dict.fromkeys(PARTS, "ok"))
    assert not evidence_folder.exists()


@pytest.mark.parametrize("forwarded", [{"X-Forwarded-For": "192.0.2.1"}, {"X-Forwarded-Proto": "https"}])
def test_request_through_the_proxy_gets_no_details(evidence_folder: Path, forwarded: dict[str, str]) -> None:
    answer = Client().get("/readyz", headers=forwarded)

    assert (answer.status_code, b"relay" in answer.content) == (403, False)


def test_another_address_gets_no_details(evidence_folder: Path) -> None:
    assert Client(REMOTE_ADDR="192.0.2.1").get("/readyz").status_code == 403


def test_silent_relay_is_named(evidence_folder: Path) -> None:
    Heartbeat.objects.filter(process__startswith="relay").update(
        beat_at=timezone.now() - timedelta(seconds=31)
    )

    status, parts = ready()

    assert (status, [*broken(parts)]) == (503, ["relay"])
    assert parts["relay"].startswith("no relay heartbeat since ")


@pytest.mark.parametrize(("part", "kind"), [("seller_server", "seller server"), ("worker", "worker")])
def test_process_that_does_not_run_is_named_and_the_pages_stay_in_use(
    evidence_folder: Path, part: str, kind: str
) -> None:
    Heartbeat.objects.filter(process__startswith=kind).delete()

    status, parts = ready()

    assert (status, broken(parts)) == (200, {part: f"no {kind} heartbeat found"})


def test_worker_in_a_long_task_is_ready(evidence_folder: Path) -> None:
    Heartbeat.objects.filter(process="worker").update(beat_at=timezone.now() - timedelta(seconds=60))

    assert broken(ready()[1]) == {}


def test_certificate_that_has_ended_is_named(
    evidence_folder: Path, authority: Authority, settings: Settings
) -> None:
    settings.SELLER_CLIENT_CERT = authority.issue("partner", ends_in=timedelta(hours=-1)).certificate

    status, parts = ready()

    assert (status, [*broken(parts)]) == (503, ["certificates"])
    assert parts["certificates"] == "ended or not readable: our client certificate"


def test_folder_that_takes_nothing_is_named(evidence_folder: Path) -> None:
    evidence_folder.write_text("in the way")

    assert ready() == (
        503,
        {**dict.fromkeys(PARTS, "ok"), "disk": f"evidence: {evidence_folder} is not a folder"},
    )


def test_little_free_space_is_named(evidence_folder: Path, settings: Settings) -> None:
    settings.DISK_FREE_MB = 10**9

    status, parts = ready()

    assert (status, [*broken(parts)]) == (503, ["disk"])
    assert "MB free, fewer than 1000000000" in parts["disk"]


def away(tmp_path: Path) -> str:
    """As a stale mount, with an error of the file system that is none of "not there"."""
    return str(tmp_path / ("x" * 300))


@needs_small_disk
def test_full_disk_is_named_and_an_alarm_until_there_is_space(evidence_folder: Path) -> None:
    with small_disk.mounted(evidence_folder, megabytes=3):
        balloon = small_disk.fill(evidence_folder)
        full, parts = ready()
        DiskMonitor().check()
        raised = [(alarm.kind, alarm.subject) for alarm in open_alarms()]

        balloon.unlink()
        DiskMonitor().check()

    assert (full, parts["disk"]) == (503, "evidence: 0 MB free, fewer than 1")
    assert (raised, open_alarms().count()) == ([(AlarmKind.DISK_FULL, "evidence")], 0)


def test_disk_of_backups_is_watched_where_photos_and_database_are_elsewhere(
    settings: Settings, tmp_path: Path
) -> None:
    bucket = evidence_storage("s3://evidence?endpoint=http://127.0.0.1:1&region=us-east-1")
    settings.STORAGES = {**settings.STORAGES, "evidence": bucket}
    settings.BACKUP_FOLDER, settings.DISK_FREE_MB = str(tmp_path / "backups"), 10**9
    DiskMonitor().check()

    folders = {sample.labels["folder"] for metric in DiskCollector().collect() for sample in metric.samples}
    assert "backups" in folders
    alarm = open_alarms().get(kind=AlarmKind.DISK_FULL, subject="backups")
    assert "no backup can be made" in str(text_of(alarm))
    with translation.override("de"):
        assert "MB frei, weniger als 1000000000" in str(text_of(alarm))
    # a web process takes part: what is stored needs no room there
    assert "backups" not in ready()[1].get("disk", "")

    settings.BACKUP_FOLDER = ""
    DiskMonitor().check()
    assert not open_alarms().filter(kind=AlarmKind.DISK_FULL, subject="backups").exists()


def test_backups_that_are_away_are_their_own_problem_only(
    evidence_folder: Path, settings: Settings, tmp_path: Path
) -> None:
    settings.BACKUP_FOLDER = away(tmp_path)
    monitor = DiskMonitor()

    monitor.check()
    monitor.check()
    text = Client().get("/metrics").content.decode()

    alarm = open_alarms().get()
    assert (alarm.kind, alarm.subject) == (AlarmKind.DISK_AWAY, "backups")
    assert str(text_of(alarm)).startswith(f"{settings.BACKUP_FOLDER} does not answer. ")
    with translation.override("de"):
        assert str(text_of(alarm)).startswith(f"{settings.BACKUP_FOLDER} antwortet nicht. ")
    assert 'disk_free_bytes{folder="evidence"}' in text
    assert 'disk_free_bytes{folder="backups"}' not in text


def test_one_late_answer_is_no_alarm_and_ends_none(
    evidence_folder: Path, settings: Settings, tmp_path: Path
) -> None:
    here, monitor = str(tmp_path / "backups"), DiskMonitor()
    for folder in (away(tmp_path), here, away(tmp_path)):
        settings.BACKUP_FOLDER = folder
        monitor.check()
    assert not open_alarms().exists()

    monitor.check()
    # of a worker that was started again
    monitor = DiskMonitor()
    monitor.check()
    assert [alarm.kind for alarm in open_alarms()] == [AlarmKind.DISK_AWAY]

    settings.BACKUP_FOLDER, settings.DISK_FREE_MB = here, 10**9
    monitor.check()
    settings.BACKUP_FOLDER = away(tmp_path)
    monitor.check()
    assert open_alarms().get(subject="backups").kind == AlarmKind.DISK_FULL


def test_disk_alarm_ends_when_the_folder_is_no_longer_used(evidence_folder: Path, settings: Settings) -> None:
    settings.DISK_FREE_MB = 10**9
    DiskMonitor().check()
    assert open_alarms().filter(kind=AlarmKind.DISK_FULL, subject="evidence").exists()

    bucket = evidence_storage("s3://evidence?endpoint=http://127.0.0.1:1&region=us-east-1")
    settings.STORAGES = {**settings.STORAGES, "evidence": bucket}
    DiskMonitor().check()

    assert not open_alarms().filter(kind=AlarmKind.DISK_FULL, subject="evidence").exists()


def test_bucket_that_is_away_is_named(evidence_folder: Path, settings: Settings, keys: None) -> None:
    url = f"s3://evidence?endpoint=http://127.0.0.1:{free_port()}&region=us-east-1"
    settings.STORAGES = {**settings.STORAGES, "evidence": evidence_storage(url)}
    # as at the start of a process
    evidence.storage()

    status, parts = ready()

    assert (status, [*broken(parts)]) == (503, ["evidence"])


@pytest.fixture
def bucket(evidence_folder: Path, settings: Settings, keys: None, tmp_path: Path) -> Iterator[None]:
    (tmp_path / "objects").mkdir()
    with object_store.running("moto", tmp_path / "objects") as url:
        settings.STORAGES = {**settings.STORAGES, "evidence": evidence_storage(url)}
        yield


def test_bucket_that_answers_is_ready_and_gets_no_object(bucket: None) -> None:
    # making the bucket's client takes longer than an answer may on a busy machine, once
    assert eventually(lambda: ready()[0] == 200)
    assert evidence.storage().listdir("")[1] == []


@pytest.fixture
def silent_endpoint() -> Iterator[str]:
    """Accepts connections and never sends a byte, like a stopped server."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"127.0.0.1:{listening.getsockname()[1]}"


def test_part_that_hangs_is_named_and_asked_by_one_thread_only(
    evidence_folder: Path, settings: Settings, keys: None, silent_endpoint: str
) -> None:
    url = f"s3://evidence?endpoint=http://{silent_endpoint}&region=us-east-1"
    settings.STORAGES = {**settings.STORAGES, "evidence": evidence_storage(url)}

    answers = [ready() for _ in range(3)]

    assert {status for status, _parts in answers} == {503}
    assert {parts["evidence"] for _status, parts in answers} == {"no answer in time"}
    assert {name for _status, parts in answers for name in broken(parts)} == {"evidence"}


@pytest.mark.skipif(not shutil.which("redis-server"), reason="redis-server is not installed")
def test_redis_that_is_stopped_is_named(evidence_folder: Path, settings: Settings, tmp_path: Path) -> None:
    port = free_port()
    redis = subprocess.Popen(
        ["redis-server", "--port", str(port), "--save", "", "--dir", str(tmp_path)], stdout=subprocess.DEVNULL
    )
    settings.Q_BROKER, settings.REDIS_URL = "redis", f"redis://127.0.0.1:{port}/0"
    try:
        assert eventually(lambda: is_listening(port))
        running = ready()
        redis.send_signal(signal.SIGSTOP)
        health_checks.CHECKS["redis"] = TimeboxedCheck(health_checks.PARTS["redis"])
        stopped = ready()
    finally:
        redis.kill()
        redis.wait()

    assert running[0] == 200
    assert (stopped[0], [*broken(stopped[1])]) == (503, ["redis"])


def test_free_space_is_a_figure(evidence_folder: Path) -> None:
    text = Client().get("/metrics").content.decode()

    system = os.statvfs(evidence_folder.parent)
    (line,) = (line for line in text.splitlines() if line.startswith('disk_free_bytes{folder="evidence"}'))
    assert 0 < float(line.split()[1]) <= system.f_blocks * system.f_frsize
