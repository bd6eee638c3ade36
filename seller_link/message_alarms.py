"""Alarms about messages that the seller refuses or does not confirm: one of each job, and one of each cause that many
jobs have in common, which stands for theirs."""

import re
from collections.abc import Collection
from zlib import crc32

from django.db import transaction
from django.db.models import Count

from dispatch.models import Job
from monitoring import alarms
from monitoring.coded_texts import CodedText, Reason, coded_text, stored_reason
from monitoring.models import AlarmKind
from seller_link.models import OutboundMessage, OutboundState
from seller_link.wire import refusals

# more than somebody deals with one by one
MANY_JOBS = 5
LONGEST_REASON = 300
# by the text of a job's alarm: that of the alarm about many jobs
GROUP_TEXTS = {
    "message_held": "messages_held",
    "message_unconfirmed": "messages_unconfirmed",
    "message_not_sent": "messages_not_sent",
}


def raise_held(provider_job_id: str, *, reason: str) -> None:
    """`reason`: the refusal, `<status> <body>`."""
    job = Job.objects.get(provider_job_id=provider_job_id)
    displayed = refusals.describe_fault(reason)[:LONGEST_REASON].rstrip(".")
    failure = refusals.fault_code(reason)
    text = _text("message_held", job, cause=_cause_of_refusal(reason), reason=displayed, failure=failure)
    _raise(AlarmKind.MESSAGE_HELD, text, provider_job_id)


def raise_unconfirmed(provider_job_id: str, *, reason: Reason) -> None:
    """`reason`: what came of the last attempt, as our client says it."""
    text = unconfirmed_text(Job.objects.get(provider_job_id=provider_job_id), reason=reason)
    _raise(AlarmKind.MESSAGE_UNCONFIRMED, text, provider_job_id)


def unconfirmed_text(job: Job, *, reason: Reason) -> CodedText:
    """`reason`: the error of its last attempt; a fault of ours leaves none."""
    if reason:
        cause = reason.log_text() if isinstance(reason, CodedText) else reason
        return _text("message_unconfirmed", job, cause=cause[:200], reason=reason, failure=reason)
    return _text("message_not_sent", job, cause="")


def _text(key: str, job: Job, *, cause: str, **parameters: Reason) -> CodedText:
    text = coded_text(key, address=job.address, job=job.provider_job_id, **parameters)
    return CodedText(text.key, text.parameters, cause=f"{key} {cause}".rstrip())


def _cause_of_refusal(reason: str) -> str:
    """Status, code and which members are wrong: the same of several jobs, whose sentences name this and that."""
    fault, code = refusals.read_fault(reason), refusals.fault_code(reason)
    if fault is None or not fault.details:
        return code
    # the number of an item of a list is none of the cause
    members = sorted({re.sub(r"/\d+", "/", f"{detail.field} {detail.code}") for detail in fault.details})
    # as a number: what a seller writes there may name somebody
    return f"{code} {crc32(repr(members).encode(errors='replace')):08x}"


def _raise(kind: AlarmKind, text: CodedText, provider_job_id: str) -> None:
    alarms.raise_alarm(kind, provider_job_id, text)
    if alarms.open_alarms().filter(cause=text.cause).count() == MANY_JOBS:
        _group_after_commit()


def _group_after_commit() -> None:
    """Not before: a relay that settles and a dispatcher who replays would wait for each other, one with a job's alarm,
    the other with that of many. What is not grouped because a process ended is grouped by the next scan
    (relay_maintenance)."""
    transaction.on_commit(group_alarms, robust=True)


def group_alarms() -> None:
    """Raise one alarm for each cause that many jobs have, or say of how many it is; clear those that no job has."""
    known = alarms.known_alarms(AlarmKind.MESSAGES_FAILING)[AlarmKind.MESSAGES_FAILING]
    members = alarms.open_alarms().exclude(cause="")
    numbers = dict(members.order_by().values_list("cause").annotate(jobs=Count("pk")))
    wanted = {cause: jobs for cause, jobs in numbers.items() if jobs >= MANY_JOBS or cause in known}
    if wanted or known:
        texts = {cause: _group_text(cause, jobs) for cause, jobs in wanted.items()}
        alarms.replace_alarms(AlarmKind.MESSAGES_FAILING, texts, known=known)


def _group_text(cause: str, jobs: int) -> CodedText:
    newest = alarms.open_alarms().filter(cause=cause).order_by("-raised_at", "-pk").first()
    failure = stored_reason(newest.parameters.get("failure")) if newest else ""
    return coded_text(GROUP_TEXTS[cause.partition(" ")[0]], jobs=jobs, failure=failure)


def clear_message_alarms(jobs: Collection[str]) -> None:
    """Of these jobs, by provider job id, messages are due again or stopped. A message that is still held blocks its
    job, and its alarm stays."""
    held = OutboundMessage.objects.filter(job__provider_job_id__in=jobs, state=OutboundState.HELD)
    blocked = set(held.order_by().values_list("job__provider_job_id", flat=True))
    alarms.clear_alarms(AlarmKind.MESSAGE_UNCONFIRMED, jobs)
    alarms.clear_alarms(AlarmKind.MESSAGE_HELD, [job for job in jobs if job not in blocked])
    _group_after_commit()
