"""The places in front of the worker threads: few enough that everybody is served or sent away in seconds."""

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from itertools import islice

import structlog
from django.conf import settings

from seller_link.inbox import InboundRequest, InboundResponse, may_share_a_commit
from seller_link.wire import refusals

log = structlog.get_logger("seller_link.server")
# one commits, one waits for its commit, the others read and check
WORKER_THREADS = 2
MAX_BATCH = 16


class CommitHangs(Exception):
    """A worker is in the middle of a commit that does not end: neither yes nor no would be true."""


class WorkSide(Enum):
    WORKER = "worker"
    SERVER = "server"


class CommitClaim:
    """Which side settles a call: the worker that is about to commit, or the server that has waited long enough.

    The first to ask gets it, so an answer that nothing has changed is always true.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._side: WorkSide | None = None

    def take(self, side: WorkSide) -> bool:
        with self._lock:
            self._side = self._side or side
            return self._side is side

    @property
    def is_given_up(self) -> bool:
        return self._side is WorkSide.SERVER


@dataclass(frozen=True)
class QueuedRequest:
    request: InboundRequest
    turn: CommitClaim
    answer: Future[InboundResponse]


class RequestQueue:
    """Runs messages in worker threads; over SELLER_SERVER_QUEUE waiting ones, or after SELLER_SERVER_WAIT_SECONDS, 503;
    CommitHangs when it was being committed then, and still is after as long again.

    `work` gets as many of the waiting ones as share a commit, and answers each in their order. It may not raise.
    """

    def __init__(self, work: Callable[[Sequence[InboundRequest]], list[InboundResponse]]) -> None:
        self._work = work
        self._workers = ThreadPoolExecutor(WORKER_THREADS, thread_name_prefix="request")
        self._waiting: deque[QueuedRequest] = deque()
        self._claimed = 0

    def refuse_when_full(self) -> None:
        """Raises 503 tryAgain."""
        if self._claimed >= settings.SELLER_SERVER_QUEUE + WORKER_THREADS:
            log.error("queue full", waiting=self._claimed)
            raise refusals.retry_later()

    async def submit(self, request: InboundRequest) -> InboundResponse:
        self.refuse_when_full()
        turn, answer = CommitClaim(), Future[InboundResponse]()
        mine = replace(request, may_commit=partial(turn.take, WorkSide.WORKER))
        self._claimed += 1
        self._waiting.append(QueuedRequest(mine, turn, answer))
        self._workers.submit(self._some)
        pending = asyncio.wrap_future(answer)
        # not before the thread is free again, also when nobody waits for its answer any more
        pending.add_done_callback(self._leave)
        if not await _is_over(pending):
            if turn.take(WorkSide.SERVER):
                log.error("waited too long", waiting=self._claimed)
                raise refusals.retry_later()
            if not await _is_over(pending):
                log.error("commit hangs", waiting=self._claimed)
                raise CommitHangs
        return pending.result()

    def _leave(self, _answer: asyncio.Future[InboundResponse]) -> None:
        self._claimed -= 1

    def _some(self) -> None:
        """In a worker thread: what is waiting by now, perhaps nothing, since another thread took it along."""
        batch = list(self._batch())
        if not batch:
            return
        for queued, answer in zip(batch, self._work([queued.request for queued in batch]), strict=True):
            queued.answer.set_result(answer)

    def _batch(self) -> Iterator[QueuedRequest]:
        """As many as share a commit; one that shares none ends it."""
        for queued in islice(self._next(), MAX_BATCH):
            yield queued
            if not may_share_a_commit(queued.request):
                return

    def _next(self) -> Iterator[QueuedRequest]:
        """A call that was given up while it waited is not begun."""
        while self._waiting:
            try:
                queued = self._waiting.popleft()
            except IndexError:  # another thread was quicker
                return
            if queued.turn.is_given_up:
                queued.answer.cancel()
            elif queued.answer.set_running_or_notify_cancel():
                yield queued


async def _is_over(pending: asyncio.Future[InboundResponse]) -> bool:
    """Within SELLER_SERVER_WAIT_SECONDS; it goes on when not."""
    done, _waiting = await asyncio.wait({pending}, timeout=settings.SELLER_SERVER_WAIT_SECONDS)
    return bool(done)
