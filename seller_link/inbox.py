"""Store what was said, do it once, keep the answer: one transaction, and the answer leaves after its commit."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import structlog
from django.db import DatabaseError, transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from dispatch import rows
from seller_link.alarms import AlarmKind, raise_alarm
from seller_link.handlers import HANDLERS
from seller_link.models import InboundMessage, InboundOutcome
from seller_link.peers import Peer
from seller_link.wire import faults, incoming
from seller_link.wire.v1.faults import Refusal

log = structlog.get_logger("seller_link.inbox")


class AlreadySaid(Exception):
    """This message id is stored; nothing has changed."""


@dataclass(frozen=True)
class Answer:
    status: int
    body: dict[str, Any]
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Letter:
    """What came, from whom, when."""

    operation: str
    raw: bytes
    peer: Peer
    received_at: datetime


def receive(
    *, operation: str, raw: bytes, peer: Peer, may_commit: Callable[[], bool] = lambda: True
) -> Answer:
    """The answer to one message (job-messages.md). Said again, it gets the stored answer and has no second effect.

    `may_commit` is asked last of all: False undoes everything, and the answer is 503 tryAgain. Raises DatabaseError
    when nothing could be stored.
    """
    letter = Letter(operation=operation, raw=raw, peer=peer, received_at=timezone.now())
    try:
        body = incoming.parse(raw)
        incoming.check(operation, body)
        return _once(letter, body, may_commit)
    except Refusal as refusal:
        if refusal.status != faults.TRY_AGAIN_STATUS:
            _remember_refusal(letter, refusal)
        return Answer(refusal.status, refusal.body(), refusal.headers)


def _once(letter: Letter, body: dict[str, Any], may_commit: Callable[[], bool]) -> Answer:
    fingerprint = incoming.fingerprint([letter.operation, body])
    try:
        return _apply(letter, body, fingerprint, may_commit)
    except (AlreadySaid, Refusal):
        # a refusal too: the second of two twins may see what the first one changed
        known = _stored_answer(incoming.envelope(body).message_id, fingerprint)
        if known is None:
            raise
        return known


@transaction.atomic(durable=True)
def _apply(letter: Letter, body: dict[str, Any], fingerprint: str, may_commit: Callable[[], bool]) -> Answer:
    """Effect, answer and message id in one commit; the unique id comes last, and a twin waits for it there."""
    job = HANDLERS[letter.operation](body)
    answer = Answer(200, incoming.answer(body, provider_job_id=job.provider_job_id))
    row = {
        "message_id": incoming.envelope(body).message_id,
        "said_id": body["messageId"],
        "operation": letter.operation,
        "body": incoming.written(body),
        "body_sha256": fingerprint,
        "peer_subject": letter.peer.subject,
        "peer_address": letter.peer.address,
        "received_at": letter.received_at,
        "outcome": InboundOutcome.ACCEPTED,
        "answer_status": answer.status,
        "answer": answer.body,
        "job_id": job.pk,
    }
    if rows.insert(InboundMessage, row, unless_known="message_id") is None:
        raise AlreadySaid(body["messageId"])
    if not may_commit():
        raise faults.try_again()
    structlog.contextvars.bind_contextvars(job=job.provider_job_id)
    return answer


def _stored_answer(message_id: UUID, fingerprint: str) -> Answer | None:
    """Raises messageIdReused when the id belongs to another body."""
    row = InboundMessage.objects.filter(message_id=message_id).first()
    if row is None:
        return None
    if row.body_sha256 != fingerprint:
        _note(lambda: _raise_reuse(message_id))
        raise faults.message_id_reused()
    _note(lambda: _count_repeat(row))
    return Answer(row.answer_status, row.answer)


def _note(write: Callable[[], None]) -> None:
    """Write beside an answer that stands already: a database that refuses it must not turn the answer."""
    try:
        with transaction.atomic():
            write()
    except DatabaseError as problem:
        log.error("not noted", error=type(problem).__name__)


def _count_repeat(row: InboundMessage) -> None:
    again = {"repeats": F("repeats") + 1, "repeated_at": timezone.now()}
    InboundMessage.objects.filter(pk=row.pk).update(**again)


def _raise_reuse(message_id: UUID) -> None:
    words = _(
        "The seller used message id %(id)s for two different messages. The first one counts, the other was refused; "
        "both are in the list of messages. Ask the seller to send the second one under an id of its own."
    )
    raise_alarm(AlarmKind.MESSAGE_ID_REUSED, str(message_id), words % {"id": message_id})


def _remember_refusal(letter: Letter, refusal: Refusal) -> None:
    """Support sees what was refused; the id stays free for the corrected message."""
    log.warning(
        "message refused", operation=letter.operation, status=refusal.status, faultcode=refusal.faultcode
    )
    row = {
        "said_id": incoming.said_id(letter.raw),
        "operation": letter.operation,
        "body": incoming.legible(letter.raw),
        "body_sha256": "",
        "peer_subject": letter.peer.subject,
        "peer_address": letter.peer.address,
        "received_at": letter.received_at,
        "outcome": InboundOutcome.REFUSED,
        "answer_status": refusal.status,
        "answer": refusal.body(),
    }
    _note(lambda: InboundMessage(**row).save(force_insert=True))
