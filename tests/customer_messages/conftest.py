"""A customer's telephone, a browser at 390 px; and the SMS gateway that messages go to."""

from collections.abc import Iterator

import pytest
import time_machine
from playwright.sync_api import Browser
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from customer_messages.message_queue import enqueue_new
from tests import make
from tests.customer_messages.ways import set_up_ways
from tests.servers import webhook_receiver
from tests.servers.browser import PHONE, Window, chromium, open_window
from tests.servers.webhook_receiver import Receiver


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.fixture
def gateway(settings: Settings) -> Iterator[Receiver]:
    with webhook_receiver.running() as running:
        set_up_ways(settings, "sms", sms_url=running.url)
        with time_machine.travel(make.at("06:00")):
            enqueue_new(make.now())
        yield running


@pytest.fixture
def telephone(browser: Browser, live_server: LiveServer) -> Iterator[Window]:
    window = open_window(browser, base_url=live_server.url, kind=PHONE, located=False)
    yield window
    window.page.context.close()
