"""Stubs of the partner and of the buyers in the process of the sandbox seller: they take every message at once."""

import json
from uuid import uuid4

from django.db import transaction

from seller_sandbox import clock
from seller_sandbox.jobs import job_states, locking, provisioning
from seller_sandbox.jobs.models import Job, JobState
from seller_sandbox.jobs.signals import JobEvent
from seller_sandbox.messages import outbox
from seller_sandbox.messages.channels import channel_of
from seller_sandbox.messages.client import Reply
from seller_sandbox.messages.models import InboundMessage, OutboundMessage, ThreadKind
from seller_sandbox.messages.outbox import Answered
from seller_sandbox.orders.wire import callback
from seller_sandbox.transactions import do_together

# a stub answers at once, however many there are
ANSWERED_TOGETHER = 50


def answer_all() -> None:
    """Each waiting message is delivered, as the worker does it but for the line."""
    while claimed := outbox.claim_some(ANSWERED_TOGETHER):
        with clock.at(clock.now()):
            do_together(_settle, claimed)


def _settle(messages: list[OutboundMessage]) -> None:
    outbox.settle_all([_answered(message) for message in messages])


def _answered(message: OutboundMessage) -> Answered:
    return Answered(message, channel_of(message.thread).judge(message, _reply(message)))


def visit_all() -> None:
    """Every job whose slot has begun is visited: scanned, provisioned, closed with SP."""
    due = Job.objects.filter(state=JobState.ACCEPTED, starts_at__lte=clock.now())
    jobs = list(due.select_related("thread").order_by("id"))
    # as the seller does with a message: one reading of the clock for all that follows
    with clock.at(clock.now()):
        for job in jobs:
            _scan(job)
        answer_all()
        for job in jobs:
            _close(job)


def _reply(message: OutboundMessage) -> Reply:
    if message.thread.kind == ThreadKind.ORDER:
        content = callback.acknowledge(str(message.message_id))
        return Reply(200, content, "text/xml; charset=utf-8")
    sent = message.body
    answer = {
        "messageId": sent["messageId"],
        "correlationId": sent["correlationId"],
        "providerJobId": sent.get("providerJobId") or f"PJ-{message.thread.pk}",
    }
    return Reply(200, json.dumps(answer).encode(), "application/json")


@transaction.atomic
def _scan(job: Job) -> None:
    fsan, scan_id = f"ALCL{job.pk:08X}", str(uuid4())
    InboundMessage.objects.create(
        endpoint="A",
        operation="notifyJob",
        event="ontScanned",
        caller="partner",
        message_id=scan_id,
        holds_id=True,
        thread=job.thread,
        body={"event": "ontScanned", "ont": {"fsan": fsan, "serialNumber": f"{job.pk:012d}"}},
    )
    job_states.record(job, JobEvent.ONT_SCANNED)
    provisioning.schedule_scan(job=job, scan_id=scan_id, fsan=fsan)
    provisioning.give_result(job=job, result=1)


@transaction.atomic
def _close(job: Job) -> None:
    job_states.record(locking.lock(pk=job.pk), JobEvent.CLOSED, closure_code="SP", closed_at=clock.now())
