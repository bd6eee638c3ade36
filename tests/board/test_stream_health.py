"""The heartbeat of the board stream: written while it works, gone when it was stopped, missed when it hangs."""

import asyncio
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.test import Client

from board.day.live_day import BoardView
from board.stream.board_watch import BoardMessage, BoardWatch
from board.stream.hub import HANGING_SECONDS, Hub, OpenBoard
from board.stream.stream_health import heartbeat_of
from demo.environment import wait_until
from demo.ports import free_ports
from monitoring import health_checks, heartbeats
from monitoring.models import Heartbeat
from tests import make
from tests.board.test_two_dispatchers import streaming

pytestmark = pytest.mark.django_db(transaction=True)
MISSING = "no board stream heartbeat found"


@pytest.fixture(autouse=True)
def asked_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """`/readyz` remembers its answers for a moment."""
    monkeypatch.setattr(health_checks, "CACHE_SECONDS", 0.0)


def readyz() -> tuple[int, str]:
    answer = Client().get("/readyz")
    parts = dict(answer.json()["parts"])
    others = {name for name, problem in parts.items() if problem != "ok" and name != "board_stream"}
    assert others <= {"relay", "certificates", "seller_server", "worker"}, parts
    return answer.status_code, parts["board_stream"]


def beating() -> list[str]:
    found = Heartbeat.objects.filter(process__startswith=heartbeats.BOARD_STREAM)
    return list(found.values_list("process", flat=True))


def test_stream_beats_until_it_is_stopped(settings: Any) -> None:
    port = free_ports().board_stream
    settings.BOARD_STREAM_URL = f"http://127.0.0.1:{port}/board/stream"
    assert readyz()[1] == MISSING

    with streaming(port):
        assert wait_until(lambda: bool(beating()), seconds=30)
        assert beating() == [heartbeats.process_name(heartbeats.BOARD_STREAM)]
        assert readyz()[1] == "ok"

    assert beating() == []


def test_missing_stream_leaves_the_application_ready(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.BOARD_STREAM_URL = "/board/stream"
    for name in ("relay", "certificates"):
        monkeypatch.delitem(health_checks.CHECKS, name)

    assert readyz() == (200, MISSING)


def test_where_boards_ask_by_themselves_no_stream_is_missed() -> None:
    assert (django_settings.BOARD_STREAM_URL, readyz()[1]) == ("", "ok")


def test_hub_that_hangs_or_has_ended_beats_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    hub = Hub()

    async def look_for_a_moment() -> None:
        looking = asyncio.create_task(hub.run())
        await asyncio.sleep(0)
        looking.cancel()

    asyncio.run(look_for_a_moment())
    is_fresh = hub.is_looking()
    hub.looked_at -= HANGING_SECONDS
    writer = heartbeat_of(hub)
    monkeypatch.setattr(heartbeats, "SERVER_BEAT_SECONDS", 0.01)
    writer.start()
    assert not wait_until(lambda: bool(beating()), seconds=0.5)
    hub.looked_at += HANGING_SECONDS
    assert wait_until(lambda: bool(beating()), seconds=30)
    writer.end()

    assert is_fresh


def test_any_error_ends_the_boards_streams_and_not_the_hub() -> None:
    class BrokenWatch(BoardWatch):
        def read_changes(self, views: set[BoardView]) -> list[BoardMessage]:
            raise ValueError(views)

    async def look() -> tuple[object, bool]:
        board = OpenBoard(BoardView(make.DAY, "en-gb"))
        hub = Hub(watch=BrokenWatch(), boards={board})
        await hub.send_changes()
        return board.waiting.get_nowait(), isinstance(hub.watch, BrokenWatch)

    assert asyncio.run(look()) == (None, False)
