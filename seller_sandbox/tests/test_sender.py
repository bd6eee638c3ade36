"""Messages to the partner over real mutual TLS: order, repeats with the same id, and what counts as delivered."""

import time
from typing import Any
from uuid import UUID

import pytest

from seller_sandbox import clock
from seller_sandbox.jobs import dispatching
from seller_sandbox.jobs.dispatching import Batch, send_batch
from seller_sandbox.jobs.exceptions import ActionNotPossible
from seller_sandbox.jobs.models import Job, JobState
from seller_sandbox.jobs.schemas import problems
from seller_sandbox.messages import outbox, worker
from seller_sandbox.messages.models import MessageLogEntry, OutboundMessage, OutboundState
from seller_sandbox.tests import make
from seller_sandbox.tests.environment import free_port
from seller_sandbox.tests.partner import (
    Partner,
    answer_with,
    drip,
    drop,
    refuse,
    send_half,
    send_half_a_header,
    start_partner,
)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def short_deadline(settings) -> None:
    settings.DEADLINE_SECONDS = 1


def queue_pack(**values: Any) -> Job:
    return send_batch(Batch(count=1, day=make.DAY, seed=1, **values))[0]


def send_all() -> None:
    """Send what is due; what must wait becomes due by moving the clock."""
    for _ in range(20):
        if not OutboundMessage.objects.heads().exists():
            return
        clock.advance(seconds=61)
        worker.work_once()


def test_a_pack_is_sent_and_its_job_learns_the_partners_id(partner: Partner) -> None:
    job = queue_pack()

    assert worker.work_once()

    job.refresh_from_db()
    [(path, body)] = partner.received
    assert path == "/seller/createJob"
    assert problems("createJob", body) == []
    assert body["sellerJobId"] == job.seller_job_id
    assert "providerJobId" not in body
    assert job.state == JobState.ACCEPTED
    assert job.provider_job_id.startswith("PJ-")
    assert not worker.work_once()


@pytest.mark.parametrize(
    "trouble",
    [
        refuse(503, "tryAgain"),
        refuse(500, "tryAgain"),
        refuse(408, "tryAgain"),
        refuse(425, "tryAgain"),
        refuse(429, "tryAgain"),
        drop,
        send_half,
        send_half_a_header,
        drip,
        answer_with(200, {"messageId": "another", "providerJobId": "PJ-1"}),
        answer_with(200, ["PJ-1"]),
        answer_with(200, {}),
        answer_with(200, b'{"messageId": 1e400}'),
        answer_with(200, b"[" * 960 + b"]" * 960),
        answer_with(200, b"[" * 5000 + b"]" * 5000),
        answer_with(302, {}, Location="http://127.0.0.1:1/elsewhere"),
    ],
)
def test_after_trouble_the_same_message_is_sent_again(partner: Partner, trouble) -> None:
    partner.script[:] = [trouble]
    queue_pack()

    started = time.monotonic()
    worker.work_once()
    took = time.monotonic() - started
    message = OutboundMessage.objects.get()
    assert message.state == OutboundState.WAITING
    assert message.next_attempt_at > clock.now()
    send_all()

    first, second = partner.received
    assert first == second
    assert took < 1.5
    assert Job.objects.get().state == JobState.ACCEPTED
    assert list(MessageLogEntry.objects.values_list("attempt", flat=True)) == [1, 2]


def test_an_unreachable_partner_is_retried(partner: Partner, settings) -> None:
    settings.PARTNER_URLS = [f"https://127.0.0.1:{free_port()}/seller"]
    queue_pack()

    worker.work_once()

    entry = MessageLogEntry.objects.get()
    assert entry.status is None
    assert "refused" in entry.error
    assert OutboundMessage.objects.get().state == OutboundState.WAITING


@pytest.mark.parametrize(
    "address",
    ["https://127.0.0.1:99999/seller", "https://[::1/seller", "https://a..b/seller", "https://127.0.0.1/a b"],
)
def test_an_address_that_cannot_be_used_is_a_failed_attempt(partner: Partner, settings, address: str) -> None:
    settings.PARTNER_URLS = [address]
    queue_pack()

    worker.work_once()

    entry = MessageLogEntry.objects.get()
    assert (entry.status, entry.error != "") == (None, True)
    assert OutboundMessage.objects.get().state == OutboundState.WAITING


@pytest.mark.parametrize("certificate", ["forged", "elsewhere"])
def test_a_false_partner_gets_nothing(partner: Partner, folder, settings, certificate: str) -> None:
    port = free_port()
    false_partner = start_partner(folder, port=port, certificate=certificate)
    settings.PARTNER_URLS = [f"https://127.0.0.1:{port}/seller"]

    queue_pack()
    worker.work_once()

    entry = MessageLogEntry.objects.get()
    assert entry.status is None
    assert "CERTIFICATE_VERIFY_FAILED" in entry.error
    assert false_partner.received == []


def test_the_partner_may_ask_to_wait(partner: Partner) -> None:
    partner.script[:] = [refuse(429, "tryAgain", Retry_After="20")]
    queue_pack()

    worker.work_once()

    wait = OutboundMessage.objects.get().next_attempt_at - clock.now()
    assert 18 < wait.total_seconds() <= 20


def test_waits_grow(partner: Partner) -> None:
    waits = [outbox._wait(attempts, asked=None).total_seconds() for attempts in range(1, 9)]

    limits = [1, 2, 4, 8, 16, 30, 30, 30]
    assert all(limit / 2 <= wait <= limit for wait, limit in zip(waits, limits, strict=True))


