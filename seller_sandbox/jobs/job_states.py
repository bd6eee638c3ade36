"""The states of a job as the seller knows it: one table, and the one function that changes a state."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from seller_sandbox.jobs.models import Job, JobState
from seller_sandbox.jobs.signals import JobEvent, job_changed
from seller_sandbox.messages.models import InboundMessage


@dataclass(frozen=True)
class Transition:
    """In which states an event counts; without a target the state stays."""

    sources: frozenset[JobState]
    target: JobState | None


OPEN = frozenset(JobState) - {JobState.CLOSED, JobState.CANCELLED}
# the partner has no such job (any more); it may have taken a pack whose answer is still on its way
NOT_WITH_PARTNER = frozenset({JobState.REFUSED, JobState.CLOSED, JobState.CANCELLED})
# from onSite on the partner cancels no more (job-messages.md, cancelJob)
ENGINEER_ON_SITE = frozenset(
    {JobState.ON_SITE, JobState.SCANNED, JobState.PROVISIONED, JobState.PROVISIONING_FAILED}
)


def _from(sources: frozenset[JobState] | set[JobState], target: JobState | None) -> Transition:
    return Transition(frozenset(sources), target)


# events of the partner come in any order when the seller is lenient (docs/adr/0014)
TRANSITIONS: dict[JobEvent, Transition] = {
    JobEvent.SENT_AGAIN: _from({JobState.REFUSED}, JobState.QUEUED),
    JobEvent.REFUSED: _from({JobState.QUEUED}, JobState.REFUSED),
    JobEvent.ACCEPTED: _from({JobState.QUEUED, JobState.REFUSED}, JobState.ACCEPTED),
    JobEvent.ENGINEER_ASSIGNED: _from(OPEN, JobState.ASSIGNED),
    JobEvent.EN_ROUTE: _from(OPEN, JobState.EN_ROUTE),
    JobEvent.ON_SITE: _from(OPEN, JobState.ON_SITE),
    JobEvent.ONT_SCANNED: _from(OPEN, JobState.SCANNED),
    JobEvent.PROVISIONED: _from(OPEN, JobState.PROVISIONED),
    JobEvent.PROVISIONING_FAILED: _from(OPEN, JobState.PROVISIONING_FAILED),
    JobEvent.CLOSED: _from(OPEN, JobState.CLOSED),
    JobEvent.CANCELLED: _from(OPEN, JobState.CANCELLED),
    JobEvent.CANCEL_REFUSED: _from(frozenset(JobState), None),
    JobEvent.CANCEL_OVERTAKEN: _from(OPEN, None),
    JobEvent.CANCEL_FAILED: _from(frozenset(JobState), None),
}


@transaction.atomic(savepoint=False)
def record(job: Job, event: JobEvent, *, message: InboundMessage | None = None, **facts: Any) -> bool:
    """Change the state of a locked job together with these fields of it, and notify whoever follows jobs.

    `message` is the partner's that says so. Returns whether anything changed: a fact that comes too late for the state
    changes nothing.
    """
    transition = TRANSITIONS[event]
    if job.state not in transition.sources:
        return False
    for name, value in facts.items():
        setattr(job, name, value)
    job.state = transition.target or job.state
    job.save(update_fields=["state", *facts])
    job_changed.send(sender=Job, job=job, event=event, message=message)
    return True


def has_visit_begun(job: Job, *, arrived_at: datetime | None) -> bool:
    """Whether what the engineer came for can no longer be cancelled or moved.

    One who takes the job over is on the way to a visit that has begun.
    """
    return arrived_at is not None or job.state in ENGINEER_ON_SITE
