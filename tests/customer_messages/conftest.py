"""A customer's telephone: a browser at 390 px."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser
from pytest_django.live_server_helper import LiveServer

from tests.servers.browser import PHONE, Window, chromium, open_window


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.fixture
def telephone(browser: Browser, live_server: LiveServer) -> Iterator[Window]:
    window = open_window(browser, base_url=live_server.url, kind=PHONE, located=False)
    yield window
    window.page.context.close()
