"""Wakes the relay as soon as something was written, so that it need not look all the time.

PostgreSQL: NOTIFY in the transaction of the fact, heard at its commit. SQLite: `PRAGMA data_version` tells for
2 µs that another connection has committed. A wake that gets lost costs SAFETY_NET_SECONDS, never a message.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import structlog
from django.db import DatabaseError, InterfaceError, connection

log = structlog.get_logger("seller_link.outbox_listener")
CHANNEL = "outbox"
FALLBACK_POLL_SECONDS = 0.25
VERSION_POLL_SECONDS = 0.01
RECONNECT_SECONDS = 1.0


def notify_relay() -> None:
    """In the transaction that wrote for the outbox: the relays hear of it when it commits, and only then."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(f"NOTIFY {CHANNEL}")


@contextmanager
def listening(news: threading.Event) -> Iterator[None]:
    """Sets `news` whenever the outbox may have changed, from a thread with a connection of its own."""
    ended = threading.Event()
    thread = threading.Thread(target=_listen, args=(news, ended), name="wake", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join(timeout=2)


def _listen(news: threading.Event, ended: threading.Event) -> None:
    hear = _wait_for_notify if connection.vendor == "postgresql" else _watch_version
    while not ended.is_set():
        try:
            hear(news, ended)
        except (DatabaseError, InterfaceError, OSError) as problem:
            log.warning("not woken by the database for a moment", error=type(problem).__name__)
            ended.wait(RECONNECT_SECONDS)
        finally:
            with suppress(DatabaseError, InterfaceError):
                connection.close()


def _wait_for_notify(news: threading.Event, ended: threading.Event) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"LISTEN {CHANNEL}")
    # what was written before we listened
    news.set()
    while not ended.is_set():
        for _notice in connection.connection.notifies(timeout=1.0, stop_after=1):
            news.set()


def _watch_version(news: threading.Event, ended: threading.Event) -> None:
    connection.ensure_connection()
    seen = None
    while not ended.wait(VERSION_POLL_SECONDS):
        version = connection.connection.execute("PRAGMA data_version").fetchone()[0]
        if version != seen:
            seen = version
            news.set()
