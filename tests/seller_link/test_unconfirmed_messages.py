"""One message that fails for hours while the seller is there: an alarm of its job, and no harm to the others."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone, translation
from pytest_django import Settings

from board.alarms.alarm_presenter import alarm_line
from dispatch.models import Job
from dispatch.states import JobState
from monitoring import alarms
from monitoring.alarms import text_of
from monitoring.coded_texts import coded_text, technical_reason
from monitoring.models import Alarm, AlarmKind
from seller_link import circuit_breaker, outbox, replays, seller_silence, unconfirmed_messages
from seller_link.circuit_breaker import CircuitBreaker
from seller_link.client import RetryLater
from seller_link.models import EndpointHealth, OutboundMessage, OutboundState
from tests import make
from tests.seller_link.test_circuit_breaker import GOOD, A, B, end_rests, look_again, send_one
from tests.servers import seller

pytestmark = pytest.mark.django_db(transaction=True)
BROKEN = seller.reply("500 Wrong", b"{}")


def failing_job(*, minutes: int = 20) -> Job:
    """Its message was answered 500 four times since then."""
    job = make.job(at_state=JobState.ASSIGNED)
    circuits = CircuitBreaker()
    for _ in range(4):
        OutboundMessage.objects.update(next_attempt_at=timezone.now())
        send_one(circuits)
    OutboundMessage.objects.update(created_at=timezone.now() - timedelta(minutes=minutes))
    return job


def open_alarms() -> list[tuple[str, str]]:
    return list(alarms.open_alarms().values_list("kind", "subject"))


def test_message_that_fails_for_ten_minutes_is_an_alarm_until_it_is_delivered(
    endpoint: seller.Endpoint,
) -> None:
    endpoint.behaviours = [BROKEN] * 4 + [seller.accept]
    job = failing_job()

    unconfirmed_messages.watch_unconfirmed()

    assert open_alarms() == [(AlarmKind.MESSAGE_UNCONFIRMED, job.provider_job_id)]
    assert "answered 500" in str(text_of(alarms.open_alarms().get()))
    OutboundMessage.objects.update(next_attempt_at=timezone.now())
    send_one(CircuitBreaker())
    assert open_alarms() == []


def test_young_failure_is_no_alarm(endpoint: seller.Endpoint) -> None:
    endpoint.behaviours = [BROKEN]
    failing_job(minutes=5)

    unconfirmed_messages.watch_unconfirmed()

    assert open_alarms() == []


def test_fault_of_ours_that_lasts_is_an_alarm() -> None:
    job = make.job(at_state=JobState.ASSIGNED)
    OutboundMessage.objects.update(failures=3, created_at=timezone.now() - timedelta(minutes=20))

    unconfirmed_messages.watch_unconfirmed()

    assert open_alarms() == [(AlarmKind.MESSAGE_UNCONFIRMED, job.provider_job_id)]
    with translation.override("de"):
        assert "Ein Fehler in unserem System" in str(text_of(alarms.open_alarms().get()))


def failing_jobs(number: int) -> None:
    for _ in range(number):
        make.job(at_state=JobState.ASSIGNED)
    OutboundMessage.objects.update(failures=3, created_at=timezone.now() - timedelta(minutes=20))


def test_alarms_that_stay_the_same_cost_no_query_each(django_assert_num_queries: Any) -> None:
    failing_jobs(5)
    unconfirmed_messages.watch_unconfirmed()

    with django_assert_num_queries(5):
        unconfirmed_messages.watch_unconfirmed()

    assert len(open_alarms()) == 5


def test_look_is_bounded_and_the_others_have_their_turn_later() -> None:
    bound = unconfirmed_messages.HEADS_AT_ONCE
    failing_jobs(bound + 1)

    unconfirmed_messages.watch_unconfirmed()
    first = len(open_alarms())
    alarmed = [job for _kind, job in open_alarms()]
    tried = OutboundMessage.objects.filter(job__provider_job_id__in=alarmed)
    tried.update(next_attempt_at=timezone.now() + timedelta(minutes=1))
    unconfirmed_messages.watch_unconfirmed()

    assert (first, len(open_alarms())) == (bound, bound + 1)


@pytest.mark.parametrize("minutes_ago", [None, 5])
def test_seller_who_was_unreachable_is_one_alarm(endpoint: seller.Endpoint, minutes_ago: int | None) -> None:
    endpoint.behaviours = [BROKEN]
    failing_job()
    text = coded_text("seller_unreachable", reason="away")
    alarms.raise_alarm(AlarmKind.SELLER_UNREACHABLE, seller_silence.ALL, text)
    if minutes_ago:
        Alarm.objects.update(cleared_at=timezone.now() - timedelta(minutes=minutes_ago))

    unconfirmed_messages.watch_unconfirmed()

    assert not alarms.open_alarms().filter(kind=AlarmKind.MESSAGE_UNCONFIRMED).exists()


def test_alarm_whose_message_fails_no_longer_is_over(endpoint: seller.Endpoint) -> None:
    endpoint.behaviours = [BROKEN]
    failing_job()
    unconfirmed_messages.watch_unconfirmed()
    OutboundMessage.objects.update(failures=0, state="sent")

    unconfirmed_messages.watch_unconfirmed()

    assert open_alarms() == []


def test_error_answers_to_one_job_leave_the_circuit_closed(endpoint: seller.Endpoint) -> None:
    endpoint.behaviours = [BROKEN]
    make.job(at_state=JobState.ASSIGNED)
    circuits = CircuitBreaker()

    for _ in range(circuit_breaker.FAILURES_TO_OPEN + 1):
        OutboundMessage.objects.update(next_attempt_at=timezone.now())
        send_one(circuits)

    assert circuits.order() == [endpoint.url]


def test_error_answers_to_two_jobs_open_the_circuit(endpoint: seller.Endpoint) -> None:
    endpoint.behaviours = [BROKEN]
    for _ in range(2):
        make.job(at_state=JobState.ASSIGNED)
    circuits = CircuitBreaker()

    for number in range(circuit_breaker.FAILURES_TO_OPEN):
        OutboundMessage.objects.update(next_attempt_at=timezone.now() + timedelta(hours=1))
        OutboundMessage.objects.filter(pk=OutboundMessage.objects.all()[number % 2].pk).update(
            next_attempt_at=timezone.now()
        )
        send_one(circuits)

    assert circuits.order() == []


def test_held_message_that_fails_after_it_was_resent_is_an_alarm_again(endpoint: seller.Endpoint) -> None:
    endpoint.behaviours = [seller.reply("422 Wrong", b"{}"), BROKEN]
    job = make.job(at_state=JobState.ASSIGNED)
    send_one(CircuitBreaker())
    outbox.replay_message(message=outbox.stuck_messages().get(), by=make.dispatcher())
    for _ in range(3):
        OutboundMessage.objects.update(next_attempt_at=timezone.now())
        send_one(CircuitBreaker())
    OutboundMessage.objects.update(created_at=timezone.now() - timedelta(minutes=20))

    unconfirmed_messages.watch_unconfirmed()

    assert open_alarms() == [(AlarmKind.MESSAGE_UNCONFIRMED, job.provider_job_id)]


@pytest.fixture
def limited(settings: Settings) -> CircuitBreaker:
    """Both endpoints ask us to wait, and a message waits for them since 20 minutes ago."""
    settings.SELLER_ENDPOINTS = [A, B]
    make.job(at_state=JobState.EN_ROUTE)
    OutboundMessage.objects.update(created_at=timezone.now() - timedelta(minutes=20))
    circuits = CircuitBreaker()
    limit(circuits)
    return circuits


def limit(circuits: CircuitBreaker) -> None:
    for endpoint in (A, B):
        circuits.record_result(
            endpoint, RetryLater(coded_text("seller_answered", status=429), 429, after_seconds=60)
        )
    circuits.sync()


def probe(circuits: CircuitBreaker) -> None:
    """The pauses are over, and each endpoint is asked again."""
    end_rests()
    look_again(circuits)
    assert [circuits.order(), circuits.order()] == [[A], [B]]


def watch() -> list[tuple[str, str]]:
    seller_silence.watch_unreachable()
    unconfirmed_messages.watch_unconfirmed()
    return open_alarms()


def test_seller_that_limits_us_for_ever_is_one_alarm_until_it_accepts(limited: CircuitBreaker) -> None:
    OutboundMessage.objects.filter(seq=1).update(failures=3)

    expected = [(AlarmKind.SELLER_RATE_LIMIT, seller_silence.ALL)]
    assert watch() == expected
    first = alarms.open_alarms().get()
    line = alarm_line(first)
    assert (line.title, line.text) == (
        "The seller's rate limit holds our messages back",
        "The seller can be reached, but has accepted no message for ten minutes and asks us to wait "
        f"({A}: answered 429; {B}: answered 429).",
    )
    assert "ask the seller's team" in line.what_to_do.lower()
    assert "network" not in line.what_to_do
    probe(limited)
    limit(limited)
    assert watch() == expected
    assert alarms.open_alarms().get().pk == first.pk
    probe(limited)
    limited.record_result(A, GOOD)
    limited.sync()
    assert open_alarms() == []


def test_failing_endpoint_and_one_that_limits_us_are_an_unreachable_seller(limited: CircuitBreaker) -> None:
    watch()
    probe(limited)
    limited.record_result(A, RetryLater(technical_reason("refused to connect")))
    limited.record_result(B, RetryLater(coded_text("seller_answered", status=429), 429, after_seconds=60))
    limited.sync()

    assert watch() == [(AlarmKind.SELLER_UNREACHABLE, seller_silence.ALL)]


def accepted_lately() -> None:
    EndpointHealth.objects.filter(endpoint=A).update(last_success_at=timezone.now() - timedelta(minutes=5))


def written_lately() -> None:
    OutboundMessage.objects.update(created_at=timezone.now() - timedelta(minutes=5))


def held() -> None:
    OutboundMessage.objects.filter(seq=1).update(state=OutboundState.HELD)


def resent_lately() -> None:
    replays.start_replay(messages=OutboundMessage.objects.all(), by=make.dispatcher(), reason="Outage")


@pytest.mark.parametrize("change", [accepted_lately, written_lately, held, resent_lately])
def test_limit_that_keeps_no_message_waiting_for_long_is_no_alarm(
    limited: CircuitBreaker, change: Callable[[], None]
) -> None:
    change()

    assert watch() == []
