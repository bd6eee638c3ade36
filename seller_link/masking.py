"""Messages without what is personal in them, for those who look at the link and not at the customer."""

import json
from typing import Any

from seller_link.wire.v1.pii_fields import PERSONAL

HIDDEN = "•••"


def masked(body: Any) -> Any:
    """The same body with every personal value hidden. A text that is not JSON may hold anything: hidden whole."""
    if isinstance(body, str):
        return _masked_text(body)
    return _masked(body)


def _masked_text(text: str) -> Any:
    try:
        return _masked(json.loads(text)) if text else ""
    except (ValueError, RecursionError):
        return HIDDEN


def _masked(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: HIDDEN if name in PERSONAL else _masked(part) for name, part in value.items()}
    return [_masked(part) for part in value] if isinstance(value, list) else value
