"""What the seller does with its jobs: sends packs, cancels, sends again."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, datetime
from random import Random
from secrets import randbelow, token_hex
from typing import Any

from django.conf import settings
from django.db import transaction

from seller_sandbox import clock
from seller_sandbox.compiled_queries import CompiledQuery, Parameter
from seller_sandbox.jobs import job_states, locking, provisioning
from seller_sandbox.jobs.exceptions import ActionNotPossible
from seller_sandbox.jobs.models import Job, JobState, JobType
from seller_sandbox.jobs.packs import make_pack, window_of
from seller_sandbox.jobs.packs.maker import Premises, choose_job_type
from seller_sandbox.jobs.packs.odd import ODD_PACKS, OddPack, make_odd
from seller_sandbox.jobs.signals import JobEvent
from seller_sandbox.messages import outbox
from seller_sandbox.messages.expectations import ACCEPTED
from seller_sandbox.messages.models import PARTNER, MessageThread, OutboundMessage, OutboundState, ThreadKind

MAX_PACKS = 500
_LAST_NUMBER = CompiledQuery(lambda: Job.objects.order_by("-id").values_list("id")[:1])
_WAITING_CANCEL = CompiledQuery(
    lambda: (
        OutboundMessage.objects.waiting()
        .filter(thread=Parameter("thread"), operation="cancelJob")
        .values_list("pk")[:1]
    )
)

Pack = dict[str, Any]


@dataclass(frozen=True)
class Batch:
    """Packs to be made; types, plans and cases are taken in turn, `delay` seconds pass before the first try.

    `odd` are cases of packs/odd.py, an empty name for a usual pack; `odd_results` are cases of odd_messages.py that go
    out with each job's result. `window` replaces the usual half days.
    """

    count: int
    day: date
    types: list[JobType] = field(default_factory=list)
    seed: int | None = None
    provisioning_plans: list[list[int]] = field(default_factory=list)
    by_hand: bool = False
    odd: list[str] = field(default_factory=list)
    odd_results: list[list[str]] = field(default_factory=list)
    window: tuple[datetime, datetime] | None = None
    delay: float = 0


@transaction.atomic
def send_batch(batch: Batch) -> list[Job]:
    """Make the jobs and queue their packs, all or none."""
    rng = Random(randbelow(2**32) if batch.seed is None else batch.seed)  # noqa: S311  # addresses, not keys
    return [_send_one(rng, batch, number) for number in range(batch.count)]


@transaction.atomic(savepoint=False)
def send_pack(
    *,
    job_type: JobType,
    pack: Pack,
    starts_at: datetime,
    ends_at: datetime,
    order_reference: str = "",
    delay: float = 0,
) -> Job:
    """Make one job of a pack that somebody else built (the members of createJob), and queue it.

    The window is that of the pack's appointment; `delay` seconds pass before the first try.
    """
    members = {**pack, "jobType": job_type.value}
    day = starts_at.astimezone(settings.LOCAL_ZONE).date()
    plan = provisioning.next_plan()
    job = _create_job(
        members,
        day=day,
        window=(starts_at, ends_at),
        order_reference=order_reference,
        provisioning_plan=plan,
    )
    outbox.enqueue(thread=job.thread, operation="createJob", members=members, delay=delay)
    return job


def is_being_cancelled(job: Job) -> bool:
    """Whether a cancelJob is on its way."""
    return _WAITING_CANCEL.is_found(thread=job.thread_id)


def cancel(
    job: Job, *, code: str = "CUSTOMER", message: str = "Cancelled by the customer"
) -> OutboundMessage:
    """Queue a cancellation; the partner may still refuse it when the engineer is on site."""
    if job.state == JobState.REFUSED:
        raise ActionNotPossible(
            "The partner refused this pack, so there is nothing to cancel. Send the pack again."
        )
    reason = {"code": code, "message": message}
    return outbox.enqueue(thread=job.thread, operation="cancelJob", members={"reason": reason})


@transaction.atomic
def send_refused_again(job: Job) -> int:
    """Queue what the partner refused once more, in its place and with its id; says how many messages."""
    job_states.record(locking.lock(pk=job.pk), JobEvent.SENT_AGAIN)
    return outbox.send_refused_again(job.thread)


@transaction.atomic
def send_all_refused_again(thread: MessageThread, jobs: Iterable[Job]) -> int:
    """What the buyer refused of an order's or a ticket's messages, and the partner of its jobs'; says how many."""
    return outbox.send_refused_again(thread) + sum(send_refused_again(job) for job in jobs)


