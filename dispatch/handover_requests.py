"""Whether the engineer who has a job asked for somebody else to take it over."""

from collections.abc import Iterable
from datetime import datetime

from dispatch import job_events
from dispatch.job_events import LockedJob, Performer
from dispatch.models import Job, JobEvent
from dispatch.states import OPEN_STATES, EventKind
from engineers.models import Engineer

HANDOVER_KINDS = (EventKind.ENGINEER_ASSIGNED, EventKind.UNASSIGNED, EventKind.HANDOVER_REQUESTED)


def open_handover_request(job: Job) -> JobEvent | None:
    """The newest request of whoever has the open job now; it stands until the office reassigns or unassigns it."""
    asked = [event for event in job.events.all() if event.kind in HANDOVER_KINDS] if job.is_open else []
    newest = max(asked, key=lambda event: event.seq, default=None)
    return newest if newest and newest.kind == EventKind.HANDOVER_REQUESTED else None


def open_handover_requests() -> list[JobEvent]:
    """Of all open jobs; one query."""
    asked = JobEvent.objects.filter(kind=EventKind.HANDOVER_REQUESTED).values("job")
    events = JobEvent.objects.filter(kind__in=HANDOVER_KINDS, job__in=asked, job__state__in=OPEN_STATES)
    newest = {event.job_id: event for event in events.order_by("job", "seq").select_related("job")}
    return [event for event in newest.values() if event.kind == EventKind.HANDOVER_REQUESTED]


def jobs_with_handover_request(events: Iterable[tuple[int, str]]) -> frozenset[int]:
    """Of (job, kind) in their order: the jobs whose newest event about who has them is a request."""
    newest = {job: kind for job, kind in events if kind in HANDOVER_KINDS}
    return frozenset(job for job, kind in newest.items() if kind == EventKind.HANDOVER_REQUESTED)


def request_handover(
    *, job: LockedJob, engineer: Engineer, by: Performer, occurred_at: datetime, reason: str
) -> JobEvent:
    """The engineer who has the job wants somebody else to go on; it stays where it is. Raises IllegalEvent."""
    facts = {"engineer_number": engineer.staff_number, "engineer_name": engineer.name, "reason": reason}
    return job_events.record_event(
        job=job, kind=EventKind.HANDOVER_REQUESTED, by=by, occurred_at=occurred_at, facts=facts
    )
