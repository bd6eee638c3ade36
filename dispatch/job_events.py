"""The only writer of a job's state. A fact is one `JobEvent`; the seller is notified by the event."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NewType

from django.db import connection
from django.db.models import Exists, OuterRef, Subquery
from django.db.transaction import TransactionManagementError
from django.dispatch import Signal
from django.utils import timezone
from django.utils.translation import gettext as _

from dispatch import fast_insert
from dispatch.models import Job, JobEvent, LineCheck, Visit
from dispatch.states import EVENTS, Actor, EventKind, JobState, is_legal
from engineers.models import Engineer, User
from monitoring import request_ids

# Sent with `send` (not `send_robust`) inside the transaction to two receivers, seller_link.outbox.enqueue_for_event and
# phone.notifications.on_job_event: whatever either raises undoes the fact too.
job_event_recorded = Signal()


@dataclass(frozen=True)
class Performer:
    """Who acts: the kind of person and, for our own people, the user.

    `clock_ahead`: how far the clock that timed the action was ahead of ours, where that was corrected.
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


# a job whose row this transaction has locked; a function that takes one locks nothing and opens no transaction
LockedJob = NewType("LockedJob", Job)


def lock_job(job: Job) -> LockedJob:
    """The job's row, fresh and locked until the transaction ends: take it before looking at anything else."""
    return LockedJob(Job.objects.select_for_update().get(pk=job.pk))


def lock_known_jobs(seller_job_ids: Sequence[str]) -> None:
    """Those of the seller's that are jobs already, in the order of keys, as every other change of several does
    (PostgreSQL). Without the ORM: it stands before each createJob that shares a commit."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT 1 FROM dispatch_job WHERE seller_job_id = ANY(%s) ORDER BY id FOR UPDATE",
            [list(seller_job_ids)],
        )


def lock_visited_job(*, provider_job_id: str, engineer: Engineer) -> LockedJob | None:
    """The same for a job that this engineer has or once had, also as the second one, or None. It brings its newest line
    check, which a closing needs (dispatch.line_checks)."""
    theirs = Exists(Visit.objects.attended_by([engineer]).filter(job=OuterRef("pk")))
    check = LineCheck.objects.filter(job=OuterRef("pk"))
    jobs = Job.objects.select_for_update().annotate(
        newest_check_at=Subquery(check.values("checked_at")[:1]),
        newest_check_is_down=Subquery(check.values("is_down")[:1]),
    )
    job = jobs.filter(theirs, provider_job_id=provider_job_id).first()
    return LockedJob(job) if job else None


def has_been_on_site(job: Job) -> bool:
    """Was an engineer on site, this one or one who had the job before? No query where its events were read before."""
    return any(event.kind == EventKind.ON_SITE for event in job.events.all())


def newest_event(job: Job) -> JobEvent:
    return job.events.select_related("user").order_by("seq").reverse()[0]


def jobs_begun(jobs: Iterable[int]) -> frozenset[int]:
    """Of these jobs (keys) those at which an engineer has been on site; one query."""
    arrived = JobEvent.objects.filter(kind=EventKind.ON_SITE, job__in=list(jobs))
    return frozenset(arrived.values_list("job_id", flat=True))


def record_received(
    *, job: Job, by: Performer, occurred_at: datetime | None = None, facts: dict[str, Any]
) -> None:
    """The first event of a job that was made in this transaction: nobody else sees it, so there is nothing to
    lock, no number to look up and no state to write. For every later event: `record_event`."""
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


def record_event(
    *,
    job: LockedJob,
    kind: EventKind,
    by: Performer,
    occurred_at: datetime | None = None,
    facts: dict[str, Any] | None = None,
    changed: Sequence[str] = (),
) -> JobEvent:
    """Record one event: check the transition table, write state and event, call the two receivers.

    `occurred_at` defaults to now; `job` gets the new state and is written with the fields that the caller `changed`.
    Raises IllegalEvent, and then nothing is written.
    """
    if not connection.in_atomic_block:
        raise TransactionManagementError("record_event needs the transaction in which the job was locked")
    state = JobState(job.state)
    if not is_legal(kind, state=state):
        raise IllegalEvent(job=job, kind=kind, state=state)
    to_state = EVENTS[kind].becomes or state
    now = timezone.now()
    job.state, job.last_event_seq = to_state, job.last_event_seq + 1
    if job.anonymised_at:
        # so that retention finds what is written into an old job in its own time
        job.written_again_at = now
        changed = [*changed, "written_again_at"]
    job.save(update_fields=["state", "last_event_seq", *changed])
    event = JobEvent.objects.create(
        job=job,
        seq=job.last_event_seq,
        kind=kind,
        from_state=state,
        to_state=to_state,
        actor=by.actor,
        user=by.user,
        occurred_at=occurred_at or now,
        recorded_at=now,
        facts={**(facts or {}), **_clock_facts(by, occurred_at)},
        request_id=request_ids.current_request_id(),
    )
    job_event_recorded.send(sender=JobEvent, event=event)
    return event


def record_late(
    *, job: LockedJob, by: Performer, what: EventKind | str, occurred_at: datetime, facts: dict[str, Any]
) -> JobEvent:
    """Keep a fact that came too late to move the job (cancelled, closed, reassigned): shown, never undone."""
    return record_event(
        job=job,
        kind=EventKind.REPORTED_LATE,
        by=by,
        occurred_at=occurred_at,
        facts={"what": str(what), "state_then": JobState(job.state), **facts},
    )


def _clock_facts(by: Performer, occurred_at: datetime | None) -> dict[str, Any]:
    """The time on the wrong clock, stored with the corrected time."""
    if not by.clock_ahead or occurred_at is None:
        return {}
    return {
        "clock_ahead_seconds": round(by.clock_ahead.total_seconds()),
        "phone_time": (occurred_at + by.clock_ahead).isoformat(),
    }