def repeat_last(job: Job, *, operation: str) -> OutboundMessage:
    """Send the last delivered message of this kind once more, byte for byte."""
    message = job.thread.outbound.filter(operation=operation, state=OutboundState.DELIVERED).last()
    if message is None:
        raise ActionNotPossible(
            f"No {operation} of this job was delivered yet. Wait until the worker has sent it."
        )
    return outbox.repeat(message)


def _send_one(rng: Random, batch: Batch, number: int) -> Job:
    job_type = batch.types[number % len(batch.types)] if batch.types else choose_job_type(rng)
    earlier = _earlier_premises(rng) if job_type == JobType.REVISIT else None
    usual = make_pack(rng, day=batch.day, zone=settings.LOCAL_ZONE, job_type=job_type, earlier=earlier)
    if batch.window:
        start, end = (moment.isoformat() for moment in batch.window)
        usual["appointment"].update(start=start, end=end)
    name = batch.odd[number % len(batch.odd)] if batch.odd else ""
    case = ODD_PACKS[name] if name else None
    pack = make_odd(usual, name=name, now=clock.now(), rng=rng) if case else usual
    odd_results = batch.odd_results[number % len(batch.odd_results)] if batch.odd_results else []
    job = _create_job(
        pack,
        day=batch.day,
        window=_window_kept(usual, pack, case),
        oddity=name,
        odd_results=odd_results,
        provisioning_by_hand=batch.by_hand,
        provisioning_plan=_plan_for(batch, number),
    )
    expected = case.expected if case else None
    outbox.enqueue(
        thread=job.thread, operation="createJob", members=pack, delay=batch.delay, expected=expected
    )
    return job


def _window_kept(usual: Pack, pack: Pack, case: OddPack | None) -> tuple[datetime, datetime]:
    """That of the pack; a window that the partner must refuse may be no window at all."""
    is_refused = case is not None and case.expected != ACCEPTED
    return window_of(usual if is_refused else pack)


def _create_job(pack: Pack, *, day: date, window: tuple[datetime, datetime], **facts: Any) -> Job:
    last = _LAST_NUMBER.row()
    serial = (last[0] if last else 0) + 1
    # the tag keeps a fresh sandbox database apart from jobs that the partner still has of an older one
    tag = token_hex(2).upper()
    seller_job_id = f"SJ-{day:%y%m%d}-{serial:05d}-{tag}"
    return Job.objects.create(
        thread=outbox.open_thread(kind=ThreadKind.JOB, reference=seller_job_id, recipient=PARTNER),
        seller_job_id=seller_job_id,
        job_type=pack["jobType"],
        pack=pack,
        uprn=pack["property"]["uprn"],
        starts_at=window[0],
        ends_at=window[1],
        **facts,
    )


def _plan_for(batch: Batch, number: int) -> list[int]:
    plans = batch.provisioning_plans
    return plans[number % len(plans)] if plans else provisioning.next_plan()


def _earlier_premises(rng: Random) -> Premises | None:
    """A closed job to go back to; a revisit without one is to new premises."""
    closed = Job.objects.filter(state=JobState.CLOSED, oddity="").exclude(provider_job_id="").order_by("id")
    if not closed:
        return None
    job = rng.choice(list(closed))
    return Premises(provider_job_id=job.provider_job_id, pack=job.pack)
