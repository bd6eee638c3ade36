"""Fills the outbox of the database in DATABASE_URL with as many messages as an outage leaves behind.

`python -m tests.bench.backlog --messages N`, after `migrate`.
"""

import argparse
import os
import uuid
from collections.abc import Iterator
from itertools import islice

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from django.db import transaction  # noqa: E402
from django.utils import timezone  # noqa: E402

from dispatch.models import Job, JobEvent  # noqa: E402
from dispatch.states import JobState  # noqa: E402
from seller_link.models import OutboundMessage  # noqa: E402
from tests import make  # noqa: E402

JOBS_AT_ONCE = 500


def fill(messages: int) -> int:
    """How many wait then: whole jobs of three messages each, like one that an engineer did for real."""
    model = Job.objects.first() or make.job(at_state=JobState.ON_SITE)
    originals = list(model.outbound_messages.select_related("event"))
    waiting = OutboundMessage.objects.unsent().count()
    jobs = (messages - waiting) // len(originals)
    numbers = iter(range(jobs))
    while batch := list(islice(numbers, JOBS_AT_ONCE)):
        with transaction.atomic():
            _copy(model, originals, len(batch))
    return OutboundMessage.objects.unsent().count()


def _copy(model: Job, messages: list[OutboundMessage], count: int) -> None:
    """Whole histories: also the events that the seller is never notified of."""
    by_event, history = (
        {character.event_id: character for character in messages},
        list(model.events.order_by("seq")),
    )
    pairs = [(job, event) for job in Job.objects.bulk_create(_jobs(model, count)) for event in history]
    events = JobEvent.objects.bulk_create(_event(job, event) for job, event in pairs)
    OutboundMessage.objects.bulk_create(
        _copy_of(event, by_event[original.pk])
        for event, (_job, original) in zip(events, pairs, strict=True)
        if original.pk in by_event
    )


def _jobs(model: Job, count: int) -> Iterator[Job]:
    same = {field.attname: getattr(model, field.attname) for field in Job._meta.concrete_fields}
    for _ in range(count):
        yield Job(**{**same, "id": None, "provider_job_id": _name(), "seller_job_id": _name()})


def _name() -> str:
    return f"B-{uuid.uuid4().hex[:30]}"


def _event(job: Job, event: JobEvent) -> JobEvent:
    return JobEvent(
        job=job,
        seq=event.seq,
        kind=event.kind,
        to_state=event.to_state,
        actor=event.actor,
        occurred_at=event.occurred_at,
        recorded_at=event.recorded_at,
    )


def _copy_of(event: JobEvent, message: OutboundMessage) -> OutboundMessage:
    message_id, now = uuid.uuid4(), timezone.now()
    body = {**message.body, "messageId": str(message_id), "providerJobId": event.job.provider_job_id}
    return OutboundMessage(
        job=event.job,
        event=event,
        seq=message.seq,
        message_id=message_id,
        operation=message.operation,
        body=body,
        created_at=now,
        next_attempt_at=now,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, required=True)
    print(fill(parser.parse_args().messages))  # noqa: T201
