"""A board whose stream was refused opens it again."""

import pytest
from playwright.sync_api import expect

from tests.board.test_browser import open_board
from tests.board.test_two_dispatchers import streaming
from tests.servers.browser import Window

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
]


def test_stream_that_was_refused_once_is_opened_again(stream_port: int, window: Window) -> None:
    """As by a proxy whose stream server was just starting again."""
    page = window.page
    board = page.locator("#board")
    page.clock.install()
    page.route("**/board/stream?*", lambda route: route.fulfill(status=502), times=1)
    with streaming(stream_port):
        open_board(page)
        expect(board).to_have_attribute("data-live", "polling")

        page.clock.fast_forward(21_000)

        expect(board).to_have_attribute("data-live", "stream")
