"""Alarms arrive: at a real mail server, a real webhook and a real SMS gateway, also after failures."""

import hashlib
import hmac
import json
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs

import pytest
import time_machine
from django.utils import timezone
from jsonschema import Draft202012Validator
from pytest_django import Settings

from alerting import contact_records, deliveries, delivery_tasks, escalation
from alerting.models import AlarmContact, AlarmDelivery, AlarmDeliveryState, AlarmEvent, Channel
from monitoring.alarms import clear_alarm, open_alarms, raise_alarm
from monitoring.coded_texts import coded_text
from monitoring.models import AlarmKind
from tests.alerting.contacts import SECRET, contact, disk_full, last_error, set_up
from tests.conventions.sources import ROOT
from tests.servers import mailbox, webhook_receiver
from tests.servers.certificates import Authority
from tests.servers.mailbox import Mailbox
from tests.servers.webhook_receiver import Receiver
from tools import partner_schema

pytestmark = pytest.mark.django_db


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with webhook_receiver.running() as running:
        yield running


@pytest.fixture
def mails(settings: Settings) -> Iterator[Mailbox]:
    with mailbox.running() as running:
        set_up(settings, mail_port=running.port)
        yield running


def webhook(receiver: Receiver, settings: Settings) -> AlarmContact:
    set_up(settings)
    return contact("pager", channel=Channel.WEBHOOK, address=receiver.url)


def later(minutes: float = 0) -> None:
    """What waits for its next attempt is due by then."""
    shift = timedelta(minutes=minutes)
    for row in AlarmDelivery.objects.filter(state=AlarmDeliveryState.WAITING):
        AlarmDelivery.objects.filter(pk=row.pk).update(due_at=row.due_at - shift)
    delivery_tasks.send_deliveries()


def delivery() -> AlarmDelivery:
    return AlarmDelivery.objects.get()


def test_alarm_arrives_by_mail(mails: Mailbox) -> None:
    contact()
    disk_full()

    delivery_tasks.notify_contacts()
    delivery_tasks.notify_contacts()

    (mail,) = mails.got
    assert (mail["To"], mail["From"]) == ("anna@example.org", "dispatch@dispatch.example.org")
    assert mail["Subject"] == "A disk is nearly full"
    text = str(mail.get_payload())
    assert "20 MB free, fewer than 500" in text
    assert "/board/alarms/" in text
    assert delivery().state == AlarmDeliveryState.DELIVERED


