"""Alarms to a webhook: JSON, signed with ALARM_WEBHOOK_SECRET (docs/operating.md, Alarms to people)."""

import json

from django.conf import settings
from django.utils import timezone

from alerting.channels.channel_errors import AlarmNotDelivered, is_permanent_status, not_set_up
from alerting.channels.channel_setup import missing_setting
from alerting.models import AlarmDelivery
from monitoring.signed_post import NotPosted, post, signed_headers

SECONDS = 8
REDIRECT = 300


def send_webhook(delivery: AlarmDelivery) -> None:
    """Raises AlarmNotDelivered. A repetition has the same delivery_id and another time stamp."""
    missing = missing_setting(delivery.channel, delivery.address)
    if missing:
        raise not_set_up(missing)
    body = json.dumps({"delivery_id": str(delivery.delivery_id), **delivery.payload}).encode()
    headers = signed_headers(
        secret=settings.ALERTING.webhook_secret,
        stamp=str(int(timezone.now().timestamp())),
        delivery_id=str(delivery.delivery_id),
        body=body,
    )
    agent = {"User-Agent": f"fibre-dispatch/{settings.VERSION}"}
    try:
        # the operator has named the host, which may be a machine of ours
        result = post(delivery.address, body, headers | agent, seconds=SECONDS, is_private_allowed=True)
    except NotPosted as problem:
        raise AlarmNotDelivered(str(problem)) from None
    if result.status >= REDIRECT:
        is_permanent = is_permanent_status(result.status)
        raise AlarmNotDelivered(f"HTTP status {result.status}", is_permanent=is_permanent)
