"""The automatic dispatcher of rehearsals and scenarios, at a board whose database is busy for a moment."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import ClassVar

import pytest

from demo.rehearsal.app_client import HttpSession
from demo.rehearsal.simulated_dispatcher import SimulatedDispatcher

OFFER = {"engineer": "LS001", "starts_at": "2026-11-23T09:00:00+00:00"}


class BusyBoard(BaseHTTPRequestHandler):
    """Answers the first request of each path with 503."""

    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self._answer({"version": "7", "suggestions": [OFFER]})

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self._answer({"ok": True})

    def _answer(self, body: object) -> None:
        is_first = self.path not in self.asked
        self.asked.append(self.path)
        content = json.dumps({"error": "unavailable"} if is_first else body).encode()
        self.send_response(503 if is_first else 200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Nothing on the console."""


@pytest.fixture
def board() -> Iterator[str]:
    BusyBoard.asked.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), BusyBoard) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_dispatcher_tries_again_when_the_board_is_busy(board: str) -> None:
    office = SimulatedDispatcher(HttpSession(board))

    assert office.assign("J-1") == "LS001"
    offers, assign = "/board/jobs/J-1/suggestions.json", "/board/jobs/J-1/assign/"
    assert BusyBoard.asked == [offers, offers, assign, assign]
