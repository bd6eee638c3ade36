"""One writer at a time for a SQLite file: a fair lock among threads and then among processes, with a time limit.

flock() itself knows no limit. Where the lock is taken, a thread waits for it in the queue of the kernel, which keeps
the order; when the limit passes, that thread goes on waiting alone and gives the lock back at once. Until it has got
it the holder is taken for stuck, and nobody else in this process waits longer than STUCK_WAIT_SECONDS, so that a
stopped process cannot fill every web thread with waiting writers.
"""

import fcntl
import os
import threading
import time

from django.db import OperationalError

STUCK_WAIT_SECONDS = 0.25
TRY_EVERY_SECONDS = 0.02


class WriteLock:
    """The lock of one database file in this process; held from `acquire` to `release` of what it returned."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._threads = threading.Lock()
        # the thread that went on waiting after its time limit
        self._late: threading.Thread | None = None

    def acquire(self, *, seconds: float) -> int:
        """The locked file. Raises OperationalError, as SQLite's own busy handler does, when it takes too long."""
        deadline = time.monotonic() + (STUCK_WAIT_SECONDS if self._is_stuck() else seconds)
        if not self._threads.acquire(timeout=max(0.0, deadline - time.monotonic())):
            raise OperationalError("database is locked by another thread")
        try:
            return self._lock_file(deadline)
        except BaseException:
            self._threads.release()
            raise

    def release(self, file: int) -> None:
        os.close(file)
        self._threads.release()

    def _is_stuck(self) -> bool:
        return self._late is not None and self._late.is_alive()

    def _lock_file(self, deadline: float) -> int:
        """Opened anew each time: a file that stayed open would hand its lock on to a forked child."""
        file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if self._is_stuck():
                _try_until(file, deadline)
            else:
                self._wait_in_order(file, deadline)
        except BaseException:
            os.close(file)
            raise
        return file

    def _wait_in_order(self, file: int, deadline: float) -> None:
        """Blocks in the kernel's queue; the file is closed by whoever is the last to need it."""
        waiting = _Waiting(file)
        waiting.start()
        waiting.join(max(0.0, deadline - time.monotonic()))
        if waiting.give_up():
            self._late = waiting
            raise OperationalError("database is locked by another process")


class _Waiting(threading.Thread):
    """Waits for the file lock however long it takes."""

    def __init__(self, file: int) -> None:
        super().__init__(name="write lock", daemon=True)
        self._file = file
        self._settling = threading.Lock()
        self._is_locked = self._is_given_up = False

    def run(self) -> None:
        fcntl.flock(self._file, fcntl.LOCK_EX)
        with self._settling:
            self._is_locked = True
            if self._is_given_up:
                os.close(self._file)

    def give_up(self) -> bool:
        """Whether the lock had not come by now; from then on it is not ours any more."""
        with self._settling:
            self._is_given_up = not self._is_locked
            return self._is_given_up


def _try_until(file: int, deadline: float) -> None:
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                os.close(file)
                raise OperationalError("database is locked by another process") from None
            time.sleep(TRY_EVERY_SECONDS)
        else:
            return


_locks: dict[str, WriteLock] = {}
_registry = threading.Lock()


def write_lock(path: str) -> WriteLock:
    with _registry:
        return _locks.setdefault(path, WriteLock(path))


# a child has none of our threads: what they held or waited for is not the child's
os.register_at_fork(after_in_child=_locks.clear)