def test_mail_goes_over_tls_with_a_password(
    authority: Authority, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", authority.ca)
    contact()
    disk_full()
    with mailbox.running(authority.issue("mail", hosts=("localhost",))) as running:
        settings.MAIL_SERVER = replace(
            running.server, host="localhost", user="dispatch", password="right", uses_starttls=True
        )
        delivery_tasks.notify_contacts()

    assert (len(running.got), running.signed_in) == (1, ["dispatch"])


def test_mail_server_that_is_not_trusted_gets_nothing(authority: Authority, settings: Settings) -> None:
    contact()
    disk_full()
    with mailbox.running(authority.issue("mail", hosts=("localhost",))) as running:
        settings.MAIL_SERVER = replace(
            running.server, host="localhost", user="dispatch", password="right", uses_starttls=True
        )
        delivery_tasks.notify_contacts()

    assert (running.got, running.signed_in) == ([], [])
    assert last_error() == "The mail server did not confirm it (SSLCertVerificationError)"


def test_webhook_is_signed(receiver: Receiver, settings: Settings) -> None:
    webhook(receiver, settings)
    alarm = disk_full()

    delivery_tasks.notify_contacts()

    ((headers, body),) = receiver.got
    stamp, signed = (part.split("=")[1] for part in headers["x-signature"].split(","))
    expected = hmac.new(SECRET.encode(), f"{stamp}.".encode() + body, hashlib.sha256).hexdigest()
    assert signed == expected
    assert abs(int(stamp) - timezone.now().timestamp()) < 60
    payload = json.loads(body)
    assert payload["delivery_id"] == headers["x-delivery-id"] == str(delivery().delivery_id)
    assert payload["is_test"] is False
    assert [(each["id"], each["kind"], each["level"]) for each in payload["alarms"]] == [
        (alarm.pk, "disk_full", 1)
    ]


def posted(receiver: Receiver) -> list[tuple[str, list[int]]]:
    """(type, ids of the alarms) of each POST."""
    bodies = [json.loads(body) for _headers, body in receiver.got]
    return [(body["type"], [alarm["id"] for alarm in body["alarms"]]) for body in bodies]


def test_webhook_that_got_an_alarm_hears_once_that_it_is_over(receiver: Receiver, settings: Settings) -> None:
    webhook(receiver, settings)
    contact("Anna", level=2)
    disk, other = disk_full(), disk_full("database")
    delivery_tasks.notify_contacts()

    clear_alarm(AlarmKind.DISK_FULL, "evidence")
    delivery_tasks.notify_contacts()
    delivery_tasks.notify_contacts()

    assert posted(receiver) == [("alarm.raised", [disk.pk, other.pk]), ("alarm.cleared", [disk.pk])]
    body = json.loads(receiver.got[1][1])
    assert body["title"] == "Cleared: A disk is nearly full"
    disk.refresh_from_db()
    assert body["alarms"][0]["cleared_at"] == disk.cleared_at.isoformat()
    assert AlarmDelivery.objects.filter(contact_name="Anna").count() == 0


def test_end_of_an_alarm_is_retried_like_its_beginning(receiver: Receiver, settings: Settings) -> None:
    webhook(receiver, settings)
    alarm = disk_full()
    delivery_tasks.notify_contacts()
    clear_alarm(AlarmKind.DISK_FULL, "evidence")
    receiver.answers = [503]

    delivery_tasks.notify_contacts()
    later(minutes=1)

    assert posted(receiver) == [("alarm.raised", [alarm.pk]), *[("alarm.cleared", [alarm.pk])] * 2]
    assert len({headers["x-delivery-id"] for headers, _body in receiver.got[1:]}) == 1


def test_alarm_that_never_arrived_has_no_end(receiver: Receiver, settings: Settings) -> None:
    webhook(receiver, settings)
    alarm = disk_full()
    receiver.answers = [503]
    delivery_tasks.notify_contacts()

    clear_alarm(AlarmKind.DISK_FULL, "evidence")
    delivery_tasks.notify_contacts()
    later(minutes=600)

    assert posted(receiver) == [("alarm.raised", [alarm.pk])]
    assert delivery().state == AlarmDeliveryState.CLEARED


@pytest.mark.parametrize("answers", [[webhook_receiver.DROP], []])
def test_alarm_that_may_have_arrived_has_an_end(
    receiver: Receiver, settings: Settings, monkeypatch: pytest.MonkeyPatch, answers: list[int | str]
) -> None:
    """The answer was lost, or the worker killed before it recorded it."""
    webhook(receiver, settings)
    alarm, receiver.answers = disk_full(), answers
    with monkeypatch.context() as killed, suppress(SystemExit):
        killed.setattr(deliveries, "_settle", lambda *_: sys.exit())
        delivery_tasks.notify_contacts()

    clear_alarm(AlarmKind.DISK_FULL, "evidence")
    later(minutes=2)
    delivery_tasks.notify_contacts()

    assert posted(receiver) == [("alarm.raised", [alarm.pk]), ("alarm.cleared", [alarm.pk])]


def test_mail_does_not_tell_of_the_end(mails: Mailbox) -> None:
    contact()
    disk_full()
    delivery_tasks.notify_contacts()

    clear_alarm(AlarmKind.DISK_FULL, "evidence")
    delivery_tasks.notify_contacts()

    assert len(mails.got) == 1


def test_webhook_keeps_to_the_document(receiver: Receiver, settings: Settings) -> None:
    pager = webhook(receiver, settings)
    disk_full()
    delivery_tasks.notify_contacts()
    clear_alarm(AlarmKind.DISK_FULL, "evidence")
    delivery_tasks.notify_contacts()
    contact_records.send_test(contact=pager)
    later()

    document = json.loads(partner_schema.PAGE.read_text())
    schema = {"$ref": "#/components/schemas/AlarmWebhook", "components": document["components"]}
    bodies = [json.loads(body) for _headers, body in receiver.got]
    assert [body["type"] for body in bodies] == [*AlarmEvent.values]
    for body in bodies:
        Draft202012Validator(schema).validate(body)
    page = (ROOT / "docs" / "partner-api.md").read_text()
    example = json.loads(page.partition("```json alarm\n")[2].partition("```")[0])
    Draft202012Validator(schema).validate(example)
    assert (example.keys(), example["alarms"][0].keys()) == (bodies[1].keys(), bodies[1]["alarms"][0].keys())


@pytest.mark.parametrize("is_form", [False, True])
def test_sms_goes_through_the_gateway(receiver: Receiver, settings: Settings, is_form: bool) -> None:
    fields = {"to": "{number}", "message": "Dispatch: {text}", "from": "dispatch"}
    set_up(settings, sms_url=receiver.url, sms_fields=fields, is_form=is_form)
    contact("on call", channel=Channel.SMS)
    disk_full()

    delivery_tasks.notify_contacts()

    ((headers, body),) = receiver.got
    got: dict[str, Any] = (
        {name: values[0] for name, values in parse_qs(body.decode()).items()} if is_form else json.loads(body)
    )
    assert headers["authorization"] == "Bearer key"
    assert (got["to"], got["from"]) == ("+441134960111", "dispatch")
    assert got["message"] == "Dispatch: A disk is nearly full http://127.0.0.1:8000/board/alarms/"


def test_nested_fields_of_a_gateway_are_filled(receiver: Receiver, settings: Settings) -> None:
    fields = {"messages": [{"to": ["{number}"], "body": "{text}", "parts": 2}]}
    set_up(settings, sms_url=receiver.url, sms_fields=fields)
    contact("on call", channel=Channel.SMS)
    disk_full()

    delivery_tasks.notify_contacts()

    (message,) = json.loads(receiver.got[0][1])["messages"]
    assert (message["to"], message["parts"]) == (["+441134960111"], 2)


def test_receiver_that_is_down_is_tried_again(receiver: Receiver, settings: Settings) -> None:
    webhook(receiver, settings)
    disk_full()
    receiver.answers = [503, 429]

    delivery_tasks.notify_contacts()
    assert (delivery().state, last_error()) == ("waiting", "HTTP status 503")
    later(minutes=0.5)
    assert len(receiver.got) == 1
    later(minutes=1)
    later(minutes=3)

    assert (len(receiver.got), delivery().state, delivery().attempts) == (3, "delivered", 3)
    ids = {headers["x-delivery-id"] for headers, _body in receiver.got}
    assert len(ids) == 1


def test_clock_that_was_ahead_delays_no_attempt(receiver: Receiver, settings: Settings) -> None:
    webhook(receiver, settings)
    disk_full()
    receiver.answers = [503]
    with time_machine.travel(timezone.now() + timedelta(days=1)):
        delivery_tasks.notify_contacts()
    assert delivery().state == "waiting"

    delivery_tasks.send_deliveries()

    assert delivery().state == "delivered"


@pytest.mark.parametrize("status", [302, 400, 404, 410])
def test_refusal_and_redirect_are_not_repeated(receiver: Receiver, settings: Settings, status: int) -> None:
    webhook(receiver, settings)
    disk_full()
    receiver.answers = [status]

    delivery_tasks.notify_contacts()
    later(minutes=600)

    assert (len(receiver.got), delivery().state) == (1, "failed")
    assert last_error() == f"HTTP status {status}"


def test_receiver_that_never_answers_ends_as_failed_without_an_alarm(settings: Settings) -> None:
    set_up(settings)
    contact("pager", channel=Channel.WEBHOOK, address="http://127.0.0.1:9/alarms")
    disk_full()

    delivery_tasks.notify_contacts()
    for _ in range(20):
        later(minutes=600)

    assert (delivery().state, delivery().attempts) == ("failed", len(deliveries.RETRY_MINUTES) + 1)
    assert last_error() == "No connection"
    # no alarm about the alarm, and nothing that would be sent again
    assert [alarm.kind for alarm in open_alarms()] == [AlarmKind.DISK_FULL]
    delivery_tasks.notify_contacts()
    assert AlarmDelivery.objects.count() == 1


def test_refused_mailbox_is_not_tried_again(mails: Mailbox) -> None:
    contact()
    disk_full()
    mails.answers = ["550 No such user here"]

    delivery_tasks.notify_contacts()

    assert (delivery().state, last_error()[-27:]) == ("failed", "(SMTPRecipientsRefused 550)")


def test_busy_mail_server_is_tried_again(mails: Mailbox) -> None:
    contact()
    disk_full()
    mails.answers = ["451 Try again later"]

    delivery_tasks.notify_contacts()
    assert delivery().state == "waiting"
    later(minutes=1)

    assert (len(mails.got), delivery().state) == (1, "delivered")


def test_alarm_that_is_over_is_not_sent_late(receiver: Receiver, settings: Settings) -> None:
    webhook(receiver, settings)
    disk_full()
    receiver.answers = [503]
    delivery_tasks.notify_contacts()

    clear_alarm(AlarmKind.DISK_FULL, "evidence")
    later(minutes=1)

    assert (len(receiver.got), delivery().state) == (1, "cleared")


def test_delivery_is_claimed_once() -> None:
    contact()
    disk_full()
    escalation.create_due_deliveries()

    first, second = deliveries.claim_next(), deliveries.claim_next()

    assert first is not None
    assert second is None
    # whoever claimed it was killed
    AlarmDelivery.objects.update(due_at=timezone.now())
    again = deliveries.claim_next()
    assert again is not None
    assert again.attempts == 2


@pytest.mark.parametrize(
    ("channel", "setting"),
    [
        (Channel.MAIL, "MAIL_SERVER_URL"),
        (Channel.SMS, "SMS_GATEWAY_URL"),
        (Channel.WEBHOOK, "ALARM_WEBHOOK_HOSTS"),
    ],
)
def test_channel_that_is_no_longer_set_up_says_which_setting(
    settings: Settings, channel: Channel, setting: str
) -> None:
    set_up(settings)
    contact(channel=channel, **({"address": "http://10.0.0.1/"} if channel == Channel.WEBHOOK else {}))
    disk_full()

    delivery_tasks.notify_contacts()

    assert (delivery().state, last_error()) == ("failed", f"{setting} does not allow it")


def test_line_break_in_a_title_makes_no_header(mails: Mailbox) -> None:
    contact()
    raise_alarm(AlarmKind.TASK_REFUSED, "x", coded_text("task_rejected", name="x\r\nBcc: all@example.org"))
    escalation.create_due_deliveries()
    AlarmDelivery.objects.update(title="Hello\r\nBcc: all@example.org")

    later()

    assert mails.got == []
    assert last_error() == "The mail server did not confirm it (BadHeaderError)"
