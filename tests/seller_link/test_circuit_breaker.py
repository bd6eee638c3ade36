"""Which endpoint is tried, which openings, and what people are told of it."""

from datetime import timedelta

import pytest
from django.db import connections, transaction
from django.utils import timezone
from pytest_django import Settings

from dispatch.states import JobState
from monitoring import alarms
from monitoring.alarms import AlarmKind, text_of
from seller_link import circuit_breaker, outbox, outbox_claims, relay
from seller_link.circuit_breaker import CircuitBreaker
from seller_link.client import Delivered, RetryLater, SellerClient
from seller_link.models import EndpointHealth, OutboundMessage
from tests import make
from tests.servers import seller
from tests.servers.certificates import Authority

pytestmark = pytest.mark.django_db(transaction=True)
GOOD, BAD = Delivered(200, "{}"), RetryLater("refused to connect")
A, B = "https://a.example", "https://b.example"


@pytest.fixture
def two(settings: Settings) -> CircuitBreaker:
    settings.SELLER_ENDPOINTS = [A, B]
    return CircuitBreaker()


def fail(circuits: CircuitBreaker, endpoint: str, *, times: int = circuit_breaker.FAILURES_TO_OPEN) -> None:
    for _ in range(times):
        circuits.heard(endpoint, BAD)
    circuits.look()


def end_rests() -> None:
    EndpointHealth.objects.exclude(open_until=None).update(
        open_until=timezone.now() - timedelta(milliseconds=1)
    )


def look_again(circuits: CircuitBreaker) -> None:
    """Without waiting until it is time to look."""
    circuits._looked_at = float("-inf")
    circuits.look()


def send_one(circuits: CircuitBreaker) -> relay.DeliveryResult:
    line = SellerClient()
    (claimed,) = outbox_claims.claim_due(1)
    journey = relay.deliver(claimed, line=line, endpoints=circuits)
    relay.settle([journey])
    line.close()
    circuits.look()
    return journey


def open_kinds() -> list[str]:
    return sorted(alarms.open_alarms().values_list("kind", flat=True))


def test_endpoints_take_turns(two: CircuitBreaker) -> None:
    assert [two.order() for _ in range(3)] == [[A, B], [B, A], [A, B]]


def test_endpoint_that_failed_lately_comes_last(two: CircuitBreaker) -> None:
    two.heard(A, BAD)

    assert [two.order() for _ in range(2)] == [[B, A], [B, A]]


def test_endpoint_that_keeps_failing_rests_and_shows_as_resting(two: CircuitBreaker) -> None:
    fail(two, A)

    assert [two.order() for _ in range(2)] == [[B], [B]]
    row = EndpointHealth.objects.get(endpoint=A)
    assert row.open_until is not None
    assert (row.failures, row.last_error) == (5, "refused to connect")


def test_seller_that_asks_for_patience_is_well(two: CircuitBreaker) -> None:
    for _ in range(9):
        two.heard(A, RetryLater("answered 429", 429, after_seconds=5))

    assert set(two.order()) == {A, B}


def test_all_endpoints_resting_claims_nothing(two: CircuitBreaker) -> None:
    fail(two, A)
    fail(two, B)

    assert two.claim_limit() == 0
    assert two.order() == []


def test_after_its_rest_one_of_all_processes_tries_the_endpoint(two: CircuitBreaker) -> None:
    fail(two, A)
    fail(two, B)
    other = CircuitBreaker()
    other.look()
    end_rests()

    look_again(two)
    look_again(other)

    assert (two.claim_limit(), other.claim_limit()) == (2, 0)
    assert (two.order(), two.order(), two.order()) == ([A], [B], [])


def test_good_probe_ends_the_rest_for_all_processes(two: CircuitBreaker) -> None:
    fail(two, A)
    end_rests()
    look_again(two)
    other = CircuitBreaker()

    assert two.order()[0] == A
    two.heard(A, GOOD)
    two.look()
    other.look()

    assert set(two.order()) == set(other.order()) == {A, B}


def test_failed_probe_makes_the_next_rest_longer(two: CircuitBreaker) -> None:
    fail(two, A)
    end_rests()
    look_again(two)
    two.order()

    two.heard(A, BAD)
    two.look()

    row = EndpointHealth.objects.get(endpoint=A)
    assert row.openings == 2
    assert row.open_until > timezone.now()


def test_rest_of_a_clock_that_was_set_back_is_not_waited_for(two: CircuitBreaker) -> None:
    fail(two, A)
    EndpointHealth.objects.filter(endpoint=A).update(open_until=timezone.now() + timedelta(hours=1))

    look_again(two)

    assert A in two.order()


