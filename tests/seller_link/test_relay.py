"""Claim heads, deliver, settle: order per job, one effect, nothing lost."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone
from pytest_django import Settings

from dispatch.models import Job
from dispatch.states import JobState
from engineers.models import AuditEntry
from monitoring.coded_texts import technical_reason
from monitoring.models import Heartbeat
from seller_link import outbox, outbox_queue, relay
from seller_link.circuit_breaker import CircuitBreaker
from seller_link.client import RetryLater, SellerClient
from seller_link.models import DeliveryAttempt, OutboundMessage, OutboundState
from seller_link.relay_loop import Relay
from tests import make
from tests.servers import seller

pytestmark = pytest.mark.django_db(transaction=True)


def drain(*, most: int = 50) -> list[str]:
    """Relay until nothing is due; the events in the order sent."""
    client, endpoints, sent = SellerClient(), CircuitBreaker(), []
    for _ in range(most):
        claimed = outbox_queue.claim_due(1)
        if not claimed:
            break
        relay.settle([relay.deliver(claimed[0], client=client, circuit_breaker=endpoints)])
        sent.append(claimed[0].body["event"])
    client.close()
    return sent


def states(job: Job) -> list[str]:
    return list(job.outbound_messages.values_list("state", flat=True))


def make_due() -> None:
    OutboundMessage.objects.unsent().update(next_attempt_at=timezone.now() - timedelta(seconds=1))


def test_messages_of_a_job_are_sent_in_order(endpoint: seller.Endpoint) -> None:
    job = make.job(at_state=JobState.ON_SITE)
    make.scan(job)

    sent = drain()

    assert sent == ["engineerAssigned", "enRoute", "onSite", "ontScanned"]
    assert [message["event"] for message in endpoint.received] == sent
    assert states(job) == [OutboundState.SENT] * 4


def test_only_the_head_of_a_job_is_claimed(endpoint: seller.Endpoint) -> None:
    make.job(at_state=JobState.ON_SITE)
    make.job(at_state=JobState.ON_SITE)

    claimed = outbox_queue.claim_due(10)

    assert [message.body["event"] for message in claimed] == ["engineerAssigned", "engineerAssigned"]
    assert outbox_queue.claim_due(10) == []


def test_lease_that_ran_out_is_claimed_again_with_the_same_id(endpoint: seller.Endpoint) -> None:
    make.job(at_state=JobState.ASSIGNED)
    first = outbox_queue.claim_due(1)[0]
    OutboundMessage.objects.update(lease_expires_at=timezone.now() - timedelta(seconds=1))

    second = outbox_queue.claim_due(1)[0]

    assert second.body["messageId"] == first.body["messageId"]
    assert second.claims == 2


def test_overtaken_claim_settles_nothing(endpoint: seller.Endpoint) -> None:
    job = make.job(at_state=JobState.ASSIGNED)
    slow = outbox_queue.claim_due(1)[0]
    OutboundMessage.objects.update(lease_expires_at=timezone.now() - timedelta(seconds=1))
    outbox_queue.claim_due(1)

    relay.settle([relay.DeliveryResult(slow, RetryLater(technical_reason("late")))])

    row = job.outbound_messages.get()
    assert (row.failures, row.lease_expires_at is None) == (0, False)


def test_failure_is_retried_at_the_other_endpoint_at_once(
    endpoint: seller.Endpoint, second: seller.Endpoint
) -> None:
    job = make.job(at_state=JobState.ASSIGNED)
    endpoint.behaviours = [seller.reply("503 Busy", b"{}")]

    drain()

    message = job.outbound_messages.get()
    assert message.state == OutboundState.SENT
    assert [attempt.status for attempt in message.delivery_attempts.all()] == [503, 200]
    assert endpoint.received[0]["messageId"] == second.received[0]["messageId"]


def test_failing_message_waits_and_keeps_its_id(endpoint: seller.Endpoint) -> None:
    job = make.job(at_state=JobState.EN_ROUTE)
    endpoint.behaviours = [seller.reply("500 Oops", b"{}"), seller.accept]

    first = drain()
    waiting = job.outbound_messages.first()
    make_due()
    rest = drain()

    assert first == ["engineerAssigned"]
    assert waiting.next_attempt_at > waiting.created_at
    assert rest == ["engineerAssigned", "enRoute"]
    assert len({message["messageId"] for message in endpoint.received}) == 2


def test_retry_after_is_obeyed(endpoint: seller.Endpoint) -> None:
    job = make.job(at_state=JobState.ASSIGNED)
    endpoint.behaviours = [seller.reply("429 Many", b"{}", headers="Retry-After: 120\r\n")]

    drain()

    message = job.outbound_messages.get()
    assert message.next_attempt_at - timezone.now() > timedelta(seconds=100)


def test_messages_that_the_seller_asks_to_wait_do_not_come_due_together() -> None:
    now = timezone.now()
    waits = {relay.next_attempt_at(0, 60, now=now) - now for _ in range(20)}

    assert len(waits) == 20
    assert all(timedelta(seconds=60) <= wait <= timedelta(seconds=75) for wait in waits)


def test_rate_limit_stops_the_messages_of_other_jobs(endpoint: seller.Endpoint) -> None:
    for _ in range(3):
        make.job(at_state=JobState.ASSIGNED)
    endpoint.behaviours = [seller.reply("429 Many", b"{}", headers="Retry-After: 60\r\n")]

    drain(most=4)

    assert len(endpoint.received) == 1


def test_retry_after_is_obeyed_though_the_other_endpoint_is_down(
    endpoint: seller.Endpoint, second: seller.Endpoint
) -> None:
    job = make.job(at_state=JobState.ASSIGNED)
    busy = seller.reply("503 Busy", b"{}", headers="Retry-After: 120\r\n")
    endpoint.behaviours, second.behaviours = [busy], [seller.reply("500 Broken", b"{}")]

    drain()

    assert len(endpoint.received) == len(second.received) == 1
    assert job.outbound_messages.get().next_attempt_at - timezone.now() > timedelta(seconds=100)


def test_seller_who_needs_more_than_a_share_of_the_time_gets_all_of_it(
    endpoint: seller.Endpoint, second: seller.Endpoint, settings: Settings
) -> None:
    settings.SELLER_DEADLINE_SECONDS = 4
    endpoint.behaviours, second.behaviours = [seller.slow], [seller.slow]
    job = make.job(at_state=JobState.ASSIGNED)
    OutboundMessage.objects.update(failures=3)

    drain(most=1)

    assert states(job) == [OutboundState.SENT]
    assert len(endpoint.received) + len(second.received) == 1


def test_waits_grow_to_the_cap() -> None:
    now = timezone.now()
    waits = [relay.next_attempt_at(failures, 0, now=now) - now for failures in range(30)]

    assert all(timedelta(seconds=0.25) <= wait <= timedelta(seconds=300) for wait in waits)
    assert waits[29] >= timedelta(seconds=150)


def test_refused_message_holds_its_job_and_nobody_else(endpoint: seller.Endpoint) -> None:
    endpoint.behaviours = [
        seller.reply("422 Wrong", b'{"fault": {"faultcode": "invalidMessage"}}'),
        seller.accept,
    ]
    held, other = make.job(at_state=JobState.EN_ROUTE), make.job(at_state=JobState.EN_ROUTE)

    drain()

    assert states(held) == [OutboundState.HELD, OutboundState.READY]
    assert states(other) == [OutboundState.SENT, OutboundState.SENT]
    assert list(outbox.stuck_messages()) == [held.outbound_messages.first()]
    assert held.outbound_messages.first().held_reason == '422 {"fault": {"faultcode": "invalidMessage"}}'


def test_long_refusal_stays_json_in_the_attempt_and_in_the_message(endpoint: seller.Endpoint) -> None:
    details = [{"field": f"/answers/{number}", "message": "Wrong."} for number in range(900)]
    endpoint.behaviours = [seller.reply("422 Wrong", json.dumps({"fault": {"detail": details}}).encode())]
    job = make.job(at_state=JobState.ASSIGNED)

    drain()

    message = job.outbound_messages.get()
    attempt = message.delivery_attempts.get()
    assert message.held_reason == f"422 {attempt.response}"
    assert json.loads(attempt.response)["fault"]["detail"][0]["field"] == "/answers/0"


def test_replayed_message_releases_its_job(endpoint: seller.Endpoint) -> None:
    endpoint.behaviours = [seller.reply("422 Wrong", b"{}"), seller.accept]
    job, supervisor = make.job(at_state=JobState.EN_ROUTE), make.dispatcher()
    drain()
    held = outbox.stuck_messages().get()

    replayed = outbox.replay_message(message=held, by=supervisor)
    drain()

    assert replayed.message_id == held.message_id
    assert states(job) == [OutboundState.SENT, OutboundState.SENT]
    assert AuditEntry.objects.get(action="replayed").actor == supervisor


def test_corrected_message_gets_a_new_id_and_keeps_the_old_body(endpoint: seller.Endpoint) -> None:
    job = make.job(at_state=JobState.ASSIGNED)
    endpoint.behaviours = [seller.reply("422 Wrong", b"{}"), seller.accept]
    drain()
    held = outbox.stuck_messages().get()

    replayed = outbox.replay_message(
        message=held, by=make.dispatcher(), reason="A remark", body={**held.body, "remark": "corrected"}
    )
    drain()

    assert replayed.message_id != held.message_id
    assert replayed.body_before == held.body
    assert endpoint.received[-1]["remark"] == "corrected"
    assert endpoint.received[-1]["messageId"] == str(replayed.message_id)
    assert states(job) == [OutboundState.SENT]


def test_delivered_message_is_not_replayed(endpoint: seller.Endpoint) -> None:
    job = make.job(at_state=JobState.ASSIGNED)
    drain()

    with pytest.raises(outbox.AlreadyDelivered):
        outbox.replay_message(message=job.outbound_messages.get(), by=make.dispatcher())


def test_end_that_is_disturbed_settles_once(endpoint: seller.Endpoint) -> None:
    job = make.job(at_state=JobState.ASSIGNED)
    running = Relay()
    (claimed,) = outbox_queue.claim_due(1)
    client = SellerClient()
    running.finished.put(relay.deliver(claimed, client=client, circuit_breaker=CircuitBreaker()))
    client.close()

    with renamed(Heartbeat._meta.db_table):
        running.run(rounds=0)

    assert states(job) == [OutboundState.SENT]
    assert DeliveryAttempt.objects.count() == 1


@contextmanager
def renamed(table: str) -> Iterator[None]:
    """The database rejects every statement on this table."""
    with connection.cursor() as cursor:
        cursor.execute(f'ALTER TABLE "{table}" RENAME TO "{table}_away"')
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f'ALTER TABLE "{table}_away" RENAME TO "{table}"')


def test_fact_whose_message_cannot_be_written_is_undone(monkeypatch: pytest.MonkeyPatch) -> None:
    """State, event and outbound row commit together or not at all."""
    job = make.job(at_state=JobState.ASSIGNED)

    def refuse(*_args: object, **_facts: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("seller_link.outbox.OutboundMessage.objects.create", refuse)
    with pytest.raises(OSError, match="disk full"):
        make.start_travel(job)

    job.refresh_from_db()
    assert job.state == JobState.ASSIGNED
    assert job.events.count() == 2
