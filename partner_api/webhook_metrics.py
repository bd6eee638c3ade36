"""Webhooks in figures: how many deliveries wait or were given up, and since when the oldest waits."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Count, Min
from django.utils import timezone
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from engineers import caching
from partner_api.models import WebhookDelivery, WebhookState

# those that were given up stay for RETENTION_LOG_DAYS: not counted at each question
CACHED_SECONDS = 60


class WebhookCollector(Collector):
    """To webhooks that are neither paused nor deleted; a delivery that is sent again waits since then."""

    def describe(self) -> list[Metric]:
        """Nothing is asked of the database when this is registered."""
        return []

    def collect(self) -> Iterator[Metric]:
        found = caching.get_or_compute("webhook totals", _totals, seconds=CACHED_SECONDS)
        deliveries = GaugeMetricFamily("webhook_deliveries", "Deliveries by state", labels=["state"])
        for state in (WebhookState.READY, WebhookState.FAILED):
            deliveries.add_metric([state], found["numbers"].get(state, 0))
        age = GaugeMetricFamily("webhook_oldest_seconds", "How long the oldest that waits has waited")
        age.add_metric([], _waited(found["ends"]))
        yield from (deliveries, age)


def _totals() -> dict[str, Any]:
    open_ones = WebhookDelivery.objects.exclude(state=WebhookState.DELIVERED).filter(
        subscription__paused_at=None, subscription__deleted_at=None
    )
    rows = open_ones.order_by().values("state").annotate(number=Count("pk"), ends=Min("give_up_at"))
    by_state = {row["state"]: row for row in rows}
    waiting = by_state.get(WebhookState.READY)
    return {
        "numbers": {state: row["number"] for state, row in by_state.items()},
        "ends": waiting and waiting["ends"],
    }


def _waited(first_end: datetime | None) -> float:
    """Each is tried for the same time, so what ends first has waited longest."""
    if first_end is None:
        return 0.0
    begun = first_end - timedelta(hours=settings.WEBHOOKS.retry_hours)
    return max(0.0, (timezone.now() - begun).total_seconds())
