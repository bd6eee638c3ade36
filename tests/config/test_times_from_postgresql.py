"""Times come from PostgreSQL through psycopg's compiled loader, and are what Django's own gives."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection

from config.apps import TEXT
from monitoring.models import Heartbeat

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(connection.vendor != "postgresql", reason="PostgreSQL's times"),
]
TIMES = [
    datetime(1, 1, 1, tzinfo=UTC),
    datetime(1899, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
    datetime(2026, 3, 29, 1, 0, tzinfo=UTC),
    datetime(2026, 10, 25, 0, 59, 59, 1, tzinfo=UTC),
    datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
]


@pytest.mark.parametrize("at", TIMES)
def test_time_is_read_as_it_was_written(at: datetime) -> None:
    Heartbeat.objects.create(process="tried", beat_at=at)

    (found,) = Heartbeat.objects.filter(process="tried").values_list("beat_at", flat=True)
    assert (found, found.utcoffset(), type(found)) == (at, timedelta(0), datetime)


def test_time_with_another_offset_is_given_in_utc() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT timestamptz '2026-07-01 12:00+02'")
        (found,) = cursor.fetchone()

    assert (found.isoformat(), found.tzinfo) == ("2026-07-01T10:00:00+00:00", UTC)


def test_loader_is_the_compiled_one() -> None:
    psycopg = connection.Database
    connection.ensure_connection()
    oid = psycopg.adapters.types["timestamptz"].oid
    ours = connection.connection.adapters.get_loader(oid, TEXT)

    assert type(ours(oid)) is psycopg.adapters.get_loader(oid, TEXT)
    assert ours.timezone is UTC
