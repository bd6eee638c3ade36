"""Django's SQLite backend made safe for several processes: a fixed SQLite, FULL sync, a fair write lock.

Why (figures in docs/adr/0003): SQLite's own busy handler is unfair (half a second at the 99th percentile),
and builds before 3.51.3 may corrupt a WAL database, so `pysqlite3` brings its own and older ones get TRUNCATE.
"""

import fcntl
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

from django.db import OperationalError

try:
    import pysqlite3

    sys.modules["sqlite3"] = pysqlite3
    sys.modules["sqlite3.dbapi2"] = pysqlite3.dbapi2
except ImportError:  # not on this platform: the interpreter's own build, without WAL if it is an affected one
    pass

import sqlite3

from django.db.backends.sqlite3 import base

from config.storage import make_file, make_private

# https://sqlite.org/wal.html#walreset: fixed here
FIRST_SOUND_WAL = (3, 51, 3)
WAL_IS_SOUND = sqlite3.sqlite_version_info >= FIRST_SOUND_WAL


class DatabaseWrapper(base.DatabaseWrapper):
    """Holds one fair lock (threads, then processes) round each transaction on a database file."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._held: tuple[WriteLock, int] | None = None

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        if not self.is_in_memory_db():
            _keep_private(str(self.settings_dict["NAME"]))
        connection = super().get_new_connection(conn_params)
        connection.execute("PRAGMA journal_mode=" + ("WAL" if WAL_IS_SOUND else "TRUNCATE"))
        # NORMAL would answer the seller before the log is on the disk
        connection.execute("PRAGMA synchronous=FULL")
        return connection

    def _start_transaction_under_autocommit(self) -> None:
        self._take_write_lock()
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]  # the stubs leave it out
        except BaseException:
            self._release_write_lock()
            raise

    def _commit(self) -> None:
        try:
            super()._commit()  # type: ignore[misc]  # the stubs leave it out
        finally:
            # a refused COMMIT (disk full) leaves the transaction open; Django rolls back next
            if self.connection is None or not self.connection.in_transaction:
                self._release_write_lock()

    def _rollback(self) -> None:
        try:
            super()._rollback()  # type: ignore[misc]  # the stubs leave it out
        finally:
            self._release_write_lock()

    def _close(self) -> None:
        try:
            super()._close()  # type: ignore[misc]  # the stubs leave it out
        finally:
            self._release_write_lock()

    def _take_write_lock(self) -> None:
        if self._held is not None or self.is_in_memory_db():
            return
        lock = write_lock(f"{self.settings_dict['NAME']}.lock")
        self._held = lock, lock.acquire(seconds=self.settings_dict["OPTIONS"]["timeout"])

    def _release_write_lock(self) -> None:
        held, self._held = self._held, None
        if held is not None:
            lock, file = held
            lock.release(file)


def _keep_private(name: str) -> None:
    """SQLite gives its log the mode that the database has when the log is made."""
    make_file(Path(name))
    for suffix in ("", "-wal", "-shm"):
        make_private(Path(name + suffix))


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
        """Opened again each time: a file that stayed open would hand its lock on to a forked child."""
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
