"""The places in front of the worker threads: few enough that everybody is served or sent away in seconds."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from enum import Enum

import structlog
from django.conf import settings

from seller_link.inbox import Answer
from seller_link.wire import faults

log = structlog.get_logger("seller_link.door")
# one commits, one waits for its commit, the others read and check
THREADS = 4


class Side(Enum):
    WORKER = "worker"
    DOOR = "door"


class Turn:
    """Which side settles a call: the worker that is about to commit, or the door that has waited long enough.

    The first to ask gets it, so a caller who was told that nothing has changed was told the truth.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._side: Side | None = None

    def take(self, side: Side) -> bool:
        with self._lock:
            self._side = self._side or side
            return self._side is side

    @property
    def is_given_up(self) -> bool:
        return self._side is Side.DOOR


class Queue:
    """Runs calls in worker threads; over SELLER_DOOR_QUEUE waiting ones, or after SELLER_DOOR_WAIT_SECONDS, 503."""

    def __init__(self) -> None:
        self._workers = ThreadPoolExecutor(THREADS, thread_name_prefix="door")
        self._taken = 0

    def refuse_when_full(self) -> None:
        """Raises 503 tryAgain."""
        if self._taken >= settings.SELLER_DOOR_QUEUE + THREADS:
            log.error("queue full", waiting=self._taken)
            raise faults.try_again()

    async def do(self, work: Callable[[Turn], Answer]) -> Answer:
        self.refuse_when_full()
        turn = Turn()
        self._taken += 1
        future = asyncio.get_running_loop().run_in_executor(self._workers, _start, work, turn)
        # not before the thread is free again, also when nobody waits for its answer any more
        future.add_done_callback(self._leave)
        done, _waiting = await asyncio.wait({future}, timeout=settings.SELLER_DOOR_WAIT_SECONDS)
        if not done and turn.take(Side.DOOR):
            log.error("waited too long", waiting=self._taken)
            raise faults.try_again()
        return await future

    def _leave(self, future: asyncio.Future[Answer]) -> None:
        self._taken -= 1
        if not future.cancelled():
            future.exception()  # looked at, so that an answer that came too late is not logged as lost


def _start(work: Callable[[Turn], Answer], turn: Turn) -> Answer:
    """In the worker thread; a call that was given up while it waited is not begun."""
    if turn.is_given_up:
        raise faults.try_again()
    return work(turn)
