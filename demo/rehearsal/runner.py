"""The day itself: packs sent, jobs assigned and done at the same time, both books opened at the end."""

import json
import time
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from datetime import date
from random import Random
from threading import Event, Lock
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg
from django.core.management.base import CommandError
from psycopg import sql

from demo.environment import DemoEnvironment, run_command, wait_until
from demo.rehearsal.app_client import HttpSession, PhoneClient, SessionError
from demo.rehearsal.findings import MessageSets, RehearsalProgress, compare_records
from demo.rehearsal.interruptions import Interruptions
from demo.rehearsal.job_scenarios import JobScenario, OddPacks
from demo.rehearsal.sandbox_client import LoggedMessage, SandboxClient, SellerJob
from demo.rehearsal.simulated_dispatcher import SimulatedDispatcher
from demo.rehearsal.simulated_engineers import Order, SimulatedEngineer

LOOK_EVERY_SECONDS = 0.5
ARRIVAL_SECONDS = 180
SETTLING_SECONDS = 180


class RehearsalUnfinished(SessionError):
    """The day did not come to its end in time."""


@dataclass
class Rehearsal:
    """One rehearsal over a running demonstration."""

    demo: DemoEnvironment
    fates: list[JobScenario]
    progress: RehearsalProgress
    environment: dict[str, str]
    seconds: float
    seed: int
    seller: SandboxClient = field(init=False)
    odd_packs: OddPacks = field(init=False)
    interruptions: Interruptions = field(init=False)
    fate_of: dict[str, JobScenario] = field(default_factory=dict)
    orders: dict[str, Order] = field(default_factory=dict)
    over: Event = field(default_factory=Event)
    lock: Lock = field(default_factory=Lock)
    finished: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.seller = SandboxClient(self.demo.console_url)
        self.odd_packs = OddPacks(self.seller, self.seed)
        self.interruptions = Interruptions(
            self.seller,
            certs=self.demo.certs,
            ports=(self.demo.ports.sandbox_a, self.demo.ports.sandbox_b),
            jobs=len(self.fates),
            seed=self.seed,
        )

    def run(self, *, day: date, dispatcher: str, engineers: list[str]) -> None:
        """Raises whatever went wrong first, in the office or at any engineer."""
        self.seller.answer_scans_after(seconds=1)
        self._send(day)
        office, second = (SimulatedDispatcher(self._sign_in(dispatcher)) for _ in range(2))
        workers = [self._worker(name, number) for number, name in enumerate(engineers)]
        with ThreadPoolExecutor(len(workers) + 2) as people:
            work = [people.submit(worker.work) for worker in workers]
            work.append(people.submit(self._assign_all, office))
            work.append(people.submit(self.odd_packs.play, second, day=day, jobs=len(self.fates)))
            try:
                self._wait_for_everybody(work)
                work[-1].result(timeout=self.seconds)
            finally:
                self.over.set()
                self.interruptions.end()

    def books(self) -> tuple[MessageSets, list[LoggedMessage], list[SellerJob]]:
        """After the last message has gone: both sides' records."""
        if not wait_until(self._has_settled, seconds=SETTLING_SECONDS):
            self.progress.show("messages are still under way; comparing all the same")
        passages = self.seller.message_log()
        return compare_records(passages=passages, log=self._our_log()), passages, self.seller.jobs()

    def _sign_in(self, username: str) -> HttpSession:
        browser = HttpSession(self.demo.board_url)
        browser.sign_in(username=username, password=self.demo.password())
        return browser

    def _send(self, day: date) -> None:
        ids = self.seller.send_packs(
            count=len(self.fates),
            day=day,
            types=[fate.job_type.value for fate in self.fates],
            provisioning_plans=[list(fate.results) or [1] for fate in self.fates],
            odd=[fate.odd_pack for fate in self.fates],
            odd_results=[list(fate.odd_results) for fate in self.fates],
            seed=self.seed,
        )
        self.progress.show("job packs are arriving")
        self.fate_of = dict(zip(ids, self.fates, strict=True))
        if not wait_until(lambda: len(self._accepted()) == len(ids), seconds=ARRIVAL_SECONDS):
            raise RehearsalUnfinished(f"{len(ids) - len(self._accepted())} packs were not accepted in time")
        for job in self._accepted():
            order = Order(job.seller_job_id, job.provider_job_id, self.fate_of[job.seller_job_id])
            self.orders[order.job_id] = order

    def _accepted(self) -> list[SellerJob]:
        jobs = self.seller.jobs()
        return [job for job in jobs if job.provider_job_id and job.seller_job_id in self.fate_of]

    def _worker(self, name: str, number: int) -> SimulatedEngineer:
        return SimulatedEngineer(
            name=name,
            phone=PhoneClient(self._sign_in(name)),
            seller=SandboxClient(self.demo.console_url),
            orders=self.orders,
            finished=self._finish,
            over=self.over,
            chance=Random(self.seed + number),  # noqa: S311  # label digits, not keys
        )

    def _assign_all(self, office: SimulatedDispatcher) -> None:
        """In the order of arrival; whoever finds nobody now is tried again when somebody is free."""
        waiting = list(self.orders)
        while waiting and not self.over.is_set():
            waiting = [job_id for job_id in waiting if not office.assign(job_id)]
            if waiting:
                self.over.wait(LOOK_EVERY_SECONDS)

    def _finish(self, order: Order) -> None:
        with self.lock:
            self.finished.add(order.job_id)
            finished = len(self.finished)
        if order.fate.after_the_end and not order.fate.cancelled_when:
            self.seller.send_odd(order.seller_job_id, order.fate.after_the_end)
        self.interruptions.begin(finished=finished)
        self.progress.step(f"{order.seller_job_id} {order.fate.job_type.label} {_ended(order.fate)}")

    def _wait_for_everybody(self, work: list[Future[None]]) -> None:
        deadline = time.monotonic() + self.seconds
        while len(self.finished) < len(self.orders):
            done, _ = wait(work, timeout=LOOK_EVERY_SECONDS, return_when=FIRST_EXCEPTION)
            for engineer in done:
                engineer.result()
            if time.monotonic() > deadline:
                left = sorted(set(self.orders) - self.finished)
                raise RehearsalUnfinished(
                    f"{len(left)} jobs are not over after {self.seconds:.0f} s: {left[:5]}"
                )

    def _has_settled(self) -> bool:
        waiting = any(line["said_by"] == "us" and line["state"] == "ready" for line in self._our_log())
        return not waiting and self.seller.is_at_rest()

    def _our_log(self) -> list[dict[str, Any]]:
        lines = run_command(self.demo.manage("message_log"), environment=self.environment).split("\n")
        return [json.loads(line) for line in lines if line]


