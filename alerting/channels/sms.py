"""Alarms by SMS, through the gateway of SMS_GATEWAY_URL: one POST of SMS_GATEWAY_FIELDS."""

import json
from typing import Any
from urllib.parse import urlencode

from django.conf import settings

from alerting.channels.channel_errors import not_set_up
from alerting.channels.http_post import post
from alerting.models import AlarmDelivery

# two parts of a message with letters outside of GSM's alphabet
LONGEST_TEXT = 134


def send_sms(delivery: AlarmDelivery) -> None:
    """Raises AlarmNotDelivered. The title only, and where the rest is."""
    gateway = settings.ALERTING.sms
    if gateway is None:
        raise not_set_up("SMS_GATEWAY_URL")
    fields = _fill(gateway.fields, {"{number}": delivery.address, "{text}": sms_text(delivery)})
    body = (urlencode(fields) if gateway.is_form else json.dumps(fields)).encode()
    kind = "application/x-www-form-urlencoded" if gateway.is_form else "application/json"
    headers = {"Content-Type": kind}
    if gateway.authorization:
        headers["Authorization"] = gateway.authorization
    post(gateway.url, body, headers)


def sms_text(delivery: AlarmDelivery) -> str:
    end = f" {delivery.payload.get('url', '')}".rstrip()
    return delivery.title[: max(0, LONGEST_TEXT - len(end))] + end


def _fill(template: Any, values: dict[str, str]) -> Any:
    """The template with its placeholders replaced in every text, however deep."""
    if isinstance(template, dict):
        return {name: _fill(value, values) for name, value in template.items()}
    if isinstance(template, list):
        return [_fill(value, values) for value in template]
    if not isinstance(template, str):
        return template
    if template in values:
        return values[template]
    # in one pass: a text that contains {number} stays as it is
    pieces = template.split("{number}")
    return values["{number}"].join(piece.replace("{text}", values["{text}"]) for piece in pieces)
