"""The one question at the end of every scenario, asked of the seller's record and of ours.

Same messages, same order per job, one effect each, nothing held without an alarm.
"""

import json
from collections import Counter
from typing import Any

from dispatch.models import Job, JobEvent
from monitoring.alarms import open_alarms
from monitoring.models import AlarmKind
from seller_link import reconciliation
from seller_link.models import InboundMessage, InboundOutcome, OutboundMessage, OutboundState
from seller_link.reconciliation import MessageSets, RecordedMessage
from tests.faults import load
from tests.faults.fault_system import FaultSystem, until
from tests.faults.load import Sent, insist
from tests.faults.seller import Record, body_of

DRAIN_SECONDS = 180


def wait_until_drained(system: FaultSystem, *, seconds: float = DRAIN_SECONDS) -> None:
    """Every row of the outbox has reached the seller."""
    until(lambda: unsent() == 0, what=f"all messages are delivered ({unsent()} were not)", seconds=seconds)


def unsent() -> int:
    return insist(lambda: OutboundMessage.objects.unsent().count())


def differences(system: FaultSystem, *, sent: Sent | None = None) -> list[str]:
    """A sentence for each thing that is not as it must be; none when all is well."""
    return [
        *outbound(system.record),
        *(inbound(sent) if sent else []),
        *held_in_silence(),
        *broken_histories(),
    ]


def outbound(record: Record) -> list[str]:
    """What we hold against what the seller acted upon, job by job: the comparison that an operator has, too.

    Every row of the outbox counts as sent, whatever its state, and a repeat has no second effect at the seller.
    """
    rows = OutboundMessage.objects.select_related("job").order_by("job", "seq")
    return reconciliation.list_differences(
        MessageSets(
            we_sent=[_message(row.job.provider_job_id, row.body) for row in rows],
            seller_received=[
                _message(job, body) for job, bodies in record.by_job().items() for body in bodies
            ],
        )
    )


def _message(job: str, body: dict[str, Any]) -> RecordedMessage:
    # as text, since 1 and 1.0 are equal otherwise
    return RecordedMessage.of(job, body["messageId"], body.get("event", "closeJob"), body_of(body))


def inbound(sent: Sent) -> list[str]:
    """Every answer that the seller believes has its one message and its one job here, and no job has two."""
    wrong = list(sent.odd)
    jobs = {job.provider_job_id: job.seller_job_id for job in Job.objects.all()}
    rows = {str(row.message_id): row for row in InboundMessage.objects.exclude(message_id=None)}
    for message_id, answer in sent.answers.items():
        row = rows.get(message_id)
        if row is None:
            wrong.append(f"{message_id} was answered and is not stored")
        elif row.response != answer:
            wrong.append(f"{message_id} was answered {answer}, stored is {row.response}")
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
