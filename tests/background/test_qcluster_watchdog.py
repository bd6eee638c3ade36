"""The background worker as real processes: it works, gets unstuck, survives poison, and leaves no orphans."""

import os
import signal
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connection
from pytest_django import Settings

from background.qcluster_watchdog import ProgressCheck, task_timeout_seconds
from closures.models import Photo, Thumbnail
from closures.photos import evidence
from closures.photos.thumbnails import MAX_ATTEMPTS
from config.storage import evidence_storage
from dispatch.states import JobState
from monitoring.alarms import open_alarms, text_of
from monitoring.models import AlarmKind
from tests import make
from tests.background import worker_process
from tests.background.worker_process import Worker, eventually, parents
from tests.closures.poison import poison_jpeg

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


@pytest.fixture
def folder(tmp_path: Path, settings: Settings) -> Path:
    settings.STORAGES = {**settings.STORAGES, "evidence": evidence_storage(f"file://{tmp_path}")}
    return tmp_path


@pytest.fixture
def worker(folder: Path) -> Iterator[Worker]:
    with worker_process.running(folder) as made:
        made.wait_until_up()
        yield made


def store_photo() -> Photo:
    return make.photo(make.job(at_state=JobState.ON_SITE), question_code="PHO01")


def is_made(photo: Photo) -> bool:
    return Thumbnail.objects.filter(photo=photo).exclude(made_at=None).exists()


def test_stored_photo_gets_its_small_picture(worker: Worker) -> None:
    photo = store_photo()

    assert eventually(lambda: is_made(photo)), worker.log.read_text()


def test_stuck_cluster_is_started_again(worker: Worker) -> None:
    first = store_photo()
    assert eventually(lambda: is_made(first)), worker.log.read_text()
    cluster, idle = worker.cluster, worker.task_processes()[0]

    os.kill(idle, signal.SIGKILL)

    assert eventually(lambda: "worker stuck" in worker.log.read_text()), worker.log.read_text()
    # the log names it before it is ended, so the old one may look "up" for a moment
    assert eventually(lambda: worker.is_up() and cluster not in parents())
    second = store_photo()
    assert eventually(lambda: is_made(second)), worker.log.read_text()


@pytest.mark.skipif(connection.vendor != "sqlite", reason="SQLite's lock")
def test_database_that_is_locked_at_the_start_ends_nobody(folder: Path) -> None:
    other = sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with worker_process.running(folder) as worker:
        assert eventually(lambda: "database away" in worker.log.read_text()), worker.log.read_text()
        other.execute("ROLLBACK")
        other.close()

        worker.wait_until_up()


def test_stuck_cluster_is_noticed_in_time_for_a_restart_within_a_minute() -> None:
    assert task_timeout_seconds() == 45


def test_start_in_vain_makes_the_next_limit_longer() -> None:
    """Found on a machine so busy that each cluster was killed as stuck before its first task, for ever."""
    progress = ProgressCheck(limit_seconds=45, quiet_since=time.monotonic() - 100)

    assert [progress.has_timed_out(restarts) for restarts in range(3)] == [True, True, False]
    progress.quiet_since -= 1000
    assert progress.has_timed_out(1000)


def test_killed_cluster_is_started_again(worker: Worker) -> None:
    cluster = worker.cluster
    kin = worker.family()[1:]

    os.kill(cluster, signal.SIGKILL)

    assert eventually(lambda: "worker ended" in worker.log.read_text())
    photo = store_photo()
    assert eventually(lambda: is_made(photo)), worker.log.read_text()
    assert not set(kin) & set(parents())


def test_photo_that_kills_its_worker_is_given_up_after_three_tries(folder: Path) -> None:
    photo = store_photo()
    # past the server's checks; its decoder runs for many seconds, in which the worker is killed
    evidence.write(evidence.object_path(photo), poison_jpeg())
    with worker_process.running(folder) as worker:
        for number in range(1, MAX_ATTEMPTS + 1):
            assert eventually(lambda attempts=number: Thumbnail.objects.filter(attempts=attempts).exists())
            os.kill(worker.task_processes()[0], signal.SIGKILL)

        assert eventually(lambda: Thumbnail.objects.exclude(failed_at=None).exists()), worker.log.read_text()
        innocent = store_photo()
        assert eventually(lambda: is_made(innocent)), worker.log.read_text()

    assert Thumbnail.objects.get(photo=photo).attempts == MAX_ATTEMPTS
    alarm = open_alarms().get()
    assert (alarm.kind, alarm.subject) == (AlarmKind.THUMBNAIL_FAILED, f"photo {photo.pk}")
    assert photo.job.provider_job_id in str(text_of(alarm))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_process_is_left_over(worker: Worker, number: signal.Signals) -> None:
    kin = worker.family()
    assert len(kin) >= 6

    worker.end(number)

    assert eventually(lambda: not set(kin) & set(parents()))


def test_decoder_under_way_is_ended_too(folder: Path) -> None:
    photo = store_photo()
    evidence.write(evidence.object_path(photo), poison_jpeg())
    with worker_process.running(folder, WORKER_TASK_SECONDS="30") as worker:
        assert eventually(lambda: len(worker.family()) >= 7), worker.log.read_text()
        kin = worker.family()

        worker.end(signal.SIGTERM)

        assert eventually(lambda: not set(kin) & set(parents()))
