"""manage.py webhooks: tells the partner's other systems of jobs until it receives a stop signal."""

import threading
from argparse import ArgumentParser
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from time import monotonic
from typing import Any

import structlog
from django.db import DatabaseError, InterfaceError, close_old_connections, connections
from django.utils import timezone

from monitoring.coded_texts import coded_text
from monitoring.heartbeats import WEBHOOKS, HeartbeatWriter
from monitoring.processes import call_on_stop_signal
from monitoring.service_command import ServiceCommand
from partner_api import webhook_events, webhook_queue
from partner_api.webhook_queue import WebhookClaim, WebhookResult

log = structlog.get_logger("partner_api.webhooks")
WORKERS = 8
POLL_SECONDS = 1.0
MISSED_POLL_SECONDS = 20.0
# a round that takes longer than this hangs
HEALTHY_SECONDS = 30.0
REST_AFTER_TROUBLE_SECONDS = 1.0


class WebhookSender:
    """One thread talks to the database, workers talk to the addresses; a slow one holds back nobody else."""

    def __init__(self) -> None:
        self.stopped = threading.Event()
        self.has_work = threading.Event()
        self.finished: SimpleQueue[WebhookResult] = SimpleQueue()
        self.unsettled: list[WebhookResult] = []
        self.under_way: Counter[int] = Counter()
        self.looked_for_missed = float("-inf")
        self.round_ended = monotonic()

    def stop(self) -> None:
        self.stopped.set()
        self.has_work.set()

    @property
    def is_healthy(self) -> bool:
        return monotonic() - self.round_ended < HEALTHY_SECONDS

    def run(self, *, rounds: int | None) -> None:
        with ThreadPoolExecutor(WORKERS, thread_name_prefix="webhook") as workers:
            while not self.stopped.is_set() and rounds != 0:
                self._round(workers)
                rounds = None if rounds is None else rounds - 1
        self._gather()
        webhook_queue.settle(self.unsettled)

    def _round(self, workers: ThreadPoolExecutor) -> None:
        self.has_work.clear()
        self._gather()
        try:
            close_old_connections()
            claims = self._settle_and_claim()
        except (DatabaseError, InterfaceError) as problem:
            # what was sent and is not settled is sent again after its lease, with the same id
            log.error("database away", error=type(problem).__name__, unsettled=len(self.unsettled))
            connections.close_all()
            self.stopped.wait(REST_AFTER_TROUBLE_SECONDS)
            return
        for claim in claims:
            self.under_way[claim.subscription] += 1
            workers.submit(self._send, claim)
        self.round_ended = monotonic()
        self.has_work.wait(POLL_SECONDS)

    def _settle_and_claim(self) -> list[WebhookClaim]:
        webhook_queue.settle(self.unsettled)
        self.unsettled = []
        webhook_events.collect_job_events()
        if monotonic() - self.looked_for_missed >= MISSED_POLL_SECONDS:
            webhook_events.collect_missed_windows(timezone.now())
            self.looked_for_missed = monotonic()
        free = WORKERS - self.under_way.total()
        return webhook_queue.claim_due(free, under_way=self.under_way) if free else []

    def _gather(self) -> None:
        while not self.finished.empty():
            result = self.finished.get()
            self.under_way[result.claim.subscription] -= 1
            self.unsettled.append(result)

    def _send(self, claim: WebhookClaim) -> None:
        started_at = timezone.now()
        try:
            result = webhook_queue.send(claim)
        except Exception as problem:
            log.exception("not sent", delivery_id=claim.delivery_id, request_id=claim.request_id)
            error = coded_text("own_fault", error=type(problem).__name__)
            result = WebhookResult(claim, started_at, 0, None, error)
        self.finished.put(result)
        self.has_work.set()


class Command(ServiceCommand):
    help = "Tell the partner's other systems of jobs, in order per job, until stopped"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--rounds", type=int, help="stop after this many rounds (for tests)")

    def handle(self, *_args: Any, **options: Any) -> None:
        self.load_addresses()
        sender = WebhookSender()
        heartbeat = HeartbeatWriter(WEBHOOKS, is_healthy=lambda: sender.is_healthy)
        call_on_stop_signal(sender.stop)
        heartbeat.start()
        try:
            sender.run(rounds=options["rounds"])
        finally:
            heartbeat.end()
