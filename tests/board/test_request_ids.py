"""One id from the proxy to the seller, webhooks and alarm contacts: what a request caused is found in every log."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from pytest_django import Settings

from alerting import delivery_tasks
from alerting.models import Channel
from dispatch.states import JobState
from monitoring import request_ids
from partner_api.management.commands.webhooks import WebhookSender
from seller_link.models import OutboundMessage
from seller_link.outbox_queue import claim_due
from tests import make
from tests.alerting.contacts import contact, disk_full, set_up
from tests.board.office import assign, signed_in
from tests.partner_api.webhooks import bodies, subscription
from tests.phone.phone import Phone
from tests.servers import webhook_receiver
from tests.servers.webhook_receiver import Receiver

PROXY_ID = "5f0c0ffee5f0c0ffee5f0c0ffee5f0c0"
OTHER_ID = "0ff1ce0ff1ce0ff1ce0ff1ce0ff1ce00"
pytestmark = [pytest.mark.postgresql, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def receiver(settings: Settings) -> Iterator[Receiver]:
    set_up(settings)
    settings.WEBHOOKS = replace(settings.WEBHOOKS, private_addresses=True)
    with webhook_receiver.running() as running:
        yield running


def ids_of(receiver: Receiver) -> list[str | None]:
    return [headers.get(request_ids.HEADER.lower()) for headers, _body in receiver.got]


def logged(caplog: pytest.LogCaptureFixture, *events: str) -> list[tuple[str, str]]:
    lines = [record.msg for record in caplog.records if isinstance(record.msg, dict)]
    return [(line["event"], line[request_ids.NAME]) for line in lines if line["event"] in events]


def report_unsafe(phone: Phone, request_id: str) -> None:
    phone.client.defaults["HTTP_X_REQUEST_ID"] = request_id
    job = make.job(at_state=JobState.ON_SITE, to=phone.engineer)
    phone.say("answered", job, {"question": "SAF01", "value": "no"})


def test_message_to_the_seller_carries_the_id() -> None:
    dispatcher, job, engineer = signed_in(), make.job(), make.engineer()
    dispatcher.defaults["HTTP_X_REQUEST_ID"] = PROXY_ID

    assert assign(dispatcher, job, engineer).status_code == 200

    assert OutboundMessage.objects.get().request_id == PROXY_ID
    assert [claim.request_id for claim in claim_due(5)] == [PROXY_ID]


def test_webhook_carries_the_id(receiver: Receiver, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", logger="partner_api.webhooks")
    dispatcher, job, engineer = signed_in(), make.job(), make.engineer()
    subscription(receiver.url)
    dispatcher.defaults["HTTP_X_REQUEST_ID"] = PROXY_ID

    assert assign(dispatcher, job, engineer).status_code == 200
    WebhookSender().run(rounds=2)

    assert [body["event"]["kind"] for body in bodies(receiver)] == ["engineer_assigned"]
    assert ids_of(receiver) == [PROXY_ID]
    assert logged(caplog, "webhook") == [("webhook", PROXY_ID)]


def test_alarm_to_a_contact_carries_the_id(receiver: Receiver, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", logger="alerting")
    contact("pager", channel=Channel.WEBHOOK, address=receiver.url)
    receiver.answers = [500]
    report_unsafe(Phone(make.engineer()), PROXY_ID)
    delivery_tasks.notify_contacts()

    assert ids_of(receiver) == [PROXY_ID]
    assert logged(caplog, "alarm delivered", "alarm not delivered") == [("alarm not delivered", PROXY_ID)]


def test_alarms_of_several_requests_stand_on_one_line(
    receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", logger="alerting")
    contact("pager", channel=Channel.WEBHOOK, address=receiver.url)
    report_unsafe(Phone(make.engineer()), PROXY_ID)
    report_unsafe(Phone(make.engineer()), OTHER_ID)
    # found by a task: no request
    disk_full()
    delivery_tasks.notify_contacts()

    assert ids_of(receiver) == [None]
    assert logged(caplog, "alarm delivered") == [("alarm delivered", f"{OTHER_ID} {PROXY_ID}")]
