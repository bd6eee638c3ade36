"""Alarms by SMS, through the gateway of SMS_GATEWAY_URL: one POST of SMS_GATEWAY_FIELDS."""

from django.conf import settings

from alerting.channels.channel_errors import AlarmNotDelivered, is_permanent_status, not_set_up
from alerting.models import AlarmDelivery
from monitoring import sms_gateway
from monitoring.signed_post import NotPosted

# two parts of a message with letters outside of GSM's alphabet
LONGEST_TEXT = 134


def send_sms(delivery: AlarmDelivery) -> None:
    """Raises AlarmNotDelivered. The title only, and where the rest is."""
    gateway = settings.SMS_GATEWAY
    if gateway is None:
        raise not_set_up("SMS_GATEWAY_URL")
    try:
        sms_gateway.send_sms(
            gateway, number=delivery.address, text=sms_text(delivery), message_id=str(delivery.delivery_id)
        )
    except NotPosted as problem:
        raise AlarmNotDelivered(str(problem), is_permanent=is_permanent_status(problem.status)) from None


def sms_text(delivery: AlarmDelivery) -> str:
    end = f" {delivery.payload.get('url', '')}".rstrip()
    return delivery.title[: max(0, LONGEST_TEXT - len(end))] + end
