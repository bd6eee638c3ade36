"""Django's SQLite for several processes: a build without the WAL-reset fault, FULL sync, threads that wait in turn.

https://sqlite.org/wal.html#walreset: builds before 3.51.3 may corrupt a WAL database, so `pysqlite3` brings a
newer one where it is installed; an affected build falls back to TRUNCATE. SQLite's own waiting is unfair: with eight
threads of an endpoint that write, one in a hundred waited for seconds.
"""

import sys
from collections import defaultdict
from threading import Lock
from typing import Any

from django.db import OperationalError

try:
    import pysqlite3

    sys.modules["sqlite3"] = pysqlite3
    sys.modules["sqlite3.dbapi2"] = pysqlite3.dbapi2
except ImportError:
    pass

import sqlite3

from django.db.backends.sqlite3 import base

JOURNAL_MODE = "WAL" if sqlite3.sqlite_version_info >= (3, 51, 3) else "TRUNCATE"


# of this process, by database file
_write_locks: defaultdict[str, Lock] = defaultdict(Lock)


class DatabaseWrapper(base.DatabaseWrapper):
    """Holds a lock of its process round each transaction; between processes SQLite's own lock decides."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._held: Lock | None = None

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        connection = super().get_new_connection(conn_params)
        connection.execute(f"PRAGMA journal_mode={JOURNAL_MODE}")
        # NORMAL would answer the partner before the row is on the disk
        connection.execute("PRAGMA synchronous=FULL")
        return connection

    def _start_transaction_under_autocommit(self) -> None:
        lock = _write_locks[str(self.settings_dict["NAME"])]
        if not lock.acquire(timeout=self.settings_dict["OPTIONS"].get("timeout", 5)):
            raise OperationalError("database is locked by another thread of this process")
        self._held = lock
        try:
            super()._start_transaction_under_autocommit()
        except BaseException:
            self._release()
            raise

    def _commit(self) -> None:
        try:
            super()._commit()
        finally:
            # a refused COMMIT leaves the transaction open; Django rolls back next
            if self.connection is None or not self.connection.in_transaction:
                self._release()

    def _rollback(self) -> None:
        try:
            super()._rollback()
        finally:
            self._release()

    def _close(self) -> None:
        try:
            super()._close()
        finally:
            self._release()

    def _release(self) -> None:
        if self._held:
            self._held.release()
            self._held = None
