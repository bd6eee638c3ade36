"""Alarms to a webhook: JSON, signed with ALARM_WEBHOOK_SECRET (docs/operating.md, Alarms to people)."""

import hashlib
import hmac
import json

from django.conf import settings
from django.utils import timezone

from alerting.channels.channel_errors import not_set_up
from alerting.channels.channel_setup import missing_setting
from alerting.channels.http_post import post
from alerting.models import AlarmDelivery


def send_webhook(delivery: AlarmDelivery) -> None:
    """Raises AlarmNotDelivered. A repetition has the same delivery_id and another time stamp."""
    missing = missing_setting(delivery.channel, delivery.address)
    if missing:
        raise not_set_up(missing)
    body = json.dumps({"delivery_id": str(delivery.delivery_id), **delivery.payload}).encode()
    stamp = str(int(timezone.now().timestamp()))
    headers = {
        "Content-Type": "application/json",
        "User-Agent": f"fibre-dispatch/{settings.VERSION}",
        "X-Delivery-ID": str(delivery.delivery_id),
        "X-Signature": f"t={stamp},v1={signature(settings.ALERTING.webhook_secret, stamp, body)}",
    }
    post(delivery.address, body, headers)


def signature(secret: str, stamp: str, body: bytes) -> str:
    """HMAC-SHA256 of `stamp.body` as hexadecimal digits: nobody can send the body of one moment again at another."""
    return hmac.new(secret.encode(), f"{stamp}.".encode() + body, hashlib.sha256).hexdigest()
