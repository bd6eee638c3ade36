"""Does what falls due and sends the seller's messages until it receives a stop signal."""

import signal
from threading import Event, Thread
from types import FrameType
from typing import Any

from django.core.management.base import BaseCommand

from seller_sandbox.jobs import evidence
from seller_sandbox.messages import worker


class Command(BaseCommand):
    help = "Do what falls due, send waiting messages, and fetch the files of closed jobs."

    def handle(self, *_: Any, **__: Any) -> None:
        stop = Event()

        def stop_after_these_messages(_number: int, _frame: FrameType | None) -> None:
            stop.set()

        signal.signal(signal.SIGTERM, stop_after_these_messages)
        signal.signal(signal.SIGINT, stop_after_these_messages)
        # fetching waits for the partner's file server: messages must not
        fetching = Thread(target=evidence.run, args=(stop,), name="evidence")
        fetching.start()
        worker.run(stop)
        fetching.join()
