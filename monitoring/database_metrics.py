"""The database in figures: how fast it answers, how large it is, and what PostgreSQL's sessions do."""

from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import Any

from django.db import connection
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

POSTGRESQL_SESSIONS = """
SELECT coalesce(state, 'other'), count(*),
       coalesce(max(extract(epoch FROM clock_timestamp() - xact_start)), 0)
FROM pg_stat_activity WHERE datname = current_database() GROUP BY 1
"""


class DatabaseCollector(Collector):
    """Sessions and the limit of them on PostgreSQL only."""

    def collect(self) -> Iterator[Metric]:
        begun = monotonic()
        _rows("SELECT 1")
        yield _gauge("database_answer_seconds", "How long a statement without work took", monotonic() - begun)
        yield _gauge("database_size_bytes", "Size of the database", _size_bytes())
        if connection.vendor == "postgresql":
            yield from _sessions()


def _size_bytes() -> float:
    """SQLite: with its log, which grows while a reader holds an old state."""
    if connection.vendor == "postgresql":
        return float(_rows("SELECT pg_database_size(current_database())")[0][0])
    path = str(connection.settings_dict["NAME"])
    return float(sum(Path(path + end).stat().st_size for end in ("", "-wal") if Path(path + end).exists()))


def _sessions() -> Iterator[Metric]:
    sessions = GaugeMetricFamily("database_sessions", "Sessions of this database", labels=["state"])
    oldest = 0.0
    for state, number, seconds in _rows(POSTGRESQL_SESSIONS):
        sessions.add_metric([state], number)
        oldest = max(oldest, float(seconds))
    yield sessions
    yield _gauge("database_oldest_transaction_seconds", "Age of the oldest open transaction", oldest)
    limit = float(_rows("SHOW max_connections")[0][0])
    yield _gauge("database_max_sessions", "Sessions that the server allows, for all its databases", limit)


def _rows(sql: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return list(cursor.fetchall())


def _gauge(name: str, text: str, value: float) -> Metric:
    gauge = GaugeMetricFamily(name, text)
    gauge.add_metric([], value)
    return gauge
