"""Deliveries that wait while their contact is corrected or deleted."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from django.db import connection
from pytest_django import Settings

from alerting import contact_records, deliveries, delivery_tasks, escalation
from alerting.models import AlarmContact, AlarmDelivery, Channel
from engineers.models import Role
from monitoring.alarms import clear_alarm
from monitoring.models import AlarmKind
from tests import make
from tests.alerting.contacts import contact, disk_full, set_up
from tests.servers import mailbox, webhook_receiver
from tests.servers.mailbox import Mailbox

pytestmark = pytest.mark.django_db
CLOSED_PORT = "http://127.0.0.1:9/alarms"


@pytest.fixture
def mails(settings: Settings) -> Iterator[Mailbox]:
    with mailbox.running() as running:
        set_up(settings, mail_port=running.port)
        yield running


def correct(known: AlarmContact, **changes: Any) -> None:
    seen, by = contact_records.contact_version(known), make.dispatcher(role=Role.SUPERVISOR)
    contact_records.change_contact(pk=known.pk, changes=changes, seen=seen, by=by)


def delivery() -> AlarmDelivery:
    return AlarmDelivery.objects.get()


def test_corrected_contact_gets_the_open_alarm_at_the_new_address(settings: Settings) -> None:
    set_up(settings)
    pager = contact("pager", channel=Channel.WEBHOOK, address=CLOSED_PORT)
    disk_full()
    delivery_tasks.notify_contacts()
    assert (delivery().state, delivery().attempts) == ("waiting", 1)

    with webhook_receiver.running() as receiver:
        correct(pager, address=receiver.url)
        assert (delivery().attempts, delivery().last_error) == (0, {})
        delivery_tasks.send_deliveries()

    assert (len(receiver.got), delivery().state) == (1, "delivered")


def test_corrected_channel_gets_the_open_alarm(mails: Mailbox) -> None:
    pager = contact("pager", channel=Channel.WEBHOOK, address=CLOSED_PORT)
    disk_full()
    delivery_tasks.notify_contacts()

    correct(pager, name="Anna", channel=Channel.MAIL, address="anna@example.org")
    delivery_tasks.send_deliveries()

    assert [mail["To"] for mail in mails.got] == ["anna@example.org"]
    assert (delivery().contact_name, delivery().channel) == ("Anna", "mail")


def test_mailbox_that_was_refused_is_tried_at_its_corrected_address(mails: Mailbox) -> None:
    """The usual reason of a correction: a mistake in the address, which the mail server refuses for good."""
    anna = contact(address="ana@example.org")
    disk_full()
    mails.answers = ["550 No such user here"]
    delivery_tasks.notify_contacts()
    assert delivery().state == "failed"

    correct(anna, address="anna@example.org")
    delivery_tasks.send_deliveries()

    assert [mail["To"] for mail in mails.got] == ["anna@example.org"]
    assert (delivery().state, delivery().attempts) == ("delivered", 1)


def test_what_failed_of_an_alarm_that_is_over_is_not_sent_again(mails: Mailbox) -> None:
    anna = contact(address="ana@example.org")
    disk_full()
    mails.answers = ["550 No such user here"]
    delivery_tasks.notify_contacts()
    clear_alarm(AlarmKind.DISK_FULL, "evidence")

    correct(anna, address="anna@example.org")
    delivery_tasks.send_deliveries()

    assert (mails.got, delivery().state, delivery().address) == ([], "failed", "ana@example.org")


def test_other_changes_of_a_contact_leave_its_deliveries(settings: Settings) -> None:
    set_up(settings)
    pager = contact("pager", channel=Channel.WEBHOOK, address=CLOSED_PORT)
    disk_full()
    delivery_tasks.notify_contacts()
    before = delivery().due_at

    correct(pager, level=2)

    assert (delivery().attempts, delivery().due_at) == (1, before)


def test_deleted_contact_is_not_notified_any_more(settings: Settings) -> None:
    set_up(settings)
    with webhook_receiver.running() as receiver:
        receiver.answers = [503]
        pager = contact("pager", channel=Channel.WEBHOOK, address=receiver.url)
        disk_full()
        delivery_tasks.notify_contacts()

        contact_records.delete_contact(pk=pager.pk, by=make.dispatcher(role=Role.SUPERVISOR))
        AlarmDelivery.objects.update(due_at=delivery().created_at)
        delivery_tasks.send_deliveries()

    assert len(receiver.got) == 1
    assert (delivery().state, delivery().last_error) == ("failed", contact_records.CONTACT_DELETED.as_json())
    assert delivery().settled_at is not None


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("answer", [204, 404, 503])
def test_attempt_at_the_old_address_settles_nothing_of_the_new_one(settings: Settings, answer: int) -> None:
    """The contact is corrected while the worker waits for the old address."""
    set_up(settings)
    with webhook_receiver.running() as old, webhook_receiver.running() as new:
        pager = contact("pager", channel=Channel.WEBHOOK, address=old.url)
        disk_full()
        old.during_calls = [lambda: in_own_connection(lambda: correct(pager, address=new.url))]
        old.answers = [answer]
        delivery_tasks.notify_contacts()

    assert (len(old.got), len(new.got)) == (1, 1)
    assert (delivery().state, delivery().attempts, delivery().last_error) == ("delivered", 1, {})


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("answer", [404, 503])
def test_contact_deleted_during_an_attempt_stays_the_reason(settings: Settings, answer: int) -> None:
    set_up(settings)
    with webhook_receiver.running() as receiver:
        pager = contact("pager", channel=Channel.WEBHOOK, address=receiver.url)
        disk_full()
        by = make.dispatcher(role=Role.SUPERVISOR)
        receiver.during_calls = [
            partial(in_own_connection, partial(contact_records.delete_contact, pk=pager.pk, by=by))
        ]
        receiver.answers = [answer]
        delivery_tasks.notify_contacts()

    assert (delivery().state, delivery().last_error) == ("failed", contact_records.CONTACT_DELETED.as_json())


def in_own_connection(change: Callable[[], object]) -> None:
    try:
        change()
    finally:
        connection.close()


@pytest.mark.parametrize("is_deleted", [False, True])
def test_claimed_delivery_is_not_sent_to_an_address_that_was_corrected(
    settings: Settings, is_deleted: bool
) -> None:
    set_up(settings)
    with webhook_receiver.running() as old:
        pager = contact("pager", channel=Channel.WEBHOOK, address=old.url)
        disk_full()
        escalation.create_due_deliveries()
        claimed = deliveries.claim_next()
        assert claimed is not None
        if is_deleted:
            contact_records.delete_contact(pk=pager.pk, by=make.dispatcher(role=Role.SUPERVISOR))
        else:
            correct(pager, address=CLOSED_PORT)
        deliveries.attempt(claimed)

    assert (old.got, delivery().state) == ([], "failed" if is_deleted else "waiting")
