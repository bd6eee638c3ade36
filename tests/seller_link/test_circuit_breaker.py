"""Which endpoint is tried, which circuit opens, and what people see of it."""

from datetime import timedelta

import pytest
from django.db import connections, transaction
from django.utils import timezone
from pytest_django import Settings

from dispatch.states import JobState
from monitoring import alarms
from monitoring.alarms import text_of
from monitoring.coded_texts import coded_text, reason_text, technical_reason
from monitoring.models import AlarmKind
from seller_link import circuit_breaker, outbox, outbox_queue, relay, seller_silence
from seller_link.circuit_breaker import CircuitBreaker
from seller_link.client import Delivered, RetryLater, SellerClient
from seller_link.models import EndpointHealth, OutboundMessage
from tests import make
from tests.servers import seller
from tests.servers.certificates import Authority

pytestmark = pytest.mark.django_db(transaction=True)
GOOD, BAD = Delivered(200, "{}"), RetryLater(technical_reason("refused to connect"))
A, B = "https://a.example", "https://b.example"


@pytest.fixture
def two(settings: Settings) -> CircuitBreaker:
    settings.SELLER_ENDPOINTS = [A, B]
    return CircuitBreaker()


def fail(circuits: CircuitBreaker, endpoint: str, *, times: int = circuit_breaker.FAILURES_TO_OPEN) -> None:
    for _ in range(times):
        circuits.record_result(endpoint, BAD)
    circuits.sync()


def end_rests() -> None:
    EndpointHealth.objects.exclude(open_until=None).update(
        open_until=timezone.now() - timedelta(milliseconds=1)
    )


def look_again(circuits: CircuitBreaker) -> None:
    """Without waiting until it is time to look."""
    circuits._looked_at = float("-inf")
    circuits.sync()


def send_one(circuits: CircuitBreaker) -> relay.DeliveryResult:
    client = SellerClient()
    (claimed,) = outbox_queue.claim_due(1)
    delivery = relay.deliver(claimed, client=client, circuit_breaker=circuits)
    relay.settle([delivery])
    client.close()
    circuits.sync()
    return delivery


def open_kinds() -> list[str]:
    return sorted(alarms.open_alarms().values_list("kind", flat=True))


def test_endpoints_take_turns(two: CircuitBreaker) -> None:
    assert [two.order() for _ in range(3)] == [[A, B], [B, A], [A, B]]


def test_endpoint_that_failed_lately_comes_last(two: CircuitBreaker) -> None:
    two.record_result(A, BAD)

    assert [two.order() for _ in range(2)] == [[B, A], [B, A]]


def test_endpoint_that_keeps_failing_opens_its_circuit(two: CircuitBreaker) -> None:
    fail(two, A)

    assert [two.order() for _ in range(2)] == [[B], [B]]
    row = EndpointHealth.objects.get(endpoint=A)
    assert row.open_until is not None
    assert (row.failures, reason_text(row.last_error)) == (5, "refused to connect")


def test_seller_that_asks_to_wait_is_healthy(two: CircuitBreaker) -> None:
    for _ in range(9):
        two.record_result(A, RetryLater(coded_text("seller_answered", status=429), 429))

    assert set(two.order()) == {A, B}


def test_rate_limit_pauses_the_endpoint_for_all_jobs_and_processes(two: CircuitBreaker) -> None:
    make.job(at_state=JobState.ASSIGNED)
    OutboundMessage.objects.update(created_at=timezone.now() - timedelta(minutes=2))

    for endpoint in (A, B):
        two.record_result(
            endpoint, RetryLater(coded_text("seller_answered", status=429), 429, after_seconds=60)
        )
    # the answer to a request from before
    two.record_result(A, GOOD)
    two.sync()
    other = CircuitBreaker()
    other.sync()
    seller_silence.watch_unreachable()

    rows = EndpointHealth.objects.all()
    assert [(row.failures, row.openings, reason_text(row.last_error)) for row in rows] == [
        (0, 0, "answered 429")
    ] * 2
    assert all(row.open_until > timezone.now() + timedelta(seconds=50) for row in rows)
    assert (two.order(), other.order(), two.claim_limit(), open_kinds()) == ([], [], 0, [])


def test_rate_limit_is_an_answer_that_both_sides_trust(two: CircuitBreaker) -> None:
    two.record_result(A, RetryLater(coded_text("untrusted_expired"), is_distrust=True))
    two.sync()
    before = open_kinds()

    two.record_result(A, RetryLater(coded_text("seller_answered", status=429), 429, after_seconds=60))
    two.sync()

    assert (before, open_kinds()) == ([AlarmKind.SELLER_UNTRUSTED], [])


