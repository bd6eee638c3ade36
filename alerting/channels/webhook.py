"""Alarms to a webhook: JSON, signed with ALARM_WEBHOOK_SECRET (docs/operating.md, Alarms to people)."""

from django.conf import settings

from alerting.channels.channel_errors import AlarmNotDelivered, is_permanent_status, not_set_up
from alerting.channels.channel_setup import missing_setting
from alerting.models import AlarmDelivery
from monitoring.signed_post import NotPosted, post_signed

SECONDS = 8
REDIRECT = 300


def send_webhook(delivery: AlarmDelivery) -> None:
    """Raises AlarmNotDelivered. A repetition has the same delivery_id and another time stamp."""
    missing = missing_setting(delivery.channel, delivery.address)
    if missing:
        raise not_set_up(missing)
    try:
        result = post_signed(
            delivery.address,
            {"delivery_id": str(delivery.delivery_id), **delivery.payload},
            secret=settings.ALERTING.webhook_secret,
            delivery_id=str(delivery.delivery_id),
            seconds=SECONDS,
            # the operator has named the host, which may be a machine of ours
            is_private_allowed=True,
        )
    except NotPosted as problem:
        raise AlarmNotDelivered(str(problem)) from None
    if result.status >= REDIRECT:
        is_permanent = is_permanent_status(result.status)
        raise AlarmNotDelivered(f"HTTP status {result.status}", is_permanent=is_permanent)
