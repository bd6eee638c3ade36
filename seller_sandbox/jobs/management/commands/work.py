"""Sends the seller's messages and provisioning results until it receives a stop signal."""

import signal
from threading import Event, Thread
from types import FrameType
from typing import Any

from django.core.management.base import BaseCommand

from seller_sandbox.jobs import evidence, worker


class Command(BaseCommand):
    help = "Send waiting messages to the partner and let due provisioning results happen."

    def handle(self, *_: Any, **__: Any) -> None:
        stop = Event()

        def stop_after_this_message(_number: int, _frame: FrameType | None) -> None:
            stop.set()

        signal.signal(signal.SIGTERM, stop_after_this_message)
        signal.signal(signal.SIGINT, stop_after_this_message)
        # fetching waits for the partner's file server: messages must not
        fetching = Thread(target=evidence.run, args=(stop,), name="evidence")
        fetching.start()
        worker.run(stop)
        fetching.join()
