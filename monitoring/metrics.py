"""Figures for Prometheus, read from the database: each app registers its collector in `apps.ready()`."""

from collections.abc import Iterator

from django.db.models import Count
from django.utils import timezone
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from monitoring.alarms import open_alarms
from monitoring.models import AlarmKind, Heartbeat

COLLECTORS: list[Collector] = []


def register_collector(collector: Collector) -> None:
    COLLECTORS.append(collector)


def metrics_text() -> bytes:
    """All registered figures in Prometheus' text format."""
    return render_metrics(*COLLECTORS)


def render_metrics(*collectors: Collector) -> bytes:
    """The figures in Prometheus' text format."""
    registry = CollectorRegistry()
    for collector in collectors:
        registry.register(collector)
    return generate_latest(registry)


class MonitoringCollector(Collector):
    """Open alarms and the age of each heartbeat."""

    def collect(self) -> Iterator[Metric]:
        yield from (_alarms(), _heartbeats())


def _alarms() -> Metric:
    alarms = GaugeMetricFamily("link_open_alarms", "Open alarms", labels=["kind"])
    rows = open_alarms().order_by().values("kind").annotate(number=Count("pk"))
    known = {row["kind"]: row["number"] for row in rows}
    for kind in AlarmKind:
        alarms.add_metric([kind], known.get(kind, 0))
    return alarms


def _heartbeats() -> Metric:
    ages = GaugeMetricFamily(
        "link_heartbeat_age_seconds", "Since a background process was last alive", labels=["process"]
    )
    now = timezone.now()
    for process, beat_at in Heartbeat.objects.values_list("process", "beat_at"):
        ages.add_metric([process], (now - beat_at).total_seconds())
    return ages
