"""One SMS through a gateway: a POST of its fields with number and text."""

import json
from collections.abc import Mapping
from typing import Any, Protocol
from urllib.parse import urlencode

from monitoring.coded_texts import coded_text
from monitoring.signed_post import AnswerLost, NotPosted, post

GATEWAY_SECONDS = 8
REDIRECT, GATEWAY_TIMEOUT = 300, 504


class Gateway(Protocol):
    """As config.message_channels.SmsGateway has it."""

    @property
    def url(self) -> str: ...
    @property
    def fields(self) -> dict[str, Any]: ...
    @property
    def is_form(self) -> bool: ...
    @property
    def authorization(self) -> str: ...


def send_sms(gateway: Gateway, *, number: str, text: str, message_id: str) -> None:
    """Raises NotPosted. A gateway that knows `Idempotency-Key` sends the same message id once."""
    fields = _fill(gateway.fields, {"{number}": number, "{text}": text})
    body = (urlencode(fields) if gateway.is_form else json.dumps(fields)).encode()
    kind = "application/x-www-form-urlencoded" if gateway.is_form else "application/json"
    headers = {"Content-Type": kind, "Idempotency-Key": message_id}
    if gateway.authorization:
        headers["Authorization"] = gateway.authorization
    # the operator's own setting, which may lead to a machine of ours
    result = post(gateway.url, body, headers, seconds=GATEWAY_SECONDS, is_private_allowed=True)
    if result.status >= REDIRECT:
        # a proxy before the gateway has passed it on, and nobody knows what became of it
        problem = AnswerLost if result.status == GATEWAY_TIMEOUT else NotPosted
        raise problem(coded_text("http_status", status=result.status), status=result.status)


def _fill(template: Any, values: Mapping[str, str]) -> Any:
    """The template with its placeholders replaced in every text, however deep."""
    if isinstance(template, dict):
        return {name: _fill(value, values) for name, value in template.items()}
    if isinstance(template, list):
        return [_fill(value, values) for value in template]
    if not isinstance(template, str):
        return template
    # in one pass: a text that contains {number} stays as it is
    pieces = template.split("{number}")
    return values["{number}"].join(piece.replace("{text}", values["{text}"]) for piece in pieces)
