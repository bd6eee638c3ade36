"""A webhook is sent the end of an alarm however long it was open: retention keeps what that needs, and no more."""

import json
from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest
import time_machine
from django.utils import timezone
from pytest_django import Settings

from alerting import delivery_tasks
from alerting.models import AlarmDelivery, AlarmEvent, Channel
from background import personal_data
from monitoring.alarms import clear_alarm
from monitoring.models import AlarmKind
from tests.alerting.contacts import contact, disk_full, set_up
from tests.servers import mailbox, webhook_receiver
from tests.servers.webhook_receiver import Receiver

pytestmark = pytest.mark.django_db


@pytest.fixture
def receiver(settings: Settings) -> Iterator[Receiver]:
    with mailbox.running() as mails, webhook_receiver.running() as running:
        set_up(settings, mail_port=mails.port)
        contact("Anna")
        contact("pager", channel=Channel.WEBHOOK, address=running.url)
        yield running


def posted(receiver: Receiver) -> list[str]:
    return [json.loads(body)["type"] for _headers, body in receiver.got]


def remaining() -> set[tuple[str, str]]:
    return set(AlarmDelivery.objects.values_list("contact_name", "event"))


@pytest.fixture
def raised_at(receiver: Receiver, settings: Settings) -> datetime:
    settings.RETENTION_LOG_DAYS = 30
    disk_full()
    delivery_tasks.notify_contacts()
    assert remaining() == {("Anna", AlarmEvent.RAISED), ("pager", AlarmEvent.RAISED)}
    return timezone.now()


def test_end_of_an_alarm_is_sent_after_it_was_open_for_longer_than_logs_are_kept(
    receiver: Receiver, raised_at: datetime
) -> None:
    with time_machine.travel(raised_at + timedelta(days=40)):
        personal_data.purge(timezone.now())
        # a person is not notified of the end, so nothing of this message is needed any more
        assert remaining() == {("pager", AlarmEvent.RAISED)}
        clear_alarm(AlarmKind.DISK_FULL, "evidence")
        personal_data.purge(timezone.now())
        delivery_tasks.notify_contacts()

    assert posted(receiver) == ["alarm.raised", "alarm.cleared"]


def test_what_was_sent_about_an_alarm_is_purged_once_its_end_was_sent(
    receiver: Receiver, raised_at: datetime
) -> None:
    with time_machine.travel(raised_at + timedelta(days=40)):
        clear_alarm(AlarmKind.DISK_FULL, "evidence")
        delivery_tasks.notify_contacts()
    with time_machine.travel(raised_at + timedelta(days=42)):
        personal_data.purge(timezone.now())

    assert remaining() == {("pager", AlarmEvent.CLEARED)}
