"""What is kept of an entry of a phone's queue: the members that its kind has, each of a bounded length.

An engineer's phone may send as many as it likes, and a late one stays in the job's history.
"""

import json
from typing import Any

from engineers import location_history
from phone.action_handlers import HANDLERS

# the largest honest one closes a job: remarks of 2,000 characters and 200 codes
MAX_ENTRY_BYTES = 32 * 1024
MAX_CHARACTERS = 2000
ENVELOPE = ("message_id", "kind", "job", "occurred_at")


def is_too_large(entry: Any) -> bool:
    return len(json.dumps(entry, ensure_ascii=False).encode()) > MAX_ENTRY_BYTES


def stored_entry(entry: dict[str, Any], *, kind: str) -> dict[str, Any]:
    """`entry` has been checked by MessageSerializer."""
    body = _bounded_body(entry.get("body") or {}, kind=kind)
    stored: dict[str, Any] = location_history.coarse_entry(
        {**{name: entry[name] for name in ENVELOPE}, "body": body}
    )
    return stored


def _bounded_body(body: dict[str, Any], *, kind: str) -> dict[str, Any]:
    """A kind that nobody knows has no members."""
    known = HANDLERS[kind].shape._declared_fields if kind in HANDLERS else {}
    return {name: _bounded(value) for name, value in body.items() if name in known}


def _bounded(value: Any) -> Any:
    """A text is cut; a list or an object that is too long has nothing that our phones send, and is left out."""
    if isinstance(value, str):
        return value[:MAX_CHARACTERS]
    return value if len(json.dumps(value)) <= MAX_CHARACTERS else None
