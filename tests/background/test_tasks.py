"""What the background worker does, task by task, and what happens when a task cannot be queued."""

from datetime import timedelta
from pathlib import Path

import pytest
from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.contrib.sessions.models import Session
from django.core.checks import run_checks
from django.utils import timezone
from django_q.models import OrmQ, Schedule, Task
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from background import tasks
from background.management.commands.worker import WORKER_TASKS
from closures import tasks as closure_tasks
from closures import thumbnails
from closures.models import Photo, Thumbnail
from closures.thumbnails import MAX_ATTEMPTS
from config.connections import redis_address
from config.storage import evidence_storage
from dispatch.states import JobState
from monitoring import task_queue
from monitoring.alarms import AlarmKind, open_alarms, text_of
from monitoring.models import Heartbeat
from tests import make


@pytest.fixture
def photo(db: None, tmp_path: Path, settings: Settings) -> Photo:
    settings.STORAGES = {**settings.STORAGES, "evidence": evidence_storage(f"file://{tmp_path}")}
    return make.photo(make.job(at_state=JobState.ON_SITE), question_code="PHO01")


def queued() -> list[tuple[str, tuple[str, ...]]]:
    """What waits in the database: the task and its arguments."""
    return [(row.task["func"], row.task["args"]) for row in OrmQ.objects.order_by("pk")]


def test_stored_photo_queues_its_small_picture_after_the_commit(
    photo: Photo, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        second = make.photo(photo.job, question_code="PHO02")
        assert queued() == []

    assert queued() == [("closures.tasks.make_thumbnail", (str(second.pk),))]


def test_every_task_reports_progress_to_the_watchdog(db: None) -> None:
    tasks.beat()
    first = Heartbeat.objects.get(process="worker").beat_at
    tasks.beat()

    assert Heartbeat.objects.get(process="worker").beat_at > first


def test_task_that_runs_twice_makes_one_picture(photo: Photo) -> None:
    closure_tasks.make_thumbnail(str(photo.pk))
    closure_tasks.make_thumbnail(str(photo.pk))

    assert Thumbnail.objects.get().attempts == 1


def test_thumbnail_failed_raises_one_alarm_that_ends_when_it_is_made(photo: Photo) -> None:
    Thumbnail.objects.create(photo=photo, attempts=MAX_ATTEMPTS)

    closure_tasks.make_thumbnail(str(photo.pk))
    closure_tasks.make_thumbnail(str(photo.pk))

    alarm = open_alarms().get()
    assert (alarm.kind, alarm.subject) == (AlarmKind.THUMBNAIL_FAILED, f"photo {photo.pk}")
    assert str(text_of(alarm)).startswith(
        f"No thumbnail of photo PHO01, job {photo.job.provider_job_id}, could be made in 3 attempts."
    )
    thumbnails.retry_failed()
    closure_tasks.make_thumbnail(str(photo.pk))
    assert not open_alarms().exists()


def test_sweep_queues_what_nobody_made(photo: Photo) -> None:
    closure_tasks.sweep()
    assert queued() == []
    Photo.objects.update(stored_at=timezone.now() - timedelta(minutes=5))

    closure_tasks.sweep()

    assert queued() == [("closures.tasks.make_thumbnail", (str(photo.pk),))]


def test_sweep_leaves_a_queue_alone_that_has_enough_to_do(photo: Photo) -> None:
    Photo.objects.update(stored_at=timezone.now() - timedelta(minutes=5))
    task_queue.enqueue(tasks.beat)

    closure_tasks.sweep()

    assert queued() == [("background.tasks.beat", ())]


def test_clean_up_deletes_only_old_rows(db: None) -> None:
    now = timezone.now()
    for number, days in enumerate((1, 31)):
        moment = now - timedelta(days=days)
        Session.objects.create(
            session_key=f"s{number}", session_data="", expire_date=now - timedelta(days=days - 2)
        )
        Task.objects.create(
            id=f"t{number}", name="t", func="f", started=moment, stopped=moment, success=False
        )
        for model in (AccessFailureLog, AccessLog):
            made = model.objects.create(username="someone")
            model.objects.filter(pk=made.pk).update(attempt_time=moment)
        made = AccessAttempt.objects.create(username=f"u{number}", failures_since_start=1)
        AccessAttempt.objects.filter(pk=made.pk).update(attempt_time=moment)

    tasks.clean_up()
    tasks.purge_personal_data()

    counts = [model.objects.count() for model in (Session, Task, AccessFailureLog, AccessLog, AccessAttempt)]
    assert counts == [1, 1, 1, 1, 1]
    assert Session.objects.get().session_key == "s0"


def test_schedules_are_kept_once(db: None) -> None:
    tasks.update_schedules()
    tasks.update_schedules()

    rows = Schedule.objects.order_by("name").values_list(
        "name", "func", "schedule_type", "minutes", "repeats"
    )
    assert list(rows) == [
        ("clean_up", "background.tasks.clean_up", Schedule.DAILY, None, -1),
        ("fetch_drives", "background.forecast_tasks.fetch_drives", Schedule.MINUTES, 5, -1),
        ("learn_spreads", "background.forecast_tasks.learn_spreads", Schedule.DAILY, None, -1),
        ("notify_alarm_contacts", "alerting.delivery_tasks.notify_contacts", Schedule.MINUTES, 1, -1),
        ("purge_personal_data", "background.tasks.purge_personal_data", Schedule.HOURLY, None, -1),
        ("send_customer_messages", "customer_messages.tasks.send_customer_messages", Schedule.MINUTES, 1, -1),
        ("sweep", "closures.tasks.sweep", Schedule.MINUTES, 5, -1),
        ("update_forecast", "background.forecast_tasks.update_forecast", Schedule.MINUTES, 1, -1),
        ("watch_backups", "operations.tasks.watch_backups", Schedule.MINUTES, 10, -1),
        ("watch_capacity", "dispatch.capacity.tasks.watch_capacity", Schedule.MINUTES, 10, -1),
    ]
    assert {task.__name__ for task in WORKER_TASKS} >= {
        *("fetch_drives", "learn_spreads", "update_forecast"),
        *("notify_contacts", "send_deliveries"),
    }


def test_connection_pool_is_refused(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not [message for message in run_checks() if message.id == "config.E001"]

    monkeypatch.setitem(settings.DATABASES["default"], "OPTIONS", {"pool": "true"})

    assert [message.id for message in run_checks() if message.id == "config.E001"] == ["config.E001"]


def test_redis_is_never_waited_for_long() -> None:
    assert redis_address("redis://queue:6379/0") == (
        "redis://queue:6379/0?socket_connect_timeout=1&socket_timeout=5"
    )
    assert redis_address("redis://queue:6379/0?socket_timeout=9") == "redis://queue:6379/0?socket_timeout=9"