def test_a_refused_pack_is_not_tried_again_and_holds_its_job(partner: Partner) -> None:
    partner.script[:] = [refuse(422, "invalidMessage")]
    job = queue_pack()
    outbox.enqueue(thread=job.thread, operation="cancelJob", members={})

    send_all()

    job.refresh_from_db()
    assert len(partner.received) == 1
    assert job.state == JobState.REFUSED
    with pytest.raises(ActionNotPossible):
        dispatching.cancel(job)


def test_what_was_refused_can_be_sent_again_with_its_id(partner: Partner) -> None:
    partner.script[:] = [refuse(422, "invalidMessage")]
    job = queue_pack()
    send_all()

    assert dispatching.send_refused_again(job) == 1
    send_all()

    assert len(set(partner.message_ids)) == 1
    assert len(partner.received) == 2
    assert Job.objects.get().state == JobState.ACCEPTED


def test_messages_of_a_job_keep_their_order(partner: Partner) -> None:
    job = queue_pack()
    dispatching.cancel(job)
    partner.script[:] = [refuse(503, "tryAgain"), drop]

    send_all()

    assert [path for path, _ in partner.received] == ["/seller/createJob"] * 3 + ["/seller/cancelJob"]
    cancellation = partner.received[-1][1]
    assert problems("cancelJob", cancellation) == []
    job.refresh_from_db()
    assert cancellation["providerJobId"] == job.provider_job_id
    assert job.state == JobState.CANCELLED


def test_one_job_in_trouble_does_not_hold_another(partner: Partner) -> None:
    queue_pack()
    partner.script[:] = [refuse(503, "tryAgain")]
    worker.work_once()
    other = queue_pack()

    worker.work_once()

    other.refresh_from_db()
    assert other.state == JobState.ACCEPTED


def test_a_refused_cancellation_leaves_the_job_as_it_was(partner: Partner) -> None:
    job = make.job()
    partner.script[:] = [refuse(409, "installationStarted")]
    dispatching.cancel(job)
    outbox.enqueue(thread=job.thread, operation="notifyJob", members={"event": "ontProvisioned"})

    send_all()

    job.refresh_from_db()
    assert job.state == JobState.ACCEPTED
    assert [path for path, _ in partner.received] == ["/seller/cancelJob", "/seller/notifyJob"]


def test_a_message_can_be_sent_twice(partner: Partner) -> None:
    job = queue_pack()
    send_all()

    dispatching.repeat_last(job, operation="createJob")
    send_all()

    first, second = partner.received
    assert first == second
    job.refresh_from_db()
    assert job.state == JobState.ACCEPTED


def test_a_delayed_pack_waits_by_the_sandbox_clock(partner: Partner) -> None:
    queue_pack(delay=600)

    assert not worker.work_once()
    clock.advance(seconds=600)
    assert worker.work_once()


def test_faults_of_an_answer_are_recorded(partner: Partner) -> None:
    partner.script[:] = [answer_with(400, {"error": "no"})]
    queue_pack()

    worker.work_once()

    entry = MessageLogEntry.objects.get()
    assert entry.breaches == [
        {"code": "answerFault", "field": "/fault", "message": "A refusal without fault"},
        {"code": "unexpectedAnswer", "field": "/", "message": "Expected 200, the recipient answered 400"},
    ]
    assert entry.is_breach


@pytest.mark.locks
@pytest.mark.parametrize("text", ["in\0valid", "in\ud800valid"], ids=["NUL", "half a pair"])
def test_refusal_that_names_what_no_database_takes_is_settled(partner: Partner, client, text: str) -> None:
    detail = [{"field": f"/{text}", "code": text, "message": text}]
    fault = {"faultcode": text, "faultmessage": text, "detail": detail}
    partner.script[:] = [answer_with(422, {"fault": fault})]
    queue_pack()

    worker.work_once()

    assert OutboundMessage.objects.get().state == OutboundState.REFUSED
    [breach] = MessageLogEntry.objects.get().breaches
    assert text not in breach["message"]
    assert client.get("/messages").status_code == 200


@pytest.mark.locks
def test_answer_that_is_no_http_is_a_failed_attempt(partner: Partner) -> None:
    def answer_otherwise(handler, _body) -> None:
        handler.wfile.write(b"\0\x01\0\0\r\n\r\n")
        handler.close_connection = True

    partner.script[:] = [answer_otherwise]
    queue_pack()

    worker.work_once()

    entry = MessageLogEntry.objects.get()
    assert (entry.status, entry.error != "", "\0" in entry.error) == (None, True, False)


def test_an_id_that_was_not_echoed_is_recorded(partner: Partner) -> None:
    def answer_without_correlation(handler, body) -> None:
        handler.answer(200, {"messageId": body["messageId"], "providerJobId": "PJ-7"})

    partner.script[:] = [answer_without_correlation]
    queue_pack()

    worker.work_once()

    assert [breach["field"] for breach in MessageLogEntry.objects.get().breaches] == ["/correlationId"]
    assert Job.objects.get().provider_job_id == "PJ-7"


def test_ids_of_messages_are_unique_uuids(partner: Partner) -> None:
    send_batch(Batch(count=5, day=make.DAY))
    send_all()

    assert len({UUID(message_id) for message_id in partner.message_ids}) == 5
