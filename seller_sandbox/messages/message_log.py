"""The message log: every message over the wire in one order, ready to be shown or printed."""

import json
from collections.abc import Callable
from typing import Any

from django.db import models, transaction

from seller_sandbox.endpoints.exchange import Answer
from seller_sandbox.messages.models import (
    PARTNER,
    InboundMessage,
    MessageLogEntry,
    MessageLogQuerySet,
    MessageThread,
    OutboundMessage,
    ThreadKind,
)
from seller_sandbox.messages.verdicts import Verdict

# of a body that could not be read, enough to see what it was
MAX_RAW_CHARACTERS = 20_000

LogEntry = dict[str, Any]
# a partner's own record is compared with the first
SPEAKING_WITH: dict[str, Callable[[MessageLogQuerySet], MessageLogQuerySet]] = {
    PARTNER: MessageLogQuerySet.with_partner,
    "buyers": MessageLogQuerySet.with_buyers,
    "all": MessageLogQuerySet.all,
}


@transaction.atomic(savepoint=False)
def record_arrival(message: InboundMessage, answer: Answer | None) -> None:
    """Keep a message with its answer; None when the connection was closed instead."""
    message.answer_status = answer.status if answer else None
    message.answer_body = answer.body if answer else None
    message.answer_content_type = answer.content_type if answer else ""
    message.save()
    MessageLogEntry.add(inbound=message, thread=message.thread, is_breach=bool(message.breaches))


def entry_of_attempt(
    message: OutboundMessage, verdict: Verdict, *, breaches: list[dict[str, str]], address: str = ""
) -> MessageLogEntry:
    """One attempt to deliver a message, with what came back; not written yet."""
    return MessageLogEntry(
        outbound=message,
        thread=message.thread,
        is_breach=bool(breaches),
        attempt=message.attempts,
        status=verdict.status,
        answer=storable(verdict.answer),
        # both may quote what came back
        error=storable(verdict.error)[:200],
        address=address[:200],
        breaches=storable(breaches),
    )


def storable(answer: Any) -> Any:
    """An answer without what some databases do not take: NUL characters and halves of surrogate pairs."""
    text = json.dumps(answer, ensure_ascii=False).encode(errors="replace").decode()
    return json.loads(text.replace("\\u0000", "\\ufffd"))


def printable(content: bytes | None) -> str:
    """A body that could not be read, as text that any database takes."""
    if content is None:
        return "(longer than 1 MiB)"
    text = content.decode(errors="backslashreplace").replace("\0", "\\x00")
    return text[:MAX_RAW_CHARACTERS]


def list_entries(*, since: int = 0, limit: int | None = None, speaking_with: str = PARTNER) -> list[LogEntry]:
    """The entries after `since`, oldest first: those of the partner, of the buyers, or all (SPEAKING_WITH)."""
    spoken = SPEAKING_WITH[speaking_with](MessageLogEntry.objects.filter(id__gt=since))
    entries = with_messages(spoken)
    return [serialize_entry(entry) for entry in entries[:limit]]


def list_entries_of(thread: MessageThread) -> list[LogEntry]:
    return [serialize_entry(entry) for entry in with_messages(thread.entries)]


def with_messages(entries: Any) -> models.QuerySet[MessageLogEntry]:
    """The entries, oldest first, with all that `serialize_entry` reads of them."""
    related = ("thread", "inbound__duplicate_of__entry", "outbound")
    return entries.select_related(*related).order_by("id")


def serialize_entry(entry: MessageLogEntry) -> LogEntry:
    """One entry as the control interface shows it."""
    details = _arrival(entry.inbound) if entry.inbound else _attempt(entry, entry.outbound)
    return {"id": entry.id, "at": entry.at.isoformat(), **_names(entry.thread), **details}


def _arrival(message: InboundMessage) -> LogEntry:
    first = message.duplicate_of
    return {
        "direction": "in",
        "endpoint": message.endpoint,
        "caller": message.caller,
        "role": message.role,
        "operation": message.operation,
        "event": message.event or None,
        "messageId": message.message_id or None,
        "attempt": None,
        "body": message.body if message.body is not None else message.raw_body,
        "answer": {"status": message.answer_status, "body": message.answer_body},
        "error": None,
        "switch": message.switch or None,
        "duplicate_of": first.entry.id if first else None,
        "breaches": message.breaches,
        "remarks": message.remarks,
    }


def _attempt(entry: MessageLogEntry, message: OutboundMessage) -> LogEntry:
    return {
        "direction": "out",
        "endpoint": None,
        "operation": message.operation,
        "event": message.members.get("event"),
        "messageId": str(message.message_id),
        "attempt": entry.attempt,
        "body": message.body,
        "answer": {"status": entry.status, "body": entry.answer},
        "error": entry.error or None,
        "switch": None,
        "address": entry.address,
        "expected_status": message.expected_status,
        "duplicate_of": None,
        "breaches": entry.breaches,
        "remarks": [],
    }


def _names(thread: MessageThread | None) -> LogEntry:
    """What the message is about; a job's two ids also under their own names."""
    is_job = thread is not None and thread.kind == ThreadKind.JOB
    return {
        "thread": _serialize_thread(thread) if thread else None,
        "sellerJobId": thread.reference if is_job else None,
        "providerJobId": (thread.recipient_reference or None) if is_job else None,
    }


def _serialize_thread(thread: MessageThread) -> LogEntry:
    return {
        "kind": thread.kind,
        "reference": thread.reference,
        "recipient": thread.recipient,
        "recipient_reference": thread.recipient_reference or None,
        "is_held": thread.is_held,
    }
