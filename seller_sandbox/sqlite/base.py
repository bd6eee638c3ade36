"""Django's SQLite for several processes: a build without the WAL-reset fault, and FULL sync.

https://sqlite.org/wal.html#walreset: builds before 3.51.3 may corrupt a WAL database, so `pysqlite3` brings a
newer one where it is installed; an affected build falls back to TRUNCATE.
"""

import sys
from typing import Any

try:
    import pysqlite3

    sys.modules["sqlite3"] = pysqlite3
    sys.modules["sqlite3.dbapi2"] = pysqlite3.dbapi2
except ImportError:
    pass

import sqlite3

from django.db.backends.sqlite3 import base

JOURNAL_MODE = "WAL" if sqlite3.sqlite_version_info >= (3, 51, 3) else "TRUNCATE"


class DatabaseWrapper(base.DatabaseWrapper):
    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        connection = super().get_new_connection(conn_params)
        connection.execute(f"PRAGMA journal_mode={JOURNAL_MODE}")
        # NORMAL would answer the partner before the row is on the disk
        connection.execute("PRAGMA synchronous=FULL")
        return connection
