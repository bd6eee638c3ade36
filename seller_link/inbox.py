"""Store each request, apply it once, keep the response: one transaction, and the response leaves after its commit."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

import structlog
from django.db import DatabaseError, InterfaceError, OperationalError, connection, transaction
from django.db.models import F, Q
from django.utils import timezone
from structlog.contextvars import bound_contextvars

from dispatch import fast_insert, job_events
from dispatch.models import Job
from monitoring.alarms import raise_alarm
from monitoring.coded_texts import coded_text
from monitoring.models import AlarmKind
from monitoring.uncaught_errors import code_locations
from seller_link.caller_authorization import Peer
from seller_link.inbound_handlers import OPERATIONS
from seller_link.models import InboundMessage, InboundOutcome
from seller_link.wire import incoming, refusals, stored_text
from seller_link.wire.v1.refusals import Refusal

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
    """What came, from whom, when. `context`, its id above all, stands on each of its log lines, in whichever thread.

    `may_commit` is asked last of all: False undoes everything, and the answer is 503 tryAgain.
    """

    operation: str
    raw: bytes
    peer: Peer
    context: Mapping[str, Any] = field(default_factory=dict)
    may_commit: Callable[[], bool] = _accept_always
    received_at: datetime = field(default_factory=timezone.now)


@dataclass(frozen=True)
class ParsedRequest:
    """A request that was understood: what is stored of it, and what its operation reads from it."""

    request: InboundRequest
    # without the nulls; the row keeps them
    body: dict[str, Any]
    row: dict[str, Any]
    envelope: incoming.Envelope
    content: Any


ResponseOrProblem = InboundResponse | Exception


def receive(requests: Sequence[InboundRequest]) -> list[InboundResponse]:
    """The response to each message, in order (job-messages.md). A repeated message gets the stored response and has no
    second effect. Messages are committed in batches; a failing message falls back to its own transaction. Raises
    OperationalError or InterfaceError when the connection is dead, or when a batch could not be stored at all.
    """
    read = [_read(request) for request in requests]
    done = iter(_process([parsed for parsed in read if isinstance(parsed, ParsedRequest)]))
    return [_respond(request, parsed, done) for request, parsed in zip(requests, read, strict=True)]


def _respond(
    request: InboundRequest, parsed: ParsedRequest | Refusal, done: Iterator[ResponseOrProblem]
) -> InboundResponse:
    with bound_contextvars(**request.context):
        if isinstance(parsed, ParsedRequest):
            return _build_response(parsed, next(done))
        return _refused(request, parsed)


def _read(request: InboundRequest) -> ParsedRequest | Refusal:
    try:
        written = incoming.parse(request.raw)
        # most messages have none, and walking through each costs a part of every createJob
        body = incoming.without_nulls(written) if b"null" in request.raw else written
        incoming.check(request.operation, body)
    except Refusal as refusal:
        return refusal
    envelope, content = incoming.envelope(body), OPERATIONS[request.operation].parse(body)
    return ParsedRequest(request, body, _row(request, written, body, envelope), envelope, content)


def _row(
    request: InboundRequest, body: dict[str, Any], read: dict[str, Any], envelope: incoming.Envelope
) -> dict[str, Any]:
    """What is kept of a message, as far as it is known before its effect. `read` is the body without its nulls: with
    them, or with its id in other letters, it is the same message."""
    understood = read | {"messageId": str(envelope.message_id)}
    return {
        "message_id": envelope.message_id,
        "raw_message_id": body["messageId"],
        "operation": request.operation,
        "body": incoming.format_body(body),
        "body_sha256": incoming.fingerprint([request.operation, understood]),
        "peer_subject": request.peer.subject,
        "peer_address": request.peer.address,
        "received_at": request.received_at,
        "outcome": InboundOutcome.ACCEPTED,
    }


def may_share_a_commit(request: InboundRequest) -> bool:
    """With one writer all may. With several, only new jobs: they wait for nobody but a twin, and `_in_order` sees to it
    that two transactions never wait for each other."""
    return connection.vendor == "sqlite" or request.operation == "createJob"


def _process(parsed_requests: list[ParsedRequest]) -> list[ResponseOrProblem]:
    shared = _process_batch([parsed for parsed in parsed_requests if may_share_a_commit(parsed.request)])
    return [shared.get(id(parsed)) or _process_single(parsed) for parsed in parsed_requests]


def _process_batch(parsed_requests: list[ParsedRequest]) -> dict[int, ResponseOrProblem]:
    """Outcomes by the id() of the parsed request; empty when each needs its own transaction, where a spoiler fails
    alone."""
    if len(parsed_requests) < 2:
        return {}
    ordered = _in_order(parsed_requests)
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


def _in_order(parsed_requests: list[ParsedRequest]) -> list[ParsedRequest]:
    """As they came; where others write too, by the job, which is what they would wait for."""
    if connection.vendor == "sqlite":
        return parsed_requests
    return sorted(parsed_requests, key=lambda parsed: str(parsed.body["sellerJobId"]))


def _lock_known_jobs(parsed_requests: list[ParsedRequest]) -> None:
    """A repeated createJob locks the job of the first one."""
    if connection.vendor != "sqlite":
        job_events.lock_known_jobs([str(parsed.body["sellerJobId"]) for parsed in parsed_requests])


@transaction.atomic(durable=True)
def _apply_all(parsed_requests: list[ParsedRequest]) -> list[ResponseOrProblem]:
    _lock_known_jobs(parsed_requests)
    return [_apply(parsed) for parsed in parsed_requests]


@transaction.atomic(durable=True)
def _apply_each_in_savepoint(parsed_requests: list[ParsedRequest]) -> list[ResponseOrProblem]:
    _lock_known_jobs(parsed_requests)
    return [_apply_in_savepoint(parsed) for parsed in parsed_requests]


def _apply_in_savepoint(parsed: ParsedRequest) -> ResponseOrProblem:
    try:
        with transaction.atomic():
            return _apply(parsed)
    except (AlreadyReceived, Refusal) as problem:
        return problem


def _process_single(parsed: ParsedRequest) -> ResponseOrProblem:
    try:
        with transaction.atomic(durable=True):
            return _apply(parsed)
    except (OperationalError, InterfaceError) as problem:
        # a lock that was not given is this message's trouble; others of its batch may be committed already
        if connection.is_usable():
            return problem
        raise
    except Exception as problem:
        return problem


def _apply(parsed: ParsedRequest) -> InboundResponse:
    """Effect, answer and message id in one transaction; the unique id comes last, and a twin waits for it there."""
    with bound_contextvars(**parsed.request.context):
        job = OPERATIONS[parsed.request.operation].apply(parsed.envelope, parsed.content)
    answer = InboundResponse(200, incoming.answer(parsed.body, provider_job_id=job.provider_job_id))
    settled = {"response_status": answer.status, "response": answer.body, "job_id": job.pk}
    if fast_insert.insert(InboundMessage, parsed.row | settled, unless_known="message_id") is None:
        raise AlreadyReceived(parsed.body["messageId"])
    if not parsed.request.may_commit():
        raise refusals.retry_later()
    return answer


def _build_response(parsed: ParsedRequest, outcome: ResponseOrProblem) -> InboundResponse:
    if isinstance(outcome, InboundResponse):
        return outcome
    if not isinstance(outcome, AlreadyReceived | Refusal):
        return _not_stored(parsed.request, outcome)
    try:
        # a refusal too: the second of two twins may see what the first one changed
        return _stored_response(parsed.row["message_id"], parsed.row["body_sha256"], outcome)
    except Refusal as refusal:
        return _refused(parsed.request, refusal)
    except Exception as problem:
        return _not_stored(parsed.request, problem)


def _not_stored(request: InboundRequest, problem: Exception) -> InboundResponse:
    """Whatever it is, the seller keeps the message and sends it again."""
    # the places only: a message of the database's carries the row, and rows carry people
    log.error(
        "not stored", operation=request.operation, error=type(problem).__name__, trace=code_locations(problem)
    )
    return _as_response(refusals.retry_later())


def _refused(request: InboundRequest, refusal: Refusal) -> InboundResponse:
    if refusal.status != refusals.RETRY_STATUS:
        _record_refusal(request, refusal)
    return _as_response(refusal)


def _as_response(refusal: Refusal) -> InboundResponse:
    return InboundResponse(refusal.status, refusal.body(), refusal.headers)


def _stored_response(message_id: UUID, fingerprint: str, outcome: Exception) -> InboundResponse:
    """Raises messageIdReused when the id belongs to another body, and the outcome itself when it is new."""
    row = InboundMessage.objects.filter(message_id=message_id).first()
    if row is None:
        raise outcome
    if row.body_sha256 != fingerprint:
        text = coded_text("message_id_reused", id=str(message_id))
        _record_message(lambda: raise_alarm(AlarmKind.MESSAGE_ID_REUSED, str(message_id), text))
        raise refusals.message_id_reused()
    _record_message(lambda: _count_repeat(row))
    return InboundResponse(row.response_status, row.response)


def _record_message(write: Callable[[], None]) -> None:
    """Write in addition to an answer that is decided: a database error must not change the answer."""
    try:
        with transaction.atomic():
            write()
    except DatabaseError as problem:
        log.error("not noted", error=type(problem).__name__)


def _count_repeat(row: InboundMessage) -> None:
    InboundMessage.objects.filter(pk=row.pk).update(repeats=F("repeats") + 1, repeated_at=timezone.now())


def _record_refusal(request: InboundRequest, refusal: Refusal) -> None:
    """Support sees what was refused; the id stays free for the corrected message."""
    log.warning(
        "message refused", operation=request.operation, status=refusal.status, faultcode=refusal.faultcode
    )
    row = {
        "raw_message_id": stored_text.read_message_id(request.raw),
        "operation": request.operation,
        "body": stored_text.decode_stored_body(request.raw),
        "body_sha256": "",
        "peer_subject": request.peer.subject,
        "peer_address": request.peer.address,
        "received_at": request.received_at,
        "outcome": InboundOutcome.REFUSED,
        "response_status": refusal.status,
        "response": refusal.body(),
    }
    _record_message(lambda: InboundMessage(**row, job=_find_named_job(request.raw)).save(force_insert=True))


def _find_named_job(raw: bytes) -> Job | None:
    """The job that a refused message names, so that its page shows the message; None unless it is one that we know."""
    provider_job_id, seller_job_id = stored_text.read_job_ids(raw)
    named = Q(provider_job_id=provider_job_id) | Q(seller_job_id=seller_job_id)
    found = list(Job.objects.filter(named)[:2]) if provider_job_id or seller_job_id else []
    return found[0] if len(found) == 1 else None
