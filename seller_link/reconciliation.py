"""The seller's record against ours: who has which message, with which body, in which order per job.

The one comparison: `manage.py reconcile`, the board's page and the rehearsals all call `differences`.
The record is JSON lines (docs/operating.md, Reconciliation).
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _

from seller_link.models import InboundMessage, InboundOutcome, OutboundMessage, OutboundState
from seller_link.wire.v1.contract import parse_instant

CHUNK = 1000


class UnreadableRecord(Exception):
    """The seller's record is not as documented; the words name the line and what is wrong."""


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
    """Both sides' books, both directions; `unsent` are ours without an acknowledgement here."""

    we_sent: list[Message] = field(default_factory=list)
    seller_heard: list[Message] = field(default_factory=list)
    seller_sent: list[Message] = field(default_factory=list)
    we_heard: list[Message] = field(default_factory=list)
    unsent: list[Message] = field(default_factory=list)

    @property
    def compared(self) -> int:
        return len(self.we_sent) + len(self.we_heard)


@dataclass(frozen=True)
class Noted:
    """A line of the seller's record: one message that had an effect there, or that we acknowledged."""

    at: datetime
    arrived: bool
    message: Message


def differences(books: Books) -> list[str]:
    """A sentence for each thing on which the two sides do not agree; none when they agree wholly."""
    unsent = {message.message_id for message in books.unsent}
    heard = [message for message in books.seller_heard if message.message_id not in unsent]
    here, there = _("here"), _("at the seller")
    return [
        *(
            _("%(job)s: %(message)s was never acknowledged here") % {"job": message.job, "message": message}
            for message in books.unsent
        ),
        *_compare(books.we_sent, heard, here=here, there=there),
        *_compare(books.we_heard, _once(books.seller_sent), here=here, there=there),
    ]


def _once(messages: Iterable[Message]) -> list[Message]:
    """A message of the seller's that was said again, and answered each time, counts once, at its first place."""
    first: dict[str, Message] = {}
    for message in messages:
        first.setdefault(message.message_id, message)
    return list(first.values())


def _compare(ours: list[Message], theirs: list[Message], *, here: str, there: str) -> Iterator[str]:
    our_jobs, their_jobs = _by_job(ours), _by_job(theirs)
    for job in dict.fromkeys([*our_jobs, *their_jobs]):
        mine, other = our_jobs.get(job, []), their_jobs.get(job, [])
        for sentence in (
            *_missing(mine, other, there),
            *_missing(other, mine, here),
            *_twice(mine, here),
            *_twice(other, there),
            *_bodies(mine, other),
            *_orders(mine, other),
        ):
            yield f"{job or _('no job')}: {sentence}"


def _by_job(messages: Iterable[Message]) -> dict[str, list[Message]]:
    jobs: dict[str, list[Message]] = {}
    for message in messages:
        jobs.setdefault(message.job, []).append(message)
    return jobs


def _missing(those: Sequence[Message], among: Sequence[Message], where: str) -> Iterator[str]:
    known = {message.message_id for message in among}
    for message in _once(those):
        if message.message_id not in known:
            yield _("%(message)s is missing %(where)s") % {"message": message, "where": where}


def _twice(messages: Sequence[Message], where: str) -> Iterator[str]:
    times = Counter(message.message_id for message in messages)
    for message in _once(messages):
        if times[message.message_id] > 1:
            said = {"message": message, "number": times[message.message_id], "where": where}
            yield _("%(message)s had its effect %(number)s times %(where)s") % said


def _bodies(mine: Sequence[Message], other: Sequence[Message]) -> Iterator[str]:
    theirs = {message.message_id: message for message in other}
    for message in _once(mine):
        known = theirs.get(message.message_id)
        if known and (known.operation, known.body) != (message.operation, message.body):
            yield _("%(message)s has another body on each side") % {"message": message}


