"""What the seller knows of a job changes in one place, by one table, and whoever follows jobs is notified of it."""

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from seller_sandbox import clock
from seller_sandbox.endpoints.asgi import serve
from seller_sandbox.endpoints.exchange import JSON, Answer, Request
from seller_sandbox.jobs import dispatching, job_states, provisioning
from seller_sandbox.jobs.dispatching import send_pack
from seller_sandbox.jobs.models import Job, JobState, JobType
from seller_sandbox.jobs.schemas import problems
from seller_sandbox.jobs.signals import JobEvent, job_changed
from seller_sandbox.messages import worker
from seller_sandbox.messages.models import OutboundMessage, ThreadKind
from seller_sandbox.tests import make
from seller_sandbox.tests.partner import Partner, refuse

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def changes() -> Iterator[list[tuple[str, JobEvent]]]:
    """The changes that were notified, each with the job's state at that moment."""
    seen: list[tuple[str, JobEvent]] = []

    def follow(job: Job, event: JobEvent, **_: Any) -> None:
        assert transaction.get_connection().in_atomic_block
        seen.append((job.state, event))

    job_changed.connect(follow)
    yield seen
    job_changed.disconnect(follow)


def send_all() -> None:
    while worker.work_once():
        pass


def test_results_and_cancellations_are_notified(partner: Partner, changes: list) -> None:
    job = make.job()
    provisioning.give_result(job=job, result=3)
    provisioning.give_result(job=job, result=1)
    dispatching.cancel(job)
    send_all()

    assert changes == [
        (JobState.PROVISIONING_FAILED, JobEvent.PROVISIONING_FAILED),
        (JobState.PROVISIONED, JobEvent.PROVISIONED),
        (JobState.CANCELLED, JobEvent.CANCELLED),
    ]


def test_messages_of_the_partner_are_notified(changes: list) -> None:
    job = make.job()

    for body in [*make.arrival(job), make.scanned(job)]:
        assert call("notifyJob", body).status == 200
    engineer = {"id": "e-1", "name": "Sam Field"}
    assert call("closeJob", make.closed(job, engineer=engineer)).status == 200

    assert [event for _, event in changes] == [
        JobEvent.ENGINEER_ASSIGNED,
        JobEvent.EN_ROUTE,
        JobEvent.ON_SITE,
        JobEvent.ONT_SCANNED,
        JobEvent.CLOSED,
    ]


def call(operation: str, body: dict[str, Any]) -> Answer:
    content = json.dumps(body).encode()
    return serve(Request("A", operation, "POST", JSON, content, "partner", "127.0.0.1"))[1]


def test_answers_of_the_partner_are_notified(partner: Partner, changes: list) -> None:
    job = send_one()
    partner.script[:] = [refuse(422, "invalidMessage")]
    send_all()
    dispatching.send_refused_again(job)
    send_all()
    partner.script[:] = [refuse(409, "installationStarted")]
    dispatching.cancel(Job.objects.get())
    send_all()

    assert [change for _, change in changes] == [
        JobEvent.REFUSED,
        JobEvent.SENT_AGAIN,
        JobEvent.ACCEPTED,
        JobEvent.CANCEL_REFUSED,
    ]
    assert changes[-1][0] == JobState.ACCEPTED


def test_fact_that_comes_too_late_changes_nothing(changes: list) -> None:
    job = make.job()
    assert job_states.record(job, JobEvent.CANCELLED, cancelled_at=timezone.now())

    assert not job_states.record(job, JobEvent.CLOSED, closure_code="SP")

    job.refresh_from_db()
    assert (job.state, job.closure_code) == (JobState.CANCELLED, "")
    assert [change for _, change in changes] == [JobEvent.CANCELLED]


@pytest.mark.parametrize("state", JobState)
@pytest.mark.parametrize("change", JobEvent)
def test_table_of_transitions(change: JobEvent, state: JobState) -> None:
    is_over = state in {JobState.CLOSED, JobState.CANCELLED}
    possible = {
        JobEvent.SENT_AGAIN: state == JobState.REFUSED,
        JobEvent.REFUSED: state == JobState.QUEUED,
        JobEvent.ACCEPTED: state in {JobState.QUEUED, JobState.REFUSED},
        JobEvent.CANCEL_REFUSED: True,
        JobEvent.CANCEL_FAILED: True,
    }

    assert (state in job_states.TRANSITIONS[change].sources) == possible.get(change, not is_over)


def test_receiver_that_raises_undoes_the_change() -> None:
    def refuse_change(**_: Any) -> None:
        raise RuntimeError("an order that cannot follow")

    job = make.job()
    job_changed.connect(refuse_change)
    try:
        with pytest.raises(RuntimeError):
            provisioning.give_result(job=job, result=1)
    finally:
        job_changed.disconnect(refuse_change)

    job.refresh_from_db()
    assert job.state == JobState.ACCEPTED
    assert OutboundMessage.objects.filter(operation="notifyJob").count() == 0


# --- a pack that somebody else built ----------------------------------------------------------------------------
def send_one(**more: Any) -> Job:
    usual = make.job(job_type=JobType.EXTERNAL).pack
    Job.objects.all().delete()
    OutboundMessage.objects.all().delete()
    starts_at = clock.now() + timedelta(days=2)
    ends_at = starts_at + timedelta(hours=5)
    window = {"start": starts_at.isoformat(), "end": ends_at.isoformat()}
    pack = {name: value for name, value in usual.items() if name != "jobType"} | {"appointment": window}
    return send_pack(job_type=JobType.EXTERNAL, pack=pack, starts_at=starts_at, ends_at=ends_at, **more)


def test_pack_of_an_order_becomes_a_job(partner: Partner) -> None:
    job = send_one(order_reference="SO-1")

    send_all()

    [(path, body)] = partner.received
    assert path == "/seller/createJob"
    assert problems("createJob", body) == []
    assert body["jobType"] == "external"
    job.refresh_from_db()
    assert (job.state, job.order_reference) == (JobState.ACCEPTED, "SO-1")
    thread = job.thread
    assert (thread.kind, thread.reference, thread.recipient_reference) == (
        ThreadKind.JOB,
        job.seller_job_id,
        job.provider_job_id,
    )


def test_pack_of_an_order_can_wait(partner: Partner) -> None:
    send_one(delay=3600)

    assert not worker.work_once()
    clock.move(seconds=3600)
    assert worker.work_once()
