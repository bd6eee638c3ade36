"""One thread that cuts what takes longer than it may: a socket's own time-out starts anew with each byte."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol


class Cuttable(Protocol):
    def cut(self) -> None:
        """End whatever waits on this, from another thread, at once; called once or more."""


class DeadlineWatchdog:
    """Looks after all tries of a process; a thread per try would cost more than the try."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._watched: dict[int, tuple[float, Cuttable]] = {}
        self._looks_at = float("inf")
        self._thread: threading.Thread | None = None

    @contextmanager
    def watch(self, thing: Cuttable, *, end: float) -> Iterator[None]:
        """`thing` is cut if the block still runs at `end` (time.monotonic)."""
        key = threading.get_ident()
        with self._changed:
            self._watched[key] = (end, thing)
            self._begin()
            if end < self._looks_at:
                self._changed.notify()
        try:
            yield
        finally:
            # no lock: taking a key out of a dict is one step
            self._watched.pop(key, None)

    def _begin(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="watchdog", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        while True:
            with self._changed:
                ends = [end for end, _thing in self._watched.copy().values()]
                self._looks_at = min(ends, default=float("inf"))
                self._changed.wait(max(0.0, self._looks_at - time.monotonic()) if ends else None)
            self._cut_the_late()

    def _cut_the_late(self) -> None:
        now = time.monotonic()
        for key, (end, thing) in self._watched.copy().items():
            if end <= now:
                self._watched.pop(key, None)
                thing.cut()


WATCHDOG = DeadlineWatchdog()
