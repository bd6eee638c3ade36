"""What the control interface reports: jobs, counts, queues."""

from typing import Any

from django.conf import settings
from django.db.models import Count, Q

from seller_sandbox import clock
from seller_sandbox.endpoints import switches
from seller_sandbox.endpoints.models import Switch
from seller_sandbox.jobs import codes, provisioning, strictness
from seller_sandbox.jobs.models import EvidenceFile, EvidenceState, Job, ProvisioningTry
from seller_sandbox.jobs.odd_messages import ODD_MESSAGES, OddMessage
from seller_sandbox.jobs.packs.odd import ODD_PACKS, OddPack
from seller_sandbox.messages import message_log, worker
from seller_sandbox.messages.models import InboundMessage, MessageLogEntry, OutboundMessage, OutboundState
from seller_sandbox.models import DueAction

Report = dict[str, Any]


def report_job(job: Job) -> Report:
    """A job in one line; it must come from `Job.objects.with_breaches()`."""
    return {
        "sellerJobId": job.seller_job_id,
        "providerJobId": job.provider_job_id or None,
        "order_reference": job.order_reference or None,
        "jobType": job.job_type,
        "state": job.state,
        "state_words": job.get_state_display(),
        "oddity": job.oddity,
        "uprn": job.uprn,
        "window": job.pack["appointment"],
        "provisioning_plan": job.provisioning_plan,
        "closure": _report_closure(job),
        "cancelled_at": job.cancelled_at.isoformat() if job.cancelled_at else None,
        "breaches": job.breach_total,
    }


def report_job_in_full(job: Job) -> Report:
    """A job with its pack, its messages in order and what is still to come."""
    messages = message_log.list_entries_of(job.thread)
    breaches = [{**breach, "entry": message["id"]} for message in messages for breach in message["breaches"]]
    return {
        **report_job(job),
        "pack": job.pack,
        "messages": messages,
        "waiting": [_report_waiting(message) for message in job.thread.outbound.waiting()],
        "refused": job.thread.outbound.filter(state=OutboundState.REFUSED).count(),
        "tries": [_report_try(attempt) for attempt in job.tries.all()],
        "breach_list": breaches,
    }


def summarise() -> Report:
    """Counts, breaches and queue lengths of the whole sandbox."""
    waiting = OutboundMessage.objects.waiting()
    return {
        "clock": clock.now().isoformat(),
        "clock_offset_seconds": int(clock.offset().total_seconds()),
        "due_actions": _count_actions(),
        "jobs": dict(Job.objects.values_list("state").annotate(Count("id"))),
        "queue": {
            "waiting": waiting.count(),
            "retrying": waiting.filter(attempts__gt=0).count(),
            "refused": OutboundMessage.objects.refused_unexpectedly().count(),
            "provisioning_waiting": ProvisioningTry.objects.waiting().count(),
        },
        "received": _received_counts(),
        "breaches": MessageLogEntry.objects.filter(is_breach=True).count(),
        "checking": report_strictness(),
        "evidence": _evidence_counts(),
        "endpoints": {name: report_switch(switches.current(name)) for name in settings.ENDPOINTS},
        "provisioning": report_rule(),
        "worker_seen_seconds_ago": worker.seconds_since_beat(),
    }


def report_clock() -> Report:
    return {"now": clock.now().isoformat(), "offset_seconds": int(clock.offset().total_seconds())}


def _count_actions() -> Report:
    """`due`: those that the worker does at its next look, so that whoever has moved the clock can wait for the end."""
    waiting = DueAction.objects.open()
    due = waiting.filter(due_at__lte=clock.now(), attempts=0)
    return {"waiting": waiting.count(), "due": due.count(), "failing": _failing_actions()}


def _failing_actions() -> list[Report]:
    return [
        {
            "name": action.name,
            "subject": action.subject,
            "attempts": action.attempts,
            "error": action.error,
            "due_at": action.due_at.isoformat(),
        }
        for action in DueAction.objects.open().filter(attempts__gt=0)
    ]


def report_switch(switch: Switch) -> Report:
    return {
        "endpoint": switch.endpoint,
        "mode": switch.mode,
        "seconds": switch.seconds,
        "status": switch.status,
        "retry_after": switch.retry_after,
        "times_left": switch.remaining,
        "per_minute": switch.per_minute,
        "until": switch.until.isoformat() if switch.until else None,
    }


def report_rule() -> Report:
    rule = provisioning.rule()
    return {
        "mode": rule.mode,
        "result": rule.result,
        "seconds": rule.seconds,
        "plan_cycle": rule.plan_cycle,
        "position": rule.position,
    }


def report_strictness() -> Report:
    chosen = strictness.current()
    return {"is_strict": chosen.is_strict, "positions_refused": chosen.positions_refused}


def report_odd_cases() -> Report:
    """By name: what it is, the answer that is due, and of a pack whether an engineer can be sent there."""
    packs = {
        case.name: {**_report_case(case), "is_workable": case.is_workable} for case in ODD_PACKS.values()
    }
    return {"packs": packs, "messages": {case.name: _report_case(case) for case in ODD_MESSAGES.values()}}


def _report_case(case: OddPack | OddMessage) -> Report:
    return {"description": case.description, "expected": str(case.expected), "status": case.expected.status}


def _evidence_counts() -> Report:
    return {state.value: EvidenceFile.objects.filter(state=state).count() for state in EvidenceState}


def _received_counts() -> Report:
    return InboundMessage.objects.aggregate(
        accepted=Count("id", filter=Q(holds_id=True)),
        duplicates=Count("id", filter=Q(duplicate_of__isnull=False, answer_status__lt=300)),
        refused=Count("id", filter=Q(answer_status__gte=400, answer_status__lt=500, switch="")),
        unserved=Count("id", filter=~Q(switch="")),
    )


def _report_closure(job: Job) -> Report | None:
    if not job.closure_code:
        return None
    return {
        "closureCode": job.closure_code,
        "description": codes.describe(job.closure_code),
        "secondaryClosureCode": job.secondary_code or None,
        "secondaryClosureCodeDescription": job.secondary_description or None,
        "closedAt": job.closed_at.isoformat(),
    }


def _report_waiting(message: OutboundMessage) -> Report:
    return {
        "operation": message.operation,
        "messageId": str(message.message_id),
        "attempts": message.attempts,
        "next_attempt_at": message.next_attempt_at.isoformat(),
    }


def _report_try(attempt: ProvisioningTry) -> Report:
    return {
        "scanId": str(attempt.scan_id) if attempt.scan_id else None,
        "state": attempt.state,
        "due_at": attempt.due_at.isoformat() if attempt.due_at else None,
        "result": attempt.result,
    }
