"""Messages sent again together: a selection, or everything in an outage. Each keeps its id and its place.

An acknowledged message may go again too (a seller that lost what it had): its `sent_at` stays that of the
first acknowledgement, and each later one is a DeliveryAttempt.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Count, Max, Min, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from dispatch.models import Job
from dispatch.problems import ActionRefused, Problem
from engineers.audit import record_audit
from engineers.models import User
from seller_link import answer_sources, message_alarms, message_states, outbox_queue
from seller_link.models import DeliveryAttempt, OutboundMessage, OutboundQuerySet, OutboundState, Replay


class NothingToReplay(ActionRefused):
    """No reason was given, or nothing is left that may go again; nothing has changed."""


@dataclass(frozen=True)
class Preview:
    """What a replay would send. It skips `under_way`, which are being sent this moment, and `purged`, whose personal
    data has ended."""

    messages: int
    jobs: int
    delivered: int
    waiting: int
    held: int
    stopped: int
    under_way: int
    purged: int
    first_at: datetime | None
    last_at: datetime | None


def outage_messages(from_at: datetime, to_at: datetime) -> OutboundQuerySet:
    """Messages written, or tried at either endpoint, between these moments (both included), without those that a
    person stopped. Each by its index: with both in one condition PostgreSQL reads all messages of all years."""
    tried = DeliveryAttempt.objects.filter(started_at__gte=from_at, started_at__lte=to_at)
    written = OutboundMessage.objects.filter(created_at__gte=from_at, created_at__lte=to_at)
    keys = written.order_by().values("pk").union(tried.order_by().values("message"))
    return OutboundMessage.objects.filter(pk__in=keys, purged_at=None).exclude(state=OutboundState.STOPPED)


def preview_replay(messages: OutboundQuerySet) -> Preview:
    """What `start_replay` would send of these; one query."""
    going = ~_being_sent(timezone.now()) & Q(purged_at=None)
    counted = messages.order_by().aggregate(
        messages=Count("pk", filter=going),
        jobs=Count("job", filter=going, distinct=True),
        delivered=Count("pk", filter=going & Q(state=OutboundState.SENT)),
        waiting=Count("pk", filter=going & Q(state=OutboundState.READY)),
        held=Count("pk", filter=going & Q(state=OutboundState.HELD)),
        stopped=Count("pk", filter=going & Q(state=OutboundState.STOPPED)),
        under_way=Count("pk", filter=_being_sent(timezone.now())),
        purged=Count("pk", filter=Q(purged_at__isnull=False)),
        first_at=Min("created_at", filter=going),
        last_at=Max("created_at", filter=going),
    )
    return Preview(**counted)


@transaction.atomic
def start_replay(
    *,
    messages: OutboundQuerySet | Collection[OutboundMessage],
    by: User,
    reason: str,
    from_at: datetime | None = None,
    to_at: datetime | None = None,
) -> Replay:
    """Make these due now, delivered and held ones too, in their order per job; audited with `reason`.

    Those being sent at this moment are left alone. Raises NothingToReplay without a reason or a message.
    """
    if not reason.strip():
        raise NothingToReplay([Problem("reason_missing", "reason", _("Enter a reason for resending."))])
    now = timezone.now()
    replay = Replay.objects.create(by=by, reason=reason.strip(), started_at=now, from_at=from_at, to_at=to_at)
    not_sending = _selected(messages).exclude(_being_sent(now))
    again = _resume_stopped(not_sending, replay)
    # what somebody stops meanwhile stays stopped
    others = not_sending.exclude(state=OutboundState.STOPPED).exclude(replay=replay)
    again += message_states.make_due_again(others, replay=replay)
    if not again:
        raise NothingToReplay(
            [Problem("nothing_to_replay", "messages", _("There are no messages to resend."))]
        )
    outbox_queue.notify_relay()
    message_alarms.clear_message_alarms(_jobs_of(replay))
    span = [moment.isoformat() for moment in (from_at, to_at) if moment]
    record_audit(
        actor=by,
        action="replayed",
        subject=f"{again} messages",
        after={"replay": replay.pk, "reason": replay.reason, "from_to": span},
    )
    return replay


def _resume_stopped(messages: OutboundQuerySet, replay: Replay) -> int:
    """Those of these that a person stopped; how many. A closing of their jobs that nobody has tried to send takes
    other sources."""
    stopped = messages.filter(state=OutboundState.STOPPED)
    jobs = Job.objects.filter(pk__in=stopped.order_by().values("job"))
    locked = list(jobs.order_by("pk").select_for_update())
    resumed = message_states.make_due_again(stopped.filter(job__in=locked), replay=replay)
    for job in locked:
        answer_sources.correct_unsent_closing(job)
    return resumed


def replay_progress(replay: Replay) -> tuple[int, int]:
    """How many are delivered again, of how many. What a later replay took over counts there."""
    counted = replay.messages.order_by().aggregate(
        done=Count("pk", filter=Q(state=OutboundState.SENT, held_reason="")), total=Count("pk")
    )
    return counted["done"], counted["total"]


def rejected_again(replay: Replay) -> int:
    """How many the seller had acknowledged and rejected when they came again; they stay delivered."""
    return replay.messages.filter(state=OutboundState.SENT).exclude(held_reason="").count()


def _selected(messages: OutboundQuerySet | Collection[OutboundMessage]) -> OutboundQuerySet:
    if isinstance(messages, OutboundQuerySet):
        return messages.filter(purged_at=None)
    return OutboundMessage.objects.filter(pk__in=[message.pk for message in messages], purged_at=None)


def _being_sent(now: datetime) -> Q:
    return Q(state=OutboundState.READY, lease_expires_at__isnull=False, lease_expires_at__gt=now)


def _jobs_of(replay: Replay) -> list[str]:
    return list(replay.messages.order_by().values_list("job__provider_job_id", flat=True).distinct())
