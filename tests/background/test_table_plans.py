"""What runs every hour or night, and pages of the messages, read the large tables by an index of the few rows that
they want: after years nearly all rows are purged, rounded and delivered (`make bench ARGS="--only message_tables"`)."""

from typing import Any

import pytest
from django.db import connection
from django.db.models import QuerySet

from seller_link import replays
from tests import make

pytestmark = [
    pytest.mark.django_db,
    # which is for fewer rows, and uses no partial index whose condition has bound values
    pytest.mark.skipif(connection.vendor == "sqlite", reason="plans of PostgreSQL"),
]
BEFORE = make.at("08:00")


def plan_of(rows: QuerySet[Any]) -> str:
    """How the database would read them if it had too many rows to read them all."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
    return str(rows.explain())


def test_messages_of_an_outage_are_read_by_indexes() -> None:
    plan = plan_of(replays.outage_messages(BEFORE, make.at("09:00")))

    assert "Seq Scan" not in plan, plan
    assert "outbound_by_time" in plan, plan
    assert "attempt_by_time" in plan, plan
