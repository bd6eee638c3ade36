"""Messages to partner and buyers: rows first, sent in order per thread, repeated with the same id and the same body."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Any

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import DateTimeField, Q
from django.utils import timezone

from seller_sandbox import clock
from seller_sandbox.compiled_queries import CompiledQuery, Parameter
from seller_sandbox.messages import message_log
from seller_sandbox.messages.channels import channel_of
from seller_sandbox.messages.expectations import Expected, difference
from seller_sandbox.messages.findings import as_row
from seller_sandbox.messages.models import (
    MessageLogEntry,
    MessageThread,
    OutboundMessage,
    OutboundQuerySet,
    OutboundState,
)
from seller_sandbox.messages.verdicts import DeliveryOutcome, Verdict
from seller_sandbox.shared_cursors import shared_cursor

# 1, 2, 4, 8, 16 and then 30 seconds: a rehearsal does not wait for minutes
FIRST_WAIT_SECONDS = 1
LONGEST_WAIT_SECONDS = 30
MAX_DOUBLINGS = 5
# how much longer than its call a message in flight is left to the process that sends it
LEASE_MARGIN_SECONDS = 5
SETTLED_STATES = {
    DeliveryOutcome.DELIVERED: OutboundState.DELIVERED,
    DeliveryOutcome.REFUSED: OutboundState.REFUSED,
}

log = structlog.get_logger("sandbox.outbox")


@dataclass(frozen=True)
class Answered:
    """What came back for a message, and from which address."""

    message: OutboundMessage
    verdict: Verdict
    address: str = ""


def open_thread(*, kind: str, reference: str, recipient: str) -> MessageThread:
    """The thread of one more job, order or ticket."""
    return MessageThread.add(kind=kind, reference=reference, recipient=recipient)


@transaction.atomic(savepoint=False)
def enqueue(
    *,
    thread: MessageThread,
    operation: str,
    members: dict[str, Any],
    delay: float = 0,
    expected: Expected | None = None,
) -> OutboundMessage:
    """Put one more message behind those of its thread; `expected` is the answer that is due, `delay` is in seconds."""
    due = expected or channel_of(thread).usual_answers.get(operation)
    return OutboundMessage.add(
        thread=thread,
        seq=_next_seq(thread),
        operation=operation,
        members=members,
        next_attempt_at=clock.now() + timedelta(seconds=delay),
        expected_status=due.status if due else None,
        expected_fault=due.fault if due else "",
        expected_field=due.field if due else "",
    )


def _next_seq(thread: MessageThread) -> int:
    """Two writers of one thread take the numbers in turn: its row is locked until the transaction ends."""
    cursor = shared_cursor()
    cursor.execute(
        f"UPDATE {MessageThread._meta.db_table} SET last_seq = last_seq + 1 WHERE id = %s RETURNING last_seq",  # noqa: S608
        [thread.pk],
    )
    ((seq,),) = cursor.fetchall()
    return int(seq)


@transaction.atomic
def repeat(message: OutboundMessage) -> OutboundMessage:
    """Say a message again as it was, with its id: the recipient must answer the same and do nothing twice."""
    again = enqueue(
        thread=message.thread,
        operation=message.operation,
        members=message.members,
        expected=expected_of(message),
    )
    again.message_id, again.body = message.message_id, message.body
    again.save(update_fields=["message_id", "body"])
    return again


def expected_of(message: OutboundMessage) -> Expected | None:
    if message.expected_status is None:
        return None
    return Expected(message.expected_status, message.expected_fault, message.expected_field)


def hold(thread: MessageThread) -> None:
    """Let nothing of this thread go out until what was refused is sent again."""
    MessageThread.objects.filter(pk=thread.pk).update(is_held=True)


@transaction.atomic
def send_refused_again(thread: MessageThread) -> int:
    """Queue what was refused once more, in its place and with its id; says how many messages."""
    MessageThread.objects.filter(pk=thread.pk).update(is_held=False)
    refused = thread.outbound.filter(state=OutboundState.REFUSED)
    return refused.update(state=OutboundState.WAITING, next_attempt_at=clock.now())


def retry_now() -> int:
    """Let every waiting message be tried at once; says how many."""
    return OutboundMessage.objects.waiting().update(next_attempt_at=clock.now())


def claim() -> OutboundMessage | None:
    """The next message that is due, counted as one more attempt, its body frozen, leased to the caller."""
    return next(iter(claim_some(1)), None)


def claim_some(most: int) -> list[OutboundMessage]:
    """So many that are due, at most one of each thread."""
    with clock.at(clock.now()):
        # an idle worker looks often: it must not take the write lock for that
        while most and _WAITS.is_found(**_moments()):
            claimed = _claim(most)
            # one that could not be composed waits, and holds no other thread
            if not claimed or any(message.body is not None for message in claimed):
                return [message for message in claimed if message.body is not None]
    return []


def _moments() -> dict[str, datetime]:
    return {"now": clock.now(), "real_now": timezone.now()}


def _due() -> OutboundQuerySet:
    is_free = Q(leased_until=None) | Q(leased_until__lt=Parameter("real_now", DateTimeField()))
    return OutboundMessage.objects.heads().filter(
        is_free, next_attempt_at__lte=Parameter("now", DateTimeField())
    )


_WAITS = CompiledQuery(lambda: _due().order_by().values_list("pk")[:1])


@cache
def _first_due(most: int) -> CompiledQuery[OutboundMessage]:
    return CompiledQuery(
        lambda: (
            _due()
            .order_by("next_attempt_at", "id")
            .select_related("thread")
            .select_for_update(of=("self",), skip_locked=True)[:most]
        )
    )


@transaction.atomic
def _claim(most: int) -> list[OutboundMessage]:
    """A message without a body could not be composed."""
    claimed = _first_due(most).all(**_moments())
    unwritten = [message for message in claimed if message.body is None]
    problems = _freeze_bodies(unwritten) if unwritten else {}
    # should this process die now, the messages are due again after the deadline of the call
    leased_until = timezone.now() + timedelta(seconds=settings.DEADLINE_SECONDS + LEASE_MARGIN_SECONDS)
    for message in claimed:
        message.attempts += 1
        message.leased_until = leased_until
    OutboundMessage.save_all(claimed, update_fields=["attempts", "body", "leased_until"])
    settle_all([_uncomposed(message, problems[message.pk]) for message in claimed if message.pk in problems])
    return claimed


def _uncomposed(message: OutboundMessage, problem: str) -> Answered:
    return Answered(message, Verdict(DeliveryOutcome.TRY_AGAIN, error=f"not composed: {problem}"))


def _freeze_bodies(messages: list[OutboundMessage]) -> dict[int, str]:
    """Write the bodies; what went wrong, by the number of the message.

    One that cannot be written must not stop the others. That is rare: all share a savepoint, and have one each only
    when something did go wrong.
    """
    try:
        with transaction.atomic():
            bodies = [channel_of(message.thread).compose(message) for message in messages]
    except Exception:
        return {message.pk: problem for message in messages if (problem := _freeze_body(message))}
    for message, body in zip(messages, bodies, strict=True):
        message.body = body
    return {}


def _freeze_body(message: OutboundMessage) -> str:
    """What went wrong, or nothing."""
    try:
        with transaction.atomic():
            message.body = channel_of(message.thread).compose(message)
    except Exception as problem:
        log.exception("not composed", operation=message.operation, reference=message.thread.reference)
        return f"{type(problem).__name__}: {problem}"
    return ""


def settle(message: OutboundMessage, verdict: Verdict, *, address: str = "") -> None:
    """As settle_all, for one."""
    settle_all([Answered(message, verdict, address)])


@transaction.atomic(savepoint=False)
def settle_all(answered: Sequence[Answered]) -> None:
    """Keep what came back for messages of different threads, and decide: delivered, refused for good, or once more
    later.
    """
    # one reading of the clock, also for all that follows from the answers
    with clock.at(clock.now()):
        MessageLogEntry.add_all([_settle(each) for each in answered])
        OutboundMessage.save_all(
            [each.message for each in answered],
            update_fields=["attempts", "next_attempt_at", "leased_until", "state", "settled_at"],
        )


def _settle(answered: Answered) -> MessageLogEntry:
    """What it changes, and its entry in the log; neither message nor entry is written yet."""
    message, verdict = answered.message, answered.verdict
    findings = [*verdict.findings]
    if unexpected := difference(expected_of(message), verdict):
        findings.append(unexpected)
    if verdict.outcome == DeliveryOutcome.TRY_AGAIN:
        message.next_attempt_at = clock.now() + _wait(message.attempts, asked=verdict.retry_after)
    else:
        message.state, message.settled_at = SETTLED_STATES[verdict.outcome], clock.now()
        findings += channel_of(message.thread).on_settled(message, verdict)
    message.leased_until = None
    log.info(
        "sent",
        operation=message.operation,
        reference=message.thread.reference,
        message=str(message.message_id),
        attempt=message.attempts,
        status=verdict.status,
        outcome=verdict.outcome,
    )
    return message_log.entry_of_attempt(
        message, verdict, breaches=[as_row(finding) for finding in findings], address=answered.address
    )


def _wait(attempts: int, *, asked: float | None) -> timedelta:
    """Doubling, with jitter so that a batch does not come back at one moment; the recipient may ask for more."""
    longest = min(FIRST_WAIT_SECONDS * 2 ** min(attempts - 1, MAX_DOUBLINGS), LONGEST_WAIT_SECONDS)
    own = longest * random.uniform(0.5, 1)  # noqa: S311  # spreads load, keeps no secret
    return timedelta(seconds=max(own, min(asked or 0, 2 * LONGEST_WAIT_SECONDS)))
