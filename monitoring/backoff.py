"""Backing off after a failure: what did not answer is left alone for a while, so that only one request waits for it."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

BACKOFF_SECONDS = 15.0


class BackingOff(OSError):
    """Not asked: it did not answer a moment ago."""


class Backoff:
    """After a failure a single try in BACKOFF_SECONDS; the others are refused until one succeeds."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._until: float | None = None

    @contextmanager
    def around(self, *failures: type[Exception]) -> Iterator[None]:
        """One use. Raises BackingOff without it."""
        self.refuse()
        with self.watching(*failures):
            yield

    @contextmanager
    def watching(self, *failures: type[Exception]) -> Iterator[None]:
        """A use that was not refused: what comes of it decides about the next ones."""
        is_away = False
        try:
            yield
        except failures:
            is_away = True
            raise
        finally:
            # a refusal is an answer, too
            self._until = self._clock() + BACKOFF_SECONDS if is_away else None

    def refuse(self) -> None:
        """Raises BackingOff, unless it is time for a try."""
        with self._lock:
            if self._until is None:
                return
            now = self._clock()
            if now < self._until:
                raise BackingOff("it did not answer a moment ago")
            # this one tries; the others wait for what it finds
            self._until = now + BACKOFF_SECONDS
