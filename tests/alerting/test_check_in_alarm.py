"""An engineer who works alone and does not check in reaches people outside of the office, at any hour."""

from datetime import timedelta

import pytest
from django.utils import timezone
from django_q.models import OrmQ

from alerting import delivery_tasks
from alerting.models import AlarmDelivery
from background import tasks
from board.alarms.alarm_presenter import read_open_alarms
from dispatch.states import JobState
from engineers import lone_worker
from engineers.models import CheckIn, CheckInEnd
from monitoring.alarms import open_alarms
from monitoring.models import AlarmKind
from tests import make
from tests.alerting.contacts import contact

pytestmark = pytest.mark.django_db


def overdue_check_in() -> CheckIn:
    engineer = make.engineer()
    job = make.job(at_state=JobState.ON_SITE, to=engineer)
    started = timezone.now() - timedelta(minutes=40)
    return lone_worker.start_check_in(
        engineer=engineer, provider_job_id=job.provider_job_id, minutes=30, started_at=started
    )


def is_open() -> bool:
    return open_alarms().filter(kind=AlarmKind.CHECK_IN_OVERDUE).exists()


def test_contact_is_notified_once_without_a_name_in_the_message() -> None:
    contact()
    check_in = overdue_check_in()

    for _ in range(2):
        tasks.watch_check_ins()
        delivery_tasks.notify_contacts()

    delivery = AlarmDelivery.objects.get()
    assert delivery.title == "An engineer has not checked in"
    assert check_in.engineer.name not in delivery.text


def test_new_alarm_has_its_contacts_notified_at_once() -> None:
    overdue_check_in()

    tasks.watch_check_ins()
    queued = [row.task["func"] for row in OrmQ.objects.all()]
    tasks.watch_check_ins()

    assert queued == ["alerting.delivery_tasks.notify_contacts"]
    assert OrmQ.objects.count() == 1


def test_contacts_are_notified_of_what_is_open_and_watch_nothing_themselves() -> None:
    contact()
    overdue_check_in()

    delivery_tasks.notify_contacts()

    assert not is_open()
    assert not AlarmDelivery.objects.exists()


def test_alarm_is_over_when_the_engineer_checks_in() -> None:
    check_in = overdue_check_in()
    lone_worker.watch_check_ins()
    assert is_open()

    lone_worker.end_check_in(engineer=check_in.engineer, at=timezone.now(), how=CheckInEnd.DONE)
    lone_worker.watch_check_ins()

    assert not is_open()


def test_alarm_is_over_when_somebody_in_the_office_takes_care() -> None:
    check_in = overdue_check_in()
    lone_worker.watch_check_ins()

    lone_worker.acknowledge_check_in(check_in=check_in, by=make.dispatcher())
    lone_worker.watch_check_ins()

    assert not is_open()


def test_board_lists_the_check_in_itself_and_no_second_entry() -> None:
    overdue_check_in()
    lone_worker.watch_check_ins()

    assert is_open()
    assert read_open_alarms() == []


def test_timer_that_still_runs_raises_nothing() -> None:
    check_in = overdue_check_in()
    CheckIn.objects.filter(pk=check_in.pk).update(due_at=timezone.now() + timedelta(minutes=1))

    lone_worker.watch_check_ins()

    assert not is_open()
