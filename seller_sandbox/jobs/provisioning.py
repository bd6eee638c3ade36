"""Provisioning results for scanned ONTs: by a job's plan, by the general rule, or by hand.

Result 4 brings its own second try five minutes later by the sandbox clock (installation-jobs.md, Limits).
"""

from datetime import datetime, timedelta
from typing import Any

import structlog
from django.db import transaction
from django.db.models import Q

from seller_sandbox import clock, due_actions
from seller_sandbox.compiled_queries import CompiledQuery, CompiledUpdate, Parameter
from seller_sandbox.due_actions import due_action
from seller_sandbox.jobs import codes, job_states, locking, odd_messages
from seller_sandbox.jobs.fsans import normalize_fsan
from seller_sandbox.jobs.models import (
    Job,
    JobState,
    ProvisioningRule,
    ProvisioningTry,
    RuleMode,
    TryQuerySet,
    TryState,
)
from seller_sandbox.jobs.schemas import read_instant
from seller_sandbox.jobs.signals import JobEvent
from seller_sandbox.messages import outbox
from seller_sandbox.messages.models import OutboundMessage, OutboundState

_RULE = CompiledQuery(lambda: ProvisioningRule.objects.filter(pk=1))


def _waiting_tries() -> TryQuerySet:
    return ProvisioningTry.objects.waiting().filter(job=Parameter("job"))


_LAST_TRY = CompiledQuery(lambda: ProvisioningTry.objects.filter(job=Parameter("job")).order_by("-id")[:1])
_NEXT_WAITING = CompiledQuery(lambda: _waiting_tries().by_due()[:1])
_WAITING_TRY = CompiledQuery(lambda: _waiting_tries().filter(pk=Parameter("number")))
_SUPERSEDE = CompiledUpdate(_waiting_tries, state=TryState.SUPERSEDED)
# those that the partner knows, or may know
_RESULT_MESSAGES = CompiledQuery(
    lambda: OutboundMessage.objects.filter(
        Q(state=OutboundState.DELIVERED) | Q(state=OutboundState.WAITING, attempts__gt=0),
        thread=Parameter("thread"),
        operation="notifyJob",
        members__has_key="result",
    )
)

log = structlog.get_logger("sandbox.provisioning")


def rule() -> ProvisioningRule:
    return _RULE.first() or ProvisioningRule.objects.get_or_create(pk=1)[0]


def set_rule(
    *,
    mode: RuleMode | None = None,
    result: int | None = None,
    seconds: int | None = None,
    plan_cycle: list[list[int]] | None = None,
) -> ProvisioningRule:
    """Change these settings of the general rule; a new cycle begins with its first plan."""
    changed = rule()
    changes = {"mode": mode, "result": result, "seconds": seconds, "plan_cycle": plan_cycle}
    for name, value in changes.items():
        if value is not None:
            setattr(changed, name, value)
    if plan_cycle is not None:
        changed.position = 0
    changed.save()
    return changed


@transaction.atomic(savepoint=False)
def next_plan() -> list[int]:
    """The plan of the cycle for one more new job; empty when there is no cycle."""
    # without a cycle there is nothing to take turns for
    if not rule().plan_cycle:
        return []
    general = ProvisioningRule.objects.select_for_update().get(pk=1)
    plan = general.plan_cycle[general.position % len(general.plan_cycle)]
    general.position += 1
    general.save(update_fields=["position"])
    return plan


def has_succeeded(job: Job) -> bool:
    """Whether the partner may take the ONT scanned last for provisioned: by `occurredAt`, not by arrival.

    A result whose answer was lost may be known to the partner or not; either counts for it.
    """
    last = last_try(job)
    if last is None:
        return False
    results = [
        message for message in _RESULT_MESSAGES.all(thread=job.thread_id) if _belongs_to(message, last)
    ]
    delivered = [message for message in results if message.state == OutboundState.DELIVERED]
    return _ends_in_success(delivered) or _ends_in_success(results)


def last_try(job: Job) -> ProvisioningTry | None:
    """The try of the newest scan, whatever became of it."""
    return _LAST_TRY.first(job=job.pk)


def _belongs_to(message: OutboundMessage, last: ProvisioningTry) -> bool:
    """A result without scanId is for the newest scan."""
    scan_id = message.members.get("scanId")
    return scan_id is None or scan_id == str(last.scan_id)


def _ends_in_success(messages: list[OutboundMessage]) -> bool:
    newest = max(messages, key=lambda message: read_instant(message.members["occurredAt"]), default=None)
    return newest is not None and codes.results()[newest.members["result"]["id"]].success