def _ended(fate: JobScenario) -> str:
    return f"cancelled while {fate.cancelled_when}" if fate.cancelled_when else f"closed {fate.outcome.code}"


PREFIX = "rehearse"
SERVER_DATABASE = "/postgres"


def recreate_database(url: str) -> None:
    """Drop the database that the URL names and create it empty. Raises CommandError.

    Only a name that begins with `rehearse` is taken: a slip must not cost somebody's data.
    """
    drop_database(url)
    create = sql.SQL("CREATE DATABASE {}").format(_name(url))
    with _server(url) as server:
        server.execute(create)


def drop_database(url: str) -> None:
    """Drop the database that the URL names, whoever uses it. Raises CommandError, as `recreate_database` does."""
    remove = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(_name(url))
    with _server(url) as server:
        server.execute(remove)


def _name(url: str) -> sql.Identifier:
    name = urlsplit(url).path.removeprefix("/")
    if not name.startswith(PREFIX):
        raise CommandError(f"The database is dropped and made anew, so its name must begin with {PREFIX}.")
    return sql.Identifier(name)


def _server(url: str) -> psycopg.Connection:
    server_url = urlunsplit(urlsplit(url)._replace(path=SERVER_DATABASE))
    try:
        return psycopg.connect(server_url, autocommit=True)
    except psycopg.OperationalError as problem:
        raise CommandError(f"PostgreSQL does not answer: {problem}") from problem
