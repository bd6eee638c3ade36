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
from partner_api.models import WebhookState, WebhookSubscription

# each web server is asked every half minute
CACHED_SECONDS = 60


class WebhookCollector(Collector):
    """By the name of the webhook, those that are neither paused nor deleted. A delivery that is sent again waits since
    then; after a change of WEBHOOK_RETRY_HOURS the ages of what waits already are wrong by the difference."""

    def collect(self) -> Iterator[Metric]:
        rows = caching.get_or_compute("webhook totals", _totals, seconds=CACHED_SECONDS)
        deliveries = GaugeMetricFamily("webhook_deliveries", "Deliveries", labels=["webhook", "state"])
        ages = GaugeMetricFamily(
            "webhook_oldest_seconds", "How long the oldest that waits has waited", labels=["webhook"]
        )
        for row in rows:
            deliveries.add_metric([row["name"], WebhookState.READY], row["waiting"])
            deliveries.add_metric([row["name"], WebhookState.FAILED], row["failed"])
            ages.add_metric([row["name"]], _waited(row["first_give_up_at"]))
        yield from (deliveries, ages)


def _totals() -> list[dict[str, Any]]:
    listening = WebhookSubscription.objects.filter(paused_at=None, deleted_at=None).order_by("pk")
    return [{"name": f"{hook.name} ({hook.pk})", **_count(hook)} for hook in listening]


def _count(subscription: WebhookSubscription) -> dict[str, Any]:
    """By the index of subscription and state: the delivered ones are many."""
    waiting = subscription.deliveries.filter(state=WebhookState.READY)
    return {
        **waiting.aggregate(waiting=Count("pk"), first_give_up_at=Min("give_up_at")),
        "failed": subscription.deliveries.filter(state=WebhookState.FAILED).count(),
    }


def _waited(first_give_up_at: datetime | None) -> float:
    """Each is tried for the same time, so what is given up first has waited longest."""
    if first_give_up_at is None:
        return 0.0
    begun = first_give_up_at - timedelta(hours=settings.WEBHOOKS.retry_hours)
    return max(0.0, (timezone.now() - begun).total_seconds())
