"""The seller's record against ours, message by message: id, operation, order within the job, and body."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from config.rehearsal.seller import Passage


@dataclass(frozen=True)
class Message:
    """What one side has in its book about one message."""

    job: str
    message_id: str
    operation: str
    body: Any

    def __str__(self) -> str:
        return f"{self.operation} {self.message_id}"


@dataclass(frozen=True)
class Books:
    """Both sides' books, both directions; `unsent` are ours that did not arrive."""

    we_sent: list[Message]
    seller_heard: list[Message]
    seller_sent: list[Message]
    we_heard: list[Message]
    unsent: list[Message]


def open_books(*, passages: Sequence[Passage], log: Iterable[dict[str, Any]]) -> Books:
    """`log` is what `manage.py message_log` prints, line by line."""
    lines = list(log)
    ours = [line for line in lines if line["said_by"] == "us"]
    accepted = [line for line in lines if line["said_by"] == "seller" and line["state"] == "accepted"]
    counting = [passage for passage in passages if passage.counts]
    return Books(
        we_sent=[_ours(line) for line in ours if line["state"] == "sent"],
        seller_heard=[_theirs(passage) for passage in counting if passage.arrived],
        seller_sent=_once([_theirs(passage) for passage in counting if not passage.arrived]),
        we_heard=[_ours(line) for line in accepted],
        unsent=[_ours(line) for line in ours if line["state"] != "sent"],
    )


def differences(books: Books) -> list[str]:
    """A sentence for each message on which the two sides do not agree; none when they agree wholly."""
    return [
        *(f"{message.job}: {message} was never delivered" for message in books.unsent),
        *_compare(books.we_sent, books.seller_heard, left="we sent", right="the seller heard"),
        *_compare(books.seller_sent, books.we_heard, left="the seller sent", right="we heard"),
    ]


def _ours(line: dict[str, Any]) -> Message:
    body = line["body"]
    parsed = json.loads(body) if isinstance(body, str) else body
    return Message(line["seller_job"], line["message_id"], line["operation"], parsed)


def _theirs(passage: Passage) -> Message:
    return Message(passage.job, passage.message_id, passage.operation, passage.body)


def _once(messages: Iterable[Message]) -> list[Message]:
    """A message that was answered with success twice (said again) counts once, at its first place."""
    return list({message.message_id: message for message in reversed(list(messages))}.values())[::-1]


def _compare(lefts: list[Message], rights: list[Message], *, left: str, right: str) -> list[str]:
    jobs = dict.fromkeys(message.job for message in [*lefts, *rights])
    return [
        sentence
        for job in jobs
        for place, (one, other) in enumerate(zip_longest(_of(lefts, job), _of(rights, job)), start=1)
        if (sentence := _difference(one, other, f"{job}, message {place}", left, right))
    ]


def _of(messages: list[Message], job: str) -> list[Message]:
    return [message for message in messages if message.job == job]


def _difference(one: Message | None, other: Message | None, where: str, left: str, right: str) -> str:
    if one is None or other is None:
        return f"{where}: {left} {one or 'nothing'}, {right} {other or 'nothing'}"
    if (one.message_id, one.operation) != (other.message_id, other.operation):
        return f"{where}: {left} {one}, {right} {other}"
    return "" if one.body == other.body else f"{where}: {one} has another body on each side"
