"""What of the link `/readyz` asks about."""

from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from monitoring.health_checks import NotReady
from monitoring.models import Heartbeat
from seller_link.certificate_expiry import unusable_certificates


def check_relay() -> None:
    newest = (
        Heartbeat.objects.filter(process__startswith="relay")
        .order_by("-beat_at")
        .values_list("beat_at", flat=True)
        .first()
    )
    if newest is None or timezone.now() - newest > timedelta(seconds=settings.HEARTBEAT_SILENT_SECONDS):
        since = f"since {newest.isoformat()}" if newest else "at all"
        raise NotReady(f"no relay was alive {since}")


def check_certificates() -> None:
    ended = unusable_certificates()
    if ended:
        raise NotReady(f"ended or not readable: {', '.join(ended)}")
