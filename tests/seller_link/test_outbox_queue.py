"""A relay is woken at the commit of a new message, not before; of two that look at once, one claims it (PostgreSQL)."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, connections, transaction
from django.utils import timezone

from demo.environment import wait_until
from dispatch.states import JobState
from seller_link import outbox_queue
from seller_link.models import OutboundMessage
from tests import make
from tests.together import is_somebody_waiting_for_us

SECONDS = 10


def look() -> list[int]:
    """Another relay's look; without SKIP LOCKED it comes to the row just when the first one lets go of it."""
    try:
        with transaction.atomic():
            due = OutboundMessage.objects.due(timezone.now()).select_for_update(of=("self",))
            return list(due.values_list("pk", flat=True))
    finally:
        connection.close()


@pytest.mark.postgresql
@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite's writers come one after the other")
@pytest.mark.django_db(transaction=True)
def test_message_that_another_relay_claimed_is_not_claimed_again() -> None:
    make.job(at_state=JobState.ASSIGNED)

    with ThreadPoolExecutor(1) as other:
        with transaction.atomic():
            assert len(outbox_queue.claim_due(10)) == 1
            looking = other.submit(look)
            assert wait_until(is_somebody_waiting_for_us, seconds=10)

        assert looking.result() == []


@pytest.mark.postgresql
@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite compiles no statement")
@pytest.mark.django_db(transaction=True)
def test_other_duties_of_a_relay_are_not_compiled() -> None:
    """Their tables are read whole: half a second for each of three statements, twice a minute."""
    of_relay = connections.create_connection("default")
    try:
        outbox_queue.force_index_scans(connection=of_relay)
        with of_relay.cursor() as cursor:
            cursor.execute(
                "EXPLAIN (ANALYZE) SELECT * FROM dispatch_job WHERE product_name > '1' ORDER BY town"
            )
            plan = "\n".join(line for (line,) in cursor.fetchall())
    finally:
        of_relay.close()

    assert "Seq Scan" in plan
    assert "JIT" not in plan


@pytest.fixture
def has_work() -> threading.Event:
    return threading.Event()


@pytest.mark.django_db(transaction=True)
def test_written_message_wakes_the_relay(has_work: threading.Event) -> None:
    with outbox_queue.listening(has_work):
        assert has_work.wait(SECONDS), "what was there before is looked at"
        has_work.clear()
        make.job(at_state=JobState.ASSIGNED)
        assert has_work.wait(SECONDS)


@pytest.mark.django_db(transaction=True)
def test_fact_that_was_undone_wakes_nobody(has_work: threading.Event) -> None:
    with outbox_queue.listening(has_work):
        assert has_work.wait(SECONDS)
        has_work.clear()
        with pytest.raises(ZeroDivisionError), transaction.atomic():
            make.job(at_state=JobState.ASSIGNED)
            raise ZeroDivisionError
        make.engineer()
        with transaction.atomic():
            outbox_queue.notify_relay()
        assert has_work.wait(SECONDS)
