"""What the background worker does, task by task, and what happens when a task cannot be queued."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest
import time_machine
from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.contrib.sessions.models import Session
from django.core.checks import run_checks
from django.utils import timezone
from django_q.models import OrmQ, Schedule, Task
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from background import tasks
from background.management.commands.worker import WORKER_TASKS
from background.qcluster_watchdog import SCHEDULES_INTERVAL_SECONDS, ClusterWatchdog
from closures import tasks as closure_tasks
from closures.models import Photo, Thumbnail
from closures.photos import thumbnails
from closures.photos.thumbnails import MAX_ATTEMPTS
from config.connections import redis_address
from config.storage import evidence_storage
from dispatch.states import JobState
from monitoring import task_queue
from monitoring.alarms import clear_alarm, open_alarms, raise_alarm, text_of
from monitoring.coded_texts import coded_text
from monitoring.models import AlarmKind, Heartbeat
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


@pytest.mark.parametrize(("seconds_ahead", "purged"), [(-25 * 3600, False), (-3600, True), (25 * 3600, True)])
def test_nothing_is_purged_while_our_clock_is_far_ahead(db: None, seconds_ahead: int, purged: bool) -> None:
    long_ago = timezone.now() - timedelta(days=31)
    Task.objects.create(id="t", name="t", func="f", started=long_ago, stopped=long_ago, success=False)
    text = coded_text("clock_differs", url="https://a", difference_seconds=seconds_ahead)
    raise_alarm(AlarmKind.CLOCK_DIFFERS, "https://a", text)

    tasks.purge_personal_data()
    assert Task.objects.exists() != purged

    clear_alarm(AlarmKind.CLOCK_DIFFERS, "https://a")
    tasks.purge_personal_data()
    assert not Task.objects.exists()


@pytest.mark.parametrize(
    ("name", "normal"),
    [
        ("sweep", timedelta(minutes=5)),
        ("purge_personal_data", timedelta(hours=1)),
    ],
)
def test_schedule_of_a_clock_that_was_ahead_runs_now(db: None, name: str, normal: timedelta) -> None:
    tasks.update_schedules()
    with time_machine.travel(timezone.now(), tick=False):
        now = timezone.now()
        Schedule.objects.filter(name=name).update(next_run=now + normal)
        tasks.update_schedules()
        assert Schedule.objects.get(name=name).next_run == now + normal

        Schedule.objects.filter(name=name).update(next_run=now + normal + timedelta(minutes=1))
        tasks.update_schedules()
        assert Schedule.objects.get(name=name).next_run == now


def test_watchdog_wakes_schedules_of_a_clock_that_was_ahead(db: None) -> None:
    tasks.update_schedules()
    Schedule.objects.update(next_run=timezone.now() + timedelta(days=400))
    watchdog = ClusterWatchdog([])
    watchdog.update_schedules_when_due()
    assert not Schedule.objects.filter(next_run__lte=timezone.now() + timedelta(days=399)).exists()
    watchdog.schedules_updated_at -= SCHEDULES_INTERVAL_SECONDS

    watchdog.update_schedules_when_due()

    waiting = Schedule.objects.filter(next_run__gt=timezone.now())
    assert {row.schedule_type for row in waiting} == {Schedule.DAILY}
    assert not waiting.filter(next_run__gt=timezone.now() + timedelta(hours=25)).exists()


NIGHTS = [
    # now, and three o'clock at night in London
    ("2026-11-29T02:59:00Z", "2026-11-29T03:00:00Z"),
    ("2026-11-29T14:00:00Z", "2026-11-30T03:00:00Z"),
    # clocks are put forward in the night to 29 March, and back in the night to 25 October
    ("2026-03-28T14:00:00Z", "2026-03-29T02:00:00Z"),
    ("2026-10-24T14:00:00Z", "2026-10-25T03:00:00Z"),
]


@pytest.mark.parametrize(("now", "night"), NIGHTS)
def test_daily_tasks_run_at_night_and_not_when_the_site_was_installed(db: None, now: str, night: str) -> None:
    with time_machine.travel(datetime.fromisoformat(now), tick=False):
        tasks.update_schedules()

    daily = Schedule.objects.filter(schedule_type=Schedule.DAILY)
    assert set(daily.values_list("name", "next_run")) == {
        ("clean_up", datetime.fromisoformat(night)),
        ("learn_spreads", datetime.fromisoformat(night)),
    }


@pytest.mark.parametrize(("now", "night"), NIGHTS)
@pytest.mark.parametrize("wait", [timedelta(minutes=30), timedelta(hours=20), timedelta(days=400)])
def test_daily_task_of_another_hour_moves_to_the_night(
    db: None, now: str, night: str, wait: timedelta
) -> None:
    with time_machine.travel(datetime.fromisoformat(now), tick=False):
        tasks.update_schedules()
        Schedule.objects.filter(name="learn_spreads").update(next_run=timezone.now() + wait)
        tasks.update_schedules()

    assert Schedule.objects.get(name="learn_spreads").next_run == datetime.fromisoformat(night)


def test_daily_task_that_is_due_stays_due(db: None) -> None:
    """The worker was stopped at three o'clock, or begins this minute."""
    tasks.update_schedules()
    due = timezone.now() - timedelta(minutes=1)
    Schedule.objects.filter(name="learn_spreads").update(next_run=due)

    tasks.update_schedules()

    assert Schedule.objects.get(name="learn_spreads").next_run == due


def test_schedule_that_two_workers_created_at_once_is_one(db: None) -> None:
    tasks.update_schedules()
    first = Schedule.objects.get(name="sweep")
    Schedule.objects.create(name="sweep", func=first.func, schedule_type=first.schedule_type, minutes=5)

    tasks.update_schedules()

    assert list(Schedule.objects.filter(name="sweep")) == [first]


def test_schedules_are_kept_once(db: None) -> None:
    tasks.update_schedules()
    Schedule.objects.create(name="of_a_newer_version", func="background.tasks.new", minutes=1)
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
        ("watch_check_ins", "background.tasks.watch_check_ins", Schedule.MINUTES, 1, -1),
        ("watch_plans", "dispatch.planning.tasks.watch_plans", Schedule.MINUTES, 1, -1),
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
