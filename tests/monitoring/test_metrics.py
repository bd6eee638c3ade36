"""The link in figures: right, never going back, and for nobody else."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from dispatch.states import JobState
from monitoring import alarms
from monitoring.coded_texts import coded_text
from monitoring.metrics import MonitoringCollector, render_metrics
from monitoring.models import AlarmKind, Heartbeat
from seller_link.caller_authorization import Peer
from seller_link.inbox import InboundRequest, receive
from seller_link.metrics import LinkCollector
from seller_link.models import DeliveryAttempt, OutboundMessage, OutboundState, RejectedCaller
from tests import make
from tests.seller_link.wire import LEFT_OUT, message, raw

# an answer leaves after its commit, which pytest-django's own transaction would hide
pytestmark = pytest.mark.django_db(transaction=True)
PEER = Peer(subject="seller", address="127.0.0.1")
ENDPOINT = "https://127.0.0.1:9443"


def figures(collector: LinkCollector) -> dict[str, float]:
    """Every sample by its name and the values of its labels."""
    return {
        " ".join([sample.name, *(value for _name, value in sorted(sample.labels.items()))]): sample.value
        for family in text_string_to_metric_families(render_metrics(collector).decode())
        for sample in family.samples
    }


def tried(row: OutboundMessage, *, seconds_ago: int, milliseconds: int, status: int | None = 200) -> None:
    DeliveryAttempt.objects.create(
        message=row,
        endpoint=ENDPOINT,
        started_at=timezone.now() - timedelta(seconds=seconds_ago),
        milliseconds=milliseconds,
        status=status,
    )


def test_queue_is_measured_by_state() -> None:
    make.job(at_state=JobState.ON_SITE)
    first = OutboundMessage.objects.first()
    OutboundMessage.objects.filter(pk=first.pk).update(
        state=OutboundState.HELD, created_at=timezone.now() - timedelta(hours=1)
    )

    found = figures(LinkCollector())

    assert (found["link_queue_messages held"], found["link_queue_messages ready"]) == (1, 2)
    assert 3600 <= found["link_queue_oldest_seconds held"] < 3700


def test_tries_are_counted_by_endpoint_and_length() -> None:
    make.job(at_state=JobState.ASSIGNED)
    row = OutboundMessage.objects.get()
    tried(row, seconds_ago=300, milliseconds=20)
    tried(row, seconds_ago=200, milliseconds=700, status=503)
    tried(row, seconds_ago=100, milliseconds=10_500, status=None)

    found = figures(LinkCollector())

    assert found[f"link_attempts_total {ENDPOINT}"] == 3
    assert found[f"link_failures_total {ENDPOINT}"] == 2
    assert found[f"link_attempt_seconds_bucket {ENDPOINT} 0.025"] == 1
    assert found[f"link_attempt_seconds_bucket {ENDPOINT} 1.0"] == 2
    assert found[f"link_attempt_seconds_bucket {ENDPOINT} +Inf"] == 3
    assert found[f"link_attempt_seconds_sum {ENDPOINT}"] == pytest.approx(11.22)


def test_try_that_is_written_long_after_it_began_is_counted_by_every_process() -> None:
    make.job(at_state=JobState.ASSIGNED)
    row, early = OutboundMessage.objects.get(), LinkCollector(settled_after=0)
    tried(row, seconds_ago=1, milliseconds=20)
    before = [figures(early) for _look in range(3)]
    # the database was away when this one ended
    tried(row, seconds_ago=300, milliseconds=20)

    after, late = figures(early), figures(LinkCollector())

    name = f"link_attempts_total {ENDPOINT}"
    assert [sample[name] for sample in before] == [1, 1, 1]
    assert after[name] == late[name] == 2


def test_messages_of_the_sellers_are_counted_by_what_we_answered() -> None:
    for body in (message("createJob"), message("createJob", product=LEFT_OUT), message("cancelJob")):
        receive([InboundRequest("createJob" if "jobType" in body else "cancelJob", raw(body), PEER)])

    found = figures(LinkCollector())

    assert {name: number for name, number in found.items() if name.startswith("link_inbound_total")} == {
        "link_inbound_total  createJob accepted 200": 1,
        "link_inbound_total invalidMessage createJob refused 422": 1,
        "link_inbound_total jobNotFound cancelJob refused 404": 1,
    }


def test_messages_that_came_again_are_counted() -> None:
    body = raw(message("createJob"))
    early = LinkCollector(settled_after=0)
    receive([InboundRequest("createJob", body, PEER)])
    before = [figures(early) for _look in range(3)]

    for _ in range(2):
        receive([InboundRequest("createJob", body, PEER)])
    after, late = figures(early), figures(LinkCollector())

    name = "link_inbound_repeats_total createJob"
    assert [name in sample for sample in before] == [False] * 3
    assert after[name] == late[name] == 2
    assert after["link_inbound_total  createJob accepted 200"] == 1


def test_refusals_alarms_heartbeats_and_certificates(our_certificates: None) -> None:
    moment = timezone.now() - timedelta(minutes=5)
    RejectedCaller.objects.create(cause="subject", day=moment.date(), count=7, last_at=moment)
    alarms.raise_alarm(
        AlarmKind.CLOCK_DIFFERS, "seller", coded_text("clock_differs", url="https://a", difference_seconds=90)
    )
    Heartbeat.objects.create(process="relay host 1", beat_at=moment)

    found = figures(LinkCollector()) | figures(MonitoringCollector())

    assert found["link_rejected_callers_total subject"] == 7
    assert (found["link_open_alarms clock_differs"], found["link_open_alarms message_held"]) == (1, 0)
    assert found["link_heartbeat_age_seconds relay host 1"] >= 300
    assert found["link_certificate_days our client certificate"] == 29


@pytest.mark.parametrize(
    ("address", "headers", "status"),
    [
        ("127.0.0.1", {}, 200),
        ("::1", {}, 200),
        ("::ffff:127.0.0.1", {}, 200),
        ("192.0.2.9", {}, 403),
        ("127.0.0.1", {"X-Forwarded-For": "127.0.0.1"}, 403),
        ("127.0.0.1", {"X-Forwarded-Proto": "https"}, 403),
    ],
)
def test_figures_are_for_the_allowed_addresses_only(
    address: str, headers: dict[str, str], status: int
) -> None:
    assert Client(REMOTE_ADDR=address).get("/metrics", headers=headers).status_code == status
