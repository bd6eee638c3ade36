"""How long requestServiceDiagnostics waits for its answer at an endpoint of the sandbox seller, over mutual TLS."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from demo.development_ca import ensure_demo_certificates
from demo.environment import BASE_DIR, wait_until
from demo.ports import free_ports, is_listening
from demo.process_manager import ProcessManager, ProcessSpec
from tests.bench.rows import Row

OFFERED_PER_SECOND = 50
SECONDS = 30
WARM_UP_SECONDS = 2
PREMISES = 5000
GOAL_P99_MILLISECONDS = 100


def measure(
    name: str, *, url: str, folder: Path, seconds: float = SECONDS, premises: int = PREMISES
) -> list[Row]:
    """By the clock, so that a slow answer delays no later call out of the measurement."""
    certs, port = folder / "certs", free_ports().sandbox_a
    ensure_demo_certificates(certs)
    with _endpoint(_environment(url, folder), port=port, premises=premises, folder=folder):
        _called(port, certs, seconds=WARM_UP_SECONDS)
        counted = _called(port, certs, seconds=seconds)
    p99, refusals = counted["p99_milliseconds"], counted["refusals"]
    return [
        Row(
            name=name,
            value=p99,
            unit=f"ms, 99th percentile; median {counted['p50_milliseconds']}, "
            f"longest {counted['longest_milliseconds']}, {len(refusals)} refused",
            compared_with=f"{OFFERED_PER_SECOND}/s offered by 8 callers for {seconds:g} s: "
            f"{counted['answers']} answers",
            ratio=None,
            goal=f"at most {GOAL_P99_MILLISECONDS} ms, none refused",
            is_within_limit=p99 <= GOAL_P99_MILLISECONDS and not refusals,
        )
    ]


def _environment(url: str, folder: Path) -> dict[str, str]:
    certs = folder / "certs"
    return {
        "DJANGO_SETTINGS_MODULE": "seller_sandbox.settings",
        "SANDBOX_DATABASE_PATH": str(folder / "sandbox.sqlite3"),
        "SANDBOX_DATABASE_URL": url if url.startswith("postgres") else "",
        "SANDBOX_CERT": str(certs / "seller.pem"),
        "SANDBOX_KEY": str(certs / "seller.key"),
        "SANDBOX_CA": str(certs / "ca.pem"),
        "SANDBOX_LOG_LEVEL": "ERROR",
    }


@contextmanager
def _endpoint(environment: dict[str, str], *, port: int, premises: int, folder: Path) -> Iterator[None]:
    """Endpoint A on a town of so many premises, listening."""
    manage = [sys.executable, "-m", "seller_sandbox.manage"]
    for arguments in (["migrate", "--verbosity", "0"], ["make_town", "--premises", str(premises)]):
        command = [*manage, *arguments]
        everything = {**os.environ, **environment}
        subprocess.run(command, cwd=BASE_DIR, env=everything, stdout=sys.stderr, check=True)
    serve = [*manage, "serve_endpoint", "--name", "A", "--port", str(port)]
    supervisor = ProcessManager(folder=BASE_DIR, logs=folder / "logs", say=_say)
    supervisor.start([ProcessSpec("sandbox_endpoint_a", serve, environment)])
    try:
        if not wait_until(lambda: is_listening(port), seconds=30):
            raise RuntimeError(f"the endpoint does not listen; see {supervisor.logs}")
        yield
    finally:
        supervisor.stop()


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")


def _called(port: int, certs: Path, *, seconds: float) -> dict[str, Any]:
    options = ["--port", str(port), "--certs", str(certs), "--seconds", str(seconds)]
    rate = ["--rate", str(OFFERED_PER_SECOND)]
    command = [sys.executable, "-m", "tests.bench.diagnostics_callers", *options, *rate]
    done = subprocess.run(command, cwd=BASE_DIR, stdout=subprocess.PIPE, text=True, check=True)
    counted: dict[str, Any] = json.loads(done.stdout)
    return counted
