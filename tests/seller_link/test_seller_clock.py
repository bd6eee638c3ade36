"""The relay compares the seller's clock with ours by the Date of each answer, and says where it differs."""

import json
import uuid
from contextlib import closing
from datetime import timedelta
from email.utils import format_datetime

import pytest
from django.utils import timezone

from monitoring import alarms
from monitoring.models import AlarmKind
from seller_link import seller_clock
from seller_link.client import SellerClient
from seller_link.seller_clock import ClockWatch, seconds_ahead
from tests.servers import seller

pytestmark = pytest.mark.django_db


def answered(endpoint: seller.Endpoint, watch: ClockWatch, *, date: str) -> None:
    """One message whose answer has this Date; then the relay's watch."""
    body = {"messageId": str(uuid.uuid4())}
    answer = json.dumps(body).encode()
    endpoint.behaviours = [seller.reply("200 OK", answer, headers=f"Date: {date}\r\n")]
    with closing(SellerClient(on_answer=watch.record)) as client:
        client.post(endpoint=endpoint.url, operation="notifyJob", body=body, seconds=2)
    watch.settle()


def http_date(**later: float) -> str:
    return format_datetime(timezone.now() + timedelta(**later), usegmt=True)


def differences() -> list[int]:
    found = alarms.open_alarms().filter(kind=AlarmKind.CLOCK_DIFFERS)
    return [alarm.parameters["difference_seconds"] for alarm in found]


def test_clock_that_differs_is_an_alarm_until_it_is_right(endpoint: seller.Endpoint) -> None:
    watch = ClockWatch()
    answered(endpoint, watch, date=http_date(days=-2))
    (difference,) = differences()
    assert abs(difference + 2 * 86_400) <= 5

    # about as before: the same alarm; then right again
    answered(endpoint, watch, date=http_date(days=-2, seconds=3))
    assert differences() == [difference]
    answered(endpoint, watch, date=http_date())
    assert differences() == []


def test_alarm_that_an_earlier_process_left_ends_with_the_first_answer(endpoint: seller.Endpoint) -> None:
    answered(endpoint, ClockWatch(), date=http_date(minutes=10))
    assert differences() != []

    answered(endpoint, ClockWatch(), date=http_date())

    assert differences() == []


def test_alarm_that_check_link_or_another_relay_raised_ends_too(endpoint: seller.Endpoint) -> None:
    watch = ClockWatch(known_seconds=0)
    answered(endpoint, watch, date=http_date())
    seller_clock.settle_clock(endpoint.url, -40)

    answered(endpoint, watch, date=http_date())

    assert differences() == []


@pytest.mark.parametrize("date", ["", "yesterday", "Mon, 99 Nov 2026 10:00:00 GMT", "1" * 5000])
def test_answer_without_a_readable_date_says_nothing(endpoint: seller.Endpoint, date: str) -> None:
    answered(endpoint, ClockWatch(), date=date)

    assert differences() == []
    assert seconds_ahead({"date": date}, asked_at=timezone.now()) is None


def test_slow_answer_is_no_difference() -> None:
    now = timezone.now()

    ahead = seconds_ahead(
        {"date": format_datetime(now - timedelta(seconds=40), usegmt=True)},
        asked_at=now - timedelta(seconds=60),
    )

    assert ahead == 0


def test_clock_that_is_right_costs_no_statement_again(django_assert_num_queries: object) -> None:
    watch = ClockWatch()
    watch.record("https://a", {"date": http_date()}, timezone.now())
    watch.settle()

    with django_assert_num_queries(0):  # type: ignore[operator]
        watch.record("https://a", {"date": http_date()}, timezone.now())
        watch.settle()
