"""The outbox as a queue: which messages are due, which relay has claimed them, and what wakes a relay.

Heads of their jobs are leased to one relay for a while. A relay looks dozens of times a second; building its statements
anew cost as much as the deliveries. So they are made once, from the same queryset that everybody else asks
(`OutboundQuerySet.due`), and only their values change.

A relay is woken as soon as something was written, so that it need not look all the time. PostgreSQL: NOTIFY in the
transaction of the fact, received at its commit. SQLite: `PRAGMA data_version`, which takes 2 µs, shows that another
connection has committed. A wake that gets lost costs FALLBACK_POLL_SECONDS, never a message.
"""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from time import monotonic
from typing import Any

import structlog
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, DatabaseError, InterfaceError, connection, transaction
from django.utils import timezone

from seller_link.models import OutboundMessage

log = structlog.get_logger("seller_link.outbox_queue")
CHANNEL = "outbox"
FALLBACK_POLL_SECONDS = 0.25
VERSION_POLL_SECONDS = 0.025
RECONNECT_SECONDS = 1.0
# stands in the statement where the moment of the look belongs
PLACEHOLDER_MOMENT = datetime(2000, 1, 1, tzinfo=UTC)
COLUMNS = ("pk", "claims", "failures", "operation", "request_id", "body", "job__provider_job_id")
LEASE_ONE = "UPDATE seller_link_outboundmessage SET claims = claims + 1, lease_expires_at = %s WHERE id = %s"
LEASE_DUE = """
UPDATE seller_link_outboundmessage AS message SET claims = message.claims + 1, lease_expires_at = %s
FROM due WHERE message.id = due.pk RETURNING due.*
"""
FORCED_OFF = ("bitmapscan", "sort", "seqscan", "hashjoin", "mergejoin")
# a way that must be taken although it is off counts as so dear that PostgreSQL would compile the statement each time
FORCE_INDEX_SCANS = "; ".join([*(f"SET enable_{way} = off" for way in FORCED_OFF), "SET jit = off"])

Row = tuple[Any, ...]


@dataclass(frozen=True)
class Claim:
    """A message that is ours alone until `lease_ends` (time.monotonic: no clock that is set touches it).

    Only what a delivery needs: whole rows with their jobs would cost more than the delivery.
    """

    pk: int
    claims: int
    failures: int
    operation: str
    request_id: str
    body: dict[str, Any]
    provider_job_id: str
    lease_ends: float


def is_work_due() -> bool:
    """A cheap look without a lock: after each commit of anybody, and four times a second."""
    statement, values = _first_due_statement()
    with connection.cursor() as cursor:
        cursor.execute(statement, _values_at(timezone.now(), values))
        return cursor.fetchone() is not None


def claim_due(limit: int) -> list[Claim]:
    """Up to `limit` heads, leased to us; no other relay sends them until the lease is over."""
    now, lease_ends = timezone.now(), monotonic() + settings.RELAY_LEASE_SECONDS
    until = moment(now + timedelta(seconds=settings.RELAY_LEASE_SECONDS))
    found = (_claim_in_one_statement if connection.vendor == "postgresql" else _select_then_lease)(
        now, limit, until
    )
    return [
        Claim(pk, claims + 1, failures, operation, request_id, json.loads(body), job_id, lease_ends)
        for pk, claims, failures, operation, request_id, body, job_id in found
    ]


def moment(when: datetime) -> Any:
    """A time as a statement of ours takes it on this database."""
    return connection.ops.adapt_datetimefield_value(when)


def _claim_in_one_statement(now: datetime, limit: int, until: Any) -> list[Row]:
    """One way to the server instead of four: the thread that goes it is the one for which all workers wait."""
    due, values = _due_statement()
    with connection.cursor() as cursor:
        cursor.execute(f"WITH due AS ({due}) {LEASE_DUE}", [*_values_at(now, values), limit, until])
        found: list[Row] = cursor.fetchall()
    return found


@transaction.atomic(savepoint=False)
def _select_then_lease(now: datetime, limit: int, until: Any) -> list[Row]:
    due, values = _due_statement()
    with connection.cursor() as cursor:
        cursor.execute(due, [*_values_at(now, values), limit])
        found: list[Row] = cursor.fetchall()
        cursor.executemany(LEASE_ONE, [(until, pk) for pk, *_rest in found])
    return found


def _values_at(now: datetime, values: tuple[Any, ...]) -> list[Any]:
    some_moment = moment(PLACEHOLDER_MOMENT)
    return [moment(now) if value == some_moment else value for value in values]


@cache
def _first_due_statement() -> tuple[str, tuple[Any, ...]]:
    first = OutboundMessage.objects.due(PLACEHOLDER_MOMENT).order_by().values("pk")[:1]
    statement, values = first.query.get_compiler(DEFAULT_DB_ALIAS).as_sql()
    return statement, tuple(values)


@cache
def _due_statement() -> tuple[str, tuple[Any, ...]]:
    due = OutboundMessage.objects.due(PLACEHOLDER_MOMENT).order_by("next_attempt_at", "pk")
    locked = due.select_for_update(skip_locked=True, of=("self",)).values_list(*COLUMNS)
    with transaction.atomic():
        statement, values = locked.query.get_compiler(DEFAULT_DB_ALIAS).as_sql()
    return f"{statement} LIMIT %s", tuple(values)


def force_index_scans(*, connection: Any, **_signal: Any) -> None:
    """For `connection_created`, in a relay: PostgreSQL takes the backlog for small, since it mostly is, and would look
    at and sort all of it for each claim, or read all of the outbox for each commit; by the indexes it touches only
    what it was asked for."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(FORCE_INDEX_SCANS)


def notify_relay() -> None:
    """In the transaction that wrote for the outbox: the relays are woken when it commits, and only then."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(f"NOTIFY {CHANNEL}")


@contextmanager
def listening(has_work: threading.Event) -> Iterator[None]:
    """Sets `has_work` whenever the outbox may have changed, from a thread with a connection of its own."""
    ended = threading.Event()
    thread = threading.Thread(target=_listen, args=(has_work, ended), name="wake", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join(timeout=2)


def _listen(has_work: threading.Event, ended: threading.Event) -> None:
    wait = _wait_for_notify if connection.vendor == "postgresql" else _watch_version
    while not ended.is_set():
        try:
            wait(has_work, ended)
        except (DatabaseError, InterfaceError, OSError) as problem:
            log.warning("not woken by the database for a moment", error=type(problem).__name__)
            ended.wait(RECONNECT_SECONDS)
        finally:
            with suppress(DatabaseError, InterfaceError):
                connection.close()


def _wait_for_notify(has_work: threading.Event, ended: threading.Event) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"LISTEN {CHANNEL}")
    # what was written before we listened
    has_work.set()
    while not ended.is_set():
        for _notice in connection.connection.notifies(timeout=1.0, stop_after=1):
            has_work.set()


def _watch_version(has_work: threading.Event, ended: threading.Event) -> None:
    connection.ensure_connection()
    seen = None
    while not ended.wait(VERSION_POLL_SECONDS):
        version = connection.connection.execute("PRAGMA data_version").fetchone()[0]
        if version != seen:
            seen = version
            has_work.set()
