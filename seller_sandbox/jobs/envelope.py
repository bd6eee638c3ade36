"""From bytes to a JSON object: what is refused before a message is looked at (job-messages.md, 405 to 400)."""

import json
import math
from hashlib import sha256
from typing import Any, NoReturn

from seller_sandbox.endpoints.exchange import Answer, Request, refuse

MAX_DEPTH = 32


class UnreadableBody(Exception):
    """The body is not what the profile calls a message; the text says why."""


def refusal_before_reading(request: Request) -> Answer | None:
    """Method, media type and size, in this order."""
    if request.method != "POST":
        return refuse(405, "methodNotAllowed", "Use POST")
    if not is_json(request.content_type):
        return refuse(415, "unsupportedMediaType", "Send application/json in UTF-8")
    if request.body is None:
        return refuse(413, "tooLarge", "A message may have 1 MiB at most")
    return None


def is_json(content_type: str) -> bool:
    media_type, *parameters = (part.strip().lower() for part in content_type.split(";"))
    charsets = [parameter for parameter in parameters if parameter.startswith("charset=")]
    return media_type == "application/json" and all(
        charset.removeprefix("charset=").strip('"') in {"utf-8", "utf8"} for charset in charsets
    )


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
    _check_texts(body, depth=1)
    return body


def canonical_digest(operation: str, body: dict[str, Any]) -> str:
    """Equal for the same message sent again, whatever the order of its members."""
    canonical = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return sha256(f"{operation} {canonical}".encode()).hexdigest()


def _check_texts(value: Any, *, depth: int) -> None:
    if isinstance(value, str):
        _check_text(value)
        return
    if isinstance(value, dict | list):
        if depth > MAX_DEPTH:
            raise UnreadableBody(f"The body is nested deeper than {MAX_DEPTH}")
        # member names are texts too
        parts = [*value.keys(), *value.values()] if isinstance(value, dict) else value
        for part in parts:
            _check_texts(part, depth=depth + 1)


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
