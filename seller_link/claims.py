"""Which messages may go now, and who sends them: heads of their jobs, leased to one relay for a while.

A relay looks dozens of times a second; building its statements anew cost as much as the deliveries. So they are made
once, from the same queryset that everybody else asks (`OutboundQuerySet.due`), and only their values change.
"""

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from time import monotonic
from typing import Any

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connection, transaction
from django.utils import timezone

from seller_link.models import OutboundMessage

# stands in the statement where the moment of the look belongs
SOME_MOMENT = datetime(2000, 1, 1, tzinfo=UTC)
COLUMNS = ("pk", "attempts", "failures", "operation", "body", "job__provider_job_id")
LEASE = "UPDATE seller_link_outboundmessage SET attempts = attempts + 1, claimed_until = %s WHERE id = %s"


@dataclass(frozen=True)
class Claim:
    """A message that is ours alone until `lease_ends` (time.monotonic: no clock that is set touches it).

    Only what a delivery needs: whole rows with their jobs would cost more than the delivery.
    """

    pk: int
    attempts: int
    failures: int
    operation: str
    body: dict[str, Any]
    provider_job_id: str
    lease_ends: float


def is_work_due() -> bool:
    """A cheap look without a lock."""
    return OutboundMessage.objects.due(timezone.now()).exists()


@transaction.atomic(savepoint=False)
def claim(limit: int) -> list[Claim]:
    """Up to `limit` heads, leased to us; no other relay sends them until the lease is over."""
    now, lease_ends = timezone.now(), monotonic() + settings.RELAY_LEASE_SECONDS
    leased_until = now + timedelta(seconds=settings.RELAY_LEASE_SECONDS)
    _walk_by_index()
    found = _due(now, limit)
    if found:
        with connection.cursor() as cursor:
            cursor.executemany(LEASE, [(moment(leased_until), pk) for pk, *_rest in found])
    return [
        Claim(pk, attempts + 1, failures, operation, json.loads(body), provider_job_id, lease_ends)
        for pk, attempts, failures, operation, body, provider_job_id in found
    ]


def moment(when: datetime) -> Any:
    """A time as a statement of ours takes it on this database."""
    return connection.ops.adapt_datetimefield_value(when)


def _due(now: datetime, limit: int) -> list[tuple[Any, ...]]:
    statement, values = _due_statement()
    some_moment = moment(SOME_MOMENT)
    given = [moment(now) if value == some_moment else value for value in values]
    with connection.cursor() as cursor:
        cursor.execute(statement, [*given, limit])
        found: list[tuple[Any, ...]] = cursor.fetchall()
    return found


@cache
def _due_statement() -> tuple[str, tuple[Any, ...]]:
    due = OutboundMessage.objects.due(SOME_MOMENT).order_by("next_try_at", "pk")
    locked = due.select_for_update(skip_locked=True, of=("self",)).values_list(*COLUMNS)
    with transaction.atomic():
        statement, values = locked.query.get_compiler(DEFAULT_DB_ALIAS).as_sql()
    return f"{statement} LIMIT %s", tuple(values)


def _walk_by_index() -> None:
    """PostgreSQL takes the backlog for small, since it mostly is, and would look at and sort all of it for each claim:
    along `outbound_ready` it stops at the limit. For this transaction only."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off")
