"""Messages to the partner: rows first, sent in order per job, repeated with the same id and the same body."""

import random
from datetime import timedelta
from typing import Any
from uuid import uuid4

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from seller_sandbox import clock
from seller_sandbox.jobs import message_log
from seller_sandbox.jobs.expectations import ACCEPTED, Expected, difference
from seller_sandbox.jobs.findings import Finding, as_row
from seller_sandbox.jobs.models import Job, JobState, OutboundMessage, OutboundQuerySet, OutboundState
from seller_sandbox.jobs.partner_answers import DeliveryOutcome, Verdict

# 1, 2, 4, 8, 16 and then 30 seconds: a rehearsal does not wait for minutes
FIRST_WAIT_SECONDS = 1
LONGEST_WAIT_SECONDS = 30
# a cancellation may come too late
USUAL_ANSWERS = {"createJob": ACCEPTED, "notifyJob": ACCEPTED}

log = structlog.get_logger("sandbox.outbox")


@transaction.atomic
def enqueue(
    *,
    job: Job,
    operation: str,
    members: dict[str, Any],
    delay: float = 0,
    expected: Expected | None = None,
) -> OutboundMessage:
    """Put one more message behind those of its job; `expected` is the answer that is due."""
    last = job.outbound.aggregate(last=Max("seq"))["last"] or 0
    due = expected or USUAL_ANSWERS.get(operation)
    return job.outbound.create(
        seq=last + 1,
        operation=operation,
        members=members,
        next_try_at=clock.now() + timedelta(seconds=delay),
        expected_status=due.status if due else None,
        expected_fault=due.fault if due else "",
        expected_field=due.field if due else "",
    )


@transaction.atomic
def repeat(message: OutboundMessage) -> OutboundMessage:
    """Say a message again as it was, with its id: a partner must answer the same and do nothing twice."""
    again = enqueue(
        job=message.job,
        operation=message.operation,
        members=message.members,
        expected=expected_of(message),
    )
    again.message_id, again.body = message.message_id, message.body
    again.save(update_fields=["message_id", "body"])
    return again


def expected_of(message: OutboundMessage) -> Expected | None:
    if message.expected_status is None:
        return None
    return Expected(message.expected_status, message.expected_fault, message.expected_field)


def retry_now() -> int:
    """Let every waiting message be tried at once; says how many."""
    return OutboundMessage.objects.waiting().update(next_try_at=clock.now())


def claim() -> OutboundMessage | None:
    """The next message that is due, counted as one more attempt, its body frozen."""
    # an idle worker looks often: it must not take the write lock for that
    return _claim() if _due().exists() else None


def _due() -> OutboundQuerySet:
    return OutboundMessage.objects.heads().filter(next_try_at__lte=clock.now())


@transaction.atomic
def _claim() -> OutboundMessage | None:
    message = _due().select_related("job").order_by("next_try_at", "id").first()
    if message is None:
        return None
    message.attempts += 1
    message.body = message.body or _compose(message)
    # should this process die now, the message is due again after the deadline of the call
    message.next_try_at = clock.now() + timedelta(seconds=settings.DEADLINE_SECONDS + 5)
    message.save(update_fields=["attempts", "body", "next_try_at"])
    return message


@transaction.atomic
def settle(message: OutboundMessage, verdict: Verdict, *, address: str = "") -> None:
    """Keep what came back from this address, and decide: delivered, refused for good, or once more later."""
    message_log.record_attempt(
        message,
        status=verdict.status,
        answer=verdict.body,
        error=verdict.error,
        breaches=[*verdict.breaches, *_unexpected(message, verdict)],
        address=address,
    )
    if verdict.outcome == DeliveryOutcome.TRY_AGAIN:
        message.next_try_at = clock.now() + _wait(message.attempts, asked=verdict.retry_after)
    else:
        message.state = (
            OutboundState.DELIVERED if verdict.outcome == DeliveryOutcome.DELIVERED else OutboundState.REFUSED
        )
        message.settled_at = timezone.now()
        _apply_answer(message, verdict)
    message.save(update_fields=["next_try_at", "state", "settled_at"])
    log.info(
        "sent",
        operation=message.operation,
        job=message.job.seller_job_id,
        message=str(message.message_id),
        attempt=message.attempts,
        status=verdict.status,
        outcome=verdict.outcome,
    )


def _unexpected(message: OutboundMessage, verdict: Verdict) -> list[dict[str, str]]:
    found = difference(expected_of(message), verdict)
    known = Job.objects.get(pk=message.job_id).provider_job_id
    findings = [found] if found else []
    is_repeated_pack = (
        message.operation == "createJob" and known and verdict.outcome == DeliveryOutcome.DELIVERED
    )
    if is_repeated_pack and verdict.body["providerJobId"] != known:
        findings.append(Finding("answerJobId", "/providerJobId", "The same pack got another job"))
    return [as_row(finding) for finding in findings]


def _compose(message: OutboundMessage) -> dict[str, Any]:
    job = message.job
    names_ours_only = message.operation == "createJob" or message.names_seller_job_only
    provider_id = {} if names_ours_only else {"providerJobId": job.provider_job_id}
    return {
        "messageId": str(message.message_id),
        "sentAt": timezone.now().isoformat(timespec="milliseconds"),
        "correlationId": str(uuid4()),
        "sellerJobId": job.seller_job_id,
        **provider_id,
        **message.members,
    }


def _apply_answer(message: OutboundMessage, verdict: Verdict) -> None:
    # the row may have moved on while the message was on its way
    job = Job.objects.get(pk=message.job_id)
    delivered = verdict.outcome == DeliveryOutcome.DELIVERED
    if message.operation == "createJob":
        _apply_pack_answer(job, verdict, delivered=delivered)
    elif message.operation == "cancelJob" and delivered and job.state != JobState.CLOSED:
        job.state = JobState.CANCELLED
        job.cancelled_at = job.cancelled_at or timezone.now()
        job.save(update_fields=["state", "cancelled_at"])


def _apply_pack_answer(job: Job, verdict: Verdict, *, delivered: bool) -> None:
    if job.provider_job_id:
        return
    job.state = JobState.ACCEPTED if delivered else JobState.REFUSED
    job.provider_job_id = verdict.body["providerJobId"] if delivered else ""
    job.save(update_fields=["state", "provider_job_id"])


def _wait(attempts: int, *, asked: float | None) -> timedelta:
    """Doubling, with jitter so that a batch does not come back at one moment; the partner may ask for more."""
    longest = min(FIRST_WAIT_SECONDS * 2 ** (attempts - 1), LONGEST_WAIT_SECONDS)
    own = longest * random.uniform(0.5, 1)  # noqa: S311  # spreads load, keeps no secret
    return timedelta(seconds=max(own, min(asked or 0, 2 * LONGEST_WAIT_SECONDS)))