def schedule_scan(*, job: Job, scan_id: str, fsan: str) -> ProvisioningTry:
    """Ask for a result for a scan; a scan before it that still waits is replaced."""
    _SUPERSEDE.run(job=job.pk)
    due_actions.cancel("jobs.finish_try", subject=job.seller_job_id)
    general = rule()
    by_hand = job.provisioning_by_hand or (general.mode == RuleMode.BY_HAND and not _planned(job))
    due_at = None if by_hand else clock.now() + timedelta(seconds=general.seconds)
    return _begin_try(job, scan_id=scan_id, fsan=normalize_fsan(fsan) or fsan[:100], due_at=due_at)


@transaction.atomic
def give_result(*, job: Job, result: int) -> OutboundMessage:
    """Answer the job's waiting try, or its last scan once more, with a result chosen by hand."""
    locked = locking.lock(pk=job.pk)
    attempt = _NEXT_WAITING.first(job=locked.pk) or _try_for_last_scan(locked)
    attempt.job = locked
    # a job has one waiting try at most; result 4 brings another one with an action of its own
    due_actions.cancel("jobs.finish_try", subject=locked.seller_job_id)
    return _finish(attempt, result=result)


@due_action("jobs.finish_try")
def finish_try(subject: str, *, number: int) -> None:
    """Send the result of a try, unless a newer scan or a button on the console was faster; `subject` is the job."""
    job = locking.lock(seller_job_id=subject)
    attempt = _WAITING_TRY.first(job=job.pk, number=number)
    if attempt:
        attempt.job = job
        _finish(attempt, result=_decide(attempt))


def _begin_try(job: Job, *, scan_id: Any, fsan: str, due_at: datetime | None) -> ProvisioningTry:
    """A try without `due_at` waits for somebody to choose its result."""
    attempt = job.tries.create(scan_id=scan_id, fsan=fsan, due_at=due_at)
    if due_at:
        due_actions.schedule("jobs.finish_try", at=due_at, subject=job.seller_job_id, number=attempt.id)
    return attempt


def _finish(attempt: ProvisioningTry, *, result: int) -> OutboundMessage:
    attempt.result, attempt.state = result, TryState.DONE
    attempt.save(update_fields=["result", "state"])
    message = outbox.enqueue(thread=attempt.job.thread, operation="notifyJob", members=_members(attempt))
    if codes.results()[result].success:
        _send_odd_results(attempt.job)
    succeeded = codes.results()[result].success
    job_states.record(attempt.job, JobEvent.PROVISIONED if succeeded else JobEvent.PROVISIONING_FAILED)
    if result == codes.RETRY_RESULT:
        again_at = clock.now() + timedelta(seconds=codes.RETRY_SECONDS)
        _begin_try(attempt.job, scan_id=attempt.scan_id, fsan=attempt.fsan, due_at=again_at)
    log.info("provisioning result", job=attempt.job.seller_job_id, result=result)
    return message


def _send_odd_results(job: Job) -> None:
    """The odd messages that were planned for this job, once, behind its first success."""
    names, job.odd_results = job.odd_results, []
    if not names:
        return
    job.save(update_fields=["odd_results"])
    for name in names:
        odd_messages.send_odd(job, name=name)


def _members(attempt: ProvisioningTry) -> dict[str, object]:
    scan = {"scanId": str(attempt.scan_id)} if attempt.scan_id else {}
    return {
        "event": "ontProvisioned",
        "occurredAt": clock.now().isoformat(timespec="milliseconds"),
        "result": codes.results()[attempt.result].as_wire(),
        **scan,
    }


def _decide(attempt: ProvisioningTry) -> int:
    planned = _planned(attempt.job)
    if planned:
        return planned[0]
    general = rule()
    if general.mode == RuleMode.CHECKED:
        return _deserved(attempt) or general.result
    return general.result


def _planned(job: Job) -> list[int]:
    """What is left of the job's plan: one result per try."""
    return job.provisioning_plan[job.tries.filter(state=TryState.DONE).count() :]


def _deserved(attempt: ProvisioningTry) -> int | None:
    """The failure that a scan earns by the meanings of results 5, 6 and 7; None for a sound one."""
    if not normalize_fsan(attempt.fsan):
        return 6
    if _scanned_elsewhere(attempt):
        return 7
    expected = normalize_fsan((attempt.job.pack.get("ont") or {}).get("fsan") or "")
    return 5 if expected and expected[:4] != attempt.fsan[:4] else None


def _scanned_elsewhere(attempt: ProvisioningTry) -> bool:
    others = ProvisioningTry.objects.filter(fsan=attempt.fsan).exclude(job=attempt.job)
    return others.exclude(job__state__in=[JobState.CLOSED, JobState.CANCELLED]).exists()


def _try_for_last_scan(job: Job) -> ProvisioningTry:
    last = job.tries.last()
    return job.tries.create(scan_id=last.scan_id if last else None, fsan=last.fsan if last else "")
