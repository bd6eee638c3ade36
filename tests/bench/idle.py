"""From the commit of a fact to its message at the seller, on a system that has nothing else to do."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from demo.environment import BASE_DIR, DemoEnvironment
from demo.ports import free_ports
from tests.bench import drain
from tests.bench.rows import Row, tail

SAMPLES = 300
# the first ones open connections
WARM_UP = 5
SECONDS = 20


def measure(
    name: str, *, url: str, folder: Path, goal_milliseconds: int, samples: int = SAMPLES
) -> list[Row]:
    """One fact after the other with pauses, by a process of its own; the seller is a stub that notes arrivals."""
    demo = DemoEnvironment(folder=folder, ports=free_ports(), with_sandbox=False, apart=True)
    demo.prepare()
    environment = {**demo.our_environment(), "DATABASE_URL": url, "LOG_LEVEL": "ERROR"}
    with drain.stub(demo) as seller:
        drain.run(demo, environment, "migrate", "--verbosity", "0")
        with drain.relays(demo, environment, number=1):
            pairs = list(_waits(_committed(environment, samples), seller))
    waits, without_commit = (sorted(column) for column in zip(*pairs, strict=True))
    median, (p99, called), (afterwards, _called) = waits[len(waits) // 2], tail(waits), tail(without_commit)
    return [
        Row(
            name=name,
            value=round(p99, 1),
            unit=f"ms, {called}; median {median:.1f}, longest {waits[-1]:.1f}; {afterwards:.1f} after the COMMIT",
            compared_with=f"{len(waits)} facts one after the other, the time of the COMMIT included",
            ratio=None,
            goal=f"at most {goal_milliseconds} ms",
            is_within_limit=p99 <= goal_milliseconds,
        )
    ]


def _committed(environment: dict[str, str], samples: int) -> dict[str, tuple[float, float]]:
    command = [sys.executable, "-m", "tests.bench.facts", "--count", str(samples + WARM_UP)]
    done = subprocess.run(
        command, cwd=BASE_DIR, env=drain.whole(environment), stdout=subprocess.PIPE, text=True, check=True
    )
    committed: dict[str, tuple[float, float]] = json.loads(done.stdout)
    return committed


def _waits(committed: dict[str, tuple[float, float]], seller: drain.Stub) -> Iterator[tuple[float, float]]:
    """Milliseconds with the COMMIT's own and without. A message that came twice counts with its first arrival."""
    arrived: dict[str, float] = {}
    until = time.monotonic() + SECONDS
    while len(arrived) < len(committed) and time.monotonic() < until:
        arrived = _first(seller.next_report()) | arrived
        time.sleep(0.1)
    missing = len(committed) - len(arrived)
    if missing:
        raise RuntimeError(f"{missing} of {len(committed)} messages did not reach the seller")
    for message_id, (before, after) in list(committed.items())[WARM_UP:]:
        yield (arrived[message_id] - before) * 1000, max(0.0, arrived[message_id] - after) * 1000


def _first(payload: dict[str, Any]) -> dict[str, float]:
    return dict(reversed(payload["arrivals"]))
