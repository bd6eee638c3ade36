"""Empties the database after a test that commits: what it filled, and without comparing all permissions.

Django's flush empties every table (TRUNCATE makes new files for each of ninety and their indexes), then goes through
the content types and permissions of all models: a quarter of a second on PostgreSQL, after each of 600 tests.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.test import TransactionTestCase

# made with the tables; where a test changed them (a restore), Django's flush makes them again
MADE_BY_DJANGO = ("django_content_type", "auth_permission")


@contextmanager
def quick_flush() -> Iterator[None]:
    flush_all = TransactionTestCase._fixture_teardown
    # by database, as they are when nothing has changed them
    usual: dict[str, list[tuple[Any, ...]]] = {}

    def flush(case: TransactionTestCase) -> None:
        for alias in case._databases_names(include_mirrors=False):
            connection = connections[alias]
            if usual.get(alias) == _made_by_django(connection):
                _empty(connection)
                continue
            flush_all(case)
            usual[alias] = _made_by_django(connection)

    with pytest.MonkeyPatch.context() as patches:
        patches.setattr(TransactionTestCase, "_fixture_teardown", flush)
        yield


def _made_by_django(connection: BaseDatabaseWrapper) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT p.id, p.codename, c.id, c.app_label, c.model"
            " FROM django_content_type c LEFT JOIN auth_permission p ON p.content_type_id = c.id ORDER BY 3, 1"
        )
        return [tuple(row) for row in cursor.fetchall()]


def _empty(connection: BaseDatabaseWrapper) -> None:
    names = connection.introspection.django_table_names(only_existing=False, include_views=False)
    tables = [name for name in names if name not in MADE_BY_DJANGO]
    quote = connection.ops.quote_name
    questions = [f"SELECT '{name}' WHERE EXISTS (SELECT 1 FROM {quote(name)})" for name in tables]
    # constraints are looked at when it commits
    with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(questions))
        for (name,) in cursor.fetchall():
            cursor.execute(f"DELETE FROM {quote(name)}")
