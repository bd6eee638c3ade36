"""The office's page of messages to customers in a browser, at a desk and on a small screen."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from customer_messages.message_queue import enqueue_message
from customer_messages.models import CustomerMessage, CustomerMessageKind, MessageState
from dispatch.models import Job
from dispatch.states import JobState
from monitoring.coded_texts import coded_text
from tests import make
from tests.board.windows import open_signed_in
from tests.customer_messages.ways import set_up_ways
from tests.servers.browser import Window

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.parametrize("window", [1440, 390], indirect=True),
]


@pytest.fixture
def window(browser: Browser, live_server: LiveServer, request: pytest.FixtureRequest) -> Iterator[Window]:
    opened = open_signed_in(browser, make.dispatcher(), base_url=live_server.url, width=request.param)
    yield opened
    opened.page.context.close()


def look(window: Window, name: str) -> None:
    window.fits_its_width()
    window.looked_at(f"{name}-{window.page.viewport_size['width']}")


def message(job: Job, key: str, state: MessageState, reason: dict[str, Any] | None = None) -> CustomerMessage:
    now = timezone.now()
    made = enqueue_message(
        key, CustomerMessageKind.ON_THE_WAY, job, now=now, expires_at=now + timedelta(minutes=15)
    )
    made.state, made.reason = state, reason or {}
    made.sent_at = now if state == MessageState.SENT else None
    made.save()
    return made


def test_dispatcher_finds_a_job_s_message_and_sends_it_again(window: Window, settings: Settings) -> None:
    page = window.page
    page.goto("/board/customer-messages/")
    expect(page.get_by_text("Messages to customers are switched off.")).to_be_visible()
    expect(page.get_by_text("No messages to customers yet.")).to_be_visible()
    look(window, "customer-messages-empty")

    set_up_ways(settings, "sms", sms_url="http://127.0.0.1:9/")
    job = make.job(at_state=JobState.EN_ROUTE)
    message(job, "first", MessageState.SENT)
    message(job, "second", MessageState.FAILED, coded_text("interrupted").as_json())
    page.goto(f"/board/jobs/{job}/")
    page.get_by_role("link", name="Messages to the customer").click()
    expect(page.get_by_text("Sending was interrupted. It may have arrived.")).to_be_visible()
    look(window, "customer-messages")
    page.get_by_role("button", name="Resend Engineer on the way").click()

    expect(page.get_by_text("The message is being sent again.")).to_be_visible()
    expect(page.get_by_text("Sent again as a new message.")).to_be_visible()
    expect(page.get_by_role("button", name="Resend Engineer on the way")).to_have_count(0)
    assert CustomerMessage.objects.count() == 3
