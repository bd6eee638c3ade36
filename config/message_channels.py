"""Settings of how messages leave: mail server and SMS gateway. Each is off until it is set."""

import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

from config.environment import env_choice, env_secret, env_text, env_url

# scheme -> (port, STARTTLS, TLS from the first byte)
MAIL_SCHEMES = {"smtp": (25, False, False), "smtp+starttls": (587, True, False), "smtps": (465, False, True)}
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
    parts = urlsplit(url)
    if parts.scheme not in MAIL_SCHEMES or not parts.hostname:
        # the address itself is not repeated: it may hold a password
        raise ImproperlyConfigured(
            "MAIL_SERVER_URL: write smtp://host:25, smtp+starttls://user:password@host:587 or "
            "smtps://user:password@host:465"
        )
    port, uses_starttls, uses_tls = MAIL_SCHEMES[parts.scheme]
    return MailServer(
        host=parts.hostname,
        port=_port_of(url) or port,
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
        uses_starttls=uses_starttls,
        uses_tls=uses_tls,
        sender=sender,
    )


def _port_of(url: str) -> int | None:
    try:
        return urlsplit(url).port
    except ValueError as problem:
        raise ImproperlyConfigured("MAIL_SERVER_URL: the port is not a number up to 65535") from problem


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
