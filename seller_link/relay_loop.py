"""The loop of `manage.py relay`: claims what the outbox holds, lets threads deliver it (relay.py) and settles what came
of it, until it receives a stop signal."""

import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue

import structlog
from django.conf import settings
from django.db import DatabaseError, InterfaceError, close_old_connections, connections
from django.db.backends.signals import connection_created

from monitoring.processes import call_on_stop_signal
from seller_link import outbox_queue, relay
from seller_link.circuit_breaker import CircuitBreaker
from seller_link.client import SellerClient
from seller_link.outbox_queue import Claim
from seller_link.relay import DeliveryResult
from seller_link.relay_maintenance import RelayMaintenance

log = structlog.get_logger("seller_link.relay")
REST_AFTER_TROUBLE_SECONDS = 0.5
# what ends within this time is settled in one commit; the workers have other work in that time
GATHER_SECONDS = 0.02
# claimed ahead per worker: few while the seller is slow, a multiple of what was settled last while it is quick, so
# that nobody is out of work while the thread of the database settles and claims
FEWEST_AHEAD, MOST_AHEAD, AHEAD_OF_SETTLED = 2, 64, 4
# delivered and not yet written down: what a killed relay sends a second time is never more than this
MOST_UNSETTLED = 64
FINAL_TRIES = 5
SWITCH_SECONDS = 0.0005


class Relay:
    """One thread talks to the database, workers talk to the seller; a slow send holds back nobody else."""

    def __init__(self) -> None:
        self.stopped = threading.Event()
        # something was written, or a worker is done
        self.has_work = threading.Event()
        # half of the slots are occupied: settle instead of gathering more
        self.crowded = threading.Event()
        self.free_slots = threading.Semaphore(MOST_UNSETTLED)
        self.finished: SimpleQueue[DeliveryResult] = SimpleQueue()
        self.unsettled: list[DeliveryResult] = []
        self.under_way = 0
        self.own = threading.local()
        self.circuit_breaker = CircuitBreaker()
        self.maintenance = RelayMaintenance()

    def stop(self) -> None:
        self.stopped.set()
        self.has_work.set()
        self.crowded.set()

    def run(self, *, rounds: int | None) -> None:
        workers = ThreadPoolExecutor(settings.RELAY_WORKERS, thread_name_prefix="relay")
        with workers, outbox_queue.listening(self.has_work):
            while not self.stopped.is_set() and rounds != 0:
                self._round(workers)
                rounds = None if rounds is None else rounds - 1
        self._end()

    def _round(self, workers: ThreadPoolExecutor) -> None:
        self.has_work.clear()
        self.crowded.clear()
        self._gather()
        try:
            close_old_connections()
            self.circuit_breaker.sync()
            self.maintenance.run_due()
            claimed = self._settle_and_claim()
        except (DatabaseError, InterfaceError) as problem:
            # what is done stays in `unsettled`; if we die it is sent again with the same id after its lease
            log.error("database away", error=type(problem).__name__, unsettled=len(self.unsettled))
            connections.close_all()
            self.stopped.wait(REST_AFTER_TROUBLE_SECONDS)
            return
        self.under_way += len(claimed)
        for message in claimed:
            workers.submit(self._send, message)
        self._wait()

    def _gather(self) -> None:
        while not self.finished.empty():
            self.unsettled.append(self.finished.get())
            self.under_way -= 1

    def _settle_and_claim(self) -> list[Claim]:
        """A commit each: what was delivered is written down before anything else is looked for, since it is sent again
        if we die, and since the workers wait for a free slot. No lock is taken when there is nothing to do."""
        free_slots, is_busy = self._free_slots(), bool(self.unsettled)
        if self.unsettled:
            self._settle()
        if not free_slots or not (is_busy or outbox_queue.is_work_due()):
            return []
        return outbox_queue.claim_due(free_slots)

    def _settle(self) -> None:
        relay.settle(self.unsettled)
        self.maintenance.settled += len(self.unsettled)
        for _delivery in self.unsettled:
            self.free_slots.release()
        self.unsettled = []

    def _free_slots(self) -> int:
        """How many more messages may be claimed; while all endpoints rest only those that test one."""
        workers = settings.RELAY_WORKERS
        ahead = min(max(FEWEST_AHEAD * workers, AHEAD_OF_SETTLED * len(self.unsettled)), MOST_AHEAD * workers)
        free = max(0, ahead - self.under_way)
        most = self.circuit_breaker.claim_limit()
        return free if most is None else max(0, min(free, most - self.under_way))

    def _wait(self) -> None:
        """For new messages; under load a moment longer, so that one commit settles many."""
        self.has_work.wait(outbox_queue.FALLBACK_POLL_SECONDS)
        if self.under_way > FEWEST_AHEAD * settings.RELAY_WORKERS:
            self.crowded.wait(GATHER_SECONDS)

    def _send(self, claimed: Claim) -> None:
        delivery = DeliveryResult(claimed)
        self.free_slots.acquire()
        try:
            delivery = relay.deliver(claimed, client=self._client(), circuit_breaker=self.circuit_breaker)
        except Exception as problem:
            job = claimed.provider_job_id
            log.exception("not delivered", job=job)
            delivery = relay.internal_error_result(claimed, problem)
        finally:
            self.finished.put(delivery)
            self.has_work.set()
            if self.finished.qsize() >= MOST_UNSETTLED // 2:
                self.crowded.set()

    def _client(self) -> SellerClient:
        if not hasattr(self.own, "client"):
            self.own.client = SellerClient(on_answer=self.maintenance.clocks.record)
        client: SellerClient = self.own.client
        return client

    def _end(self) -> None:
        """The sends in flight are over; what they found is written once, unless the database stays away."""
        self._gather()
        for _ in range(FINAL_TRIES):
            try:
                if self.unsettled:
                    self._settle()
                self.maintenance.end()
            except (DatabaseError, InterfaceError):
                connections.close_all()
                threading.Event().wait(REST_AFTER_TROUBLE_SECONDS)
            else:
                return


def run_relay(*, rounds: int | None) -> None:
    """Until a stop signal comes, or for so many rounds."""
    # many short turns of several threads: the default lets the busiest make each other one wait 5 ms
    sys.setswitchinterval(SWITCH_SECONDS)
    connection_created.connect(outbox_queue.force_index_scans)
    connections.close_all()
    running = Relay()
    call_on_stop_signal(running.stop)
    running.run(rounds=rounds)
