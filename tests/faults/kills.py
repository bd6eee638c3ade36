"""Our own processes die at any point: what was answered stays, what was recorded arrives, once and in order."""

import hashlib
import os
import signal
import threading
import time
import uuid
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from django.conf import settings
from urllib3.exceptions import HTTPError

from closures.models import Photo
from closures.photos import evidence
from demo.rehearsal.app_client import HttpSession, PhoneClient, SessionError, photo_entry
from dispatch.models import Job
from engineers.models import Engineer
from monitoring.alarms import open_alarms
from monitoring.heartbeats import WEB
from monitoring.models import AlarmKind, Heartbeat
from tests import make
from tests.background.worker_process import children
from tests.faults import load, questions
from tests.faults.fault_system import FaultSystem, until
from tests.faults.load import SellerCaller
from tests.faults.processes import kill_at_random
from tests.faults.scenario import Scenario, ScenarioResult
from tests.faults.seller import now_and_then

MAX_WAIT_SECONDS = 300
MANNERS = ["500", "resets", "half", "503"]


class StubbornPhone:
    """A phone's queue over HTTP: signs in again and sends the same again until the server has taken it."""

    def __init__(self, system: FaultSystem, engineer: Engineer) -> None:
        self.system, self.engineer = system, engineer
        self.phone: PhoneClient | None = None

    def tap(self, tap_entry: dict[str, Any]) -> None:
        outcome = self._insist(lambda phone: phone.send_all([tap_entry])[0])
        if outcome not in {"applied", "already"}:
            raise RuntimeError(f"{tap_entry['kind']} was {outcome}")

    def take_photo(self, job: Job) -> None:
        raw, photo_id = make.jpeg(width=800, height=600), str(uuid.uuid4())
        self.tap(photo_entry(job.provider_job_id, question="PHO01", photo_id=photo_id, content=raw))
        self._insist(lambda phone: phone.put_photo(photo_id, raw))

    def _insist(self, act: Any) -> Any:
        deadline, problems = time.monotonic() + MAX_WAIT_SECONDS, Counter[str]()
        while time.monotonic() < deadline:
            try:
                return act(self._signed_in())
            except (OSError, HTTPError, SessionError, ValueError) as problem:
                problems[f"{type(problem).__name__}: {problem}"[:120]] += 1
            self.phone = None
            time.sleep(0.2)
        raise RuntimeError(f"not accepted in {MAX_WAIT_SECONDS} s: {problems.most_common(3)}")

    def _signed_in(self) -> PhoneClient:
        if self.phone is None:
            browser = HttpSession(self.system.demo.board_url)
            browser.sign_in(username=self.engineer.user.username, password=make.PASSWORD)
            self.phone = PhoneClient(browser)
        return self.phone


def _work(system: FaultSystem, caller: SellerCaller, stop: threading.Event) -> int:
    """Packs, taps and photos without end, until stopped; how many jobs it were."""
    number = 0
    for pack in load.packs(10_000):
        if stop.is_set():
            break
        # their days begin again
        if number % load.MOST_DAYS_AHEAD == 0:
            engineer, by = load.make_performer()
            phone = StubbornPhone(system, engineer)
        caller.insist("createJob", pack)
        job = load.insist(lambda pack=pack: Job.objects.get(seller_job_id=pack["sellerJobId"]))
        load.assign(job, engineer, by)
        for tap in load.taps(job):
            phone.tap(tap)
        if number % 3 == 0:
            phone.take_photo(job)
        number += 1
    return number


def everything(system: FaultSystem) -> ScenarioResult:
    """kill -9 of web, server, relays and worker at random points under load, before a seller that lies."""
    system.start_seller_server()
    system.start_web()
    for name in ("relay", "relay two"):
        system.start("relay", name=name)
    system.start("worker")
    for endpoint in system.endpoints:
        endpoint.choose = now_and_then(system.chance, MANNERS, share=0.1)
    kills = system.few(25, 500)
    caller, stop = SellerCaller(system), threading.Event()
    with ThreadPoolExecutor(2) as workers:
        working = workers.submit(_work, system, caller, stop)
        packing = workers.submit(_send_packs, caller, stop)
        try:
            hit = kill_at_random(
                system.keeper,
                names=["people", "seller_server", "relay", "relay two", "worker"],
                kills=kills,
                chance=system.chance,
                pause=1.5,
            )
        finally:
            stop.set()
        jobs, packs = working.result(), packing.result()
    questions.wait_until_drained(system)
    wrong = questions.differences(system, sent=caller.sent)
    copies = questions.extra_copies(system.record)
    return ScenarioResult(
        wrong, f"{hit} kills, {jobs} jobs worked on, {packs} packs more, {copies} copies at the seller"
    )


