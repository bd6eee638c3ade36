"""Does what falls due and sends the seller's messages until it receives a stop signal."""

import signal
from queue import SimpleQueue
from threading import Event, Thread
from typing import Any

from django.core.management.base import BaseCommand

from seller_sandbox.jobs import evidence
from seller_sandbox.messages import worker


class Command(BaseCommand):
    help = "Do what falls due, send waiting messages, and fetch the files of closed jobs."

    def handle(self, *_: Any, **__: Any) -> None:
        stop = Event()
        _set_on_signal(stop)
        # fetching waits for the partner's file server: messages must not
        fetching = Thread(target=evidence.run, args=(stop,), name="evidence")
        fetching.start()
        worker.run(stop)
        fetching.join()


def _set_on_signal(stop: Event) -> None:
    """In a thread of its own: a handler that sets the event may have interrupted a wait that holds its lock."""
    received: SimpleQueue[int] = SimpleQueue()

    def wait_and_set() -> None:
        received.get()
        stop.set()

    Thread(target=wait_and_set, name="stop signals", daemon=True).start()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda received_number, _frame: received.put(received_number))
