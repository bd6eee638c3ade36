"""Settings of how alarms reach people: mail server, webhooks and SMS gateway. Each is off until it is set.

Who is notified, at which hours and about what is data that a supervisor edits (`alerting` app).
"""

from dataclasses import dataclass

from django.core.exceptions import ImproperlyConfigured

from config.environment import env_list, env_secret
from config.message_channels import MailServer, SmsGateway, mail_server, sms_gateway

SHORTEST_SECRET = 16


@dataclass(frozen=True)
class AlertingSettings:
    """A channel that is not set up is None, or has no webhook hosts."""

    mail: MailServer | None
    webhook_hosts: list[str]
    webhook_secret: str
    sms: SmsGateway | None


def alerting_settings() -> AlertingSettings:
    """Raises ImproperlyConfigured with the name of the variable and the remedy."""
    return AlertingSettings(
        mail=mail_server(),
        webhook_hosts=env_list("ALARM_WEBHOOK_HOSTS"),
        webhook_secret=_webhook_secret(),
        sms=sms_gateway(),
    )


def _webhook_secret() -> str:
    secret = env_secret("ALARM_WEBHOOK_SECRET")
    if secret and len(secret) < SHORTEST_SECRET:
        raise ImproperlyConfigured(
            f"ALARM_WEBHOOK_SECRET: write at least {SHORTEST_SECRET} random characters"
        )
    return secret
