"""The one question at the end of every scenario, asked of the seller's record and of ours.

Same messages, same order per job, one effect each, nothing held without an alarm.
"""

import json
from collections import Counter
from itertools import zip_longest
from typing import Any

from dispatch.models import Job, JobEvent
from seller_link.alarms import AlarmKind, open_alarms
from seller_link.models import InboundMessage, InboundOutcome, OutboundMessage, OutboundState
from tests.faults import load
from tests.faults.load import Sent, insist
from tests.faults.place import Place, until
from tests.faults.seller import Record, body_of

DRAIN_SECONDS = 180


def wait_until_told(place: Place, *, seconds: float = DRAIN_SECONDS) -> None:
    """Every row of the outbox has reached the seller."""
    until(lambda: unsent() == 0, what=f"all messages are delivered ({unsent()} are not)", seconds=seconds)


def unsent() -> int:
    return insist(lambda: OutboundMessage.objects.unsent().count())


def differences(place: Place, *, sent: Sent | None = None) -> list[str]:
    """A sentence for each thing that is not as it must be; none when all is well."""
    return [
        *outbound(place.record),
        *(inbound(sent) if sent else []),
        *held_in_silence(),
        *broken_histories(),
    ]


def outbound(record: Record) -> list[str]:
    """What we hold as delivered against what the seller acted upon, job by job, in order."""
    ours: dict[str, list[dict[str, Any]]] = {}
    rows = OutboundMessage.objects.select_related("job").order_by("job", "seq")
    for row in rows:
        ours.setdefault(row.job.provider_job_id, []).append(row.body)
    theirs = record.by_job()
    return [
        sentence
        for job in {*ours, *theirs}
        for place, (mine, yours) in enumerate(zip_longest(ours.get(job, []), theirs.get(job, [])), start=1)
        if (sentence := _difference(job, place, mine, yours))
    ]


def _difference(job: str, place: int, mine: dict[str, Any] | None, yours: dict[str, Any] | None) -> str:
    if mine is None or yours is None:
        return f"{job}, message {place}: we have {_name(mine)}, the seller has {_name(yours)}"
    if mine["messageId"] != yours["messageId"]:
        return f"{job}, message {place}: we sent {_name(mine)}, the seller's is {_name(yours)}"
    return "" if body_of(mine) == body_of(yours) else f"{job}, message {place}: the bodies differ"


def _name(body: dict[str, Any] | None) -> str:
    return f"{body.get('event', 'closeJob')} {body['messageId']}" if body else "nothing"


def inbound(sent: Sent) -> list[str]:
    """Every answer that the seller believes has its one message and its one job here, and no job has two."""
    wrong = list(sent.odd)
    jobs = {job.provider_job_id: job.seller_job_id for job in Job.objects.all()}
    rows = {str(row.message_id): row for row in InboundMessage.objects.exclude(message_id=None)}
    for message_id, answer in sent.answers.items():
        row = rows.get(message_id)
        if row is None:
            wrong.append(f"{message_id} was answered and is not stored")
        elif row.answer != answer:
            wrong.append(f"{message_id} was answered {answer}, stored is {row.answer}")
        elif jobs.get(answer["providerJobId"]) is None:
            wrong.append(f"{message_id} was answered with a job that is not there")
    doubled = [name for name, count in Counter(jobs.values()).items() if count > 1]
    created = rows_of_create(rows)
    wrong += [f"{name} has more than one job" for name in doubled]
    wrong += [
        f"{name} has a job and no message"
        for name in set(jobs.values()) - created
        if name.startswith(load.PREFIX)
    ]
    return wrong


def rows_of_create(rows: dict[str, InboundMessage]) -> set[str]:
    return {
        json.loads(row.body)["sellerJobId"]
        for row in rows.values()
        if row.operation == "createJob" and row.outcome == InboundOutcome.ACCEPTED
    }


def held_in_silence() -> list[str]:
    held = OutboundMessage.objects.filter(state=OutboundState.HELD).count()
    alarms = open_alarms().filter(kind=AlarmKind.MESSAGE_HELD).count()
    return [f"{held} messages are held and nobody was told"] if held and not alarms else []


def broken_histories() -> list[str]:
    """A job's events are numbered without a gap or a double."""
    numbers: dict[str, list[int]] = {}
    for job_id, seq in JobEvent.objects.order_by("job", "seq").values_list("job__provider_job_id", "seq"):
        numbers.setdefault(job_id, []).append(seq)
    return [
        f"{job}'s events are numbered {seqs}"
        for job, seqs in numbers.items()
        if seqs != list(range(1, len(seqs) + 1))
    ]


def extra_copies(record: Record) -> int:
    """How many messages the seller got more than once."""
    return len(record.acted) - len({message["messageId"] for message in record.acted})
