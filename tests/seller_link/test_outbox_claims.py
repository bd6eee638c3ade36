"""Two relays on PostgreSQL look at the same moment: each message is claimed by one of them."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction
from django.utils import timezone

from demo.environment import wait_until
from dispatch.states import JobState
from seller_link import outbox_claims
from seller_link.models import OutboundMessage
from tests import make


def look() -> list[int]:
    """Another relay's look; without SKIP LOCKED it comes to the row just when the first one lets go of it."""
    try:
        with transaction.atomic():
            due = OutboundMessage.objects.due(timezone.now()).select_for_update(of=("self",))
            return list(due.values_list("pk", flat=True))
    finally:
        connection.close()


def somebody_waits_for_us() -> bool:
    with connection.cursor() as cursor:
        waiting = "SELECT 1 FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))"
        return cursor.execute(waiting).fetchone() is not None


@pytest.mark.postgresql
@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite's writers come one after the other")
@pytest.mark.django_db(transaction=True)
def test_message_that_was_claimed_meanwhile_is_not_claimed_again() -> None:
    make.job(at_state=JobState.ASSIGNED)

    with ThreadPoolExecutor(1) as other:
        with transaction.atomic():
            assert len(outbox_claims.claim_due(10)) == 1
            looking = other.submit(look)
            assert wait_until(somebody_waits_for_us, seconds=10)

        assert looking.result() == []
