"""The machine under the server: the database goes away, is locked, the disk is full, the clock jumps."""

import os
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from dispatch.models import Job
from tests.faults import load, questions
from tests.faults.databases import postgresql_programs, small_disk_missing
from tests.faults.fault_system import FaultSystem
from tests.faults.load import SellerCaller
from tests.faults.scenario import Scenario, ScenarioResult


def _work_until_enough(system: FaultSystem, done: list[int], *, enough: int) -> tuple[SellerCaller, int]:
    """Both directions busy, round after round, until so many faults have happened."""
    caller, count = SellerCaller(system), 0
    with ThreadPoolExecutor(1) as workers:
        while len(done) < enough:
            sending = workers.submit(caller.send_all, load.packs(30), threads=4)
            count += load.work_day(load.jobs_here(5))
            sending.result()
    return caller, count


def _work_while_repeated(
    system: FaultSystem, fault: Callable[[], None], name: str, *, seconds: Callable[[], float], enough: int
) -> ScenarioResult:
    """Both directions busy while the fault happens again and again, so many `seconds` apart, until it has happened
    often enough; then all must have arrived."""
    stop, done = threading.Event(), []

    def repeat() -> None:
        while not stop.wait(seconds()):
            fault()
            done.append(1)

    repeating = threading.Thread(target=repeat)
    repeating.start()
    try:
        caller, count = _work_until_enough(system, done, enough=enough)
    finally:
        stop.set()
        repeating.join()
    questions.wait_until_drained(system)
    wrong = questions.differences(system, sent=caller.sent)
    return ScenarioResult(wrong, f"{len(done)} {name}, {count} messages out, {len(caller.sent.answers)} in")


def postgresql_restarts(system: FaultSystem) -> ScenarioResult:
    """The server is stopped without a checkpoint and started again while both directions are busy."""
    server = system.database.server
    if server is None:
        raise RuntimeError("this scenario needs a server of its own")
    system.start_seller_server()
    system.start("relay")

    def crash() -> None:
        server.kill()
        time.sleep(0.5)
        server.start()

    return _work_while_repeated(
        system, crash, "crashes", seconds=lambda: system.chance.uniform(1.5, 3), enough=system.few(3, 100)
    )


def locked(system: FaultSystem) -> ScenarioResult:
    """Another program holds SQLite's write lock for seconds, again and again."""
    system.start_seller_server()
    system.start("relay")
    path = urlsplit(system.database.url).path

    def lock() -> None:
        with sqlite3.connect(path, timeout=20, isolation_level=None) as line:
            line.execute("BEGIN IMMEDIATE")
            time.sleep(system.few(1, 3))
            line.execute("ROLLBACK")
        line.close()

    return _work_while_repeated(system, lock, "locks", seconds=lambda: 0.7, enough=system.few(3, 40))


@contextmanager
def filled(folder: Path) -> Iterator[None]:
    """Not one byte is left where the database lies."""
    balloon = folder / "balloon"
    with balloon.open("wb") as file:
        size = 1 << 20
        while size:
            try:
                os.posix_fallocate(file.fileno(), file.seek(0, os.SEEK_END), size)
                file.seek(0, os.SEEK_END)
            except OSError:
                size //= 2
    try:
        yield
    finally:
        balloon.unlink()


def disk_full(system: FaultSystem) -> ScenarioResult:
    """The disk fills up under load: refused politely, nothing answered that is not stored; then it goes on."""
    system.start_seller_server()
    system.start("relay")
    folder = Path(urlsplit(system.database.url).path).parent
    caller = SellerCaller(system)
    count = load.work_day(load.jobs_here(3))
    packs = load.packs(60)
    with ThreadPoolExecutor(1) as workers:
        with filled(folder):
            sending = workers.submit(caller.send_all, packs, threads=4)
            time.sleep(5)
            answered_while_full = len(caller.sent.answers)
        sending.result()
    questions.wait_until_drained(system)
    wrong = questions.differences(system, sent=caller.sent)
    if Job.objects.filter(seller_job_id__startswith=load.PREFIX).count() != len(packs):
        wrong.append("not every pack has its job")
    return ScenarioResult(
        wrong, f"{answered_while_full} of {len(packs)} answered while full, {count} messages out"
    )


def clock_jumps(system: FaultSystem) -> ScenarioResult:
    """An hour forward and an hour back, twice, for the server and the relay."""
    stamp = system.demo.folder / "clock"
    stamp.write_text("+0\n")
    fake = {
        "LD_PRELOAD": str(faketime()),
        "FAKETIME_TIMESTAMP_FILE": str(stamp),
        "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }
    system.start("seller_server", "--port", str(system.demo.ports.seller_server), **fake)
    system.wait_for_port(system.demo.ports.seller_server)
    system.start("relay", **fake)
    caller, count = SellerCaller(system), 0
    for hours in ("+1h", "-1h", "+1h", "+0"):
        stamp.write_text(f"{hours}\n")
        caller.send_all(load.packs(system.few(10, 100)), threads=4)
        count += load.work_day(load.jobs_here(system.few(2, 20)))
    questions.wait_until_drained(system)
    return ScenarioResult(
        questions.differences(system, sent=caller.sent), f"{count} messages out, clock ±1 hour"
    )


def faketime() -> Path | None:
    found = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
    return found[0] if found else None


def faketime_missing() -> str:
    return "" if faketime() else "faketime (package faketime) is not installed"


def name_moves(system: FaultSystem) -> ScenarioResult:
    """The seller's name gets another address while its old one goes silent, and then back again."""
    hosts = system.demo.folder / "hosts"
    moved = {"LD_PRELOAD": str(nss_wrapper()), "NSS_WRAPPER_HOSTS": str(hosts)}
    hosts.write_text("127.0.0.1 localhost\n")
    endpoints = ",".join(f"https://localhost:{endpoint.port}" for endpoint in system.endpoints)
    system.start("relay", **moved, SELLER_ENDPOINTS=endpoints)
    count = load.work_day(load.jobs_here(system.few(4, 40)))
    for address in ("127.0.0.2", "127.0.0.1"):
        hosts.write_text(f"{address} localhost\n")
        for endpoint in system.endpoints:
            endpoint.move(address)
        count += load.work_day(load.jobs_here(system.few(4, 40)))
    questions.wait_until_drained(system)
    return ScenarioResult(questions.differences(system), f"{count} messages, two moves")


def nss_wrapper() -> Path | None:
    found = sorted(Path("/usr/lib").glob("*/libnss_wrapper.so"))
    return found[0] if found else None


def nss_wrapper_missing() -> str:
    return "" if nss_wrapper() else "nss_wrapper (package libnss-wrapper) is not installed"


def own_postgresql_missing() -> str:
    if postgresql_programs() is None or not shutil.which("runuser"):
        return "no PostgreSQL programs to start a server of our own"
    return "" if os.geteuid() == 0 else "needs root to become the user postgres"


SCENARIOS = [
    Scenario(
        "PostgreSQL crashes",
        postgresql_restarts,
        databases=("own postgresql",),
        missing=own_postgresql_missing,
    ),
    Scenario("SQLite locked by another writer", locked, databases=("sqlite",)),
    Scenario("disk full", disk_full, databases=("small disk",), missing=small_disk_missing),
    Scenario("clock jumps an hour", clock_jumps, databases=("sqlite",), missing=faketime_missing),
    Scenario("the seller's name moves", name_moves, databases=("sqlite",), missing=nss_wrapper_missing),
]
