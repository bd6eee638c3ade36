"""The machine under the house: the database goes away, is locked, the disk is full, the clock jumps."""

import os
import shutil
import sqlite3
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from dispatch.models import Job
from tests.faults import load, questions
from tests.faults.databases import postgresql_programs, small_disk_missing
from tests.faults.load import SellerCaller
from tests.faults.place import Place
from tests.faults.scenario import Scenario, Told


def _work_until_enough(place: Place, done: list[int], *, enough: int) -> tuple[SellerCaller, int]:
    """Both directions busy, round after round, until so many faults have happened."""
    caller, told = SellerCaller(place), 0
    with ThreadPoolExecutor(1) as workers:
        while len(done) < enough:
            sending = workers.submit(caller.send_all, load.packs(30), threads=4)
            told += load.work_day(load.jobs_here(5))
            sending.result()
    return caller, told


def postgresql_restarts(place: Place) -> Told:
    """The server is stopped without a checkpoint and started again while both directions are busy."""
    server = place.database.server
    if server is None:
        raise RuntimeError("this scenario needs a server of its own")
    place.start_door()
    place.start("relay")
    stop, crashes = threading.Event(), []

    def crash() -> None:
        while not stop.wait(place.chance.uniform(1.5, 3)):
            server.kill()
            time.sleep(0.5)
            server.start()
            crashes.append(1)

    breaking = threading.Thread(target=crash)
    breaking.start()
    try:
        caller, told = _work_until_enough(place, crashes, enough=place.few(3, 100))
    finally:
        stop.set()
        breaking.join()
    questions.wait_until_told(place)
    wrong = questions.differences(place, sent=caller.sent)
    return Told(wrong, f"{len(crashes)} crashes, {told} messages out, {len(caller.sent.answers)} in")


def locked(place: Place) -> Told:
    """Another program holds SQLite's write lock for seconds, again and again."""
    place.start_door()
    place.start("relay")
    path, stop, locks = urlsplit(place.database.url).path, threading.Event(), []

    def lock() -> None:
        while not stop.wait(0.7):
            with sqlite3.connect(path, timeout=20, isolation_level=None) as line:
                line.execute("BEGIN IMMEDIATE")
                time.sleep(place.few(1, 3))
                line.execute("ROLLBACK")
            line.close()
            locks.append(1)

    holder = threading.Thread(target=lock)
    holder.start()
    try:
        caller, told = _work_until_enough(place, locks, enough=place.few(3, 40))
    finally:
        stop.set()
        holder.join()
    questions.wait_until_told(place)
    wrong = questions.differences(place, sent=caller.sent)
    return Told(wrong, f"{len(locks)} locks, {told} messages out, {len(caller.sent.answers)} in")


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


def disk_full(place: Place) -> Told:
    """The disk fills up under load: refused politely, nothing answered that is not stored; then it goes on."""
    place.start_door()
    place.start("relay")
    folder = Path(urlsplit(place.database.url).path).parent
    caller = SellerCaller(place)
    told = load.work_day(load.jobs_here(3))
    packs = load.packs(60)
    with ThreadPoolExecutor(1) as workers:
        with filled(folder):
            sending = workers.submit(caller.send_all, packs, threads=4)
            time.sleep(5)
            answered_while_full = len(caller.sent.answers)
        sending.result()
    questions.wait_until_told(place)
    wrong = questions.differences(place, sent=caller.sent)
    if Job.objects.filter(seller_job_id__startswith=load.PREFIX).count() != len(packs):
        wrong.append("not every pack has its job")
    return Told(wrong, f"{answered_while_full} of {len(packs)} answered while full, {told} messages out")


def clock_jumps(place: Place) -> Told:
    """An hour forward and an hour back, twice, for the door and the relay."""
    stamp = place.demo.folder / "clock"
    stamp.write_text("+0\n")
    fake = {
        "LD_PRELOAD": str(faketime()),
        "FAKETIME_TIMESTAMP_FILE": str(stamp),
        "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }
    place.start("seller_server", "--port", str(place.demo.ports.seller_server), **fake)
    place.wait_for_port(place.demo.ports.seller_server)
    place.start("relay", **fake)
    caller, told = SellerCaller(place), 0
    for hours in ("+1h", "-1h", "+1h", "+0"):
        stamp.write_text(f"{hours}\n")
        caller.send_all(load.packs(place.few(10, 100)), threads=4)
        told += load.work_day(load.jobs_here(place.few(2, 20)))
    questions.wait_until_told(place)
    return Told(questions.differences(place, sent=caller.sent), f"{told} messages out, clock ±1 hour")


def faketime() -> Path | None:
    found = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
    return found[0] if found else None


def faketime_missing() -> str:
    return "" if faketime() else "faketime (package faketime) is not installed"


def name_moves(place: Place) -> Told:
    """The seller's name gets another address while its old one goes silent, and then back again."""
    hosts = place.demo.folder / "hosts"
    moved = {"LD_PRELOAD": str(nss_wrapper()), "NSS_WRAPPER_HOSTS": str(hosts)}
    hosts.write_text("127.0.0.1 localhost\n")
    endpoints = ",".join(f"https://localhost:{endpoint.port}" for endpoint in place.endpoints)
    place.start("relay", **moved, SELLER_ENDPOINTS=endpoints)
    told = load.work_day(load.jobs_here(place.few(4, 40)))
    for address in ("127.0.0.2", "127.0.0.1"):
        hosts.write_text(f"{address} localhost\n")
        for endpoint in place.endpoints:
            endpoint.move(address)
        told += load.work_day(load.jobs_here(place.few(4, 40)))
    questions.wait_until_told(place)
    return Told(questions.differences(place), f"{told} messages, two moves")


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
