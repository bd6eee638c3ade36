"""A web process whose threads all hang does not beat; one free thread is enough."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from monitoring import heartbeats
from monitoring.heartbeats import HeartbeatWriter
from monitoring.middleware import STUCK_SECONDS, RequestWatch
from monitoring.models import Heartbeat
from tests.background.worker_process import eventually


class Clock:
    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@contextmanager
def under_way(watch: RequestWatch) -> Iterator[None]:
    """A request in a thread of its own."""
    begun, done = threading.Event(), threading.Event()

    def serve() -> None:
        with watch.request():
            begun.set()
            done.wait(60)

    thread = threading.Thread(target=serve)
    thread.start()
    begun.wait(60)
    try:
        yield
    finally:
        done.set()
        thread.join()


def test_process_is_stuck_when_all_its_threads_are() -> None:
    clock = Clock()
    watch = RequestWatch(clock=clock)
    with under_way(watch):
        clock.seconds = STUCK_SECONDS
        one_of_two = watch.is_stuck(threads=2)
        with under_way(watch):
            second_is_young = watch.is_stuck(threads=2)
            clock.seconds += STUCK_SECONDS
            both = watch.is_stuck(threads=2)
    afterwards = watch.is_stuck(threads=2)

    assert (one_of_two, second_is_young, both, afterwards) == (False, False, True, False)


def test_request_that_failed_is_over() -> None:
    clock = Clock()
    watch = RequestWatch(clock=clock)
    with pytest.raises(ZeroDivisionError), watch.request():
        raise ZeroDivisionError
    clock.seconds = STUCK_SECONDS

    assert not watch.is_stuck(threads=1)


@pytest.mark.django_db(transaction=True)
def test_stuck_process_does_not_beat(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heartbeats, "SERVER_BEAT_SECONDS", 0.05)
    working = threading.Event()
    asked = threading.Event()

    def is_healthy() -> bool:
        asked.set()
        return working.is_set()

    writer = HeartbeatWriter(heartbeats.WEB, is_healthy=is_healthy)
    writer.start()
    try:
        assert asked.wait(60)
        silent = Heartbeat.objects.count()
        working.set()
        assert eventually(Heartbeat.objects.exists)
    finally:
        writer.end()

    assert (silent, Heartbeat.objects.count()) == (0, 0)
