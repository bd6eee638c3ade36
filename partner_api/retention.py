"""Webhooks that were told long ago: nothing in them is about a person, and nobody looks at them any more."""

from datetime import datetime

from django.db.models import Exists, OuterRef, QuerySet

from partner_api.models import WebhookDelivery, WebhookEvent, WebhookState


def expired_events(before: datetime) -> QuerySet[WebhookEvent]:
    """With their deliveries and attempts; what still waits stays, unless its webhook was removed."""
    waiting = WebhookDelivery.objects.filter(
        event=OuterRef("pk"), state=WebhookState.READY, subscription__deleted_at=None
    )
    return WebhookEvent.objects.filter(~Exists(waiting), created_at__lt=before)
