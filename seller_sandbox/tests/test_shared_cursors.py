"""Compiled statements share a cursor as long as it is right for them."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import OperationalError, close_old_connections, connection, transaction
from django.test.utils import CaptureQueriesContext

from seller_sandbox.compiled_queries import CompiledQuery
from seller_sandbox.messages.models import MessageThread
from seller_sandbox.models import Heartbeat
from seller_sandbox.shared_cursors import shared_cursor

THREADS = CompiledQuery(lambda: MessageThread.objects.order_by("id").values_list("reference"))
BEATS = CompiledQuery(Heartbeat.objects.all)
ON_POSTGRESQL = pytest.mark.skipif(
    "connection.vendor != 'postgresql'", reason="nobody ends the connection to a file"
)


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


@pytest.fixture
def kept_connection(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Kept from one message to the next, as outside tests."""
    monkeypatch.setitem(connection.settings_dict, "CONN_MAX_AGE", 60)
    connection.close()
    close_old_connections()
    yield
    connection.close()


def end_our_connection() -> None:
    """As a database does that restarts."""
    with connection.cursor() as cursor:
        ours = cursor.execute("SELECT pg_backend_pid()").fetchone()

    def end() -> None:
        try:
            with connection.cursor() as cursor:
                # it says whether it is over by then
                assert cursor.execute("SELECT pg_terminate_backend(%s, 10000)", ours).fetchone() == (True,)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        pool.submit(end).result()


def add_thread() -> None:
    with transaction.atomic():
        MessageThread.add(kind="job", reference="R", recipient="partner")


@ON_POSTGRESQL
@pytest.mark.locks
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("kept_connection")
@pytest.mark.parametrize("first", [BEATS.all, shared_cursor, add_thread], ids=["read", "cursor", "write"])
def test_a_connection_that_the_database_ended_between_two_messages_is_replaced(
    first: Callable[[], object],
) -> None:
    BEATS.all()
    before = connection.connection
    end_our_connection()
    close_old_connections()
    # nobody has found out yet
    assert connection.connection is before

    first()

    assert BEATS.all() == []
    assert connection.connection is not before


@ON_POSTGRESQL
@pytest.mark.locks
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("kept_connection")
def test_a_connection_that_the_database_ended_within_a_message_fails_it_alone() -> None:
    BEATS.all()
    end_our_connection()
    with pytest.raises(OperationalError):
        BEATS.all()

    close_old_connections()

    assert BEATS.all() == []


def test_a_test_without_a_database_still_has_none() -> None:
    with pytest.raises(RuntimeError, match="Database access not allowed"):
        BEATS.all()
