"""Photos in figures: how many are stored and how large, and which never came."""

from collections.abc import Iterator
from typing import Any

from django.db.models import Count, Min, Sum
from django.utils import timezone
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from closures.models import Photo
from engineers import caching

# all photos of all time are counted: not at each question
CACHED_SECONDS = 60


class EvidenceCollector(Collector):
    """`waiting`: announced by a phone and not arrived."""

    def collect(self) -> Iterator[Metric]:
        found = caching.get_or_compute("evidence totals", _totals, seconds=CACHED_SECONDS)
        photos = GaugeMetricFamily("evidence_photos", "Photos and signatures", labels=["state"])
        photos.add_metric(["stored"], found["stored"])
        photos.add_metric(["waiting"], found["waiting"])
        size = GaugeMetricFamily("evidence_stored_bytes", "Size of those that are stored")
        size.add_metric([], found["bytes"] or 0)
        age = GaugeMetricFamily("evidence_oldest_waiting_seconds", "Since the oldest was announced")
        since = found["since"]
        age.add_metric([], (timezone.now() - since).total_seconds() if since else 0)
        without = GaugeMetricFamily("evidence_without_thumbnail", "Stored photos that wait for a thumbnail")
        without.add_metric([], found["without_thumbnail"])
        yield from (photos, size, age, without)


def _totals() -> dict[str, Any]:
    stored = Photo.objects.stored()
    missing = Photo.objects.missing().filter(purged_at=None)
    return {
        **stored.aggregate(stored=Count("pk"), bytes=Sum("size_bytes")),
        **missing.aggregate(waiting=Count("pk"), since=Min("recorded_at")),
        "without_thumbnail": stored.filter(awaits_thumbnail=True).count(),
    }
