"""The worker runs only what is registered by name: whatever else is queued is refused, with an alarm."""

import os
import shutil
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import redis as redis_client
from django.utils import timezone
from django_q.models import OrmQ, Schedule, Task
from django_q.signing import SignedPackage

from background.broker import DatabaseBroker
from demo.ports import free_ports
from monitoring.alarms import open_alarms
from monitoring.models import AlarmKind, Heartbeat
from tests.background import worker_process
from tests.background.test_worker_redis import address, redis
from tests.background.worker_process import Worker, eventually

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


def planted(func: object, *args: str, **options: object) -> str:
    """A task as somebody would write it who can write to the queue and knows the key."""
    task = {"id": os.urandom(16).hex(), "name": "planted", "func": func, "args": args, "kwargs": {}}
    return SignedPackage.dumps({**task, "started": timezone.now(), **options})


def is_refused(worker: Worker, name: str) -> None:
    """An alarm says what was refused, and the worker goes on: it beats after it."""
    assert eventually(lambda: open_alarms().filter(subject=name).exists()), worker.log.read_text()
    assert open_alarms().get(subject=name).kind == AlarmKind.TASK_REFUSED
    refused_at = timezone.now()
    assert eventually(lambda: Heartbeat.objects.filter(process="worker", beat_at__gt=refused_at).exists())
    assert "task refused" in worker.log.read_text()
    assert not Task.objects.filter(success=False).exists()


def test_schedule_of_a_shell_command_is_refused(tmp_path: Path) -> None:
    written = tmp_path / "written"
    Schedule.objects.create(
        func="os.system", args=f"'id > {written}',", schedule_type=Schedule.ONCE, next_run=timezone.now()
    )
    with worker_process.running(tmp_path) as worker:
        is_refused(worker, "os.system")

    assert not written.exists()


@pytest.mark.parametrize("func", [os.system, "os.system", "monitoring.task_queue.call_command"])
def test_task_in_the_database_that_nobody_registered_is_refused(tmp_path: Path, func: object) -> None:
    written = tmp_path / "written"
    payload = planted(func, f"id > {written}")
    OrmQ.objects.create(key="dispatch", payload=payload, lock=timezone.now())
    with worker_process.running(tmp_path) as worker:
        is_refused(worker, func if isinstance(func, str) else "posix.system")

    assert not written.exists()
    assert not OrmQ.objects.filter(payload=payload).exists()


@pytest.mark.parametrize("name", ["hook", "chain"])
def test_registered_task_that_brings_another_one_is_refused(tmp_path: Path, name: str) -> None:
    written = tmp_path / "written"
    more = "os.system" if name == "hook" else [("os.system", (f"id > {written}",))]
    payload = planted("background.tasks.beat", **{name: more})
    OrmQ.objects.create(key="dispatch", payload=payload, lock=timezone.now())
    with worker_process.running(tmp_path) as worker:
        is_refused(worker, f"background.tasks.beat with {name}")

    assert not written.exists()


def test_task_of_another_version_is_removed_without_an_alarm(caplog: pytest.LogCaptureFixture) -> None:
    """After a roll-back web servers of the new version may still have queued some."""
    newer = planted("dispatch.planning.tasks.make_next_thing")
    OrmQ.objects.create(key="dispatch", payload=newer, lock=timezone.now() - timedelta(days=1))

    with caplog.at_level("WARNING", logger="background.broker"):
        assert DatabaseBroker("dispatch").dequeue() == []

    assert (OrmQ.objects.count(), open_alarms().count()) == (0, 0)
    assert "task of another version removed" in caplog.text


@pytest.mark.parametrize(
    "task",
    [
        {"func": "dispatch.planning.tasks.make_next_thing", "hook": "os.system"},
        {"func": "django_q.tasks.async_task"},
        {"func": "engineers.models.User"},
        {"func": os.system},
    ],
)
def test_what_no_version_of_ours_queues_is_an_alarm(task: dict[str, Any]) -> None:
    OrmQ.objects.create(key="dispatch", payload=planted(**task), lock=timezone.now() - timedelta(days=1))

    assert DatabaseBroker("dispatch").dequeue() == []

    assert (OrmQ.objects.count(), open_alarms().count()) == (0, 1)


@pytest.mark.skipif(not shutil.which("redis-server"), reason="redis-server is not installed")
def test_task_in_redis_that_nobody_registered_is_refused(tmp_path: Path) -> None:
    written = tmp_path / "written"
    port = free_ports().people
    with redis(port, tmp_path), worker_process.running(tmp_path, **address(port)) as worker:
        with redis_client.Redis(port=port) as client:
            client.rpush("django_q:dispatch:q", planted("os.system", f"id > {written}"))
        is_refused(worker, "os.system")

    assert not written.exists()