def _send_packs(caller: SellerCaller, stop: threading.Event) -> int:
    for number, pack in enumerate(load.packs(10_000)):
        if stop.wait(0.05):
            return number
        caller.insist("createJob", pack)
    return 10_000


def between_delivery_and_mark(system: FaultSystem) -> ScenarioResult:
    """The relay dies in the moment in which the seller has answered and nobody here has written it down."""
    relay = system.start("relay")
    answered = []

    def kill_now_and_then() -> None:
        answered.append(1)
        if len(answered) % 7 == 0:
            relay.kill()

    for endpoint in system.endpoints:
        endpoint.after = kill_now_and_then
    sent = load.work_day(load.jobs_here(system.few(4, 60)))
    # the seller answers seven at once and one of them is written down: a message for each start of the relay, 3 s
    questions.wait_until_drained(system, seconds=1800)
    copies = questions.extra_copies(system.record)
    return ScenarioResult(
        questions.differences(system), f"{sent} messages, {relay.kills} kills, {copies} copies"
    )


def frozen(system: FaultSystem) -> ScenarioResult:
    """One of two relays stops past its lease in the middle of its work and then wakes up."""
    first = system.start("relay", name="relay one")
    system.start("relay", name="relay two")
    jobs = load.jobs_here(system.few(15, 100))
    with ThreadPoolExecutor(1) as workers:
        working = workers.submit(load.work_day, jobs)
        for _ in range(system.few(1, 5)):
            time.sleep(1)
            first.signal(signal.SIGSTOP)
            time.sleep(settings.RELAY_LEASE_SECONDS + 2)
            first.signal(signal.SIGCONT)
        delivered = working.result()
    questions.wait_until_drained(system)
    copies = questions.extra_copies(system.record)
    return ScenarioResult(
        questions.differences(system), f"{delivered} messages, frozen past the lease, {copies} copies"
    )


def photo_cut(system: FaultSystem) -> ScenarioResult:
    """A photo whose upload is cut in the middle by a kill is sent again and is whole."""
    web = system.start_web()
    engineer, by = load.make_performer()
    (job,) = load.jobs_here(1)
    load.assign(job, engineer, by)
    phone = StubbornPhone(system, engineer)
    for tap in load.taps(job)[:2]:
        phone.tap(tap)
    for _ in range(system.few(3, 20)):
        killer = threading.Timer(system.chance.uniform(0.0, 0.3), web.kill)
        killer.start()
        phone.take_photo(job)
        killer.join()
    until(lambda: all(photo.stored_at for photo in job.photos.all()), what="all photos are stored")
    wrong = [
        f"photo {photo.pk} is not the one that was taken" for photo in job.photos.all() if not _whole(photo)
    ]
    return ScenarioResult(wrong, f"{job.photos.count()} photos, {web.kills} kills")


def web_worker_frozen(system: FaultSystem) -> ScenarioResult:
    """One of the web workers stops under load: the others serve, an alarm is raised, nothing is lost."""
    system.start_seller_server()
    system.start("relay")
    web = system.start_web()
    if web.process is None:
        raise RuntimeError("the web server did not start")
    until(lambda: Heartbeat.objects.filter(process__startswith=WEB).count() >= 2, what="its workers beat")
    frozen_one = children(web.process.pid)[0]
    engineer, by = load.make_performer()
    jobs = load.jobs_here(system.few(2, 10))
    for job in jobs:
        load.assign(job, engineer, by)
    phone = StubbornPhone(system, engineer)
    os.kill(frozen_one, signal.SIGSTOP)
    try:
        for tap in [tap for job in jobs for tap in load.taps(job)]:
            phone.tap(tap)
        until(_is_alarmed, what="an alarm is raised")
    finally:
        os.kill(frozen_one, signal.SIGCONT)
    until(lambda: not _is_alarmed(), what="The alarm is cleared")
    questions.wait_until_drained(system)
    return ScenarioResult(
        questions.differences(system), f"{len(jobs)} jobs worked on beside a frozen web worker"
    )


def _is_alarmed() -> bool:
    return bool(load.insist(lambda: open_alarms().filter(kind=AlarmKind.PROCESS_STUCK).exists()))


def _whole(photo: Photo) -> bool:
    with evidence.storage().open(evidence.object_path(photo)) as stored:
        return hashlib.sha256(stored.read()).hexdigest() == photo.stored_sha256


SCENARIOS = [
    Scenario("kill -9 of everything under load", everything),
    Scenario("kill between delivery and mark", between_delivery_and_mark),
    Scenario("relay frozen past its lease", frozen),
    Scenario("web worker frozen", web_worker_frozen, databases=("postgresql",)),
    Scenario("photo cut by a kill", photo_cut, databases=("sqlite",)),
]
