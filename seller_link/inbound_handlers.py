"""The seller's operations: each is parsed before the transaction, so that a database with one writer is not kept
waiting while we read, and applied inside it. Refusals are the faults of job-messages.md.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils import timezone

from dispatch import jobs
from dispatch.models import Job
from dispatch.states import JobState
from seller_link.wire import incoming, refusals
from seller_link.wire.v1 import contract
from seller_link.wire.v1.refusals import Detail


@dataclass(frozen=True)
class Operation:
    """`parse` reads the checked body and may raise Refusal; `apply` has the effect, or raises Refusal."""

    parse: Callable[[dict[str, Any]], Any]
    apply: Callable[[incoming.Envelope, Any], Job]


def create_job(received: incoming.Envelope, pack: Any) -> Job:
    """job-messages.md, createJob."""
    try:
        return jobs.create_job(pack=pack, occurred_at=_sent_at(received)).job
    except jobs.JobCancelled as problem:
        raise refusals.job_cancelled(problem.provider_job_id) from problem
    except jobs.DuplicateJob as problem:
        known = problem.job
        raise refusals.duplicate_job(
            known.provider_job_id,
            is_closed=known.state == JobState.CLOSED,
            is_started=jobs.is_started(known),
        ) from problem


def cancel_job(received: incoming.Envelope, cancellation: incoming.Cancellation) -> Job:
    """job-messages.md, cancelJob."""
    job = _find_job(received)
    try:
        jobs.cancel_job(
            job=job,
            reason_code=cancellation.reason_code,
            reason=cancellation.reason,
            occurred_at=_sent_at(received),
        )
    except jobs.JobAlreadyStarted as problem:
        raise refusals.installation_started(_naming_member(received)) from problem
    except jobs.JobAlreadyClosed as problem:
        raise refusals.job_closed(_naming_member(received)) from problem
    return job


def notify_job(received: incoming.Envelope, provisioning: incoming.Provisioning) -> Job:
    """job-messages.md, notifyJob: the seller sends provisioning results only."""
    job = _find_job(received)
    try:
        jobs.record_provisioning(job=job, answer=provisioning.answer, occurred_at=provisioning.occurred_at)
    except jobs.ScanOfAnotherJob as problem:
        detail = Detail("/scanId", "invalidValue", "This is the scanId of another job.")
        raise refusals.invalid_message([detail]) from problem
    return job


def _sent_at(received: incoming.Envelope) -> datetime:
    return contract.event_time(received.sent_at, received_at=timezone.now())


def _naming_member(received: incoming.Envelope) -> str:
    """By which member the message names its job."""
    return "providerJobId" if received.provider_job_id else "sellerJobId"


def _find_job(received: incoming.Envelope) -> Job:
    try:
        job = jobs.find_job(provider_job_id=received.provider_job_id, seller_job_id=received.seller_job_id)
    except jobs.JobNotFound as problem:
        raise refusals.job_not_found(_naming_member(received)) from problem
    if received.seller_job_id not in {"", job.seller_job_id}:
        # two ids that name two jobs: acting on either would be a guess
        raise refusals.invalid_message(
            [Detail("/sellerJobId", "invalidValue", "This is not the job's sellerJobId.")]
        )
    return job


OPERATIONS = {
    "createJob": Operation(incoming.job_pack, create_job),
    "cancelJob": Operation(incoming.cancellation, cancel_job),
    "notifyJob": Operation(incoming.provisioning, notify_job),
}
