"""What webhooks tell: job events and missed windows, each once."""

import re
import threading
from datetime import timedelta

import pytest
import time_machine
from django.db import connection, transaction

from demo.environment import wait_until
from dispatch import event_readers
from dispatch.event_readers import read_events
from dispatch.models import Job, JobEvent, JobEventReader
from dispatch.states import JobState
from engineers.models import Area
from monitoring.transaction_numbers import transactions
from partner_api import webhook_events
from partner_api.models import WebhookDelivery, WebhookEvent
from partner_api.webhook_subscriptions import remove
from tests import make
from tests.partner_api.webhooks import subscription

pytestmark = pytest.mark.django_db(transaction=True)
SECONDS = 10
several_writers = pytest.mark.skipif(
    "connection.vendor != 'postgresql'", reason="SQLite's writers come one after the other"
)


def notified() -> list[tuple[str, str]]:
    return list(WebhookEvent.objects.values_list("kind", "body__job__state"))


def test_changed_and_closed() -> None:
    subscription()
    job = make.job()
    make.close_without_visit(job)
    webhook_events.collect_job_events()

    assert notified() == [("job.changed", "unassigned"), ("job.closed", "closed")]
    body = WebhookEvent.objects.all()[1].body
    assert body["job"]["number"] == job.provider_job_id
    assert body["job"]["url"].endswith(f"/api/v1/jobs/{job}")
    assert (body["event"]["kind"], body["event"]["number"]) == ("closed", 2)
    assert (body["closure"]["code"], body["closure"]["without_visit"]) == ("NTR", True)


def test_body_names_no_customer_and_no_engineer() -> None:
    subscription()
    make.job(at_state=JobState.ON_SITE)
    make.close_without_visit(make.job(at_state=JobState.ASSIGNED), remarks="planted-remark")
    webhook_events.collect_job_events()

    bodies = str(list(WebhookEvent.objects.values_list("body", flat=True)))
    text = re.sub(r":\d\d\.\d+Z", "Z", bodies)  # a second of chance may be a latitude
    for personal in ("Pat Tester", "07700", "Chapel", "LS6", "100012345678", "Erin", "planted", "53.8"):
        assert personal not in text


def test_reading_twice_tells_once() -> None:
    subscription()
    make.job()
    for _ in range(3):
        webhook_events.collect_job_events(settled_after=0)
    JobEventReader.objects.update(settled_to=0)
    webhook_events.collect_job_events(settled_after=0)

    assert len(notified()) == WebhookDelivery.objects.count() == 1


def test_what_happened_before_the_subscription_is_left_out() -> None:
    make.job()
    subscription()
    webhook_events.collect_job_events(settled_after=0)

    assert notified() == []


def test_what_happens_before_the_sender_first_looks_is_notified() -> None:
    """Also after all webhooks were removed for a while, of which nothing is told."""
    first = subscription()
    make.job(at_state=JobState.ASSIGNED)
    webhook_events.collect_job_events(settled_after=0)
    remove(pk=first.pk, by=None)
    make.job()
    subscription()
    job = make.job()
    make.job()

    webhook_events.collect_job_events(settled_after=0)

    notified_events = WebhookEvent.objects.filter(deliveries__subscription__deleted_at=None)
    assert [event.job for event in notified_events] == [job, Job.objects.last()]


def test_only_the_kinds_and_areas_that_are_wanted() -> None:
    leeds, other = (
        Area.objects.create(name=name, postcodes=code) for name, code in (("Leeds", "LS"), ("York", "YO"))
    )
    closed = subscription(name="Closed", kinds=["job.closed"])
    here, there = subscription(name="Leeds", areas=[leeds]), subscription(name="York", areas=[other])
    other.delete()
    make.close_without_visit(make.job())
    webhook_events.collect_job_events()

    assert closed.deliveries.count() == 1
    assert here.deliveries.count() == 2
    assert there.deliveries.count() == 0


def test_window_that_ended_without_anybody_is_missed_once() -> None:
    with time_machine.travel(make.at("07:00")):
        subscription()
        missed, begun, over = make.job(), make.job(), make.job()
        make.walk(begun, at_state=JobState.ON_SITE)
        make.close_without_visit(over)
    with time_machine.travel(make.at("12:59")):
        webhook_events.collect_missed_windows(make.at("12:59"))
        assert WebhookEvent.objects.filter(kind="job.missed").count() == 0
    with time_machine.travel(make.at("13:00")):
        for _ in range(2):
            webhook_events.collect_missed_windows(make.at("13:00"))
    with time_machine.travel(make.at("14:00")):
        Job.objects.filter(pk=missed.pk).update(window_end=make.at("13:30"))
        webhook_events.collect_missed_windows(make.at("14:00"))

    found = WebhookEvent.objects.filter(kind="job.missed")
    assert [event.job_id for event in found] == [missed.pk, missed.pk]
    assert [event.body["job"]["window"]["end"][11:16] for event in found] == ["13:00", "13:30"]


