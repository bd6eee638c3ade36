"""The link in figures for Prometheus, read from the database: every process gives the same answer.

Counters count what began before the last minute: by then each row of that time is there, so that a figure never
goes back. A process reads all rows at its first question and from then on only those of the time between.
"""

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime, timedelta
from threading import Lock
from typing import Any

from django.db.models import Count, Min, Q, Sum
from django.utils import timezone
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from seller_link.alarms import AlarmKind, open_alarms
from seller_link.expiry import certificate_days
from seller_link.models import (
    DeliveryAttempt,
    Heartbeat,
    InboundMessage,
    OutboundMessage,
    OutboundState,
    PeerRefusal,
)

# a try is written when it has ended, and none lasts as long as this
SETTLED_AFTER = timedelta(seconds=60)
BUCKETS_MS = (10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000)
WELL = Q(status__gte=200, status__lt=300, error="")
BEGINNING = datetime.min.replace(tzinfo=timezone.get_fixed_timezone(0))


class LinkCollector(Collector):
    """All figures of the link; one per process, since it remembers how far it has counted."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._counted_until = BEGINNING
        # per endpoint: the buckets, then all, then those that failed, then milliseconds
        self._tries: dict[str, list[int]] = defaultdict(lambda: [0] * (len(BUCKETS_MS) + 3))
        self._inbound: dict[tuple[str, str, str], int] = defaultdict(int)

    def describe(self) -> list[Metric]:
        """Nothing is asked of the database when this is registered."""
        return []

    def collect(self) -> Iterator[Metric]:
        with self._lock:
            self._count_on()
            yield from _queue()
            yield from self._deliveries()
            yield self._heard()
        yield from (_refusals(), _alarms(), _heartbeats(), _certificates())

    def _count_on(self) -> None:
        until = max(timezone.now() - SETTLED_AFTER, self._counted_until)
        self._count_tries(until)
        self._count_inbound(until)
        self._counted_until = until

    def _count_tries(self, until: datetime) -> None:
        buckets = {f"to_{limit}": Count("pk", filter=Q(milliseconds__lte=limit)) for limit in BUCKETS_MS}
        rows: Any = (
            DeliveryAttempt.objects.order_by()
            .filter(started_at__gte=self._counted_until, started_at__lt=until)
            .values("endpoint")
            .annotate(**buckets, every=Count("pk"), well=Count("pk", filter=WELL), time=Sum("milliseconds"))
        )
        for row in rows:
            found = [*(row[name] for name in buckets), row["every"], row["every"] - row["well"], row["time"]]
            known = self._tries[row["endpoint"]]
            self._tries[row["endpoint"]] = [one + more for one, more in zip(known, found, strict=True)]

    def _count_inbound(self, until: datetime) -> None:
        rows = (
            InboundMessage.objects.order_by()
            .filter(received_at__gte=self._counted_until, received_at__lt=until)
            .values("operation", "outcome", "answer_status")
            .annotate(number=Count("pk"))
        )
        for row in rows:
            labels = (row["operation"], row["outcome"], str(row["answer_status"]))
            self._inbound[labels] += row["number"]

    def _deliveries(self) -> Iterator[Metric]:
        tries = CounterMetricFamily("link_tries", "Tries to deliver a message", labels=["endpoint"])
        failures = CounterMetricFamily(
            "link_failures", "Tries that were not acknowledged", labels=["endpoint"]
        )
        seconds = HistogramMetricFamily(
            "link_try_seconds", "How long tries to deliver took", labels=["endpoint"]
        )
        for endpoint, (*buckets, every, failed, milliseconds) in sorted(self._tries.items()):
            tries.add_metric([endpoint], every)
            failures.add_metric([endpoint], failed)
            limits = [
                (str(limit / 1000), float(number)) for limit, number in zip(BUCKETS_MS, buckets, strict=True)
            ]
            seconds.add_metric([endpoint], [*limits, ("+Inf", float(every))], sum_value=milliseconds / 1000)
        yield from (tries, failures, seconds)

    def _heard(self) -> Metric:
        heard = CounterMetricFamily(
            "link_inbound", "Messages of the seller's", labels=["operation", "outcome", "status"]
        )
        for labels, number in sorted(self._inbound.items()):
            heard.add_metric(labels, number)
        return heard


def _queue() -> Iterator[Metric]:
    """Of what is not delivered; read by the index of those alone."""
    length = GaugeMetricFamily("link_queue_messages", "Messages that are not delivered", labels=["state"])
    oldest = GaugeMetricFamily("link_queue_oldest_seconds", "Age of the oldest of them", labels=["state"])
    now = timezone.now()
    rows = OutboundMessage.objects.unsent().order_by().values("state")
    known = {row["state"]: row for row in rows.annotate(number=Count("pk"), first=Min("created_at"))}
    for state in (OutboundState.READY, OutboundState.HELD):
        row = known.get(state)
        length.add_metric([state], row["number"] if row else 0)
        oldest.add_metric([state], (now - row["first"]).total_seconds() if row else 0)
    yield from (length, oldest)


def _refusals() -> Metric:
    """Callers turned away at the door; a row per cause, caller and day."""
    refused = CounterMetricFamily("link_refused_callers", "Callers turned away", labels=["cause"])
    rows = PeerRefusal.objects.order_by("cause").values("cause").annotate(number=Sum("count"))
    for row in rows:
        refused.add_metric([row["cause"]], row["number"])
    return refused


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


def _certificates() -> Metric:
    """Negative when one has ended; one that cannot be read is missing."""
    days = GaugeMetricFamily("link_certificate_days", "Until a certificate ends", labels=["certificate"])
    for name, left in certificate_days().items():
        days.add_metric([name], left)
    return days


def text_of(collector: LinkCollector) -> bytes:
    """The figures in Prometheus' text format."""
    registry = CollectorRegistry()
    registry.register(collector)
    return generate_latest(registry)
