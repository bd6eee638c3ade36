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
from seller_link.models import InboundMessage, InboundOutcome
from tests.background.worker_process import eventually

pytestmark = pytest.mark.django_db(transaction=True)
SECONDS = 10


def heard(operation: str = "createJob") -> None:
    InboundMessage.objects.create(
        operation=operation, body="{}", received_at=timezone.now(), outcome=InboundOutcome.REFUSED
    )


def growing(*, settled_after: float = 0) -> IncrementalTotals:
    return IncrementalTotals(
        InboundMessage.objects.all(),
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
            heard("cancelJob")
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
    counted = growing()
    with slow_writer():
        heard()
        while_writing = [numbers(counted) for _look in range(4)]
        kept = counted._kept_to

    after = numbers(counted)

    assert while_writing == [{"createJob": 1}] * 4
    assert kept == 0
    assert after == numbers(growing()) == {"createJob": 1, "cancelJob": 1}


def test_old_rows_are_read_once() -> None:
    counted = growing()
    for _ in range(3):
        heard()
    last = InboundMessage.objects.latest("pk").pk
    # PostgreSQL's other databases have their writers, too
    assert eventually(lambda: numbers(counted) == {"createJob": 3} and counted._kept_to == last)

    with CaptureQueriesContext(connection) as asked:
        assert numbers(counted) == {"createJob": 3}

    limits = [one["sql"] for one in asked if "COUNT(" in one["sql"] and "FROM" in one["sql"]]
    assert limits
    assert all(f'"id" > {last}' in sql for sql in limits)


def test_fresh_rows_are_not_kept_before_their_time() -> None:
    counted = growing(settled_after=3600)
    heard()

    found = [numbers(counted) for _look in range(3)]

    assert found == [{"createJob": 1}] * 3
    assert counted._kept_to == 0


def test_no_figure_goes_back_while_rows_come() -> None:
    counted, seen = growing(), []
    for _ in range(20):
        heard()
        seen.append(numbers(counted)["createJob"])

    assert seen == list(range(1, 21))
