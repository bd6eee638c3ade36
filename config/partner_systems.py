"""Settings of what we send to the partner's other systems and to customers."""

from collections.abc import Collection
from dataclasses import dataclass

from django.core.exceptions import ImproperlyConfigured

from config.environment import env_bool, env_choice, env_float, env_int, env_list, env_text
from config.message_channels import MailServer, SmsGateway, mail_server, sms_gateway


@dataclass(frozen=True)
class WebhookSettings:
    """`seconds`: the limit of a whole call. `private_addresses`: may an address behind our firewall be called?"""

    seconds: float
    retry_hours: int
    private_addresses: bool


def webhook_settings() -> WebhookSettings:
    return WebhookSettings(
        seconds=env_float("WEBHOOK_SECONDS", 10, lowest=0.5),
        retry_hours=env_int("WEBHOOK_RETRY_HOURS", 72, lowest=1, highest=720),
        private_addresses=env_bool("WEBHOOK_PRIVATE_ADDRESSES", default=False),
    )


@dataclass(frozen=True)
class CustomerMessageSettings:
    """`channels`: `sms` and `mail` in the order of preference, empty: customers get no messages. `phone`: which number
    the live page names, or none."""

    channels: tuple[str, ...]
    sender_name: str
    language: str
    phone: str
    mail: MailServer | None
    sms: SmsGateway | None


def customer_message_settings(languages: Collection[str]) -> CustomerMessageSettings:
    """Raises ImproperlyConfigured where a channel is chosen that is not set up."""
    mail, sms = mail_server(), sms_gateway()
    needed = {"mail": (mail, "MAIL_SERVER_URL"), "sms": (sms, "SMS_GATEWAY_URL")}
    channels = tuple(env_list("CUSTOMER_MESSAGES"))
    for channel in channels:
        if channel not in needed:
            raise ImproperlyConfigured(f"CUSTOMER_MESSAGES: {channel!r} is neither sms nor mail")
        way, setting = needed[channel]
        if way is None:
            raise ImproperlyConfigured(f"CUSTOMER_MESSAGES: {channel} needs {setting}")
    return CustomerMessageSettings(
        channels=channels,
        sender_name=env_text("CUSTOMER_SENDER_NAME", "Fibre installation"),
        language=env_choice("CUSTOMER_LANGUAGE", next(iter(languages)), set(languages)),
        phone=env_text("CUSTOMER_PHONE"),
        mail=mail,
        sms=sms,
    )
