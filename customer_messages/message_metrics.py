"""Messages to customers in figures: what became of those of a day, and how late the oldest that is due is."""

from collections.abc import Iterator
from datetime import timedelta

from django.db.models import Count, Min
from django.utils import timezone
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from customer_messages.models import CustomerMessage, MessageState

COUNTED = timedelta(hours=24)


class CustomerMessageCollector(Collector):
    """`customer_messages` counts those that were made in the last 24 hours."""

    def describe(self) -> list[Metric]:
        """Nothing is asked of the database when this is registered."""
        return []

    def collect(self) -> Iterator[Metric]:
        now = timezone.now()
        made = CustomerMessage.objects.filter(created_at__gt=now - COUNTED)
        rows = made.order_by().values_list("state").annotate(number=Count("pk"))
        known = dict(rows)
        messages = GaugeMetricFamily("customer_messages", "Messages to customers", labels=["state"])
        for state in MessageState:
            messages.add_metric([state], known.get(state, 0))
        since = CustomerMessage.objects.due(now).aggregate(since=Min("next_try_at"))["since"]
        late = GaugeMetricFamily("customer_message_late_seconds", "Since the oldest that is not sent was due")
        late.add_metric([], (now - since).total_seconds() if since else 0)
        yield from (messages, late)
