"""What a board hears of its stream while nothing happens: by it the page knows that the connection is alive."""

import asyncio
import re
from pathlib import Path

import pytest

from board.stream import asgi
from board.stream.asgi import StreamApplication
from tests import make
from tests.board.test_stream import Answers, client_of, scope_of

SCRIPT = Path("static/js/board/live/live_stream.js")


@pytest.mark.django_db(transaction=True)
def test_ping_is_an_event_that_the_page_can_hear(monkeypatch: pytest.MonkeyPatch) -> None:
    """A comment is heard by no script, and neither is an event without data."""
    monkeypatch.setattr(asgi, "PING_SECONDS", 0.01)
    answers, application = Answers(), StreamApplication()
    scope = scope_of(client_of(make.dispatcher()))

    async def listen() -> None:
        stream = asyncio.create_task(application(scope, answers.receive, answers.send))
        while len(answers.sent) < 3:
            await asyncio.sleep(0.01)
        application.hub.close()
        await stream

    asyncio.run(listen())

    assert answers.sent[2]["body"] == b"event: ping\ndata: {}\n\n"


def test_page_waits_for_more_than_two_pings() -> None:
    silent = re.search(r"SILENT_MS = ([\d_]+);", SCRIPT.read_text())

    assert silent
    assert int(silent[1]) > 2 * 1000 * asgi.PING_SECONDS
