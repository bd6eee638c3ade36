"""Whether the engineer who has a job asked for somebody else to take it over."""

from collections.abc import Iterable
from datetime import datetime

from dispatch import job_events
from dispatch.job_events import LockedJob, Performer
from dispatch.models import Job, JobEvent
from dispatch.states import EventKind
from dispatch.visits import own_visit
from engineers.models import Engineer

HANDOVER_KINDS = (EventKind.ENGINEER_ASSIGNED, EventKind.HAND_OVER_ASKED)


def open_handover_request(job: Job) -> JobEvent | None:
    """The newest request of whoever has the open job now; it stands until somebody else has the job."""
    asked = [event for event in job.events.all() if event.kind in HANDOVER_KINDS] if job.is_open else []
    newest = max(asked, key=lambda event: event.seq, default=None)
    return newest if newest and newest.kind == EventKind.HAND_OVER_ASKED else None


def jobs_with_handover_request(events: Iterable[tuple[int, str]]) -> frozenset[int]:
    """Of (job, kind) in their order: the jobs whose newest event about who has them is a request."""
    newest = {job: kind for job, kind in events if kind in HANDOVER_KINDS}
    return frozenset(job for job, kind in newest.items() if kind == EventKind.HAND_OVER_ASKED)


def request_handover(
    *, job: LockedJob, engineer: Engineer, by: Performer, occurred_at: datetime, reason: str
) -> JobEvent:
    """The job stays where it is; the office sees the request. Raises NotYourJob, IllegalEvent."""
    own_visit(job=job, engineer=engineer)
    facts = {"engineer_number": engineer.staff_number, "engineer_name": engineer.name, "reason": reason}
    return job_events.record_event(
        job=job, kind=EventKind.HAND_OVER_ASKED, by=by, occurred_at=occurred_at, facts=facts
    )
