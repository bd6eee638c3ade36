"""The sandbox's clock, which can be moved forward: retries and provisioning tries fall due by it.

Instants on the wire and in the message log stay real, or the partner would receive facts from the future.
"""

from datetime import date, datetime, timedelta

from django.conf import settings
from django.db.models import F
from django.utils import timezone

from seller_sandbox.models import Clock


def offset() -> timedelta:
    return timedelta(seconds=_row().offset_seconds)


def now() -> datetime:
    return timezone.now() + offset()


def today() -> date:
    return now().astimezone(settings.LOCAL_ZONE).date()


def advance(*, seconds: int) -> datetime:
    """Move the clock and say what it shows now; what fell due in the meantime happens at the worker's next look."""
    _row()
    Clock.objects.filter(pk=1).update(offset_seconds=F("offset_seconds") + seconds)
    return now()


def _row() -> Clock:
    return Clock.objects.get_or_create(pk=1)[0]
