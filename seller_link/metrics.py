"""The link in figures for Prometheus, read from the database: every process gives the same answer.

Counters are sums over tables that only grow (incremental_totals.py): only the newest rows are read, and a restart sets
no figure back.
"""

from collections import Counter
from collections.abc import Iterator
from threading import Lock

from django.db.models import Count, F, Min, Q, Sum
from django.db.models.fields.json import KT
from django.utils import timezone
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from monitoring.transaction_numbers import SETTLED_AFTER_SECONDS
from seller_link.certificate_expiry import certificate_days
from seller_link.incremental_totals import IncrementalTotals
from seller_link.models import DeliveryAttempt, InboundMessage, OutboundMessage, OutboundState, RejectedCaller

BUCKETS_MS = (10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000)
SUCCEEDED = Q(status__gte=200, status__lt=300, error={})
TRIES = {
    **{f"to_{limit}": Count("pk", filter=Q(milliseconds__lte=limit)) for limit in BUCKETS_MS},
    "every": Count("pk"),
    "succeeded": Count("pk", filter=SUCCEEDED),
    "milliseconds": Sum("milliseconds"),
}
INBOUND_LABELS = {
    "operation": F("operation"),
    "outcome": F("outcome"),
    "status": F("response_status"),
    # what the response says to the caller; none on what was accepted
    "fault": KT("response__fault__faultcode"),
}


class LinkCollector(Collector):
    """All figures of the link; one per process, since it remembers how far it has counted."""

    def __init__(self, *, settled_after: float = SETTLED_AFTER_SECONDS) -> None:
        self._lock = Lock()
        self._tries = IncrementalTotals(
            DeliveryAttempt.objects.all(),
            name="delivery attempts",
            by={"endpoint": F("endpoint")},
            sums=TRIES,
            settled_after=settled_after,
        )
        self._inbound_totals = IncrementalTotals(
            InboundMessage.objects.all(),
            name="inbound messages",
            by=INBOUND_LABELS,
            sums={"number": Count("pk")},
            settled_after=settled_after,
        )

    def collect(self) -> Iterator[Metric]:
        with self._lock:
            tries, inbound = self._tries.totals(), self._inbound_totals.totals()
        yield from _queue()
        yield from _deliveries({endpoint: found for (endpoint,), found in tries.items()})
        yield _inbound({group: found["number"] for group, found in inbound.items()})
        yield from (_repeats(), _refusals(), _certificates())


def _deliveries(found: dict[str, Counter[str]]) -> Iterator[Metric]:
    tries = CounterMetricFamily("link_attempts", "Attempts to deliver a message", labels=["endpoint"])
    failures = CounterMetricFamily("link_failures", "Tries that were not acknowledged", labels=["endpoint"])
    seconds = HistogramMetricFamily(
        "link_attempt_seconds", "Duration of attempts to deliver", labels=["endpoint"]
    )
    for endpoint, sums in sorted(found.items()):
        every = sums["every"]
        tries.add_metric([endpoint], every)
        failures.add_metric([endpoint], every - sums["succeeded"])
        limits = [(str(limit / 1000), float(sums[f"to_{limit}"])) for limit in BUCKETS_MS]
        seconds.add_metric(
            [endpoint], [*limits, ("+Inf", float(every))], sum_value=sums["milliseconds"] / 1000
        )
    yield from (tries, failures, seconds)


def _inbound(found: dict[tuple[str, ...], int]) -> Metric:
    family = CounterMetricFamily(
        "link_inbound", "Messages of the seller's", labels=["operation", "outcome", "status", "fault"]
    )
    for labels, number in sorted(found.items()):
        family.add_metric(labels, number)
    return family


def _repeats() -> Metric:
    """Summed each time: a message may come again years later. The index holds no others."""
    repeats = CounterMetricFamily(
        "link_inbound_repeats",
        "Messages of the seller's that came again and got the stored answer",
        labels=["operation"],
    )
    rows = InboundMessage.objects.filter(repeated_at__isnull=False).order_by("operation").values("operation")
    for row in rows.annotate(number=Sum("repeats")):
        repeats.add_metric([row["operation"]], row["number"])
    return repeats


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
    """Rejected callers; a row per cause, caller and day."""
    refused = CounterMetricFamily("link_rejected_callers", "Callers turned away", labels=["cause"])
    rows = RejectedCaller.objects.order_by("cause").values("cause").annotate(number=Sum("count"))
    for row in rows:
        refused.add_metric([row["cause"]], row["number"])
    return refused


def _certificates() -> Metric:
    """Negative when one has ended; one that cannot be read is missing."""
    days = GaugeMetricFamily("link_certificate_days", "Until a certificate ends", labels=["certificate"])
    for name, left in certificate_days().items():
        days.add_metric([name], left)
    return days
