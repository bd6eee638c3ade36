"""When each phone was last in touch, and with which version of the application: for the office and for /metrics."""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.utils import timezone
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from engineers import caching
from engineers.models import Engineer, LastSync
from phone import pwa

HEADER = "X-Phone-Version"
VERSION = re.compile(r"[0-9a-f]{16}")
# a phone with signal asks three times a minute; nobody needs to know it to the second
WRITTEN_EVERY_SECONDS = 60
# of an engineer whose phone has never been in touch since versions are stored
UNKNOWN = "unknown"
LATENESS = {
    "1h": timedelta(hours=1),
    "8h": timedelta(hours=8),
    "24h": timedelta(hours=24),
    "7d": timedelta(days=7),
}


def record_sync(engineer: Engineer, *, version: str) -> None:
    """At most once a minute in each process. `version`: the header, which may hold anything."""
    version = version if VERSION.fullmatch(version) else ""
    name = f"phone-sync {engineer.pk} {version}"
    caching.get_or_compute(name, lambda: _write(engineer, version), seconds=WRITTEN_EVERY_SECONDS)


def _write(engineer: Engineer, version: str) -> bool:
    changes: dict[str, Any] = {"synced_at": timezone.now(), "version": version}
    row = LastSync.objects.filter(engineer=engineer)
    if version == pwa.version():
        changes["release"] = settings.VERSION
    elif not row.filter(version=version).exists():
        # one that we have never had, or a roll-back
        changes["release"] = ""
    if not row.update(**changes):
        LastSync.objects.get_or_create(engineer=engineer, defaults=changes)
    return True


def release_name(sync: LastSync) -> str:
    """What a person calls the version: our release, or the first digits of one that was not ours."""
    return sync.release or sync.version[:8] or UNKNOWN


class PhoneCollector(Collector):
    """Phones of active engineers by version, and how many have not been in touch for long."""

    def collect(self) -> Iterator[Metric]:
        engineers = Engineer.objects.active().select_related("last_sync")
        syncs = [getattr(engineer, "last_sync", None) for engineer in engineers]
        yield _by_version(syncs)
        yield _late(syncs, timezone.now())


def _by_version(syncs: list[LastSync | None]) -> Metric:
    phones = GaugeMetricFamily(
        "phones", "Phones of active engineers by version", labels=["version", "is_current"]
    )
    numbers: dict[tuple[str, str], int] = {}
    for sync in syncs:
        key = (release_name(sync), str(is_current(sync)).lower()) if sync else (UNKNOWN, "false")
        numbers[key] = numbers.get(key, 0) + 1
    for labels, number in sorted(numbers.items()):
        phones.add_metric(labels, number)
    return phones


def is_current(sync: LastSync) -> bool:
    """Whether the phone runs the application that we serve now."""
    return sync.version == pwa.version()


def _late(syncs: list[LastSync | None], now: datetime) -> Metric:
    late = GaugeMetricFamily(
        "phones_not_synced",
        "Phones of active engineers that were not in touch for so long",
        labels=["longer_than"],
    )
    for name, limit in LATENESS.items():
        late.add_metric([name], sum(sync is None or now - sync.synced_at > limit for sync in syncs))
    return late
