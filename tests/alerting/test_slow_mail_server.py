"""Mails that take longer than a task of the worker may: one attempt has a limit, and the attempts have an end."""

from collections.abc import Iterator

import pytest
from django.utils import timezone
from pytest_django import Settings

from alerting import deliveries, delivery_tasks, escalation
from alerting.models import AlarmDelivery
from monitoring.coded_texts import reason_text
from tests.alerting.contacts import contact, disk_full, set_up
from tests.servers import mailbox
from tests.servers.mailbox import Mailbox

pytestmark = pytest.mark.django_db


@pytest.fixture
def mails(settings: Settings) -> Iterator[Mailbox]:
    with mailbox.running() as running:
        set_up(settings, mail_port=running.port)
        contact()
        disk_full()
        yield running


def outcome() -> tuple[str, int, str]:
    row = AlarmDelivery.objects.get()
    return row.state, row.attempts, reason_text(row.last_error)


def test_mail_server_that_is_slow_at_each_step_is_tried_again_later(
    mails: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("monitoring.mail_server.WHOLE_MAIL_SECONDS", 0.8)
    mails.pause = 0.5

    delivery_tasks.notify_contacts()

    assert outcome() == ("waiting", 1, "The mail server did not confirm it (SMTPServerDisconnected)")


def test_attempts_that_each_ended_with_their_process_have_an_end(mails: Mailbox) -> None:
    escalation.create_due_deliveries()
    most = len(deliveries.RETRY_MINUTES) + 1
    for _ in range(most):
        assert deliveries.claim_next() is not None
        AlarmDelivery.objects.update(due_at=timezone.now())

    delivery_tasks.send_deliveries()

    assert (outcome(), mails.got) == (("failed", most, "Sending was interrupted. It may have arrived."), [])
