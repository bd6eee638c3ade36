"""A scheduled task that fails again and again is an alarm, and what fails in it stops nothing else."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from typing import Any

import pytest
from axes.models import AccessAttempt, AccessLog
from django.contrib.sessions.models import Session
from django.core.management import CommandError, call_command
from django.db import DataError, connection
from django.utils import timezone
from django_q.exceptions import TimeoutException
from django_q.models import Schedule, Task
from pytest_django import Settings

from alerting import delivery_tasks
from alerting.models import AlarmDelivery
from background import personal_data, tasks
from background.management.commands.worker import WORKER_TASKS
from background.personal_data import PurgeIncomplete
from monitoring.alarms import open_alarms, text_of
from monitoring.models import AlarmKind
from monitoring.task_queue import FAILURES_UNTIL_ALARM, REGISTERED, SCHEDULABLE, watch_task
from tests import make
from tests.alerting.contacts import contact, disk_full

pytestmark = pytest.mark.django_db(transaction=True)
DUTY = "purge of personal data"


@contextmanager
def broken(table: str, *, by: type[BaseException] = DataError) -> Iterator[None]:
    """Every statement about this table fails, as about a row that the database can no longer read."""

    def refuse(execute: Any, sql: str, *rest: Any) -> Any:
        if f'"{table}"' in sql:
            raise by("value out of range")
        return execute(sql, *rest)

    with connection.execute_wrapper(refuse):
        yield


def run_broken(task: Callable[[], None], *, times: int, by: type[BaseException] = DataError) -> None:
    for _ in range(times):
        with broken("axes_accesslog", by=by), pytest.raises((PurgeIncomplete, TimeoutException)):
            task()


def failing() -> list[str]:
    return list(open_alarms().filter(kind=AlarmKind.DUTY_FAILING).values_list("subject", flat=True))


@pytest.mark.parametrize("by", [DataError, TimeoutException])
def test_third_failure_in_a_row_is_an_alarm_until_the_task_succeeds(by: type[BaseException]) -> None:
    run_broken(tasks.purge_personal_data, times=FAILURES_UNTIL_ALARM - 1, by=by)
    assert failing() == []

    run_broken(tasks.purge_personal_data, times=1, by=by)

    assert failing() == [DUTY]
    assert str(text_of(open_alarms().get())).startswith(
        "The background worker's task “purge of personal data” has failed 3 times in a row"
    )
    tasks.purge_personal_data()
    assert failing() == []


def test_failures_that_are_not_in_a_row_are_no_alarm() -> None:
    for _ in range(3):
        run_broken(tasks.purge_personal_data, times=FAILURES_UNTIL_ALARM - 1)
        tasks.purge_personal_data()

    assert failing() == []


def test_runs_that_begin_together_are_no_failures(settings: Settings) -> None:
    settings.WORKER_PROCESSES = 4
    with ExitStack() as runs:
        for _ in range(settings.WORKER_PROCESSES):
            runs.enter_context(watch_task(DUTY))
        assert failing() == []

    assert failing() == []


def test_failures_of_another_task_do_not_count() -> None:
    run_broken(tasks.purge_personal_data, times=FAILURES_UNTIL_ALARM - 1)
    with broken("django_session"), pytest.raises(DataError):
        tasks.clean_up()

    assert failing() == []


def test_every_scheduled_task_has_a_name_for_its_alarm() -> None:
    assert WORKER_TASKS
    tasks.update_schedules()
    scheduled = set(Schedule.objects.values_list("func", flat=True))

    assert scheduled <= REGISTERED
    assert scheduled == SCHEDULABLE.keys()
    assert len(set(SCHEDULABLE.values())) == len(SCHEDULABLE)


def old_rows() -> None:
    """One for a class of the purge that comes early, and one for each of two that come late."""
    old = timezone.now() - timedelta(days=100)
    Task.objects.create(id="t", name="t", func="f", started=old, stopped=old, success=False)
    for row in (AccessAttempt.objects.create(failures_since_start=1), AccessLog.objects.create()):
        type(row).objects.update(attempt_time=old)


def test_class_that_cannot_be_purged_stops_no_later_one() -> None:
    old_rows()

    with (
        broken("django_q_task"),
        pytest.raises(PurgeIncomplete, match=r"^not purged: failed tasks$") as failed,
    ):
        personal_data.purge(timezone.now())

    assert (failed.value.counts["failed sign-ins"], failed.value.counts["sign-ins"]) == (1, 1)
    assert isinstance(failed.value.__cause__, DataError)
    assert personal_data.purge(timezone.now())["failed tasks"] == 1


def test_command_counts_what_was_purged_and_names_what_was_not(capsys: pytest.CaptureFixture[str]) -> None:
    old_rows()

    with broken("django_q_task"), pytest.raises(CommandError, match="not purged: failed tasks"):
        call_command("personal_data", "purge")

    assert "       1 sign-ins\n" in capsys.readouterr().out


def test_clean_up_goes_on_after_a_step_that_fails() -> None:
    Session.objects.create(session_key="s", session_data="", expire_date=timezone.now() - timedelta(days=1))

    with broken("engineers_drivingposition"), pytest.raises(DataError):
        tasks.clean_up()

    assert not Session.objects.exists()


def test_contacts_are_notified_while_the_check_ins_cannot_be_read() -> None:
    make.engineer()
    contact("Anna")
    disk_full()

    with broken("engineers_checkin"):
        with pytest.raises(DataError):
            tasks.watch_check_ins()
        delivery_tasks.notify_contacts()

    assert AlarmDelivery.objects.get().attempts == 1
