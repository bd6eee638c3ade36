"""Whether the operator has set up what a contact's channel needs."""

from urllib.parse import urlsplit

from django.conf import settings

from alerting.models import Channel


def missing_setting(channel: str, address: str) -> str:
    """The setting without which nothing can be sent there, or nothing. Webhooks reach only hosts that the operator has
    named: a supervisor's page must not make us call any server behind ours."""
    alerting = settings.ALERTING
    if channel == Channel.MAIL:
        return "" if settings.MAIL_SERVER else "MAIL_SERVER_URL"
    if channel == Channel.SMS:
        return "" if settings.SMS_GATEWAY else "SMS_GATEWAY_URL"
    if not alerting.webhook_secret:
        return "ALARM_WEBHOOK_SECRET"
    return "" if urlsplit(address).hostname in alerting.webhook_hosts else "ALARM_WEBHOOK_HOSTS"
