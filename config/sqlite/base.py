"""Django's SQLite backend made safe for several processes: a fixed SQLite, FULL sync, a fair write lock.

Why (figures in docs/adr/0003): SQLite's own busy handler is unfair (half a second at the 99th percentile),
and builds before 3.51.3 may corrupt a WAL database, so `pysqlite3` brings its own and older ones get TRUNCATE.
"""

import sys
from pathlib import Path
from typing import Any

try:
    import pysqlite3

    sys.modules["sqlite3"] = pysqlite3
    sys.modules["sqlite3.dbapi2"] = pysqlite3.dbapi2
except ImportError:  # not on this platform: the interpreter's own build, without WAL if it is an affected one
    pass

import sqlite3

from django.db.backends.sqlite3 import base

from config.sqlite.write_lock import WriteLock, write_lock
from config.storage import close_to_others, make_file

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
        close_to_others(Path(name + suffix))