def test_message_is_not_charged_for_a_rest_of_all_endpoints(two: CircuitBreaker) -> None:
    make.job(at_state=JobState.ASSIGNED)
    fail(two, A)
    fail(two, B)

    journey = send_one(two)

    row = OutboundMessage.objects.get()
    assert isinstance(journey.outcome, relay.NotAttempted)
    assert (row.failures, row.lease_expires_at, row.delivery_attempts.count()) == (0, None, 0)
    assert row.next_try_at <= timezone.now()


def test_message_is_not_sent_when_the_lease_would_not_last(
    endpoint: seller.Endpoint, settings: Settings
) -> None:
    make.job(at_state=JobState.ASSIGNED)
    settings.RELAY_LEASE_SECONDS = 0.5

    journey = send_one(CircuitBreaker())

    assert isinstance(journey.outcome, relay.NotAttempted)
    assert endpoint.received == []


def test_foreign_certificate_stops_delivery_with_an_alarm_and_a_good_one_ends_it(
    authority: Authority, stranger: Authority, our_certificates: None, settings: Settings
) -> None:
    make.job(at_state=JobState.ASSIGNED)
    with seller.running(identity=stranger.issue("seller"), ca=authority.ca) as impostor:
        settings.SELLER_ENDPOINTS = [impostor.url]
        send_one(CircuitBreaker())
        told = alarms.open_alarms().get()

        assert (told.kind, told.subject) == (AlarmKind.SELLER_UNTRUSTED, impostor.url)
        assert "SELLER_CA" in str(text_of(told))
        assert impostor.received == []

        circuits = CircuitBreaker()
        circuits.heard(impostor.url, GOOD)
        circuits.look()
        assert open_kinds() == []


def test_seller_away_for_a_minute_is_an_alarm_until_it_is_back(two: CircuitBreaker) -> None:
    make.job(at_state=JobState.ASSIGNED)
    fail(two, A)
    fail(two, B)

    circuit_breaker.watch_unreachable()
    before = open_kinds()
    OutboundMessage.objects.update(created_at=timezone.now() - timedelta(minutes=2))
    circuit_breaker.watch_unreachable()
    during = open_kinds()
    two.heard(B, GOOD)
    two.look()

    assert (before, during, open_kinds()) == ([], [AlarmKind.SELLER_UNREACHABLE], [])


def test_held_message_is_an_alarm_until_it_is_replayed(endpoint: seller.Endpoint) -> None:
    endpoint.behaviours = [seller.reply("422 Wrong", b"{}"), seller.accept]
    job = make.job(at_state=JobState.ASSIGNED)

    send_one(CircuitBreaker())
    told = alarms.open_alarms().get()
    outbox.replay_message(message=outbox.stuck_messages().get(), by=make.dispatcher())

    assert (told.kind, told.subject) == (AlarmKind.MESSAGE_HELD, job.provider_job_id)
    assert open_kinds() == []


def test_times_written_by_a_clock_that_ran_ahead_are_mended() -> None:
    make.job(at_state=JobState.ASSIGNED)
    OutboundMessage.objects.update(
        next_try_at=timezone.now() + timedelta(hours=1), lease_expires_at=timezone.now() + timedelta(hours=1)
    )

    relay.reset_future_timestamps()

    assert outbox_claims.is_work_due()


def test_several_journeys_are_settled_together_and_a_stranger_among_them_is_left_alone(
    endpoint: seller.Endpoint,
) -> None:
    jobs = [make.job(at_state=JobState.ASSIGNED) for _ in range(3)]
    claimed = outbox_claims.claim_due(3)
    line, circuits = SellerClient(), CircuitBreaker()
    journeys = [relay.deliver(one, line=line, endpoints=circuits) for one in claimed]
    OutboundMessage.objects.filter(job=jobs[1]).update(attempts=9)

    relay.settle(journeys)

    line.close()
    assert [job.outbound_messages.get().state for job in jobs] == ["sent", "ready", "sent"]
    assert [job.outbound_messages.get().delivery_attempts.count() for job in jobs] == [1, 1, 1]


def test_settling_that_was_undone_can_be_done_again(endpoint: seller.Endpoint) -> None:
    job = make.job(at_state=JobState.ASSIGNED)
    line = SellerClient()
    journey = relay.deliver(outbox_claims.claim_due(1)[0], line=line, endpoints=CircuitBreaker())
    line.close()
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        relay.settle([journey])
        raise ZeroDivisionError

    relay.settle([journey])

    assert job.outbound_messages.get().delivery_attempts.count() == 1
    connections.close_all()
