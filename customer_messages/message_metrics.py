"""Messages to customers in figures: what became of those of a day, and how long the oldest has waited."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from django.db.models import Count, Min
from django.utils import timezone
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from customer_messages.models import CustomerMessage, MessageState
from engineers import caching

COUNTED_PERIOD = timedelta(hours=24)
# rows stay for ever, and each web server is asked every half minute
CACHED_SECONDS = 60


class CustomerMessageCollector(Collector):
    """`customer_messages` counts those that were made in the last 24 hours; one that is sent again is a new one."""

    def collect(self) -> Iterator[Metric]:
        found = caching.get_or_compute("customer message totals", _totals, seconds=CACHED_SECONDS)
        messages = GaugeMetricFamily("customer_messages", "Messages to customers", labels=["state"])
        for state in MessageState:
            messages.add_metric([state], found["numbers"].get(state, 0))
        age = GaugeMetricFamily(
            "customer_message_oldest_seconds", "How long the oldest that waits has waited"
        )
        since = found["since"]
        age.add_metric([], (timezone.now() - since).total_seconds() if since else 0)
        yield from (messages, age)


def _totals() -> dict[str, Any]:
    recent = CustomerMessage.objects.filter(created_at__gt=timezone.now() - COUNTED_PERIOD)
    # each attempt that fails moves the next one: what counts is since when the customer should have it
    waiting = CustomerMessage.objects.filter(state=MessageState.READY)
    return {
        "numbers": dict(recent.order_by().values_list("state").annotate(number=Count("pk"))),
        **waiting.aggregate(since=Min("created_at")),
    }
