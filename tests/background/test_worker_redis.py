"""Tasks in a real Redis: they are done, and nobody fails when it is away."""

import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pytest_django import Settings

from closures.models import Photo, Thumbnail
from config.storage import evidence_storage
from demo.environment import wait_until
from demo.ports import free_ports, is_listening
from dispatch.states import JobState
from monitoring.alarms import open_alarms
from monitoring.models import AlarmKind
from tests import make
from tests.background import worker_process
from tests.background.worker_process import eventually

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.slow,
    pytest.mark.skipif(not shutil.which("redis-server"), reason="redis-server is not installed"),
]
STORE = """
import io
from pathlib import Path
from closures.photos import evidence
from closures.models import Photo

evidence.store(photo=Photo.objects.get(), content=io.BytesIO(Path({path!r}).read_bytes()))
"""
QUEUE = """
from closures import tasks as closure_tasks
from closures.models import Photo
from monitoring import task_queue

assert task_queue.enqueue(closure_tasks.make_thumbnail, str(Photo.objects.get().pk))
"""


QUEUE_OFTEN = """
from background import tasks
from monitoring import task_queue

assert [task_queue.enqueue(tasks.beat) for _ in range(3)] == [False] * 3
"""


@pytest.fixture
def photo(tmp_path: Path, settings: Settings) -> Photo:
    settings.STORAGES = {**settings.STORAGES, "evidence": evidence_storage(f"file://{tmp_path}")}
    return make.photo(make.job(at_state=JobState.ON_SITE), question_code="PHO01", raw=make.jpeg())


@contextmanager
def redis(port: int, folder: Path) -> Iterator[None]:
    command = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        assert wait_until(lambda: is_listening(port), seconds=10)
        yield
    finally:
        process.kill()
        process.wait()


def address(port: int) -> dict[str, str]:
    return {"Q_BROKER": "redis", "REDIS_URL": f"redis://127.0.0.1:{port}/0"}


def run(code: str, folder: Path, port: int) -> str:
    """A process of ours whose queue is there; what it logged."""
    variables = worker_process.environment(folder, **address(port))
    command = [sys.executable, "manage.py", "shell", "-v", "0", "-c", code]
    done = subprocess.run(
        command, cwd=worker_process.ROOT, env=variables, check=True, capture_output=True, text=True
    )
    return done.stderr


def test_photo_is_stored_while_redis_is_away(photo: Photo, tmp_path: Path) -> None:
    Photo.objects.update(stored_at=None)
    again = tmp_path / "again.jpg"
    again.write_bytes(make.jpeg())

    logged = run(STORE.format(path=str(again)), tmp_path, free_ports().people)

    assert Photo.objects.get().stored_at
    assert "not queued" in logged


def test_frozen_redis_holds_one_request_of_a_process(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=100) as silent:
        silent.setblocking(False)

        logged = run(QUEUE_OFTEN, tmp_path, silent.getsockname()[1])

        silent.accept()[0].close()
        with pytest.raises(BlockingIOError):
            silent.accept()
    assert logged.count("not queued") == 3


def test_worker_calls_for_help_while_redis_is_away_and_works_when_it_is_back(
    photo: Photo, tmp_path: Path
) -> None:
    port = free_ports().people
    with worker_process.running(tmp_path, **address(port)) as worker:
        assert eventually(lambda: open_alarms().exists()), worker.log.read_text()
        assert open_alarms().get().kind == AlarmKind.PROCESS_STUCK

        with redis(port, tmp_path):
            run(QUEUE, tmp_path, port)

            assert eventually(lambda: Thumbnail.objects.exclude(made_at=None).exists())
            assert eventually(lambda: not open_alarms().exists()), worker.log.read_text()
