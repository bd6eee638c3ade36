"""SQLite's write lock: fair among processes, and a holder that is stopped holds nobody up for ever. Real processes."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.db import OperationalError, connection, transaction

from config.sqlite.base import WriteLock
from monitoring.models import Heartbeat
from tests.background.worker_process import ROOT, eventually

HOLDER = """
import sys
from config.sqlite.base import WriteLock

lock = WriteLock(sys.argv[1])
held = lock.acquire(seconds=60)
print("held", flush=True)
sys.stdin.readline()
lock.release(held)
print("released", flush=True)
sys.stdin.readline()
"""
FOREVER = 10**6


@contextmanager
def holding(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that has the lock until it gets a line."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def release(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("\n")
    process.stdin.flush()
    assert process.stdout.readline() == "released\n"


def test_waiting_for_a_stopped_holder_ends(tmp_path: Path) -> None:
    lock = WriteLock(str(tmp_path / "lock"))
    with holding(tmp_path / "lock") as holder:
        holder.send_signal(signal.SIGSTOP)

        with pytest.raises(OperationalError, match="database is locked"):
            lock.acquire(seconds=0.2)


def test_nobody_else_waits_while_the_holder_is_stuck(tmp_path: Path) -> None:
    lock = WriteLock(str(tmp_path / "lock"))
    with holding(tmp_path / "lock"):
        with pytest.raises(OperationalError):
            lock.acquire(seconds=0.2)

        # with the whole time limit this test would never end
        for _ in range(3):
            with pytest.raises(OperationalError):
                lock.acquire(seconds=FOREVER)


def test_lock_is_taken_again_after_the_holder_went_on(tmp_path: Path) -> None:
    lock = WriteLock(str(tmp_path / "lock"))
    with holding(tmp_path / "lock") as holder:
        with pytest.raises(OperationalError):
            lock.acquire(seconds=0.2)
        release(holder)

        def is_taken() -> bool:
            try:
                lock.release(lock.acquire(seconds=FOREVER))
            except OperationalError:
                return False
            return True

        assert eventually(is_taken)
        # the thread that went on waiting has given its file back
        assert eventually(lambda: "write lock" not in [thread.name for thread in threading.enumerate()])


def test_waiting_thread_gets_the_lock_when_it_is_released(tmp_path: Path) -> None:
    lock = WriteLock(str(tmp_path / "lock"))
    with holding(tmp_path / "lock") as holder:
        later = threading.Timer(0.3, release, [holder])
        later.start()

        lock.release(lock.acquire(seconds=60))
        later.join()


def test_lock_is_passed_from_thread_to_thread(tmp_path: Path) -> None:
    lock, order = WriteLock(str(tmp_path / "lock")), []

    def write(number: int) -> None:
        file = lock.acquire(seconds=60)
        order.append(number)
        lock.release(file)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(order) == list(range(20))


def test_child_of_a_waiting_process_starts_with_a_free_lock(tmp_path: Path) -> None:
    program = """
import os, sys, threading
from config.sqlite.base import write_lock

held = write_lock(sys.argv[1]).acquire(seconds=1)
child = os.fork()
if child == 0:
    os.close(held)
    write_lock(sys.argv[1]).acquire(seconds=60)
    os._exit(7)
write_lock(sys.argv[1]).release(held)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path / "lock")], cwd=ROOT, check=False)

    assert done.returncode == 7


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "sqlite", reason="SQLite's lock")
def test_transaction_is_refused_as_locked_and_works_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(connection.settings_dict["OPTIONS"], "timeout", 0.2)
    with holding(Path(f"{connection.settings_dict['NAME']}.lock")) as holder:
        with pytest.raises(OperationalError, match="database is locked"), transaction.atomic():
            Heartbeat.objects.create(process="never", beat_at="2026-11-23T08:00:00+00:00")
        # reading goes on
        assert Heartbeat.objects.count() == 0
        os.kill(holder.pid, signal.SIGKILL)

    def is_written() -> bool:
        try:
            with transaction.atomic():
                Heartbeat.objects.create(process="web", beat_at="2026-11-23T08:00:00+00:00")
        except OperationalError:
            return False
        return True

    assert eventually(is_written)
