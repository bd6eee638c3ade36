"""The measurement of the tables of messages and events runs, with a few rows (`make bench` makes five million)."""

import pytest
from django.db import connection

from tests.bench.message_operations import daily_work
from tests.bench.message_tables_page import measure_operation, table_megabytes

pytestmark = pytest.mark.skipif(connection.vendor == "sqlite", reason="rows made by PostgreSQL")


@pytest.mark.django_db
def test_every_operation_can_be_measured() -> None:
    work = daily_work(2000, engineers=2)

    measured = [measure_operation(operation) for operation in work.operations(rounds=1)]

    assert work.history.rows == 2000
    assert min(table_megabytes().values()) > 0
    assert [operation.name for operation in measured if not operation.quickest] == []
    assert {"createJob again", "tap", "relay: claim and settle", "/metrics", "purge: a day"} <= {
        operation.name for operation in measured
    }
