"""A relay hears of a new message at its commit, and not before."""

import threading

import pytest
from django.db import transaction

from dispatch.states import JobState
from seller_link import outbox_listener
from tests import make

pytestmark = pytest.mark.django_db(transaction=True)
SECONDS = 10


@pytest.fixture
def news() -> threading.Event:
    return threading.Event()


def test_written_message_wakes_the_relay(news: threading.Event) -> None:
    with outbox_listener.listening(news):
        assert news.wait(SECONDS), "what was there before is looked at"
        news.clear()
        make.job(at_state=JobState.ASSIGNED)
        assert news.wait(SECONDS)


def test_fact_that_was_undone_wakes_nobody(news: threading.Event) -> None:
    with outbox_listener.listening(news):
        assert news.wait(SECONDS)
        news.clear()
        with pytest.raises(ZeroDivisionError), transaction.atomic():
            make.job(at_state=JobState.ASSIGNED)
            raise ZeroDivisionError
        make.engineer()
        with transaction.atomic():
            outbox_listener.notify_relay()
        assert news.wait(SECONDS)
