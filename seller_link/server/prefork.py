"""Several processes at one port: each takes lines from the same listening socket; whoever dies is replaced."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType

import structlog

from monitoring.processes import end_with_parent

log = structlog.get_logger("seller_link.server")
STOP_SIGNALS = {signal.SIGTERM, signal.SIGINT}
# one that ends by itself sooner than this cannot work here, and will not the next time either
QUICK_EXIT_SECONDS = 5.0


class PreforkServer:
    """`count` children that run `work`. Made before this process has a thread or a database connection."""

    def __init__(self, work: Callable[[], None], *, count: int) -> None:
        self._work, self._count = work, count
        self._born: dict[int, float] = {}
        self._ending = False
        # its other end is held by us alone: when we are gone, however, the children read its end
        self._read_end, self._write_end = os.pipe()

    def run(self) -> int:
        """Blocks until SIGTERM or SIGINT, which every child gets, or until one cannot work: its exit code."""
        for number in STOP_SIGNALS:
            signal.signal(number, self._end)
        for _index in range(self._count):
            self._begin()
        code = 0
        while self._born:
            child, status = os.wait()
            code = self._lost(child, os.waitstatus_to_exitcode(status)) or code
        return code

    def _begin(self) -> None:
        """A child; no signal falls between its birth and our knowing of it."""
        signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
        if not self._ending:
            parent = os.getpid()
            child = os.fork()
            if child == 0:
                self._live(parent)
            self._born[child] = time.monotonic()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)

    def _live(self, parent: int) -> None:
        """In the child; never returns."""
        bind = end_with_parent(parent, by=signal.SIGKILL)
        if bind:
            bind()
        for number in STOP_SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
        os.close(self._write_end)
        threading.Thread(target=self._end_with_parent, daemon=True).start()
        code = 1
        try:
            self._work()
            code = 0
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 1
        except Exception:
            log.exception("a process of the seller server failed")
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)

    def _end_with_parent(self) -> None:
        """As the kernel does it on Linux: the port must be free for whoever replaces our parent."""
        os.read(self._read_end, 1)
        os._exit(1)

    def _lost(self, child: int, code: int) -> int:
        """Replace one that died; the exit code of us all when that would not help."""
        lived = time.monotonic() - self._born.pop(child)
        if self._ending:
            return 0
        log.error("a process of the seller server ended", code=code, seconds=round(lived, 1))
        if code >= 0 and lived < QUICK_EXIT_SECONDS:
            self._end()
            return code or 1
        self._begin()
        return 0

    def _end(self, _number: int = 0, _frame: FrameType | None = None) -> None:
        self._ending = True
        for child in self._born:
            os.kill(child, signal.SIGTERM)
