"""From bytes to a JSON object: what is refused before a message is looked at (job-messages.md, 400)."""

import json
import math
from hashlib import sha256
from typing import Any, NoReturn

MAX_DEPTH = 32


class UnreadableBody(Exception):
    """The body is not what the profile calls a message; the text says why."""


def read_object(content: bytes) -> dict[str, Any]:
    """The JSON object in the body; UnreadableBody for the cases of 400 `invalidBody`."""
    try:
        body = json.loads(content.decode(), parse_constant=_refuse_constant, parse_float=_finite)
    except UnicodeDecodeError as problem:
        raise UnreadableBody("The body is not UTF-8") from problem
    except RecursionError as problem:
        raise UnreadableBody(f"The body is nested deeper than {MAX_DEPTH}") from problem
    except ValueError as problem:
        raise UnreadableBody("The body is not JSON") from problem
    if not isinstance(body, dict):
        raise UnreadableBody("The body is not a JSON object")
    if is_too_deep(body):
        raise UnreadableBody(f"The body is nested deeper than {MAX_DEPTH}")
    _check_texts(body)
    return body


def canonical_digest(operation: str, body: dict[str, Any]) -> str:
    """Equal for the same message sent again, whatever the order of its members."""
    canonical = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return sha256(f"{operation} {canonical}".encode()).hexdigest()


def is_too_deep(value: Any, *, levels: int = MAX_DEPTH) -> bool:
    """Whether objects and lists lie in each other more than `levels` deep."""
    if not isinstance(value, dict | list):
        return False
    parts = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(is_too_deep(part, levels=levels - 1) for part in parts)


def _check_texts(value: Any) -> None:
    if isinstance(value, str):
        _check_text(value)
    elif isinstance(value, dict | list):
        # member names are texts too
        for part in [*value.keys(), *value.values()] if isinstance(value, dict) else value:
            _check_texts(part)


def _check_text(text: str) -> None:
    if "\0" in text:
        raise UnreadableBody("A text holds a NUL character")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise UnreadableBody("A text holds half a surrogate pair")


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is beyond every number we can keep")
    return number
