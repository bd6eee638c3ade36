"""All boards that are open at this process: who they are, and what goes to which of them."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from time import monotonic

import structlog
from django.db import DatabaseError, InterfaceError, close_old_connections

from board.day.live_day import BoardView
from board.stream.board_watch import BoardMessage, BoardWatch

LOOK_SECONDS = 0.05
# a look that takes longer than this hangs: every open board is drawn in a fraction of it
HANGING_SECONDS = 10.0
# a board that does not take so many is gone or asleep; it comes back and reads its page
MOST_WAITING = 20

log = structlog.get_logger("board.stream")


@dataclass(eq=False)
class OpenBoard:
    """One board of a person: `waiting` holds events as they go over the wire, None ends the stream."""

    view: BoardView
    user_pk: int = 0
    waiting: asyncio.Queue[bytes | None] = field(default_factory=lambda: asyncio.Queue(MOST_WAITING))
    is_greeted: bool = False

    def put(self, event: bytes) -> None:
        try:
            self.waiting.put_nowait(event)
        except asyncio.QueueFull:
            self.end()

    def end(self) -> None:
        while not self.waiting.empty():
            self.waiting.get_nowait()
        self.waiting.put_nowait(None)


@dataclass
class Hub:
    """For one event loop. `watch` is asked in a thread of its own, and only while a board is open."""

    watch: BoardWatch = field(default_factory=BoardWatch)
    boards: set[OpenBoard] = field(default_factory=set)
    thread: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "board-watch"))
    looked_at: float = field(default_factory=monotonic)

    def is_looking(self) -> bool:
        """False when `run` has ended, waits for the database too long, or the event loop stands still."""
        return monotonic() - self.looked_at < HANGING_SECONDS

    def count_boards_of(self, user_pk: int) -> int:
        return sum(board.user_pk == user_pk for board in self.boards)

    async def run(self) -> None:
        while True:
            self.looked_at = monotonic()
            if self.boards:
                await self.send_changes()
            await asyncio.sleep(LOOK_SECONDS)

    async def send_changes(self) -> None:
        """Send every board what is new; what goes wrong, as a database that is away, ends nothing: the boards ask by
        themselves then."""
        joining = [board for board in self.boards if not board.is_greeted]
        views = {board.view for board in self.boards}
        try:
            messages = await asyncio.get_running_loop().run_in_executor(
                self.thread, self._read_changes, views
            )
        except Exception as problem:
            is_away = isinstance(problem, DatabaseError | InterfaceError)
            log.error("board not read", error=type(problem).__name__, exc_info=not is_away)
            # it may know a part of what is new
            self.watch = BoardWatch()
            self.close()
            return
        for message in messages:
            self._send(message)
        for board in joining:
            board.is_greeted = True
            board.put(as_event("hello", self.watch.greeting(board.view)))

    def close(self) -> None:
        """Every board falls back to asking by itself."""
        for board in self.boards:
            board.end()

    def _read_changes(self, views: set[BoardView]) -> list[BoardMessage]:
        """In the thread, which keeps one connection as long as the database does."""
        close_old_connections()
        return self.watch.read_changes(views)

    def _send(self, message: BoardMessage) -> None:
        event = as_event(message.event, message.data)
        for board in self.boards:
            if board.is_greeted and message.view in {None, board.view}:
                board.put(event)


def as_event(name: str, data: object) -> bytes:
    """One server-sent event."""
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False, separators=(',', ':'))}\n\n".encode()
