"""The only writer of a job's state. A fact is one `JobEvent`; the event, not the caller, tells the seller."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.dispatch import Signal
from django.utils import timezone
from django.utils.translation import gettext as _

from dispatch import fast_insert
from dispatch.models import Job, JobEvent
from dispatch.states import EVENTS, Actor, EventKind, JobState, is_legal
from engineers.models import User

# Sent with `send` (not `send_robust`) inside the transaction: if the one receiver,
# seller_link.outbox.enqueue_for_event, cannot write its row, the fact is undone too.
job_event_recorded = Signal()


@dataclass(frozen=True)
class Performer:
    """Who acts: the kind of person and, for our own people, the user.

    `clock_ahead`: how far the clock that gave the time of the deed was ahead of ours, where that was put right.
    """

    actor: Actor
    user: User | None = None
    clock_ahead: timedelta = timedelta()

    @property
    def name(self) -> str:
        return self.user.display_name if self.user else str(Actor(self.actor).label)


SELLER = Performer(Actor.SELLER)
SYSTEM = Performer(Actor.SYSTEM)


class IllegalEvent(Exception):
    """The table does not know this event in this state; nothing has changed."""

    def __init__(self, *, job: Job, kind: EventKind, state: JobState | None) -> None:
        sentence = _("“%(event)s” isn't possible while the job is “%(state)s”.")
        super().__init__(sentence % {"event": kind.label, "state": state.label if state else _("Unknown")})
        self.job, self.kind, self.state = job, kind, state


def lock_job(job: Job) -> Job:
    """The job's row, fresh and locked until the transaction ends: take it before looking at anything else."""
    return Job.objects.select_for_update().get(pk=job.pk)


def has_been_on_site(job: Job) -> bool:
    """Was an engineer on site, this one or one who had the job before?"""
    return job.events.filter(kind=EventKind.ON_SITE).exists()


def record_received(
    *, job: Job, by: Performer, occurred_at: datetime | None = None, facts: dict[str, Any]
) -> None:
    """The first event of a job that was made in this transaction: nobody else sees it, so there is nothing to
    lock, no number to look up and no state to write. For every later event: `append`."""
    now = timezone.now()
    values = {
        "job_id": job.pk,
        "seq": 1,
        "kind": EventKind.RECEIVED,
        "from_state": "",
        "to_state": EVENTS[EventKind.RECEIVED].becomes,
        "actor": by.actor,
        "user_id": by.user.pk if by.user else None,
        "occurred_at": occurred_at or now,
        "recorded_at": now,
        "facts": facts,
    }
    event = fast_insert.insert(JobEvent, values)
    job_event_recorded.send(sender=JobEvent, event=event)


@transaction.atomic
def record_event(
    *,
    job: Job,
    kind: EventKind,
    by: Performer,
    occurred_at: datetime | None = None,
    facts: dict[str, Any] | None = None,
) -> JobEvent:
    """Record one event: lock the job, ask the table, write state and event, tell the one listener.

    `occurred_at` defaults to now. The caller's `job` gets the new state. Raises IllegalEvent.
    """
    facts = {**(facts or {}), **_told_by(by, occurred_at)}
    locked = lock_job(job)
    last = locked.events.order_by("-seq").values_list("seq", flat=True).first()
    state = JobState(locked.state) if last else None
    if not is_legal(kind, state=state):
        raise IllegalEvent(job=locked, kind=kind, state=state)
    to_state = EVENTS[kind].becomes or JobState(locked.state)
    now = timezone.now()
    job.state = locked.state = to_state
    locked.save(update_fields=["state"])
    event = JobEvent.objects.create(
        job=locked,
        seq=(last or 0) + 1,
        kind=kind,
        from_state=state or "",
        to_state=to_state,
        actor=by.actor,
        user=by.user,
        occurred_at=occurred_at or now,
        recorded_at=now,
        facts=facts,
    )
    job_event_recorded.send(sender=JobEvent, event=event)
    return event


def _told_by(by: Performer, occurred_at: datetime | None) -> dict[str, Any]:
    """What the wrong clock said, kept beside the time that was made of it."""
    if not by.clock_ahead or occurred_at is None:
        return {}
    return {
        "clock_ahead_seconds": round(by.clock_ahead.total_seconds()),
        "clock_said": (occurred_at + by.clock_ahead).isoformat(),
    }
