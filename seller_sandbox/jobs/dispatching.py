"""What the seller does with its jobs: sends packs, cancels, sends again."""

from dataclasses import dataclass, field
from datetime import date
from random import Random
from secrets import randbelow, token_hex

from django.conf import settings
from django.db import transaction

from seller_sandbox import clock
from seller_sandbox.jobs import outbox, provisioning
from seller_sandbox.jobs.models import Job, JobState, JobType, OutboundMessage, OutboundState
from seller_sandbox.jobs.packs import make_pack, window_of
from seller_sandbox.jobs.packs.maker import Premises, choose_job_type

MAX_PACKS = 500


class NotPossible(Exception):
    """The seller would not do this now; the text says why and what to do."""


@dataclass(frozen=True)
class Batch:
    """Packs to be made; types and plans are taken in turn, `delay` seconds pass before the first try."""

    count: int
    day: date
    types: list[JobType] = field(default_factory=list)
    seed: int | None = None
    provisioning_plans: list[list[int]] = field(default_factory=list)
    by_hand: bool = False
    delay: float = 0


@transaction.atomic
def send_batch(batch: Batch) -> list[Job]:
    """Make the jobs and queue their packs, all or none."""
    rng = Random(randbelow(2**32) if batch.seed is None else batch.seed)  # noqa: S311  # addresses, not keys
    return [_send_one(rng, batch, number) for number in range(batch.count)]


@transaction.atomic
def cancel(
    job: Job, *, code: str = "CUSTOMER", message: str = "Cancelled by the customer"
) -> OutboundMessage:
    """Queue a cancellation; the partner may still refuse it when the engineer is on site."""
    if job.state == JobState.REFUSED:
        raise NotPossible(
            "The partner refused this pack, so there is nothing to cancel. Send the pack again."
        )
    return outbox.enqueue(
        job=job, operation="cancelJob", members={"reason": {"code": code, "message": message}}
    )


@transaction.atomic
def send_refused_again(job: Job) -> int:
    """Queue what the partner refused once more, in its place and with its id; says how many messages."""
    refused = job.outbound.filter(state=OutboundState.REFUSED)
    if refused.filter(operation="createJob").exists() and job.state == JobState.REFUSED:
        Job.objects.filter(pk=job.pk).update(state=JobState.QUEUED)
    return refused.update(state=OutboundState.WAITING, next_try_at=clock.now())


def repeat_last(job: Job, *, operation: str) -> OutboundMessage:
    """Say the last delivered message of this kind once more, word for word."""
    message = job.outbound.filter(operation=operation, state=OutboundState.DELIVERED).last()
    if message is None:
        raise NotPossible(f"No {operation} of this job was delivered yet. Wait until the worker has sent it.")
    return outbox.repeat(message)


def _send_one(rng: Random, batch: Batch, number: int) -> Job:
    job_type = batch.types[number % len(batch.types)] if batch.types else choose_job_type(rng)
    earlier = _earlier_premises(rng) if job_type == JobType.REVISIT else None
    pack = make_pack(rng, day=batch.day, zone=settings.LOCAL_ZONE, job_type=job_type, earlier=earlier)
    job = _keep(pack, batch, plan=_plan_for(batch, number))
    outbox.enqueue(job=job, operation="createJob", members=pack, delay=batch.delay)
    return job


def _keep(pack: dict[str, object], batch: Batch, *, plan: list[int]) -> Job:
    starts_at, ends_at = window_of(pack)
    last = Job.objects.order_by("id").last()
    serial = (last.id if last else 0) + 1
    # the tag keeps a fresh sandbox database apart from jobs that the partner still has of an older one
    tag = token_hex(2).upper()
    return Job.objects.create(
        seller_job_id=f"SJ-{batch.day:%y%m%d}-{serial:05d}-{tag}",
        job_type=pack["jobType"],
        pack=pack,
        uprn=pack["property"]["uprn"],
        starts_at=starts_at,
        ends_at=ends_at,
        provisioning_by_hand=batch.by_hand,
        provisioning_plan=plan,
    )


def _plan_for(batch: Batch, number: int) -> list[int]:
    plans = batch.provisioning_plans
    return plans[number % len(plans)] if plans else provisioning.next_plan()


def _earlier_premises(rng: Random) -> Premises | None:
    """A closed job to go back to; a revisit without one is to new premises."""
    closed = Job.objects.filter(state=JobState.CLOSED).exclude(provider_job_id="").order_by("id")
    if not closed:
        return None
    job = rng.choice(list(closed))
    return Premises(provider_job_id=job.provider_job_id, pack=job.pack)
