"""Store what was said, do it once, keep the answer: one transaction, and the answer leaves after its commit."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

import structlog
from django.db import DatabaseError, InterfaceError, OperationalError, connection, transaction
from django.db.models import F, Q
from django.utils import timezone

from dispatch import fast_insert
from dispatch.models import Job
from monitoring.alarm_texts import alarm_text
from monitoring.alarms import AlarmKind, raise_alarm
from monitoring.safe_traceback import code_locations
from seller_link.caller_authorization import Peer
from seller_link.inbound_handlers import HANDLERS, Deed
from seller_link.models import InboundMessage, InboundOutcome
from seller_link.wire import faults, incoming, stored_text
from seller_link.wire.v1.faults import Refusal

log = structlog.get_logger("seller_link.inbox")


class AlreadyReceived(Exception):
    """This message id is stored; nothing has changed."""


@dataclass(frozen=True)
class InboundResponse:
    status: int
    body: dict[str, Any]
    headers: tuple[tuple[str, str], ...] = ()


def _accept_always() -> bool:
    return True


@dataclass(frozen=True)
class InboundRequest:
    """What came, from whom, when.

    `may_commit` is asked last of all: False undoes everything, and the answer is 503 tryAgain.
    """

    operation: str
    raw: bytes
    peer: Peer
    may_commit: Callable[[], bool] = _accept_always
    received_at: datetime = field(default_factory=timezone.now)


@dataclass(frozen=True)
class ParsedRequest:
    """A letter whose words are understood: what is kept of it, and what it makes us do."""

    letter: InboundRequest
    # without the nulls; the row keeps them
    body: dict[str, Any]
    row: dict[str, Any]
    deed: Deed


def receive(letters: Sequence[InboundRequest]) -> list[InboundResponse]:
    """The answer to each message, in their order (job-messages.md). Said again, a message gets the stored answer and
    has no second effect. Several share one commit where they can; none spoils another. Raises OperationalError or
    InterfaceError when nothing could be stored.
    """
    read = [_read(letter) for letter in letters]
    done = iter(_process([one for one in read if isinstance(one, ParsedRequest)]))
    return [
        _build_response(one, next(done)) if isinstance(one, ParsedRequest) else _refused(letter, one)
        for letter, one in zip(letters, read, strict=True)
    ]


def _read(letter: InboundRequest) -> ParsedRequest | Refusal:
    try:
        written = incoming.parse(letter.raw)
        # most messages have none, and walking through each costs a part of every createJob
        body = incoming.without_nulls(written) if b"null" in letter.raw else written
        incoming.check(letter.operation, body)
    except Refusal as refusal:
        return refusal
    return ParsedRequest(letter, body, _row(letter, written), HANDLERS[letter.operation](body))


def _row(letter: InboundRequest, body: dict[str, Any]) -> dict[str, Any]:
    """What is kept of a message, as far as it is known before its effect."""
    return {
        "message_id": incoming.envelope(body).message_id,
        "raw_message_id": body["messageId"],
        "operation": letter.operation,
        "body": incoming.format_body(body),
        "body_sha256": incoming.fingerprint([letter.operation, body]),
        "peer_subject": letter.peer.subject,
        "peer_address": letter.peer.address,
        "received_at": letter.received_at,
        "outcome": InboundOutcome.ACCEPTED,
    }


Outcome = InboundResponse | Exception


def may_share_a_commit(letter: InboundRequest) -> bool:
    """With one writer all may. With several, only new jobs: they wait for nobody but a twin, and `_in_order` sees to it
    that two transactions never wait for each other."""
    return connection.vendor == "sqlite" or letter.operation == "createJob"


def _process(readings: list[ParsedRequest]) -> list[Outcome]:
    shared = _process_batch([reading for reading in readings if may_share_a_commit(reading.letter)])
    return [shared.get(id(reading)) or _process_single(reading) for reading in readings]


def _process_batch(readings: list[ParsedRequest]) -> dict[int, Outcome]:
    """Outcomes by the reading's `id`; empty when each needs a transaction of its own, where a spoiler fails alone."""
    if len(readings) < 2:
        return {}
    ordered = _in_order(readings)
    for together in (_apply_all, _apply_each_in_savepoint):
        try:
            return dict(zip(map(id, ordered), together(ordered), strict=True))
        except (OperationalError, InterfaceError):
            raise
        except (AlreadyReceived, Refusal):
            # most often there is none of them, and a savepoint for each would cost a third of the work
            continue
        except Exception as problem:
            log.error("not stored together", error=type(problem).__name__, trace=code_locations(problem))
    return {}


def _in_order(readings: list[ParsedRequest]) -> list[ParsedRequest]:
    """As they came; where others write too, by the job, which is what they would wait for."""
    if connection.vendor == "sqlite":
        return readings
    return sorted(readings, key=lambda reading: str(reading.body["sellerJobId"]))


@transaction.atomic(durable=True)
def _apply_all(readings: list[ParsedRequest]) -> list[Outcome]:
    return [_apply(reading) for reading in readings]