def _orders(mine: Sequence[Message], other: Sequence[Message]) -> Iterator[str]:
    """Of the messages that both have; the first place where they part is told."""
    shared = {message.message_id for message in mine} & {message.message_id for message in other}
    pairs = zip(_shared(mine, shared), _shared(other, shared), strict=True)
    for place, (one, two) in enumerate(pairs, start=1):
        if one.message_id != two.message_id:
            said = {"place": place, "ours": one, "theirs": two}
            yield _("another order from place %(place)s: here %(ours)s, at the seller %(theirs)s") % said
            return


def _shared(messages: Sequence[Message], ids: set[str]) -> list[Message]:
    return [message for message in _once(messages) if message.message_id in ids]


def read_record(lines: Iterable[str]) -> list[Noted]:
    """The record's lines that count: answered with success, and for the first time. Raises UnreadableRecord."""
    noted = []
    for number, text in enumerate(lines, start=1):
        if not text.strip():
            continue
        try:
            line = _read_line(json.loads(text))
        except (ValueError, KeyError, TypeError, AttributeError) as problem:
            raise UnreadableRecord(
                _("line %(number)s of the record is not as documented: %(problem)s")
                % {"number": number, "problem": problem}
            ) from problem
        if line:
            noted.append(line)
    return noted


def _read_line(line: dict[str, Any]) -> Noted | None:
    status = line["answer"]["status"]
    if status is None or status >= 300 or line.get("duplicate_of") is not None:
        return None
    message = Message(line["sellerJobId"] or "", line["messageId"], line["operation"], line["body"])
    return Noted(parse_instant(line["at"]), {"in": True, "out": False}[line["direction"]], message)


def books_between(noted: Sequence[Noted], *, from_at: datetime, to_at: datetime) -> Books:
    """Both books of a time. What only one clock puts into it is looked up on the other side outside it too."""
    inside = {line.message.message_id for line in noted if from_at <= line.at <= to_at}
    sent = _sent(inside, from_at, to_at)
    heard = _heard(inside, from_at, to_at)
    known = inside | {str(row.message_id) for row in sent} | {str(row.message_id) for row in heard}
    theirs = [line for line in noted if line.message.message_id in known]
    return Books(
        we_sent=[_ours(row) for row in sent if row.state == OutboundState.SENT],
        seller_heard=[line.message for line in theirs if line.arrived],
        seller_sent=[line.message for line in theirs if not line.arrived],
        we_heard=[_said(row) for row in heard],
        unsent=[_ours(row) for row in sent if row.state != OutboundState.SENT],
    )


def _sent(ids: set[str], from_at: datetime, to_at: datetime) -> list[OutboundMessage]:
    rows = OutboundMessage.objects.select_related("job")
    found = {row.pk: row for row in rows.filter(sent_at__gte=from_at, sent_at__lte=to_at)}
    for chunk in _chunks(ids):
        found |= {row.pk: row for row in rows.filter(message_id__in=chunk)}
    return sorted(found.values(), key=lambda row: (row.job_id, row.seq))


def _heard(ids: set[str], from_at: datetime, to_at: datetime) -> list[InboundMessage]:
    rows = InboundMessage.objects.select_related("job").filter(outcome=InboundOutcome.ACCEPTED)
    found = {row.pk: row for row in rows.filter(received_at__gte=from_at, received_at__lte=to_at)}
    for chunk in _chunks(ids):
        found |= {row.pk: row for row in rows.filter(message_id__in=chunk)}
    return sorted(found.values(), key=lambda row: (row.received_at, row.pk))


def _chunks(ids: set[str]) -> Iterator[list[UUID]]:
    """As many at a time as any database takes in one statement; what is no UUID we never had."""
    whole = sorted(filter(None, map(_uuid, ids)))
    return (whole[start : start + CHUNK] for start in range(0, len(whole), CHUNK))


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def _ours(row: OutboundMessage) -> Message:
    return Message(row.job.seller_job_id, str(row.message_id), row.operation, row.body)


def _said(row: InboundMessage) -> Message:
    job = row.job.seller_job_id if row.job else ""
    return Message(job, str(row.message_id), row.operation, json.loads(row.body))
