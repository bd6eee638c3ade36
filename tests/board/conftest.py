"""The office's clock in tests, and a dispatcher's browser for the stories."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser
from pytest_django.live_server_helper import LiveServer

from tests import make
from tests.board.windows import open_signed_in
from tests.servers.browser import Window, chromium


@pytest.fixture(autouse=True)
def before_the_calendar(day_before: None) -> None:
    """Nothing is late, short notice or in the past by the calendar."""


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
