"""The only writer of `OutboundMessage.state` (a new row is READY by itself)."""

from collections.abc import Collection
from datetime import datetime

from django.db import connection
from django.db.models import F
from django.utils import timezone

from seller_link.models import OutboundMessage, OutboundQuerySet, OutboundState, Replay
from seller_link.outbox_queue import moment
from seller_link.wire.v1.refusals import shorten_fault

LONGEST_REASON = 10_000
# a message that failed this often is in trouble, though it will be tried for ever
STUCK_AFTER_FAILURES = 3
SENT_ONE = """
UPDATE seller_link_outboundmessage
SET state = 'sent', sent_at = COALESCE(sent_at, %s), lease_expires_at = NULL, failures = 0, held_reason = ''
WHERE id = %s AND claims = %s AND state <> 'sent'
"""
# lists as values, so that the statement stays the same for any number and is prepared once
SENT_TOGETHER = """
WITH ours AS (
    SELECT id FROM seller_link_outboundmessage
    WHERE id = ANY(%(keys)s::bigint[]) AND claims = (%(claims)s::integer[])[array_position(%(keys)s::bigint[], id)]
    AND state <> 'sent' ORDER BY id FOR UPDATE
)
UPDATE seller_link_outboundmessage AS message
SET state = 'sent', sent_at = COALESCE(message.sent_at, %(now)s), lease_expires_at = NULL, failures = 0,
    held_reason = ''
FROM ours WHERE message.id = ours.id
"""


def mark_sent(claims: Collection[tuple[int, int]], *, now: datetime) -> None:
    """Each with its key and the number of its claims; a claim that no longer stands changes nothing, by the statement
    itself. Each relay locks the rows in the same order, which rules out a deadlock."""
    ours, written = sorted(claims), moment(now)
    if not ours:
        return
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            keys, counts = map(list, zip(*ours, strict=True))
            cursor.execute(SENT_TOGETHER, {"keys": keys, "claims": counts, "now": written})
        else:
            cursor.executemany(SENT_ONE, [(written, pk, count) for pk, count in ours])


def record_rejection(pk: int, *, reason: str) -> OutboundState:
    """One that the seller had acknowledged before stays delivered, and only keeps the reason; any other is held."""
    acknowledged = OutboundMessage.objects.filter(pk=pk, sent_at__isnull=False)
    stored_reason = shorten_fault(reason, longest=LONGEST_REASON)
    if acknowledged.update(
        state=OutboundState.SENT, lease_expires_at=None, failures=0, held_reason=stored_reason
    ):
        return OutboundState.SENT
    hold(pk, reason=reason)
    return OutboundState.HELD


def hold(pk: int, *, reason: str) -> None:
    """Rejected by the seller: it waits for a person, and later messages of its job wait for it."""
    OutboundMessage.objects.filter(pk=pk).update(
        state=OutboundState.HELD,
        lease_expires_at=None,
        held_reason=shorten_fault(reason, longest=LONGEST_REASON),
    )


def stop(row: OutboundMessage) -> None:
    """Of a locked row: never sent again by us. One that the seller had acknowledged before stays delivered."""
    row.state = OutboundState.SENT if row.sent_at else OutboundState.STOPPED
    row.failures, row.lease_expires_at = 0, None
    # a claim from before, however late it settles, finds nothing
    row.claims += 1
    row.save()


def make_due(row: OutboundMessage) -> None:
    """Of a locked row, saved with whatever else was changed in it."""
    row.state, row.held_reason, row.failures = OutboundState.READY, "", 0
    row.next_attempt_at, row.lease_expires_at = timezone.now(), None
    # a claim from before, however late it settles, finds nothing
    row.claims += 1
    row.save()


def make_due_again(messages: OutboundQuerySet, *, replay: Replay) -> int:
    """Ready from the start of the replay on; how many."""
    return messages.update(
        state=OutboundState.READY,
        replay=replay,
        # a claim from before the replay, however late it settles, finds nothing
        claims=F("claims") + 1,
        failures=0,
        held_reason="",
        lease_expires_at=None,
        next_attempt_at=replay.started_at,
    )
