"""The office's clock in tests, and a dispatcher's browser for the stories."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
import time_machine
from playwright.sync_api import Browser
from pytest_django import DjangoDbBlocker
from pytest_django.live_server_helper import LiveServer

from demo.ports import free_ports
from tests import make
from tests.board.busy_day import BusyDay, busy_day
from tests.board.windows import open_signed_in
from tests.rolled_back import rolled_back_after_module
from tests.servers.browser import Window, chromium


@pytest.fixture(autouse=True)
def before_the_calendar(day_before: None) -> None:
    """Nothing is late, short notice or in the past by the calendar."""


@pytest.fixture(scope="module")
def day_of_module(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[BusyDay]:
    """Made once, shortly before the noon of its tests: to make it takes longer than to look at a page of it."""
    shortly_before = make.at("11:58", day=make.DAY - make.minutes(24 * 60))
    with rolled_back_after_module(django_db_blocker):
        with time_machine.travel(shortly_before):
            made = busy_day()
        yield made


@pytest.fixture
def day(day_of_module: BusyDay, db: None) -> BusyDay:
    """The busy day as it was made; what a test changes is undone after it."""
    return day_of_module.copy()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture
def window(browser: Browser, live_server: LiveServer, request: pytest.FixtureRequest) -> Iterator[Window]:
    """Dana's, 1440 wide; `@pytest.mark.parametrize("window", [1440, 390], indirect=True)` for other widths."""
    width = getattr(request, "param", 1440)
    opened = open_signed_in(browser, make.dispatcher(username="dana"), base_url=live_server.url, width=width)
    yield opened
    opened.page.context.close()


@pytest.fixture
def stream_port(live_server: LiveServer, settings: Any) -> int:
    port, host = free_ports().board_stream, urlsplit(live_server.url).hostname
    settings.PUBLIC_URL = live_server.url
    settings.BOARD_STREAM_URL = f"http://{host}:{port}/board/stream"
    return port
