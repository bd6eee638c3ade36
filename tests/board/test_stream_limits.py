"""How many boards one person may have open at the stream, and of which days."""

import asyncio
from collections.abc import MutableMapping
from datetime import date, timedelta
from typing import Any

import pytest
from django.http import QueryDict
from django.test import Client
from django.utils import timezone

from board.day.live_day import BoardView
from board.form_inputs import MAX_DAYS_AWAY
from board.stream.asgi import MOST_BOARDS_OF_ONE, StreamApplication, read_view
from engineers.models import Role
from tests import make
from tests.board.test_stream import Answers, client_of, scope_of

pytestmark = pytest.mark.django_db


class Browser(Answers):
    """One that closes its board when asked to."""

    def __init__(self) -> None:
        super().__init__()
        self.closing = asyncio.Event()
        self.stream: asyncio.Future[None] = asyncio.Future()

    async def receive(self) -> MutableMapping[str, Any]:
        await self.closing.wait()
        return {"type": "http.disconnect"}


async def open_boards(application: StreamApplication, client: Client, number: int) -> list[Browser]:
    """As many at once, each of another day; all have been answered."""
    browsers = [Browser() for _ in range(number)]
    for ahead, browser in enumerate(browsers):
        day = make.DAY + timedelta(days=ahead)
        scope = scope_of(client, query_string=f"day={day}&language=de".encode())
        browser.stream = asyncio.ensure_future(application(scope, browser.receive, browser.send))
    while not all(browser.sent for browser in browsers):
        await asyncio.sleep(0.01)
    return browsers


def statuses(browsers: list[Browser]) -> list[int]:
    return sorted(browser.sent[0]["status"] for browser in browsers)


@pytest.mark.django_db(transaction=True)
def test_one_person_has_a_few_boards_open_and_stops_nobody_elses() -> None:
    dana, imran = client_of(make.dispatcher()), client_of(make.dispatcher(role=Role.SUPERVISOR))
    application = StreamApplication()

    async def listen() -> list[list[int]]:
        hers = await open_boards(application, dana, MOST_BOARDS_OF_ONE + 3)
        his = await open_boards(application, imran, 1)
        answers = [statuses(hers), statuses(his)]
        closed = [browser for browser in hers if browser.sent[0]["status"] == 200][:2]
        for browser in closed:
            browser.closing.set()
            await browser.stream
        again = await open_boards(application, dana, 3)
        for browser in (*hers, *his, *again):
            browser.closing.set()
            await browser.stream
        return [*answers, statuses(again)]

    hers, his, again = asyncio.run(listen())

    assert hers == [200] * MOST_BOARDS_OF_ONE + [429] * 3
    assert his == [200]
    assert again == [200, 200, 429]
    assert not application.hub.boards


def test_stream_has_the_days_that_the_board_shows() -> None:
    last = timezone.localdate() + MAX_DAYS_AWAY
    first = timezone.localdate() - MAX_DAYS_AWAY

    def view(day: date) -> BoardView | None:
        return read_view(QueryDict(f"day={day}&language=en-gb"))

    assert (view(first), view(last)) == (BoardView(first, "en-gb"), BoardView(last, "en-gb"))
    assert view(first - timedelta(days=1)) is None
    assert view(last + timedelta(days=1)) is None