def test_agreed_start_is_missed_after_itself_and_not_after_the_window() -> None:
    with time_machine.travel(make.at("07:00")):
        subscription()
    job = make.agreed_job("15:00")

    def missed_by(clock: str) -> list[tuple[int, str]]:
        webhook_events.collect_missed_windows(make.at(clock))
        found = WebhookEvent.objects.filter(kind="job.missed")
        return [(event.job_id, event.body["happened_at"][11:16]) for event in found]

    assert missed_by("13:30") == missed_by("14:59") == []
    assert missed_by("15:30") == missed_by("16:00") == [(job.pk, "15:10")]


def test_window_that_ended_days_ago_is_left_out() -> None:
    with time_machine.travel(make.at("07:00")):
        subscription()
        make.job()
    webhook_events.collect_missed_windows(make.at("13:00") + timedelta(days=2))

    assert notified() == []


def test_first_subscription_after_a_pause_begins_with_the_present() -> None:
    JobEventReader.objects.create(name="webhooks", settled_to=0)
    make.job()
    subscription()

    assert JobEventReader.objects.get().settled_to == JobEvent.objects.latest("pk").pk


def keys_read(*, settled_after: float = 0) -> list[int]:
    read: list[int] = []
    read_events("test", lambda events: read.extend(event.pk for event in events), settled_after=settled_after)
    return read


def test_event_is_read_again_until_it_is_settled() -> None:
    keys_read()
    make.job()
    key = JobEvent.objects.latest("pk").pk

    assert keys_read(settled_after=60) == [key]
    assert keys_read(settled_after=60) == [key]
    # on PostgreSQL a transaction in another database, of a test beside this one, may still run
    marked_at = JobEventReader.objects.get(name="test").mark_transaction
    assert wait_until(lambda: transactions()[0] >= marked_at, seconds=120)
    assert keys_read() == [key]
    assert keys_read() == []


def test_reader_goes_on_after_a_clock_that_was_ahead() -> None:
    keys_read()
    make.job()
    with time_machine.travel(make.now() + timedelta(days=365)):
        keys_read()
    make.job()

    assert wait_until(lambda: not keys_read(), seconds=120)


def test_reader_goes_on_after_a_restore_into_another_cluster() -> None:
    """It counts its transactions from about 1,000; SQLite does not count any."""
    keys_read()
    make.job()
    keys_read()
    JobEventReader.objects.filter(name="test").update(mark_transaction=2_000_000_000)
    make.job()

    assert wait_until(lambda: not keys_read(), seconds=120)


def close_slowly(job: Job, written: threading.Event, may_commit: threading.Event) -> None:
    """In a thread."""
    with transaction.atomic():
        make.close_without_visit(job)
        written.set()
        may_commit.wait(SECONDS)
    connection.close()


@several_writers
def test_open_transaction_keeps_no_new_event_from_a_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not more than two in one call and two again, and in the end each that came late."""
    monkeypatch.setattr(event_readers, "MOST_EVENTS", 2)
    keys_read()
    written, may_commit = threading.Event(), threading.Event()
    thread = threading.Thread(target=close_slowly, args=(make.job(), written, may_commit))
    thread.start()
    assert written.wait(SECONDS)
    for _ in range(5):
        make.job()
    calls = [keys_read() for _ in range(5)]
    may_commit.set()
    thread.join(SECONDS)

    committed = set(JobEvent.objects.exclude(kind="closed").values_list("pk", flat=True))
    assert {key for call in calls for key in call} == committed
    assert max(map(len, calls)) <= 4
    late, later = JobEvent.objects.get(kind="closed").pk, list[int]()
    assert wait_until(lambda: bool(later.extend(keys_read()) or late in later), seconds=120)


@several_writers
def test_event_of_a_slow_transaction_is_read_when_it_commits() -> None:
    keys_read()
    job, written, may_commit = make.job(), threading.Event(), threading.Event()
    other = make.job()

    thread = threading.Thread(target=close_slowly, args=(job, written, may_commit))
    thread.start()
    assert written.wait(SECONDS)
    make.close_without_visit(other)
    seen = [*keys_read(), *keys_read(), *keys_read()]
    may_commit.set()
    thread.join(SECONDS)

    late = JobEvent.objects.get(job=job, kind="closed").pk
    assert late not in seen
    assert late < max(seen)
    assert late in keys_read()
