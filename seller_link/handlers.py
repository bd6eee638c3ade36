"""The seller's operations: wire words in, verbs of the house, refusals as faults."""

from collections.abc import Callable
from typing import Any

from dispatch import jobs
from dispatch.models import Job
from seller_link.wire import faults, incoming
from seller_link.wire.v1.faults import Detail


def create_job(body: dict[str, Any]) -> Job:
    """job-messages.md, createJob."""
    received = incoming.envelope(body)
    try:
        return jobs.create_job(pack=incoming.job_pack(body), occurred_at=received.sent_at).job
    except jobs.DuplicateJob as problem:
        raise faults.duplicate_job() from problem


def cancel_job(body: dict[str, Any]) -> Job:
    """job-messages.md, cancelJob."""
    job, said = _job(body), incoming.cancellation(body)
    occurred_at = incoming.envelope(body).sent_at
    try:
        jobs.cancel(job=job, reason_code=said.reason_code, reason=said.reason, occurred_at=occurred_at)
    except jobs.JobAlreadyStarted as problem:
        raise faults.installation_started() from problem
    except jobs.JobAlreadyClosed as problem:
        raise faults.job_closed() from problem
    return job


def notify_job(body: dict[str, Any]) -> Job:
    """job-messages.md, notifyJob: the seller sends provisioning results only."""
    job, said = _job(body), incoming.provisioning(body)
    jobs.record_provisioning(job=job, answer=said.answer, occurred_at=said.occurred_at)
    return job


def _job(body: dict[str, Any]) -> Job:
    received = incoming.envelope(body)
    try:
        job = jobs.find(received.provider_job_id)
    except jobs.JobNotFound as problem:
        raise faults.job_not_found() from problem
    if received.seller_job_id not in {"", job.seller_job_id}:
        # two ids that name two jobs: acting on either would be a guess
        raise faults.invalid_message(
            [Detail("/sellerJobId", "invalidValue", "This is not the job's sellerJobId.")]
        )
    return job


HANDLERS: dict[str, Callable[[dict[str, Any]], Job]] = {
    "createJob": create_job,
    "cancelJob": cancel_job,
    "notifyJob": notify_job,
}
