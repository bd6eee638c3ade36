"""The raw rate: the very rows of one createJob, inserted and committed with plain SQL and nothing round it."""

import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

import psycopg
from psycopg.types.json import Jsonb

import config.sqlite.base  # noqa: F401  # puts the newer SQLite in the place of the interpreter's own

JOB, EVENT, INBOUND = "dispatch_job", "dispatch_jobevent", "seller_link_inboundmessage"
POSTGRESQL_CONNECTIONS = 8


@dataclass(frozen=True)
class Template:
    """One row of each table, as column → value, without the key."""

    job: dict[str, Any]
    event: dict[str, Any]
    inbound: dict[str, Any]


def rate(url: str, *, seconds: float) -> float:
    """Transactions a second: SQLite by one writer (it has one), PostgreSQL by eight connections."""
    connections = 1 if url.startswith("sqlite") else POSTGRESQL_CONNECTIONS
    until = time.monotonic() + seconds

    def work(_index: int) -> int:
        with closing(_connect(url)) as connection:
            return _insert_until(connection, url=url, until=until)

    with ThreadPoolExecutor(connections) as writers:
        return sum(writers.map(work, range(connections))) / seconds


def _connect(url: str) -> Any:
    if not url.startswith("sqlite"):
        return psycopg.connect(url, autocommit=True)
    connection = import_module("sqlite3").connect(urlsplit(url).path, isolation_level=None, timeout=20)
    connection.execute("PRAGMA synchronous=FULL")
    return connection


def _insert_until(connection: Any, *, url: str, until: float) -> int:
    mark = "?" if url.startswith("sqlite") else "%s"
    template = Template(*(_newest(connection, name) for name in (JOB, EVENT, INBOUND)))
    done = 0
    while time.monotonic() < until:
        connection.execute("BEGIN IMMEDIATE" if mark == "?" else "BEGIN")
        _insert_once(connection, template, mark=mark)
        connection.execute("COMMIT")
        done += 1
    return done


def _insert_once(connection: Any, template: Template, *, mark: str) -> None:
    fresh = uuid.uuid4()
    ids = {"provider_job_id": str(fresh), "seller_job_id": str(fresh)}
    job = _insert(connection, JOB, {**template.job, **ids}, mark=mark)
    _insert(connection, EVENT, {**template.event, "job_id": job}, mark=mark)
    message_id = fresh.hex if mark == "?" else fresh
    _insert(connection, INBOUND, {**template.inbound, "message_id": message_id, "job_id": job}, mark=mark)


def _newest(connection: Any, name: str) -> dict[str, Any]:
    cursor = connection.execute(f"SELECT * FROM {name} ORDER BY id DESC LIMIT 1")
    columns = [column[0] for column in cursor.description]
    row = dict(zip(columns, cursor.fetchone(), strict=True))
    del row["id"]
    return {name: Jsonb(value) if isinstance(value, dict | list) else value for name, value in row.items()}


def _insert(connection: Any, name: str, row: dict[str, Any], *, mark: str) -> int:
    columns, marks = ", ".join(row), ", ".join([mark] * len(row))
    statement = f"INSERT INTO {name} ({columns}) VALUES ({marks}) RETURNING id"
    key: int = connection.execute(statement, tuple(row.values())).fetchone()[0]
    return key
