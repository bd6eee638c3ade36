"""An engineer who asks the office to give a half-done job to a colleague: a wish stands until somebody else has it."""

from collections.abc import Iterable
from datetime import datetime

from django.db import transaction

from dispatch import job_events, visits
from dispatch.job_events import Performer
from dispatch.models import Job, JobEvent
from dispatch.states import EventKind
from engineers.models import Engineer

KINDS = (EventKind.ENGINEER_ASSIGNED, EventKind.HAND_OVER_ASKED)


@transaction.atomic
def request_handover(
    *, job: Job, engineer: Engineer, by: Performer, occurred_at: datetime, reason: str
) -> JobEvent:
    """The job stays where it is; the office sees the wish. Raises NotYourJob, IllegalEvent."""
    job = job_events.lock_job(job)
    visits.own_visit(job=job, engineer=engineer)
    facts = {"engineer_number": engineer.staff_number, "engineer_name": engineer.name, "reason": reason}
    return job_events.record_event(
        job=job, kind=EventKind.HAND_OVER_ASKED, by=by, occurred_at=occurred_at, facts=facts
    )


def open_request(job: Job) -> JobEvent | None:
    """The newest wish of whoever has the open job now."""
    asked = [event for event in job.events.all() if event.kind in KINDS] if job.is_open else []
    newest = max(asked, key=lambda event: event.seq, default=None)
    return newest if newest and newest.kind == EventKind.HAND_OVER_ASKED else None


def jobs_with_open_request(events: Iterable[tuple[int, str]]) -> frozenset[int]:
    """Of (job, kind) in their order: the jobs whose newest word about who has them is a wish."""
    newest = {job: kind for job, kind in events if kind in KINDS}
    return frozenset(job for job, kind in newest.items() if kind == EventKind.HAND_OVER_ASKED)
