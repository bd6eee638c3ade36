"""No answer to createJob leaves before the log with its rows is on the disk: seen by strace at the real processes."""

import os
import signal
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import pytest

from demo.environment import BASE_DIR, DemoEnvironment, wait_until
from demo.ports import free_ports, is_listening
from tests.bench.callers import context_for, packs
from tests.bench.line import Line
from tests.faults import databases
from tests.faults.databases import Database
from tests.faults.machine import own_postgresql_missing
from tests.seller_link.server import trace
from tests.seller_link.server.trace import Seen

CALLERS, PACKS = 4, 10
IN_ORDER = "read sync write"
TAKEN_UP = ("attached", "No such process", "Operation not permitted")


@pytest.fixture(scope="module")
def strace() -> None:
    if reason := trace.missing():
        pytest.skip(reason)


@pytest.fixture
def demo(strace: None, tmp_path: Path) -> DemoEnvironment:
    demo = DemoEnvironment(folder=tmp_path / "demo", ports=free_ports(), with_sandbox=False, apart=True)
    demo.prepare()
    return demo


@contextmanager
def seller_server(demo: DemoEnvironment, *, url: str, under: list[str]) -> Iterator[None]:
    """The process itself, `under` another one."""
    environment = {**os.environ, **demo.our_environment(), "DATABASE_URL": url, "LOG_LEVEL": "ERROR"}
    migrate = demo.manage("migrate", "--verbosity", "0").command
    subprocess.run(migrate, cwd=BASE_DIR, env=environment, check=True)
    serve = demo.manage("seller_server", "--port", str(demo.ports.seller_server)).command
    with running([*under, *serve], environment):
        assert wait_until(lambda: is_listening(demo.ports.seller_server), seconds=60)
        yield


@contextmanager
def running(command: list[str], environment: dict[str, str] | None = None) -> Iterator[None]:
    process = subprocess.Popen(command, cwd=BASE_DIR, env=environment, start_new_session=True)
    try:
        yield
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(30)


def say(demo: DemoEnvironment, count: int) -> list[int]:
    """So many packs over one line, each after the answer to the one before."""
    with Line(port=demo.ports.seller_server, context=context_for(demo.certs)) as line:
        return [line.say(pack)[0] for pack in islice(packs(), count)]


def connection(seen: Seen) -> str:
    return seen.file if seen.file.startswith("TCP:") else ""


def of_seller_server(path: Path, log: Path) -> dict[str, list[str]]:
    seen = trace.read(path.read_text(errors="replace").splitlines())
    return trace.turns(seen, of=connection, log=lambda line: line.file == f"{log}-wal")


def test_sqlite_log_is_synced_before_each_answer(demo: DemoEnvironment, tmp_path: Path) -> None:
    database, seen = tmp_path / "traced.sqlite3", tmp_path / "trace"

    with seller_server(demo, url=f"sqlite:///{database}", under=trace.command(seen)):
        assert say(demo, PACKS) == [200] * PACKS

    (answers,) = of_seller_server(seen, database).values()
    # before them the handshake, which stores nothing
    assert answers[-PACKS:] == [IN_ORDER] * PACKS
    assert len(answers) <= PACKS + 2


def test_sqlite_log_is_synced_before_each_answer_to_callers_at_once(
    demo: DemoEnvironment, tmp_path: Path
) -> None:
    database, seen = tmp_path / "traced.sqlite3", tmp_path / "trace"

    with (
        seller_server(demo, url=f"sqlite:///{database}", under=trace.command(seen)),
        ThreadPoolExecutor(CALLERS) as callers,
    ):
        assert (
            list(callers.map(lambda _number: say(demo, PACKS), range(CALLERS))) == [[200] * PACKS] * CALLERS
        )

    lines = of_seller_server(seen, database).values()
    assert [answers[-PACKS:] for answers in lines] == [[IN_ORDER] * PACKS] * CALLERS


@pytest.mark.postgresql
@pytest.mark.skipif(own_postgresql_missing() != "", reason=own_postgresql_missing())
def test_postgresql_log_is_synced_before_each_commit_is_answered(
    demo: DemoEnvironment, tmp_path: Path
) -> None:
    seen = tmp_path / "trace"

    with (
        databases.of("own postgresql", tmp_path) as database,
        watched(database, seen),
        seller_server(demo, url=database.url, under=[]),
    ):
        before = len(committed(seen))
        assert say(demo, PACKS) == [200] * PACKS
        answers = committed(seen)[before:]

    # on a slow machine the server's heartbeat commits in the meantime, too
    assert len(answers) >= PACKS
    assert set(answers) == {IN_ORDER}


@contextmanager
def watched(database: Database, seen: Path) -> Iterator[None]:
    """The server with all its processes, also those that it makes from now on."""
    assert database.server
    postmaster = int((database.server.folder / "data" / "postmaster.pid").read_text().split()[0])
    children = Path(f"/proc/{postmaster}/task/{postmaster}/children").read_text().split()
    pids = [argument for pid in [str(postmaster), *children] for argument in ("-p", pid)]
    process = subprocess.Popen([*trace.command(seen), *pids], stderr=subprocess.PIPE, text=True)
    assert process.stderr
    try:
        lines = [process.stderr.readline() for _pid in [postmaster, *children]]
        assert f"{postmaster} attached" in lines[0], lines
        # a child may have ended since they were listed, or was followed from its parent before its turn came
        assert all(any(argument in line for argument in TAKEN_UP) for line in lines), lines
        yield
    finally:
        process.terminate()
        process.wait(30)


def committed(path: Path) -> list[str]:
    """What came before each answer to a COMMIT, in the order of the answers."""
    seen = trace.read(path.read_text(errors="replace").splitlines())
    conversations = trace.turns(seen, of=commit, log=lambda line: "/pg_wal/" in line.file)
    return [answer for answers in conversations.values() for answer in answers]


def commit(seen: Seen) -> str:
    return str(seen.pid) if seen.file.startswith("TCP:") and "COMMIT" in seen.content else ""


GOOD = """
7 1.0 read(5<TCP:[a->b]>, "question"..., 9) = 8
8 1.1 fsync(4</data/x-wal> <unfinished ...>
7 1.2 read(9</etc/hosts>, "x", 1) = 1
8 1.3 <... fsync resumed>) = 0
7 1.4 write(5<TCP:[a->b]>, "answer", 6 <unfinished ...>
7 1.5 <... write resumed>) = 6
"""
BAD = {
    "none": ("fsync", "lseek"),
    "of another file": ("x-wal", "y-wal"),
    "that failed": ("fsync resumed>) = 0", "fsync resumed>) = -1 EIO (Input/output error)"),
    "not over when the answer began": ("8 1.3 <... fsync resumed>) = 0\n", ""),
}


def traced_words(text: str) -> list[str]:
    seen = trace.read(text.splitlines())
    return trace.turns(seen, of=connection, log=lambda line: line.file == "/data/x-wal")["TCP:[a->b]"]


def test_answer_after_a_sync_is_found() -> None:
    assert traced_words(GOOD) == [IN_ORDER]


@pytest.mark.parametrize("change", BAD.values(), ids=BAD)
def test_answer_without_its_sync_is_found(change: tuple[str, str]) -> None:
    assert traced_words(GOOD.replace(*change)) == ["read write"]


def test_sync_before_the_question_does_not_count() -> None:
    question, *others, answer, _ended = GOOD.strip().splitlines()

    assert traced_words("\n".join([*others, question, answer])) == ["read write"]
