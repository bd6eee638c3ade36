"""When something has happened that the partner reports: a phone without signal reports it later."""

from datetime import datetime

from seller_sandbox import clock
from seller_sandbox.jobs.models import Job
from seller_sandbox.jobs.schemas import read_instant
from seller_sandbox.messages.models import InboundMessage


def occurred_at(message: InboundMessage | None) -> datetime:
    """When it happened, at the latest now (job-messages.md, notifyJob, occurredAt); now where no message says it."""
    return min(read_instant(message.body["occurredAt"]), clock.now()) if message else clock.now()


def closed_at(job: Job) -> datetime:
    """When the engineer closed the job, at the latest now; now where no message says it."""
    return min(job.closed_at or clock.now(), clock.now())
