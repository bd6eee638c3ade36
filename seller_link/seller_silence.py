"""When the seller accepts nothing for so long that somebody has to know: unreachable, or limiting our calls."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from monitoring import alarms
from monitoring.coded_texts import coded_text, stored_reason
from monitoring.models import AlarmKind
from seller_link.models import EndpointHealth, OutboundMessage

UNREACHABLE_AFTER, RATE_LIMITED_AFTER = timedelta(minutes=1), timedelta(minutes=10)
# the subject of its alarms
ALL = "seller"
# for one reason or the other
SILENCE_KINDS = frozenset({AlarmKind.SELLER_UNREACHABLE, AlarmKind.SELLER_RATE_LIMIT})


def watch_unreachable() -> None:
    """Raise or clear SELLER_UNREACHABLE: all circuits are open, and nothing that waits was accepted for a minute, or
    for ten where one endpoint asks us to wait. Where all do so, it is SELLER_RATE_LIMIT."""
    endpoints = EndpointHealth.objects.filter(endpoint__in=settings.SELLER_ENDPOINTS)
    rows = list(endpoints.filter(open_until__isnull=False))
    paused = [row for row in rows if not row.openings]
    since = timezone.now() - (RATE_LIMITED_AFTER if paused else UNREACHABLE_AFTER)
    has_recent_success = any(row.last_success_at and row.last_success_at > since for row in rows)
    are_all_open = len(rows) == len(settings.SELLER_ENDPOINTS)
    if are_all_open and not has_recent_success and _is_waiting(since):
        kind = AlarmKind.SELLER_RATE_LIMIT if len(paused) == len(rows) else AlarmKind.SELLER_UNREACHABLE
        reasons = [
            coded_text("of_address", address=row.endpoint, reason=stored_reason(row.last_error))
            for row in rows
        ]
        clear(but=kind)
        alarms.raise_alarm(kind, ALL, coded_text(kind.value, reason=reasons))
    elif paused or not are_all_open:
        clear()


def clear(*, but: AlarmKind | None = None) -> None:
    """It accepts messages again, or is silent for another reason."""
    for kind in SILENCE_KINDS - {but}:
        alarms.clear_alarm(kind, ALL)


def _is_waiting(since: datetime) -> bool:
    """Whether a message that could go has waited since then: from its writing, or from a replay on."""
    not_replayed_since = Q(replay=None) | Q(replay__started_at__lte=since)
    return OutboundMessage.objects.heads().filter(not_replayed_since, created_at__lte=since).exists()
