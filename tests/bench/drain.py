"""Messages a second from a backlog to the seller, against a bare keep-alive client and the same seller."""

import json
import os
import ssl
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import urllib3

from demo.environment import BASE_DIR, DemoEnvironment, wait_until
from demo.ports import free_ports, is_listening
from demo.process_manager import ProcessManager, ProcessSpec
from tests.bench.rows import Row

# some seconds on a quick machine too: the first messages go while the relay still finds out how quick the seller is
MESSAGES = 24_000
ROUNDS = 3
BARE_SECONDS = 4.0
SECONDS = 180
THREADS = 4
GOALS = {1: 0.60, 2: 0.80}
BODY = json.dumps({"messageId": "6f0d5b1e-6f5e-4a57-9a55-5b1f5f0d0001", "remark": "x" * 600})


@dataclass(frozen=True)
class Stub:
    """The seller's stand-in, a process of its own."""

    process: subprocess.Popen[str]

    def next_report(self) -> dict[str, Any]:
        """What came since the last question."""
        if self.process.stdin is None or self.process.stdout is None:
            raise RuntimeError("the stub has no lines to talk on")
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        payload: dict[str, Any] = json.loads(self.process.stdout.readline())
        return payload


def measure(
    name: str,
    *,
    url: str,
    folder: Path,
    number: int,
    messages: int = MESSAGES,
    rounds: int = ROUNDS,
    bare_seconds: float = BARE_SECONDS,
) -> list[Row]:
    """Bare client and relays take turns, so that a busy machine slows both; the median of the ratios counts."""
    demo = DemoEnvironment(folder=folder, ports=free_ports(), with_sandbox=False, apart=True)
    demo.prepare()
    demo_environment = {**demo.our_environment(), "DATABASE_URL": url, "LOG_LEVEL": "ERROR"}
    with stub(demo) as seller:
        run(demo, demo_environment, "migrate", "--verbosity", "0")
        pairs = [
            (_drain(demo, demo_environment, seller, number, messages), _bare(demo, bare_seconds))
            for _ in range(rounds)
        ]
    ratio = statistics.median(ours / bare for ours, bare in pairs)
    ours, bare = (statistics.median(column) for column in zip(*pairs, strict=True))
    goal = GOALS[number]
    form = f"{number} relay{'s' if number > 1 else ''}, {rounds} × {messages} messages"
    compared = f"{bare:.0f}/s of urllib3 alone, kept alive; {form}"
    return [
        Row(
            name=name,
            value=round(ours, 1),
            unit="messages/s"
            if messages >= MESSAGES
            else "messages/s while the relay begins: another quantity",
            compared_with=compared,
            ratio=round(ratio, 3),
            goal=f"ratio at least {goal:.2f}",
            is_within_limit=ratio >= goal,
        )
    ]


@contextmanager
def stub(demo: DemoEnvironment) -> Iterator[Stub]:
    """The stand-in, listening on the port of the seller's first endpoint."""
    port = demo.ports.sandbox_a
    command = [sys.executable, "-m", "tests.bench.stub", "--port", str(port), "--certs", str(demo.certs)]
    process = subprocess.Popen(
        command, cwd=BASE_DIR, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        if not wait_until(lambda: is_listening(port), seconds=30):
            raise RuntimeError("the stub seller does not listen")
        yield Stub(process)
    finally:
        process.kill()
        process.wait()


def run(demo: DemoEnvironment, environment: dict[str, str], *arguments: str) -> None:
    """A command of our side to its end."""
    command = demo.manage(*arguments).command
    subprocess.run(command, cwd=BASE_DIR, env={**os.environ, **environment}, check=True)


def whole(environment: dict[str, str]) -> dict[str, str]:
    """For a measuring process with our models: ours goes before what this process has from tests."""
    return {**os.environ, **environment, "DJANGO_SETTINGS_MODULE": "config.settings"}


@contextmanager
def relays(demo: DemoEnvironment, environment: dict[str, str], *, number: int) -> Iterator[ProcessManager]:
    """So many relays, which know of the stand-in only."""
    supervisor = ProcessManager(folder=BASE_DIR, logs=demo.folder / "logs", say=_say)
    endpoint, child = f"https://localhost:{demo.ports.sandbox_a}", demo.manage("relay")
    variables = {**environment, "SELLER_ENDPOINTS": endpoint, "RELAY_WORKERS": str(THREADS)}
    supervisor.start([ProcessSpec(f"relay {index}", child.command, variables) for index in range(number)])
    try:
        yield supervisor
    finally:
        supervisor.stop()


def _drain(
    demo: DemoEnvironment, environment: dict[str, str], seller: Stub, number: int, messages: int
) -> float:
    """From the first message at the seller to the last."""
    backlog = [sys.executable, "-m", "tests.bench.backlog", "--messages", str(messages)]
    subprocess.run(backlog, cwd=BASE_DIR, env=whole(environment), check=True, capture_output=True)
    seller.next_report()
    with relays(demo, environment, number=number):
        return _rate(seller, messages)


def _rate(seller: Stub, messages: int) -> float:
    """By the times at which they came to the seller, until nothing comes for a second."""
    arrivals: list[float] = []
    until = time.monotonic() + SECONDS
    while time.monotonic() < until and not (arrivals and time.monotonic() - arrivals[-1] > 1):
        time.sleep(0.1)
        arrivals += [moment for _message_id, moment in seller.next_report()["arrivals"]]
    if len(arrivals) < messages - 3:
        raise RuntimeError(f"only {len(arrivals)} of {messages} messages reached the seller")
    return len(arrivals) / (arrivals[-1] - arrivals[0])


def _bare(demo: DemoEnvironment, seconds: float) -> float:
    """The better of one thread and as many as the relay has."""
    return max(_bare_rate(demo, threads, seconds / 2) for threads in (1, THREADS))


def _bare_rate(demo: DemoEnvironment, threads: int, seconds: float) -> float:
    until = time.monotonic() + seconds
    with ThreadPoolExecutor(threads) as pool:
        done = list(pool.map(lambda _number: _post_until(demo, until), range(threads)))
    return sum(done) / seconds


def _post_until(demo: DemoEnvironment, until: float) -> int:
    context = ssl.create_default_context(cafile=str(demo.certs / "ca.pem"))
    context.load_cert_chain(demo.certs / "partner.pem", demo.certs / "partner.key")
    done = 0
    with urllib3.HTTPSConnectionPool("localhost", demo.ports.sandbox_a, ssl_context=context) as line:
        while time.monotonic() < until:
            line.request("POST", "/notifyJob", body=BODY, headers={"Content-Type": "application/json"})
            done += 1
    return done


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")
