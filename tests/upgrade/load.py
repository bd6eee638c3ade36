"""A small load while versions change: the seller sends packs, dispatchers assign, engineers' phones synchronise.

Batch after batch, until it is stopped; each is a rehearsal of its own, and both records are compared at the end.
"""

import json
import os
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from threading import Event, Thread

import urllib3
from django.utils import timezone

from demo.environment import DemoEnvironment
from demo.management.commands.demo_people import ENGINEERS
from demo.rehearsal import findings, job_scenarios
from demo.rehearsal.app_client import HttpSession, SessionError, SessionResponse
from demo.rehearsal.findings import RehearsalProgress
from demo.rehearsal.runner import Rehearsal
from demo.rehearsal.simulated_engineers import Order, SimulatedEngineer

DISPATCHER = "dana"
JOBS_OF_A_BATCH = 4
LOOK_SECONDS = 3
BATCH_SECONDS = 400
# what nginx says while a process is being replaced; a phone keeps its queue, a person presses again
AWAY = {502, 503, 504}
AWAY_SECONDS = 60


@dataclass
class PatientSession(HttpSession):
    """Repeats a request that found nobody, with the same ids, as the phone's queue does."""

    repeats: list[str] = field(default_factory=list)

    def fetch(
        self, method: str, path: str, *, body: bytes = b"", headers: dict[str, str] | None = None
    ) -> SessionResponse:
        deadline = time.monotonic() + AWAY_SECONDS
        while True:
            answer = super().fetch(method, path, body=body, headers=headers)
            if answer.status not in AWAY or time.monotonic() > deadline:
                return answer
            self.repeats.append(f"{method} {path} {answer.status}")
            time.sleep(0.5)


class CalmEngineer(SimulatedEngineer):
    """Looks for the next job as seldom as a phone in a pocket, so that the load stays small."""

    def _next(self) -> Order | None:
        order = super()._next()
        if order is None:
            self.over.wait(LOOK_SECONDS)
        return order


@dataclass
class Batch(Rehearsal):
    """A rehearsal through the proxy at `front`; who signed in for an earlier one stays signed in."""

    front: str = ""
    repeats: list[str] = field(default_factory=list)
    sessions: dict[tuple[str, int], HttpSession] = field(default_factory=dict)
    signed_in: Counter[str] = field(default_factory=Counter)

    def _sign_in(self, username: str) -> HttpSession:
        # the dispatcher works in two browsers
        self.signed_in[username] += 1
        known = (username, self.signed_in[username])
        if known not in self.sessions:
            self.sessions[known] = self._new_session(username)
        return self.sessions[known]

    def _worker(self, name: str, number: int) -> SimulatedEngineer:
        return CalmEngineer(**vars(super()._worker(name, number)))

    def _new_session(self, username: str) -> HttpSession:
        pool = urllib3.PoolManager(retries=False, ca_certs=str(self.demo.certs / "ca.pem"))
        session = PatientSession(self.front, pool=pool, repeats=self.repeats)
        session.sign_in(username=username, password=self.demo.password())
        return session


@dataclass
class Load:
    """`front`: the address of the proxy. `trouble` is what went wrong, as sentences."""

    demo: DemoEnvironment
    front: str
    batches: list[Batch] = field(default_factory=list)
    finished: int = 0
    messages: int = 0
    trouble: list[str] = field(default_factory=list)
    repeats: list[str] = field(default_factory=list)
    sessions: dict[tuple[str, int], HttpSession] = field(default_factory=dict)
    stopped: Event = field(default_factory=Event)
    thread: Thread | None = None

    def start(self) -> None:
        self.thread = Thread(target=self._run, daemon=True)
        self.thread.start()

    def stop(self) -> None:
        """After the batch under way."""
        self.stopped.set()
        if self.thread:
            self.thread.join()

    def _run(self) -> None:
        while not self.stopped.is_set() and not self.trouble:
            batch = self._next_batch()
            self.batches.append(batch)
            try:
                tomorrow = timezone.localdate() + timedelta(days=1)
                engineers = [engineer.username for engineer in ENGINEERS]
                batch.run(day=tomorrow, dispatcher=DISPATCHER, engineers=engineers)
            except SessionError as problem:
                self.trouble.append(f"batch {len(self.batches)}: {problem}")
            self.finished += len(batch.finished)

    def _next_batch(self) -> Batch:
        seed = len(self.batches)
        progress = RehearsalProgress(total=JOBS_OF_A_BATCH, write=lambda _line: None, moving=False)
        fates = job_scenarios.plan_scenarios(JOBS_OF_A_BATCH, seed=seed)
        shared = {"front": self.front, "repeats": self.repeats, "sessions": self.sessions}
        return Batch(self.demo, fates, progress, dict(os.environ), BATCH_SECONDS, seed, **shared)

    def differences(self) -> Iterator[str]:
        """Everything that was lost, doubled or ended otherwise than planned; call it after `stop`."""
        yield from self.trouble
        books, passages, jobs = self.batches[-1].books()
        self.messages = len(books.we_sent) + len(books.we_received)
        fates = {job: fate for batch in self.batches for job, fate in batch.fate_of.items()}
        yield from findings.list_differences(books)
        yield from findings.contract_breaches(passages)
        yield from findings.unplanned_outcomes(jobs, fates)
        for batch in self.batches:
            yield from batch.odd_packs.findings()


def answered(log: Path) -> list[str]:
    """Who answered each request so far, by the proxy's log."""
    # of several who were asked, the last one
    return [json.loads(line)["upstream"].split(", ")[-1] for line in log.read_text().splitlines()]