@transaction.atomic(durable=True)
def _apply_each_in_savepoint(readings: list[ParsedRequest]) -> list[Outcome]:
    return [_apply_in_savepoint(reading) for reading in readings]


def _apply_in_savepoint(reading: ParsedRequest) -> Outcome:
    try:
        with transaction.atomic():
            return _apply(reading)
    except (AlreadyReceived, Refusal) as problem:
        return problem


def _process_single(reading: ParsedRequest) -> Outcome:
    try:
        with transaction.atomic(durable=True):
            return _apply(reading)
    except (OperationalError, InterfaceError):
        raise
    except Exception as problem:
        return problem


def _apply(reading: ParsedRequest) -> InboundResponse:
    """Effect, answer and message id in one transaction; the unique id comes last, and a twin waits for it there."""
    job = reading.deed()
    answer = InboundResponse(200, incoming.answer(reading.body, provider_job_id=job.provider_job_id))
    settled = {"answer_status": answer.status, "answer": answer.body, "job_id": job.pk}
    if fast_insert.insert(InboundMessage, reading.row | settled, unless_known="message_id") is None:
        raise AlreadyReceived(reading.body["messageId"])
    if not reading.letter.may_commit():
        raise faults.retry_later()
    return answer


def _build_response(reading: ParsedRequest, outcome: Outcome) -> InboundResponse:
    if isinstance(outcome, InboundResponse):
        return outcome
    if not isinstance(outcome, AlreadyReceived | Refusal):
        return _not_stored(reading.letter, outcome)
    try:
        # a refusal too: the second of two twins may see what the first one changed
        return _stored_response(reading.row["message_id"], reading.row["body_sha256"], outcome)
    except Refusal as refusal:
        return _refused(reading.letter, refusal)
    except Exception as problem:
        return _not_stored(reading.letter, problem)


def _not_stored(letter: InboundRequest, problem: Exception) -> InboundResponse:
    """Whatever it is, the seller keeps the message and sends it again."""
    # the places only: a message of the database's carries the row, and rows carry people
    log.error(
        "not stored", operation=letter.operation, error=type(problem).__name__, trace=code_locations(problem)
    )
    return _as_response(faults.retry_later())


def _refused(letter: InboundRequest, refusal: Refusal) -> InboundResponse:
    if refusal.status != faults.RETRY_STATUS:
        _record_refusal(letter, refusal)
    return _as_response(refusal)


def _as_response(refusal: Refusal) -> InboundResponse:
    return InboundResponse(refusal.status, refusal.body(), refusal.headers)


def _stored_response(message_id: UUID, fingerprint: str, outcome: Exception) -> InboundResponse:
    """Raises messageIdReused when the id belongs to another body, and the outcome itself when nobody has said it."""
    row = InboundMessage.objects.filter(message_id=message_id).first()
    if row is None:
        raise outcome
    if row.body_sha256 != fingerprint:
        _record_message(lambda: _raise_reuse_alarm(message_id))
        raise faults.message_id_reused()
    _record_message(lambda: _count_repeat(row))
    return InboundResponse(row.answer_status, row.answer)


def _record_message(write: Callable[[], None]) -> None:
    """Write beside an answer that stands already: a database that refuses it must not turn the answer."""
    try:
        with transaction.atomic():
            write()
    except DatabaseError as problem:
        log.error("not noted", error=type(problem).__name__)


def _count_repeat(row: InboundMessage) -> None:
    again = {"repeats": F("repeats") + 1, "repeated_at": timezone.now()}
    InboundMessage.objects.filter(pk=row.pk).update(**again)


def _raise_reuse_alarm(message_id: UUID) -> None:
    text = alarm_text("message_id_reused", id=str(message_id))
    raise_alarm(AlarmKind.MESSAGE_ID_REUSED, str(message_id), text)


def _record_refusal(letter: InboundRequest, refusal: Refusal) -> None:
    """Support sees what was refused; the id stays free for the corrected message."""
    log.warning(
        "message refused", operation=letter.operation, status=refusal.status, faultcode=refusal.faultcode
    )
    row = {
        "raw_message_id": stored_text.read_message_id(letter.raw),
        "operation": letter.operation,
        "body": stored_text.decode_stored_body(letter.raw),
        "body_sha256": "",
        "peer_subject": letter.peer.subject,
        "peer_address": letter.peer.address,
        "received_at": letter.received_at,
        "outcome": InboundOutcome.REFUSED,
        "answer_status": refusal.status,
        "answer": refusal.body(),
    }
    _record_message(lambda: InboundMessage(**row, job=_find_named_job(letter.raw)).save(force_insert=True))


def _find_named_job(raw: bytes) -> Job | None:
    """The job that a refused message names, so that its page shows the message; None unless it is one that we know."""
    provider_job_id, seller_job_id = stored_text.read_job_ids(raw)
    named = Q(provider_job_id=provider_job_id) | Q(seller_job_id=seller_job_id)
    found = list(Job.objects.filter(named)[:2]) if provider_job_id or seller_job_id else []
    return found[0] if len(found) == 1 else None
