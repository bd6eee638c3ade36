"""Messages to customers in figures."""

from datetime import timedelta

import pytest

from customer_messages.message_metrics import CustomerMessageCollector
from customer_messages.message_queue import enqueue_message
from customer_messages.models import CustomerMessage, CustomerMessageKind, MessageState
from dispatch.states import JobState
from monitoring.metrics import render_metrics
from tests import make
from tests.monitoring.test_web_metrics import samples

pytestmark = pytest.mark.django_db


def message(key: str, **changes: object) -> None:
    job, now = make.job(at_state=JobState.EN_ROUTE), make.now()
    made = enqueue_message(
        key, CustomerMessageKind.ON_THE_WAY, job, now=now, expires_at=now + timedelta(minutes=15)
    )
    CustomerMessage.objects.filter(pk=made.pk).update(**{"state": MessageState.READY, **changes})


def test_messages_of_a_day_and_the_oldest_that_waits_are_measured() -> None:
    now = make.now()
    # tried and refused again and again: the next attempt is never far away
    message("waits", created_at=now - timedelta(minutes=20), next_attempt_at=now + timedelta(minutes=2))
    message("new")
    message("failed", state=MessageState.FAILED)
    message("yesterday's", state=MessageState.SENT, created_at=now - timedelta(hours=25))

    found = samples(render_metrics(CustomerMessageCollector()).decode())

    assert (found["customer_messages ready"], found["customer_messages failed"]) == (2, 1)
    assert found["customer_messages sent"] == 0
    assert 1200 <= found["customer_message_oldest_seconds"] < 1260


def test_nothing_waits_where_nothing_is_due() -> None:
    found = samples(render_metrics(CustomerMessageCollector()).decode())

    assert found["customer_message_oldest_seconds"] == 0
