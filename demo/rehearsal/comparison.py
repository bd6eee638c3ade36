"""Both books of a rehearsal, opened for the one comparison (seller_link.reconciliation)."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from demo.rehearsal.sandbox_client import Passage
from seller_link.reconciliation import Message, MessageSets, differences

__all__ = ["MessageSets", "differences", "open_books"]


def open_books(*, passages: Sequence[Passage], log: Iterable[dict[str, Any]]) -> MessageSets:
    """`log` is what `manage.py message_log` prints, line by line."""
    lines = list(log)
    ours = [line for line in lines if line["said_by"] == "us"]
    accepted = [line for line in lines if line["said_by"] == "seller" and line["state"] == "accepted"]
    counting = [passage for passage in passages if passage.counts]
    return MessageSets(
        we_sent=[_ours(line) for line in ours if line["state"] == "sent"],
        seller_heard=[_theirs(passage) for passage in counting if passage.arrived],
        seller_sent=[_theirs(passage) for passage in counting if not passage.arrived],
        we_heard=[_ours(line) for line in accepted],
        unsent=[_ours(line) for line in ours if line["state"] != "sent"],
    )


def _ours(line: dict[str, Any]) -> Message:
    body = line["body"]
    parsed = json.loads(body) if isinstance(body, str) else body
    return Message.of(line["seller_job"], line["message_id"], line["operation"], parsed)


def _theirs(passage: Passage) -> Message:
    return Message.of(passage.job, passage.message_id, passage.operation, passage.body)
