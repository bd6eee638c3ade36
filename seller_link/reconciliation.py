"""The seller's record against ours: who has which message, with which body, in which order per job.

The one comparison: `manage.py reconcile`, the board's page and the rehearsals all call `list_differences`.
The record is JSON lines (docs/operating.md, Reconciliation).
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

from django.db.models import Model, Q, QuerySet
from django.utils.translation import gettext as _

from engineers.input_values import is_usual, parse_json
from seller_link.models import InboundMessage, InboundOutcome, OutboundMessage, OutboundState
from seller_link.wire.v1.contract import parse_instant
from seller_link.wire.v1.incoming import fingerprint

CHUNK = 1000
Row = TypeVar("Row", bound=Model)


class UnreadableRecord(Exception):
    """The seller's record is not as documented; the message names the line and what is wrong."""


@dataclass(frozen=True)
class RecordedMessage:
    """What one side has in its book about one message. Of the body its fingerprint: a span may hold many bodies; empty
    when the body was masked by its retention (seller_link.retention), and then it is not compared."""

    job: str
    message_id: str
    operation: str
    body_sha256: str

    @classmethod
    def of(cls, job: str, message_id: str, operation: str, body: Any) -> "RecordedMessage":
        return cls(job, message_id, operation, fingerprint(_plain(body)))

    def __str__(self) -> str:
        return f"{self.operation} {self.message_id}"