def test_rate_limit_ends_with_a_probe(two: CircuitBreaker) -> None:
    two.record_result(A, RetryLater(coded_text("seller_answered", status=429), 429, after_seconds=60))
    two.sync()
    end_rests()
    look_again(two)

    assert two.order()[0] == A
    two.record_result(A, GOOD)
    two.sync()

    assert set(two.order()) == {A, B}
    assert EndpointHealth.objects.get(endpoint=A).open_until is None


def test_pause_of_a_quarter_of_an_hour_is_kept(two: CircuitBreaker) -> None:
    two.record_result(A, RetryLater(coded_text("seller_answered", status=429), 429, after_seconds=900))
    two.sync()

    look_again(two)

    assert two.order() == [B]


@pytest.mark.parametrize(
    "answer",
    [seller.no_content, seller.reply("301 Moved", b""), seller.reply("200 OK", b"<html>It works</html>")],
    ids=["204", "301", "no JSON"],
)
def test_seller_that_answers_and_confirms_nothing_is_reachable(
    endpoint: seller.Endpoint, answer: seller.Behaviour
) -> None:
    endpoint.behaviours = [answer]
    make.job(at_state=JobState.ASSIGNED)
    OutboundMessage.objects.update(created_at=timezone.now() - timedelta(minutes=2))
    circuits = CircuitBreaker()

    for _ in range(10):
        OutboundMessage.objects.update(next_attempt_at=timezone.now())
        send_one(circuits)
    seller_silence.watch_unreachable()

    assert len(endpoint.received) == 10
    assert circuits.order() == [endpoint.url]
    assert open_kinds() == [AlarmKind.MESSAGE_UNCONFIRMED]


def test_half_an_answer_is_a_failure_of_the_endpoint(endpoint: seller.Endpoint) -> None:
    endpoint.behaviours = [seller.half_body]
    make.job(at_state=JobState.ASSIGNED)
    circuits = CircuitBreaker()

    for _ in range(circuit_breaker.FAILURES_TO_OPEN):
        OutboundMessage.objects.update(next_attempt_at=timezone.now())
        send_one(circuits)

    assert circuits.order() == []


def test_all_circuits_open_claims_nothing(two: CircuitBreaker) -> None:
    fail(two, A)
    fail(two, B)

    assert two.claim_limit() == 0
    assert two.order() == []


def test_after_the_pause_one_of_all_processes_probes_the_endpoint(two: CircuitBreaker) -> None:
    fail(two, A)
    fail(two, B)
    other = CircuitBreaker()
    other.sync()
    end_rests()

    look_again(two)
    look_again(other)

    assert (two.claim_limit(), other.claim_limit()) == (2, 0)
    assert (two.order(), two.order(), two.order()) == ([A], [B], [])


def test_good_probe_closes_the_circuit_for_all_processes(two: CircuitBreaker) -> None:
    fail(two, A)
    end_rests()
    look_again(two)
    other = CircuitBreaker()

    assert two.order()[0] == A
    two.record_result(A, GOOD)
    two.sync()
    other.sync()

    assert set(two.order()) == set(other.order()) == {A, B}


@pytest.mark.parametrize(
    "outcome",
    [
        *(RetryLater(coded_text("seller_answered", status=status), status) for status in (408, 425, 429)),
        RetryLater(coded_text("seller_answer_without_length"), 204, is_unconfirmed=True),
    ],
    ids=lambda outcome: str(outcome.status),
)
def test_probe_that_is_answered_closes_the_circuit(two: CircuitBreaker, outcome: RetryLater) -> None:
    fail(two, A)
    end_rests()
    look_again(two)
    two.order()

    two.record_result(A, outcome)
    two.sync()

    assert set(two.order()) == {A, B}
    assert EndpointHealth.objects.get(endpoint=A).open_until is None


def test_failed_probe_makes_the_next_pause_longer(two: CircuitBreaker) -> None:
    fail(two, A)
    end_rests()
    look_again(two)
    two.order()

    two.record_result(A, BAD)
    two.sync()

    row = EndpointHealth.objects.get(endpoint=A)
    assert row.openings == 2
    assert row.open_until > timezone.now()


def test_pause_from_a_clock_that_was_set_back_is_not_waited_for(two: CircuitBreaker) -> None:
    fail(two, A)
    EndpointHealth.objects.filter(endpoint=A).update(open_until=timezone.now() + timedelta(hours=1))

    look_again(two)

    assert A in two.order()


def test_message_is_not_charged_while_all_circuits_are_open(two: CircuitBreaker) -> None:
    make.job(at_state=JobState.ASSIGNED)
    fail(two, A)
    fail(two, B)

    delivery = send_one(two)

    row = OutboundMessage.objects.get()
    assert isinstance(delivery.outcome, relay.NotAttempted)
    assert (row.failures, row.lease_expires_at, row.delivery_attempts.count()) == (0, None, 0)
    assert row.next_attempt_at <= timezone.now()


