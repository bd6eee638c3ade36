"""manage.py relay: sends what the outbox holds until it is told to stop."""

import signal
import threading
from argparse import ArgumentParser
from concurrent.futures import ThreadPoolExecutor
from types import FrameType
from typing import Any

import structlog
from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import DatabaseError, InterfaceError, close_old_connections, connections

from seller_link import relay
from seller_link.client import Line
from seller_link.models import OutboundMessage

log = structlog.get_logger("seller_link.relay")
IDLE_SECONDS = 0.05
REST_AFTER_TROUBLE_SECONDS = 1.0


class Relay:
    """A loop that claims as many heads as there are free workers; a slow send holds back nobody else."""

    def __init__(self) -> None:
        self.stopped = threading.Event()
        self.free = threading.Semaphore(settings.RELAY_WORKERS)
        self.own = threading.local()

    def stop(self, _signal: int = 0, _frame: FrameType | None = None) -> None:
        self.stopped.set()

    def run(self, *, rounds: int | None) -> None:
        with ThreadPoolExecutor(settings.RELAY_WORKERS, thread_name_prefix="relay") as workers:
            while not self.stopped.is_set() and rounds != 0:
                self._round(workers)
                rounds = None if rounds is None else rounds - 1

    def _round(self, workers: ThreadPoolExecutor) -> None:
        try:
            close_old_connections()
            claimed = relay.claim(self._capacity()) if relay.is_work_due() else []
        except (DatabaseError, InterfaceError) as problem:
            log.error("database away", error=type(problem).__name__)
            self.stopped.wait(REST_AFTER_TROUBLE_SECONDS)
            return
        for message in claimed:
            self.free.acquire()
            workers.submit(self._send, message)
        if not claimed:
            self.stopped.wait(IDLE_SECONDS)

    def _capacity(self) -> int:
        """How many workers are free, at least one: then the loop waits for the first that ends."""
        free = 0
        while self.free.acquire(blocking=free == 0):
            free += 1
        self.free.release(free)
        return free

    def _send(self, message: OutboundMessage) -> None:
        try:
            relay.settle(relay.deliver(message, line=self._line()))
        except (DatabaseError, InterfaceError) as problem:
            # unmarked: it goes again with the same id when its lease is over
            log.error("not settled", error=type(problem).__name__, job=message.job.provider_job_id)
            connections.close_all()
        except Exception:
            log.exception("not delivered", job=message.job.provider_job_id)
        finally:
            self.free.release()

    def _line(self) -> Line:
        if not hasattr(self.own, "line"):
            self.own.line = Line()
        line: Line = self.own.line
        return line


class Command(BaseCommand):
    help = "Deliver messages to the seller, in order per job, until stopped"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--rounds", type=int, help="stop after this many looks (for tests)")

    def handle(self, *_args: Any, **options: Any) -> None:
        running = Relay()
        signal.signal(signal.SIGTERM, running.stop)
        signal.signal(signal.SIGINT, running.stop)
        running.run(rounds=options["rounds"])
