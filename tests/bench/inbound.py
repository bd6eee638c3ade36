"""createJob a second over mutual TLS, against the raw insert-and-commit rate of the same rows in the same run."""

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg

from demo.environment import BASE_DIR, DemoEnvironment, wait_until
from demo.ports import free_ports, is_listening
from demo.process_manager import ProcessManager, ProcessSpec
from tests.bench import raw_rows
from tests.bench.rows import Row

ROUNDS = 3
SERVER_SECONDS = 6.0
RAW_SECONDS = 3.0
GOAL = 0.40


def measure(
    name: str,
    *,
    url: str,
    folder: Path,
    rounds: int = ROUNDS,
    seconds: tuple[float, float] = (SERVER_SECONDS, RAW_SECONDS),
) -> list[Row]:
    """Real and raw take turns, so that a busy machine slows both; the median of the ratios counts."""
    server_seconds, raw_seconds = seconds
    demo = DemoEnvironment(folder=folder, ports=free_ports(), with_sandbox=False, apart=True)
    demo.prepare()
    with seller_server(demo, url):
        _call(demo, seconds=1)
        pairs = [
            (_call(demo, seconds=server_seconds), raw_rows.rate(url, seconds=raw_seconds))
            for _ in range(rounds)
        ]
    ratio = statistics.median(real / raw for real, raw in pairs)
    real, raw = (statistics.median(column) for column in zip(*pairs, strict=True))
    return [
        Row(
            name=name,
            value=round(real, 1),
            unit=f"createJob/s, 16 callers, {rounds} × {server_seconds:g} s",
            compared_with=f"{raw:.0f}/s raw insert and commit of the same rows",
            ratio=round(ratio, 3),
            goal=f"ratio at least {GOAL:.2f}",
            is_within_limit=ratio >= GOAL,
        )
    ]


@contextmanager
def seller_server(demo: DemoEnvironment, url: str) -> Iterator[ProcessManager]:
    """The server for the seller of this demonstration on this database, migrated and listening."""
    environment = {**demo.our_environment(), "DATABASE_URL": url, "LOG_LEVEL": "ERROR"}
    migrate = demo.manage("migrate", "--verbosity", "0")
    subprocess.run(migrate.command, cwd=BASE_DIR, env={**os.environ, **environment}, check=True)
    serve = demo.manage("seller_server", "--port", str(demo.ports.seller_server))
    supervisor = ProcessManager(folder=BASE_DIR, logs=demo.folder / "logs", say=_say)
    supervisor.start([ProcessSpec(serve.name, serve.command, environment)])
    try:
        if not wait_until(lambda: is_listening(demo.ports.seller_server), seconds=30):
            raise RuntimeError(f"the seller server did not open; see {supervisor.logs}")
        yield supervisor
    finally:
        supervisor.stop()


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")


def _call(demo: DemoEnvironment, *, seconds: float) -> float:
    counted = called(demo, "--seconds", str(seconds))
    if counted["refusals"]:
        raise RuntimeError(f"the door refused: {counted['refusals'][0]}")
    return float(counted["answers"]) / seconds


def called(demo: DemoEnvironment, *arguments: str) -> dict[str, Any]:
    """What sixteen callers counted at this demonstration's server."""
    options = ["--port", str(demo.ports.seller_server), "--certs", str(demo.certs), *arguments]
    command = [sys.executable, "-m", "tests.bench.callers", *options]
    done = subprocess.run(command, cwd=BASE_DIR, stdout=subprocess.PIPE, text=True, check=True)
    counted: dict[str, Any] = json.loads(done.stdout)
    return counted


@contextmanager
def postgresql_database(server: str) -> Iterator[str]:
    """A database of our own on this server, gone afterwards."""
    name = f"bench_{os.getpid()}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        try:
            yield urlsplit(server)._replace(path=f"/{name}").geturl()
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
