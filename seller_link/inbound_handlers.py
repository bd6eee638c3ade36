"""The seller's operations: wire words in, verbs of the house, refusals as faults.

A handler reads the words and gives back the deed, which is done in the transaction: a database with one writer is
not kept waiting while we read.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.utils import timezone

from dispatch import jobs
from dispatch.models import Job
from seller_link.wire import faults, incoming
from seller_link.wire.v1 import limits
from seller_link.wire.v1.faults import Detail

Deed = Callable[[], Job]


def create_job(body: dict[str, Any]) -> Deed:
    """job-messages.md, createJob."""
    received, pack = incoming.envelope(body), incoming.job_pack(body)

    def deed() -> Job:
        try:
            return jobs.create_job(pack=pack, occurred_at=_sent(received)).job
        except jobs.JobCancelled as problem:
            raise faults.job_cancelled(problem.provider_job_id) from problem
        except jobs.DuplicateJob as problem:
            raise faults.duplicate_job() from problem

    return deed


def cancel_job(body: dict[str, Any]) -> Deed:
    """job-messages.md, cancelJob."""
    received, said = incoming.envelope(body), incoming.cancellation(body)

    def deed() -> Job:
        job = _job(received)
        try:
            jobs.cancel_job(
                job=job, reason_code=said.reason_code, reason=said.reason, occurred_at=_sent(received)
            )
        except jobs.JobAlreadyStarted as problem:
            raise faults.installation_started() from problem
        except jobs.JobAlreadyClosed as problem:
            raise faults.job_closed() from problem
        return job

    return deed


def notify_job(body: dict[str, Any]) -> Deed:
    """job-messages.md, notifyJob: the seller sends provisioning results only."""
    received, said = incoming.envelope(body), incoming.provisioning(body)

    def deed() -> Job:
        job = _job(received)
        jobs.record_provisioning(job=job, answer=said.answer, occurred_at=said.occurred_at)
        return job

    return deed


def _sent(received: incoming.Envelope) -> datetime:
    return limits.event_time(received.sent_at, received_at=timezone.now())


def _job(received: incoming.Envelope) -> Job:
    try:
        job = jobs.find_job(provider_job_id=received.provider_job_id, seller_job_id=received.seller_job_id)
    except jobs.JobNotFound as problem:
        raise faults.job_not_found(
            "providerJobId" if received.provider_job_id else "sellerJobId"
        ) from problem
    if received.seller_job_id not in {"", job.seller_job_id}:
        # two ids that name two jobs: acting on either would be a guess
        raise faults.invalid_message(
            [Detail("/sellerJobId", "invalidValue", "This is not the job's sellerJobId.")]
        )
    return job


HANDLERS: dict[str, Callable[[dict[str, Any]], Deed]] = {
    "createJob": create_job,
    "cancelJob": cancel_job,
    "notifyJob": notify_job,
}
