"""JSON from outside: whatever cannot be read ends in a ValueError, and what was read can be written again."""

import json
from collections.abc import Callable
from typing import Any


def parse_json(raw: str | bytes, *, parse_int: Callable[[str], Any] = int) -> Any:
    """The value; ValueError also for nesting that Python does not follow and for numbers of thousands of digits."""
    try:
        return json.loads(raw, parse_int=parse_int)
    except RecursionError as problem:
        raise ValueError("nested too deeply") from problem


def write_json(value: Any, *, indent: int | None = None) -> str:
    """For people and databases: half a character, which UTF-8 does not know, stays the escape that it was."""
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    return text.encode("utf-8", "backslashreplace").decode()