def _plain(value: Any) -> Any:
    """`8.0` and `8` are one number: some writers of JSON know no difference."""
    if isinstance(value, dict):
        return {name: _plain(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_plain(member) for member in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


@dataclass(frozen=True)
class MessageSets:
    """Both sides' books; `unsent`: ours that the seller has and we don't know it, `undelivered`: that it lacks."""

    we_sent: list[RecordedMessage] = field(default_factory=list)
    seller_received: list[RecordedMessage] = field(default_factory=list)
    seller_sent: list[RecordedMessage] = field(default_factory=list)
    we_received: list[RecordedMessage] = field(default_factory=list)
    unsent: list[RecordedMessage] = field(default_factory=list)
    undelivered: list[tuple[RecordedMessage, OutboundState]] = field(default_factory=list)

    @property
    def compared(self) -> int:
        return len(self.we_sent) + len(self.we_received)


@dataclass(frozen=True)
class SellerRecordLine:
    """A line of the seller's record: one message that had an effect there, or that we acknowledged."""

    at: datetime
    arrived: bool
    message: RecordedMessage


def list_differences(books: MessageSets) -> list[str]:
    """A sentence for each thing on which the two sides do not agree; none when they agree wholly."""
    unsent = {message.message_id for message in books.unsent}
    received = [message for message in books.seller_received if message.message_id not in unsent]
    here, there = _("here"), _("at the seller")
    return [
        *(
            _("%(job)s: %(message)s was not acknowledged by us") % {"job": message.job, "message": message}
            for message in books.unsent
        ),
        *(f"{message.job}: {_undelivered(message, state)}" for message, state in books.undelivered),
        *_compare(books.we_sent, received, here=here, there=there),
        *_compare(books.we_received, _once(books.seller_sent), here=here, there=there),
    ]


def _undelivered(message: RecordedMessage, state: OutboundState) -> str:
    sentences = {
        OutboundState.HELD: _("%(message)s is held: the seller rejected it"),
        OutboundState.STOPPED: _("%(message)s is not at the seller: sending was stopped here"),
    }
    return sentences.get(state, _("%(message)s is not delivered yet")) % {"message": message}


def _once(messages: Iterable[RecordedMessage]) -> list[RecordedMessage]:
    """A message of the seller's that was sent again, and answered each time, counts once, at its first position."""
    first: dict[str, RecordedMessage] = {}
    for message in messages:
        first.setdefault(message.message_id, message)
    return list(first.values())


def _compare(
    ours: list[RecordedMessage], theirs: list[RecordedMessage], *, here: str, there: str
) -> Iterator[str]:
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


def _by_job(messages: Iterable[RecordedMessage]) -> dict[str, list[RecordedMessage]]:
    jobs: dict[str, list[RecordedMessage]] = {}
    for message in messages:
        jobs.setdefault(message.job, []).append(message)
    return jobs


def _missing(those: Sequence[RecordedMessage], among: Sequence[RecordedMessage], where: str) -> Iterator[str]:
    known = {message.message_id for message in among}
    for message in _once(those):
        if message.message_id not in known:
            yield _("%(message)s is missing %(where)s") % {"message": message, "where": where}


def _twice(messages: Sequence[RecordedMessage], where: str) -> Iterator[str]:
    times = Counter(message.message_id for message in messages)
    for message in _once(messages):
        if times[message.message_id] > 1:
            parameters = {"message": message, "number": times[message.message_id], "where": where}
            yield _("%(message)s was applied %(number)s times %(where)s") % parameters


def _bodies(mine: Sequence[RecordedMessage], other: Sequence[RecordedMessage]) -> Iterator[str]:
    theirs = {message.message_id: message for message in other}
    for message in _once(mine):
        known = theirs.get(message.message_id)
        if not known or not (known.body_sha256 and message.body_sha256):
            continue
        if (known.operation, known.body_sha256) != (message.operation, message.body_sha256):
            yield _("%(message)s differs in content") % {"message": message}


def _orders(mine: Sequence[RecordedMessage], other: Sequence[RecordedMessage]) -> Iterator[str]:
    """Of the messages that both have; the first difference is reported."""
    shared = {message.message_id for message in mine} & {message.message_id for message in other}
    pairs = zip(_shared(mine, shared), _shared(other, shared), strict=True)
    for position, (ours, theirs) in enumerate(pairs, start=1):
        if ours.message_id != theirs.message_id:
            parameters = {"place": position, "ours": ours, "theirs": theirs}
            yield (
                _("the order differs from position %(place)s: here %(ours)s, at the seller %(theirs)s")
                % parameters
            )
            return


def _shared(messages: Sequence[RecordedMessage], ids: set[str]) -> list[RecordedMessage]:
    return [message for message in _once(messages) if message.message_id in ids]


def read_record(lines: Iterable[str]) -> list[SellerRecordLine]:
    """The record's lines that count: answered with success, and for the first time. Raises UnreadableRecord."""
    noted = []
    for number, text in enumerate(lines, start=1):
        if not text.strip():
            continue
        try:
            line = _read_line(parse_json(text))
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as problem:
            raise UnreadableRecord(
                _("line %(number)s of the log is not in the documented format: %(problem)s")
                % {"number": number, "problem": _showable(problem)}
            ) from problem
        if line:
            noted.append(line)
    return noted


def _read_line(line: dict[str, Any]) -> SellerRecordLine | None:
    status = line["answer"]["status"]
    if status is None or status >= 300 or line.get("duplicate_of") is not None:
        return None
    job, message_id, operation = (_text(line, name) for name in ("sellerJobId", "messageId", "operation"))
    # a UUID in capitals is the same one (contract.is_uuid)
    message = RecordedMessage.of(job, message_id.lower(), operation, line["body"])
    at = parse_instant(line["at"])
    if not is_usual(at):
        raise ValueError(line["at"])
    return SellerRecordLine(at, {"in": True, "out": False}[line["direction"]], message)


def _showable(problem: Exception) -> str:
    return str(problem).encode("utf-8", "backslashreplace").decode()


def _text(line: dict[str, Any], name: str) -> str:
    value = line[name] or ""
    if not isinstance(value, str) or any("\ud800" <= sign <= "\udfff" for sign in value):
        raise ValueError(_("%(member)s contains text that can't be displayed") % {"member": name})
    return value


def messages_between(noted: Sequence[SellerRecordLine], *, from_at: datetime, to_at: datetime) -> MessageSets:
    """Both books of a time. What only one clock puts into it is looked up on the other side outside it too."""
    inside = {line.message.message_id for line in noted if from_at <= line.at <= to_at}
    sent = _sent(inside, from_at, to_at)
    received = _received(inside, from_at, to_at)
    known = inside | {message.message.message_id for message in sent}
    known |= {message.message_id for message in received}
    theirs = [line for line in noted if line.message.message_id in known]
    arrived = {line.message.message_id for line in theirs if line.arrived}
    unsent = [each for each in sent if each.state != OutboundState.SENT]
    return MessageSets(
        we_sent=[message.message for message in sent if message.state == OutboundState.SENT],
        seller_received=[line.message for line in theirs if line.arrived],
        seller_sent=[line.message for line in theirs if not line.arrived],
        we_received=received,
        unsent=[each.message for each in unsent if each.message.message_id in arrived],
        undelivered=[(each.message, each.state) for each in unsent if each.message.message_id not in arrived],
    )


@dataclass(frozen=True)
class SentMessage:
    """One of ours, in the order in which its job's messages go."""

    order: tuple[int, int]
    state: OutboundState
    message: RecordedMessage


def _sent(ids: set[str], from_at: datetime, to_at: datetime) -> list[SentMessage]:
    rows = OutboundMessage.objects.select_related("job").order_by()
    found: dict[int, SentMessage] = {}
    acknowledged = Q(sent_at__gte=from_at, sent_at__lte=to_at)
    never = Q(sent_at=None, created_at__gte=from_at, created_at__lte=to_at) & ~Q(state=OutboundState.SENT)
    for part in _parts(rows, ids, acknowledged, never):
        found |= {row.pk: _ours(row) for row in part.iterator(chunk_size=CHUNK)}
    return sorted(found.values(), key=lambda message: message.order)


def _received(ids: set[str], from_at: datetime, to_at: datetime) -> list[RecordedMessage]:
    rows = InboundMessage.objects.select_related("job").filter(outcome=InboundOutcome.ACCEPTED).order_by()
    found: dict[tuple[datetime, int], RecordedMessage] = {}
    for part in _parts(rows, ids, Q(received_at__gte=from_at, received_at__lte=to_at)):
        found |= {(row.received_at, row.pk): _as_recorded(row) for row in part.iterator(chunk_size=CHUNK)}
    return [found[key] for key in sorted(found)]


def _parts(rows: QuerySet[Row], ids: set[str], *inside: Q) -> Iterator[QuerySet[Row]]:
    """By time, each by its index, then by the ids that only the other side's clock puts into it."""
    for span in inside:
        yield rows.filter(span)
    for chunk in _chunks(ids):
        yield rows.filter(message_id__in=chunk)


def _chunks(ids: set[str]) -> Iterator[list[UUID]]:
    """As many at a time as any database takes in one statement; what is no UUID we never had."""
    whole = sorted(filter(None, map(_uuid, ids)))
    return (whole[start : start + CHUNK] for start in range(0, len(whole), CHUNK))


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def _ours(row: OutboundMessage) -> SentMessage:
    named = (row.job.seller_job_id, str(row.message_id), row.operation)
    message = RecordedMessage(*named, "") if row.purged_at else RecordedMessage.of(*named, row.body)
    return SentMessage((row.job_id, row.seq), OutboundState(row.state), message)


def _as_recorded(row: InboundMessage) -> RecordedMessage:
    named = (row.job.seller_job_id if row.job else "", str(row.message_id), row.operation)
    return RecordedMessage(*named, "") if row.purged_at else RecordedMessage.of(*named, json.loads(row.body))
