"""Several messages are delivered at once, those of one thread in their order, each one only once at a time."""

import signal
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from seller_sandbox import clock
from seller_sandbox.jobs import dispatching
from seller_sandbox.jobs.dispatching import Batch, send_batch
from seller_sandbox.jobs.models import Job, JobState
from seller_sandbox.messages import outbox, worker
from seller_sandbox.messages.models import MessageLogEntry, MessageThread, OutboundMessage, ThreadKind
from seller_sandbox.tests import make
from seller_sandbox.tests.partner import Partner, PartnerHandler, accept, refuse
from seller_sandbox.tests.processes import start
from seller_sandbox.tests.test_story import wait_until

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.locks]


class SlowPartner:
    """Behaviour that takes its time and counts how many messages are being answered at once."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.lock = seconds, Lock()
        self.now, self.most = 0, 0

    def __call__(self, handler: PartnerHandler, body: dict[str, Any]) -> None:
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)
        time.sleep(self.seconds)
        with self.lock:
            self.now -= 1
        accept(handler, body)


@pytest.fixture
def working() -> Iterator[Event]:
    """The worker's loop in a thread of its own, until the event is set."""
    stop = Event()

    def work() -> None:
        worker.run(stop)
        connection.close()

    thread = Thread(target=work)
    thread.start()
    yield stop
    stop.set()
    thread.join()


def operations(partner: Partner) -> list[str]:
    return [path.rsplit("/", 1)[1] for path, _ in partner.received]


def accepted() -> int:
    return Job.objects.filter(state=JobState.ACCEPTED).count()


def test_messages_of_several_threads_are_in_flight_at_once(partner: Partner, working: Event) -> None:
    slow = SlowPartner(0.5)
    partner.script[:] = [slow] * 6

    send_batch(Batch(count=6, day=make.DAY))
    wait_until(lambda: accepted() == 6)

    assert slow.most > 2


def test_messages_of_one_thread_keep_their_order(partner: Partner, working: Event) -> None:
    partner.script[:] = [SlowPartner(0.3)] * 4

    jobs = send_batch(Batch(count=2, day=make.DAY))
    for job in jobs:
        dispatching.cancel(job)
    wait_until(lambda: Job.objects.filter(state=JobState.CANCELLED).count() == 2)

    assert operations(partner) == ["createJob"] * 2 + ["cancelJob"] * 2


def test_message_in_flight_is_not_sent_again_when_the_clock_is_moved(
    partner: Partner, working: Event
) -> None:
    partner.script[:] = [SlowPartner(1)]
    send_batch(Batch(count=1, day=make.DAY))
    wait_until(lambda: len(partner.received) == 1)

    clock.move(seconds=86_400)
    outbox.retry_now()
    wait_until(lambda: accepted() == 1)

    assert len(partner.received) == 1


def test_two_workers_send_each_message_once(partner: Partner, working: Event, folder: Path) -> None:
    partner.script[:] = [SlowPartner(0.1)] * 40
    other = start("work", log=folder / "second.log")
    try:
        jobs = send_batch(Batch(count=20, day=make.DAY))
        for job in jobs:
            dispatching.cancel(job)
        wait_until(lambda: Job.objects.filter(state=JobState.CANCELLED).count() == 20, seconds=30)
    finally:
        other.stop()

    assert len(set(partner.message_ids)) == len(partner.message_ids) == 40


def test_message_of_a_process_that_died_is_due_again(partner: Partner) -> None:
    send_batch(Batch(count=1, day=make.DAY))
    message = outbox.claim()
    assert message is not None
    assert outbox.claim() is None

    OutboundMessage.objects.update(leased_until=timezone.now() - timedelta(seconds=1))
    assert worker.work_once()

    assert partner.message_ids == [str(message.message_id)]
    assert MessageLogEntry.objects.get().attempt == 2


def test_message_that_cannot_be_composed_holds_no_other(partner: Partner) -> None:
    # a thread without its job
    broken = MessageThread.objects.create(kind=ThreadKind.JOB, reference="SJ-none", recipient="partner")
    outbox.enqueue(thread=broken, operation="notifyJob", members={})
    send_batch(Batch(count=1, day=make.DAY))

    worker.work_once()

    assert accepted() == 1
    entry = broken.entries.get()
    assert entry.error.startswith("not composed: RelatedObjectDoesNotExist")
    assert broken.outbound.get().next_attempt_at > entry.at


def test_recipient_without_an_address_keeps_its_messages(settings) -> None:
    settings.PARTNER_URLS = []
    send_batch(Batch(count=1, day=make.DAY))

    assert worker.work_once()

    assert MessageLogEntry.objects.get().error == "partner has no address"
    assert OutboundMessage.objects.waiting().count() == 1


def test_held_thread_sends_nothing_until_what_was_refused_goes_out_again(partner: Partner) -> None:
    partner.script[:] = [refuse(422, "invalidMessage")]
    job = send_batch(Batch(count=1, day=make.DAY))[0]
    worker.work_once()
    outbox.enqueue(thread=job.thread, operation="notifyJob", members={})

    assert not worker.work_once()
    assert outbox.send_refused_again(job.thread) == 1
    while worker.work_once():
        pass

    assert operations(partner) == ["createJob", "createJob", "notifyJob"]


def test_stopped_worker_finishes_what_is_in_flight(partner: Partner, folder: Path) -> None:
    partner.script[:] = [SlowPartner(1)] * 2
    jobs = send_batch(Batch(count=2, day=make.DAY))
    dispatching.cancel(jobs[0])
    process = start("work", log=folder / "stopping.log")
    wait_until(lambda: len(partner.received) == 2)
    process.popen.send_signal(signal.SIGTERM)

    assert process.popen.wait(timeout=10) == 0
    assert operations(partner) == ["createJob"] * 2
    assert accepted() == 2
    assert OutboundMessage.objects.waiting().count() == 1
