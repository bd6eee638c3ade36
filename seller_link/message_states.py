"""The only writer of `OutboundMessage.state` (a new row is READY by itself)."""

from collections.abc import Collection
from datetime import datetime

from django.db import connection
from django.db.models import F
from django.utils import timezone

from monitoring import alarms
from monitoring.models import AlarmKind
from seller_link.models import OutboundMessage, OutboundQuerySet, OutboundState, Replay
from seller_link.outbox_queue import moment
from seller_link.wire.v1.refusals import shorten_fault

LONGEST_REASON = 10_000
# a message that failed this often is in trouble, though it will be tried for ever
STUCK_AFTER_FAILURES = 3
SENT_ONE = """
UPDATE seller_link_outboundmessage
SET state = 'sent', sent_at = COALESCE(sent_at, %s), lease_expires_at = NULL, failures = 0, held_reason = ''
WHERE id = %s AND attempts = %s AND state <> 'sent'
"""
# lists as values, so that the statement stays the same for any number and is prepared once
SENT_TOGETHER = """
WITH ours AS (
    SELECT id FROM seller_link_outboundmessage
    WHERE id = ANY(%(keys)s::bigint[]) AND attempts = (%(attempts)s::integer[])[array_position(%(keys)s::bigint[], id)]
    AND state <> 'sent' ORDER BY id FOR UPDATE
)
UPDATE seller_link_outboundmessage AS message
SET state = 'sent', sent_at = COALESCE(message.sent_at, %(now)s), lease_expires_at = NULL, failures = 0,
    held_reason = ''
FROM ours WHERE message.id = ours.id
"""


def mark_sent(claims: Collection[tuple[int, int]], *, now: datetime) -> None:
    """Each with its key and the number of its attempts; a claim that no longer stands changes nothing, by the statement
    itself. In the same order at each relay, so that none waits for another that waits for it."""
    ours, written = sorted(claims), moment(now)
    if not ours:
        return
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            keys, attempts = map(list, zip(*ours, strict=True))
            cursor.execute(SENT_TOGETHER, {"keys": keys, "attempts": attempts, "now": written})
        else:
            cursor.executemany(SENT_ONE, [(written, pk, attempts) for pk, attempts in ours])


def hold(pk: int, *, reason: str) -> None:
    """Rejected by the seller: it waits for a person, and later messages of its job wait for it."""
    OutboundMessage.objects.filter(pk=pk).update(
        state=OutboundState.HELD,
        lease_expires_at=None,
        held_reason=shorten_fault(reason, longest=LONGEST_REASON),
    )


def make_due(row: OutboundMessage) -> None:
    """Of a locked row, saved with whatever else was changed in it."""
    row.state, row.held_reason, row.failures = OutboundState.READY, "", 0
    row.next_try_at, row.lease_expires_at = timezone.now(), None
    # a claim from before, however late it settles, finds nothing
    row.attempts += 1
    row.save()


def make_due_again(messages: OutboundQuerySet, *, replay: Replay) -> int:
    """Ready from the start of the replay on; how many."""
    return messages.update(
        state=OutboundState.READY,
        replay=replay,
        # a claim from before the replay, however late it settles, finds nothing
        attempts=F("attempts") + 1,
        failures=0,
        held_reason="",
        lease_expires_at=None,
        next_try_at=replay.started_at,
    )


def clear_alarms_of_resent(jobs: Collection[str]) -> None:
    """Of these jobs, by provider job id, messages are due again. A message that is still held blocks its job, and its
    alarm stays."""
    held = OutboundMessage.objects.filter(job__provider_job_id__in=jobs, state=OutboundState.HELD)
    blocked = set(held.order_by().values_list("job__provider_job_id", flat=True))
    alarms.clear_alarms(AlarmKind.MESSAGE_UNCONFIRMED, jobs)
    alarms.clear_alarms(AlarmKind.MESSAGE_HELD, [job for job in jobs if job not in blocked])
