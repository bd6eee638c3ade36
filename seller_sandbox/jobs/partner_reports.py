"""What the partner has said of a job, and when that happened: a phone without signal tells it later."""

from datetime import datetime

from seller_sandbox import clock
from seller_sandbox.jobs.models import Job
from seller_sandbox.jobs.schemas import read_instant
from seller_sandbox.jobs.signals import JobEvent
from seller_sandbox.messages.models import InboundMessage


def newest(job: Job, event: JobEvent) -> InboundMessage | None:
    """The newest message of this kind; a step that was set on the console has none."""
    return job.thread.inbound.filter(holds_id=True, event=event.value).order_by("id").last()


def occurred_at(message: InboundMessage | None) -> datetime:
    """When it happened, at the latest now (job-messages.md, notifyJob, occurredAt)."""
    return min(read_instant(message.body["occurredAt"]), clock.now()) if message else clock.now()