def test_message_is_not_sent_when_the_lease_would_not_last(
    endpoint: seller.Endpoint, settings: Settings
) -> None:
    make.job(at_state=JobState.ASSIGNED)
    settings.RELAY_LEASE_SECONDS = 0.5

    delivery = send_one(CircuitBreaker())

    assert isinstance(delivery.outcome, relay.NotAttempted)
    assert endpoint.received == []


def test_foreign_certificate_stops_delivery_with_an_alarm_and_a_good_one_ends_it(
    authority: Authority, other_authority: Authority, our_certificates: None, settings: Settings
) -> None:
    make.job(at_state=JobState.ASSIGNED)
    with seller.running(identity=other_authority.issue("seller"), ca=authority.ca) as impostor:
        settings.SELLER_ENDPOINTS = [impostor.url]
        send_one(CircuitBreaker())
        alarm = alarms.open_alarms().get()

        assert (alarm.kind, alarm.subject) == (AlarmKind.SELLER_UNTRUSTED, impostor.url)
        assert "SELLER_CA" in str(text_of(alarm))
        assert impostor.received == []

        circuits = CircuitBreaker()
        circuits.record_result(impostor.url, GOOD)
        circuits.sync()
        assert open_kinds() == []


def test_seller_away_for_a_minute_is_an_alarm_until_it_is_back(two: CircuitBreaker) -> None:
    make.job(at_state=JobState.ASSIGNED)
    fail(two, A)
    fail(two, B)

    seller_silence.watch_unreachable()
    before = open_kinds()
    OutboundMessage.objects.update(created_at=timezone.now() - timedelta(minutes=2))
    seller_silence.watch_unreachable()
    during = open_kinds()
    two.record_result(B, GOOD)
    two.sync()

    assert (before, during, open_kinds()) == ([], [AlarmKind.SELLER_UNREACHABLE], [])


def test_held_message_is_an_alarm_until_it_is_replayed(endpoint: seller.Endpoint) -> None:
    endpoint.behaviours = [seller.reply("422 Wrong", b"{}"), seller.accept]
    job = make.job(at_state=JobState.ASSIGNED)

    send_one(CircuitBreaker())
    alarm = alarms.open_alarms().get()
    outbox.replay_message(message=outbox.stuck_messages().get(), by=make.dispatcher())

    assert (alarm.kind, alarm.subject) == (AlarmKind.MESSAGE_HELD, job.provider_job_id)
    assert open_kinds() == []


def test_message_that_is_answered_and_not_confirmed_is_an_alarm_until_it_is(
    endpoint: seller.Endpoint,
) -> None:
    endpoint.behaviours = [seller.reply("200 OK", b"{}")] * 3 + [seller.accept]
    job = make.job(at_state=JobState.ASSIGNED)

    def send() -> list[str]:
        OutboundMessage.objects.update(next_attempt_at=timezone.now())
        send_one(CircuitBreaker())
        return open_kinds()

    assert [send() for _ in range(3)] == [[], [], [AlarmKind.MESSAGE_UNCONFIRMED]]
    assert alarms.open_alarms().get().subject == job.provider_job_id
    assert send() == []
    assert job.outbound_messages.get().state == "sent"


def test_times_written_by_a_clock_that_ran_ahead_are_corrected() -> None:
    make.job(at_state=JobState.ASSIGNED)
    OutboundMessage.objects.update(
        next_attempt_at=timezone.now() + timedelta(hours=1),
        lease_expires_at=timezone.now() + timedelta(hours=1),
    )

    relay.reset_future_timestamps()

    assert outbox_queue.is_work_due()


def test_several_deliveries_are_settled_together_and_another_process_s_is_left_alone(
    endpoint: seller.Endpoint,
) -> None:
    jobs = [make.job(at_state=JobState.ASSIGNED) for _ in range(3)]
    claimed = outbox_queue.claim_due(3)
    client, circuits = SellerClient(), CircuitBreaker()
    deliveries = [relay.deliver(message, client=client, circuit_breaker=circuits) for message in claimed]
    OutboundMessage.objects.filter(job=jobs[1]).update(claims=9)

    relay.settle(deliveries)

    client.close()
    assert [job.outbound_messages.get().state for job in jobs] == ["sent", "ready", "sent"]
    assert [job.outbound_messages.get().delivery_attempts.count() for job in jobs] == [1, 1, 1]


def test_settling_that_was_undone_can_be_done_again(endpoint: seller.Endpoint) -> None:
    job = make.job(at_state=JobState.ASSIGNED)
    client = SellerClient()
    delivery = relay.deliver(outbox_queue.claim_due(1)[0], client=client, circuit_breaker=CircuitBreaker())
    client.close()
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        relay.settle([delivery])
        raise ZeroDivisionError

    relay.settle([delivery])

    assert job.outbound_messages.get().delivery_attempts.count() == 1
    connections.close_all()
