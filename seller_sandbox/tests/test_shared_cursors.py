"""Compiled statements share a cursor as long as it is right for them."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from seller_sandbox.compiled_queries import CompiledQuery
from seller_sandbox.messages.models import MessageThread
from seller_sandbox.models import Heartbeat
from seller_sandbox.shared_cursors import shared_cursor

THREADS = CompiledQuery(lambda: MessageThread.objects.order_by("id").values_list("reference"))
BEATS = CompiledQuery(Heartbeat.objects.all)


@pytest.mark.django_db
def test_statements_share_a_cursor() -> None:
    assert shared_cursor() is shared_cursor()


@pytest.mark.django_db
def test_a_row_that_was_added_is_read_by_the_next_statement() -> None:
    for reference in ("R", "S"):
        MessageThread.add(kind="job", reference=reference, recipient="partner")
        assert THREADS.rows()[-1] == (reference,)


@pytest.mark.django_db
def test_queries_that_are_logged_are_seen() -> None:
    BEATS.all()

    with CaptureQueriesContext(connection) as queries:
        BEATS.all()
    BEATS.all()

    assert len(queries) == 1


@pytest.mark.django_db(transaction=True)
def test_a_new_connection_has_a_cursor_of_its_own() -> None:
    before = shared_cursor()
    connection.close()

    assert BEATS.all() == []
    assert shared_cursor() is not before


@pytest.mark.django_db(transaction=True)
def test_each_thread_has_a_cursor_of_its_own() -> None:
    def cursor_of_thread() -> Any:
        try:
            return shared_cursor()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(cursor_of_thread).result()

    assert other is not shared_cursor()


def test_a_test_without_a_database_still_has_none() -> None:
    with pytest.raises(RuntimeError, match="Database access not allowed"):
        BEATS.all()
