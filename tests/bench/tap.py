"""From an engineer's tap to the seller: the phone's request answered until the sandbox has the message."""

import uuid
from collections.abc import Container, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from django.utils import timezone

from demo.environment import wait_until
from demo.management.commands.demo_people import ENGINEERS
from demo.rehearsal.app_client import HttpSession, PhoneClient, entry
from demo.rehearsal.sandbox_client import SandboxClient
from demo.rehearsal.simulated_dispatcher import SimulatedDispatcher
from tests.bench.rows import Row, tail
from tests.servers.system import System, running

JOBS = 40
SEED = 20261124
SECONDS = 60
GOAL_P99_MILLISECONDS = 80
POSITION = {"latitude": 53.8, "longitude": -1.548, "accuracy_metres": 10.0}


@dataclass(frozen=True)
class Tap:
    """One thing that an engineer did, and when the phone had its answer."""

    seller_job: str
    event: str
    answered_at: datetime


def measure(folder: Path, *, jobs: int = JOBS, system: System | None = None) -> list[Row]:
    """Taps one after the other on a quiet system, of its own unless one is given: the delay is no queue's."""
    with nullcontext(system) if system else running(folder) as used:
        seller = SandboxClient(used.demo.console_url)
        names = _send(seller, jobs)
        assigned = _assign_all(used, list(names))
        sellers_ids = {names[job_id] for _phone, job_id in assigned}
        _wait_for(seller, "engineerAssigned", sellers_ids)
        taps = [tap for phone, job_id in assigned for tap in _tap(phone, job_id, names[job_id])]
        _wait_for(seller, "ontScanned", sellers_ids)
        delays = sorted(_delays(taps, seller))
    median, (p99, called) = delays[len(delays) // 2], tail(delays)
    compared = f"{len(delays)} taps one after the other, SQLite"
    goal = f"99th percentile at most {GOAL_P99_MILLISECONDS} ms"
    is_within = p99 <= GOAL_P99_MILLISECONDS
    return [
        Row("tap_to_seller", round(median, 1), "ms, median", compared, None, goal, is_within),
        Row("tap_to_seller_p99", round(p99, 1), f"ms, {called}", compared, None, goal, is_within),
    ]


def _send(seller: SandboxClient, count: int) -> dict[str, str]:
    """Our job's id → the seller's, once every pack was accepted."""
    seller.answer_scans_after(seconds=3600)
    # its windows are open at whatever hour the bench runs
    day = timezone.localdate() + timedelta(days=1)
    sent = seller.send_packs(
        count=count, day=day, seed=SEED, types=["installation"], provisioning_plans=[[1]]
    )
    if not wait_until(lambda: len(_accepted(seller, sent)) == count, seconds=SECONDS):
        raise RuntimeError("not all packs were accepted")
    return _accepted(seller, sent)


def _accepted(seller: SandboxClient, sent: Container[str]) -> dict[str, str]:
    ours = [job for job in seller.jobs() if job.seller_job_id in sent]
    return {job.provider_job_id: job.seller_job_id for job in ours if job.provider_job_id}


def _assign_all(system: System, job_ids: list[str]) -> list[tuple[PhoneClient, str]]:
    """Whom the office found, with a phone each; a job that finds nobody is left out."""
    office = SimulatedDispatcher(_signed_in(system, "dana"))
    with_whom = {job_id: office.assign(job_id) for job_id in job_ids}
    phones = {
        f"LS{number:03}": PhoneClient(_signed_in(system, engineer.username))
        for number, engineer in enumerate(ENGINEERS, start=1)
    }
    return [(phones[number], job_id) for job_id, number in with_whom.items() if number]


def _signed_in(system: System, username: str) -> HttpSession:
    browser = HttpSession(system.url)
    browser.sign_in(username=username, password=system.demo.password())
    return browser


def _tap(phone: PhoneClient, job_id: str, seller_job: str) -> Iterator[Tap]:
    chance = Random(job_id)
    fsan, serial_number = f"CXNK{chance.getrandbits(32):08X}", f"{chance.randrange(10**12):012d}"
    scan: dict[str, Any] = {"scan_id": str(uuid.uuid4()), "fsan": fsan, "serial_number": serial_number}
    phone.say("en_route", job_id, position=POSITION)
    yield Tap(seller_job, "enRoute", timezone.now())
    phone.say("on_site", job_id, position=POSITION)
    yield Tap(seller_job, "onSite", timezone.now())
    phone.send_all([entry("ont_scanned", job_id, **scan)])
    yield Tap(seller_job, "ontScanned", timezone.now())


def _wait_for(seller: SandboxClient, event: str, jobs: set[str]) -> None:
    if not wait_until(lambda: jobs <= _arrived(seller, event), seconds=SECONDS):
        missing = len(jobs - _arrived(seller, event))
        raise RuntimeError(f"{missing} of {len(jobs)} {event} did not reach the seller")


def _arrived(seller: SandboxClient, event: str) -> set[str]:
    """The seller's ids of the jobs."""
    return {
        message.job
        for message in seller.message_log()
        if message.arrived and message.counts and message.event == event
    }


def _delays(taps: list[Tap], seller: SandboxClient) -> Iterator[float]:
    """Milliseconds; a message that was there before the phone's answer counts as none."""
    arrived = {
        (message.job, message.event): message.at
        for message in seller.message_log()
        if message.arrived and message.counts
    }
    for tap in taps:
        delay = arrived[tap.seller_job, tap.event] - tap.answered_at
        yield max(0.0, delay.total_seconds() * 1000)
