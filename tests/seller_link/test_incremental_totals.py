"""Sums over a growing table: no row is missed, however late its transaction, and the old ones are read once."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import connection, transaction
from django.db.models import Count, F
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from seller_link.incremental_totals import IncrementalTotals
from seller_link.models import InboundMessage, InboundOutcome, SettledTotals
from tests.background.worker_process import eventually

pytestmark = pytest.mark.django_db(transaction=True)
SECONDS = 10


def record_received(operation: str = "createJob") -> None:
    InboundMessage.objects.create(
        operation=operation, body="{}", received_at=timezone.now(), outcome=InboundOutcome.REFUSED
    )


def totals(*, settled_after: float = 0, rows_per_record: int = 10_000) -> IncrementalTotals:
    return IncrementalTotals(
        InboundMessage.objects.all(),
        name="test",
        rows_per_record=rows_per_record,
        by={"operation": F("operation")},
        sums={"number": Count("pk")},
        settled_after=settled_after,
    )


def numbers(counted: IncrementalTotals) -> dict[str, int]:
    return {operation: sums["number"] for (operation,), sums in counted.totals().items()}


@contextmanager
def slow_writer() -> Iterator[None]:
    """Another connection has taken its key and does not commit before the block is over."""
    written, may_commit = threading.Event(), threading.Event()

    def write() -> None:
        with transaction.atomic():
            record_received("cancelJob")
            written.set()
            may_commit.wait(SECONDS)
        connection.close()

    thread = threading.Thread(target=write)
    thread.start()
    assert written.wait(SECONDS)
    try:
        yield
    finally:
        may_commit.set()
        thread.join(SECONDS)


@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite's writers come one after the other")
def test_row_that_commits_below_counted_ones_is_counted() -> None:
    counted = totals()
    with slow_writer():
        record_received()
        while_writing = [numbers(counted) for _look in range(4)]
        counted_to = counted._settled_to

    after = numbers(counted)

    assert while_writing == [{"createJob": 1}] * 4
    assert counted_to == 0
    assert after == numbers(totals()) == {"createJob": 1, "cancelJob": 1}


def test_old_rows_are_read_once() -> None:
    counted = totals()
    for _ in range(3):
        record_received()
    last = InboundMessage.objects.latest("pk").pk
    # PostgreSQL's other databases have their writers, too
    assert eventually(
        lambda: numbers(counted) == {"createJob": 3} and counted._settled_to == last, seconds=200
    )

    with CaptureQueriesContext(connection) as asked:
        assert numbers(counted) == {"createJob": 3}

    limits = [query["sql"] for query in asked if "COUNT(" in query["sql"] and "FROM" in query["sql"]]
    assert limits
    assert all(f'"id" > {last}' in sql for sql in limits)


def limits_of(counted: IncrementalTotals) -> list[str]:
    """The conditions on keys with which it counts."""
    with CaptureQueriesContext(connection) as asked:
        numbers(counted)
    return [query["sql"] for query in asked if "COUNT(" in query["sql"] and "FROM" in query["sql"]]


def settle_all(counted: IncrementalTotals) -> int:
    """PostgreSQL's other databases have their writers, too."""
    last = InboundMessage.objects.latest("pk").pk
    assert eventually(lambda: bool(numbers(counted)) and counted._settled_to == last, seconds=200)
    return last


def test_process_that_starts_reads_only_rows_behind_the_recorded_sum() -> None:
    for _ in range(3):
        record_received()
    last = settle_all(totals(rows_per_record=2))
    record_received("cancelJob")
    started = totals()

    limits = limits_of(started)

    assert limits
    assert all(f'"id" > {last}' in sql for sql in limits)
    assert numbers(started) == {"createJob": 3, "cancelJob": 1}


def test_sum_of_fewer_rows_is_not_recorded() -> None:
    record_received()
    settle_all(totals())

    assert not SettledTotals.objects.exists()


def test_process_that_is_behind_does_not_replace_a_later_sum() -> None:
    record_received()
    behind = totals(rows_per_record=1)
    numbers(behind)
    record_received()
    last = settle_all(totals(rows_per_record=1))

    behind._record()

    assert SettledTotals.objects.get().settled_to == last


def test_other_groups_are_other_totals() -> None:
    record_received()
    settle_all(totals(rows_per_record=1))
    by_status = IncrementalTotals(
        InboundMessage.objects.all(),
        name="test",
        by={"status": F("response_status")},
        sums={"number": Count("pk")},
    )

    assert {group: sums["number"] for group, sums in by_status.totals().items()} == {("0",): 1}


def test_fresh_rows_are_not_kept_before_their_time() -> None:
    counted = totals(settled_after=3600)
    record_received()

    found = [numbers(counted) for _look in range(3)]

    assert found == [{"createJob": 1}] * 3
    assert counted._settled_to == 0


def test_no_total_decreases_while_rows_are_added() -> None:
    counted, seen = totals(), []
    for _ in range(20):
        record_received()
        seen.append(numbers(counted)["createJob"])

    assert seen == list(range(1, 21))
