"""Settings of how messages leave: mail server and SMS gateway, and what is sent through them or by webhooks to people
outside of the office, to the partner's other systems and to customers. Each is off until it is set.

Whom alarms reach, at which hours and about what, is data that a supervisor edits (`alerting` app).
"""

import json
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

from config.environment import (
    env_bool,
    env_choice,
    env_float,
    env_int,
    env_list,
    env_secret,
    env_text,
    env_url,
)

# scheme -> (port, STARTTLS, TLS from the first byte)
MAIL_SCHEMES = {"smtp": (25, False, False), "smtp+starttls": (587, True, False), "smtps": (465, False, True)}
# the address itself is not repeated: it may hold a password
MAIL_SERVER_FORMS = (
    "MAIL_SERVER_URL: write smtp://host:25, smtp+starttls://user:password@host:587 or smtps://user:password@host:465; "
    "in a password write / as %2F, # as %23, ? as %3F, [ as %5B and % as %25"
)
DEFAULT_SMS_FIELDS = '{"to": "{number}", "text": "{text}"}'
SMS_PLACEHOLDERS = ("{number}", "{text}")


@dataclass(frozen=True)
class MailServer:
    host: str
    port: int
    user: str
    password: str
    uses_starttls: bool
    uses_tls: bool
    sender: str


@dataclass(frozen=True)
class SmsGateway:
    """`fields`: what is posted, with {number} and {text} in its values; `authorization`: the whole header, or none."""

    url: str
    fields: dict[str, Any]
    is_form: bool
    authorization: str


def mail_server() -> MailServer | None:
    """Raises ImproperlyConfigured with the name of the variable and the remedy."""
    url, sender = env_secret("MAIL_SERVER_URL"), _mail_from()
    if not url:
        return None
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as problem:
        raise ImproperlyConfigured(MAIL_SERVER_FORMS) from problem
    if parts.scheme not in MAIL_SCHEMES or not parts.hostname or parts.fragment:
        raise ImproperlyConfigured(MAIL_SERVER_FORMS)
    usual_port, uses_starttls, uses_tls = MAIL_SCHEMES[parts.scheme]
    return MailServer(
        host=parts.hostname,
        port=port or usual_port,
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
        uses_starttls=uses_starttls,
        uses_tls=uses_tls,
        sender=sender,
    )


def _mail_from() -> str:
    address = env_text("MAIL_FROM", "dispatch@localhost")
    if "@" not in address:
        raise ImproperlyConfigured(
            f"MAIL_FROM: {address!r} is not a mail address like dispatch@dispatch.example.org"
        )
    return address


def sms_gateway() -> SmsGateway | None:
    """Raises ImproperlyConfigured with the name of the variable and the remedy."""
    url = env_url("SMS_GATEWAY_URL")
    is_form = env_choice("SMS_GATEWAY_FORMAT", "json", {"json", "form"}) == "form"
    fields, authorization = _sms_fields(is_form=is_form), env_secret("SMS_GATEWAY_AUTHORIZATION")
    return SmsGateway(url, fields, is_form, authorization) if url else None


def _sms_fields(*, is_form: bool) -> dict[str, Any]:
    text = env_text("SMS_GATEWAY_FIELDS", DEFAULT_SMS_FIELDS)
    try:
        fields = json.loads(text)
    except ValueError as problem:
        raise ImproperlyConfigured("SMS_GATEWAY_FIELDS: not a JSON object") from problem
    if not isinstance(fields, dict) or not all(name in text for name in SMS_PLACEHOLDERS):
        raise ImproperlyConfigured(
            f"SMS_GATEWAY_FIELDS: write a JSON object with {{number}} and {{text}}, like {DEFAULT_SMS_FIELDS}"
        )
    if is_form and not all(isinstance(value, str) for value in fields.values()):
        raise ImproperlyConfigured("SMS_GATEWAY_FIELDS: a form has texts only; write SMS_GATEWAY_FORMAT=json")
    return fields


SHORTEST_SECRET = 16


@dataclass(frozen=True)
class AlertingSettings:
    """Of webhooks; without hosts they are not set up."""

    webhook_hosts: list[str]
    webhook_secret: str


def alerting_settings() -> AlertingSettings:
    """Raises ImproperlyConfigured with the name of the variable and the remedy."""
    return AlertingSettings(webhook_hosts=env_list("ALARM_WEBHOOK_HOSTS"), webhook_secret=_webhook_secret())


def _webhook_secret() -> str:
    secret = env_secret("ALARM_WEBHOOK_SECRET")
    if secret and len(secret) < SHORTEST_SECRET:
        raise ImproperlyConfigured(
            f"ALARM_WEBHOOK_SECRET: write at least {SHORTEST_SECRET} random characters"
        )
    return secret


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


def customer_message_settings(
    languages: Collection[str], mail: MailServer | None, sms: SmsGateway | None
) -> CustomerMessageSettings:
    """Raises ImproperlyConfigured where a channel is chosen that is not set up."""
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
    )
