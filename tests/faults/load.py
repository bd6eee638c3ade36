"""Work for a system under attack: packs over the wire, taps over the phone's API, facts of the office."""

import http.client
import itertools
import json
import ssl
import threading
import time
import uuid
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, TypeVar

from django.db import DatabaseError, InterfaceError, close_old_connections, connections

from demo.rehearsal.app_client import entry
from dispatch import visits
from dispatch.job_events import Performer
from dispatch.models import Job
from engineers.models import Engineer
from phone import sync
from tests import make
from tests.faults.fault_system import FaultSystem
from tests.seller_link.wire import message

T = TypeVar("T")
MAX_WAIT_SECONDS = 120
# of jobs that came over the wire
PREFIX = "F-"
_devices = itertools.count(1)
CALL_SECONDS = 20
# well within what profile 1.1 allows (job-messages.md, createJob)
MOST_DAYS_AHEAD = 1000


@dataclass
class Sent:
    """What the seller sent and which answer it believes; `odd` are answers that nobody may ever get."""

    answers: dict[str, dict[str, Any]] = field(default_factory=dict)
    bodies: dict[str, dict[str, Any]] = field(default_factory=dict)
    odd: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, entry: dict[str, Any], answer: dict[str, Any]) -> None:
        with self.lock:
            known = self.answers.setdefault(entry["messageId"], answer)
            self.bodies[entry["messageId"]] = entry
            if known != answer:
                self.odd.append(f"{entry['messageId']} was answered {known} and then {answer}")


class SellerCaller:
    """The seller's side of the wire: the same message again and again until it has an answer."""

    def __init__(self, system: FaultSystem) -> None:
        certs = system.demo.certs
        self.port = system.demo.ports.seller_server
        self.context = ssl.create_default_context(cafile=str(certs / "ca.pem"))
        self.context.load_cert_chain(certs / "seller.pem", certs / "seller.key")
        self.sent = Sent()
        self.own = threading.local()

    def insist(self, operation: str, body: dict[str, Any]) -> int:
        """Until it is answered by anything but 503, however often the server falls; the status."""
        deadline = time.monotonic() + MAX_WAIT_SECONDS
        while time.monotonic() < deadline:
            with suppress(OSError, http.client.HTTPException, ValueError):
                status, answer = self.once(operation, body)
                if status == http.HTTPStatus.OK:
                    self.sent.note(body, answer)
                if status >= http.HTTPStatus.INTERNAL_SERVER_ERROR and status != 503:
                    self.sent.odd.append(f"{operation} was answered {status}")
                if status != http.HTTPStatus.SERVICE_UNAVAILABLE:
                    return status
            self._hang_up()
            time.sleep(0.05)
        raise RuntimeError(f"{operation} had no answer within {MAX_WAIT_SECONDS} s")

    def once(self, operation: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        line = self._line()
        raw = json.dumps(body).encode()
        line.request("POST", f"/seller/{operation}", raw, {"Content-Type": "application/json"})
        answer = line.getresponse()
        return answer.status, json.loads(answer.read())

    def send_all(self, bodies: Iterable[dict[str, Any]], *, threads: int = 8) -> None:
        """createJob for each, several at once."""
        with ThreadPoolExecutor(threads) as callers:
            list(callers.map(lambda body: self.insist("createJob", body), bodies))

    def _line(self) -> http.client.HTTPSConnection:
        if getattr(self.own, "line", None) is None:
            self.own.line = http.client.HTTPSConnection(
                "127.0.0.1", self.port, context=self.context, timeout=CALL_SECONDS
            )
        line: http.client.HTTPSConnection = self.own.line
        return line

    def _hang_up(self) -> None:
        if getattr(self.own, "line", None) is not None:
            self.own.line.close()
            self.own.line = None


def packs(count: int, **members: Any) -> list[dict[str, Any]]:
    """createJob bodies under fresh ids, each of a thousand on a day of its own, so that one engineer can do them."""
    return [
        message(
            "createJob",
            sellerJobId=f"{PREFIX}{uuid.uuid4().hex[:16]}",
            appointment=_appointment(number),
            **members,
        )
        for number in range(count)
    ]


def _appointment(number: int) -> dict[str, str]:
    day = make.DAY + timedelta(days=number % MOST_DAYS_AHEAD)
    start, end = (make.at(clock, day=day).isoformat() for clock in ("08:00", "13:00"))
    return {"reservationKey": f"RK-{number}", "start": start, "end": end}


def insist(act: Callable[[], T]) -> T:
    """A fact of ours, again and again while the database is away."""
    deadline = time.monotonic() + MAX_WAIT_SECONDS
    while True:
        try:
            close_old_connections()
            return act()
        except (DatabaseError, InterfaceError):
            connections.close_all()
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def make_performer() -> tuple[Engineer, Performer]:
    """One engineer for all days, and whoever assigns."""
    return insist(make.engineer), insist(make.office)


def assign(job: Job, engineer: Engineer, by: Performer) -> None:
    insist(lambda: visits.assign(job=job, engineer=engineer, starts_at=job.window_start, by=by))


def taps(job: Job) -> list[dict[str, Any]]:
    """What the phone has in its queue for one job: three messages that the seller must be notified of."""
    position = {"latitude": 53.8, "longitude": -1.55, "accuracy_metres": 10.0}
    number = next(_devices)
    scan = {"fsan": f"CXNK{number:08X}", "serial_number": f"{number:012}", "source": "typed"}
    return [
        entry("en_route", job.provider_job_id, position=position),
        entry("on_site", job.provider_job_id, position=position),
        entry("ont_scanned", job.provider_job_id, scan_id=str(uuid.uuid4()), **scan),
    ]


def take(entry: dict[str, Any], engineer: Engineer) -> None:
    """One tap, taken by the phone's own function in this process."""
    result = insist(lambda: sync.apply_message(entry=entry, engineer=engineer))
    if result.outcome not in {sync.APPLIED, sync.ALREADY}:
        raise RuntimeError(f"{entry['kind']} was {result.outcome}: {result.problems}")


def work_day(jobs: Iterable[Job]) -> int:
    """Each job assigned and worked on until its scan; returns how many facts the seller must be notified of."""
    engineer, by = make_performer()
    count = 0
    for job in jobs:
        assign(job, engineer, by)
        for tap in taps(job):
            take(tap, engineer)
        count += 4
    return count


def jobs_here(count: int) -> list[Job]:
    """Jobs without a wire, for scenarios about what we send."""
    return [insist(lambda day=make.DAY + timedelta(days=day): make.job(day=day)) for day in range(count)]
