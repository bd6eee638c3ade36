"""How long a createJob waits for its answer over mutual TLS, when sixteen callers speak for a minute."""

from pathlib import Path
from typing import Any

from demo.environment import DemoEnvironment
from demo.ports import free_ports
from tests.bench import inbound
from tests.bench.rows import Row

# a million packs in an hour: more than any seller has, and the server is busy without being full
OFFERED_PER_SECOND = 300
SECONDS = 60
WARM_UP_SECONDS = 3
GOAL_P99_MILLISECONDS, GOAL_LONGEST_MILLISECONDS = 50, 1000


def measure(name: str, *, url: str, folder: Path, seconds: float = SECONDS) -> list[Row]:
    """First by the clock, where a slow answer delays no later call out of the measurement; then flat out as long."""
    demo = DemoEnvironment(folder=folder, ports=free_ports(), with_sandbox=False, apart=True)
    demo.prepare()
    rate, duration = ["--rate", str(OFFERED_PER_SECOND)], ["--seconds", str(seconds)]
    with inbound.seller_server(demo, url):
        inbound.called(demo, "--seconds", str(WARM_UP_SECONDS), *rate)
        by_the_clock = inbound.called(demo, *duration, *rate)
        flat_out = inbound.called(demo, *duration)
    return [
        _row(name, by_the_clock, f"{OFFERED_PER_SECOND}/s offered by 16 callers for {seconds:g} s"),
        _row(f"{name}_flat_out", flat_out, f"16 callers for {seconds:g} s, each at once after its answer"),
    ]


def _row(name: str, counted: dict[str, Any], load: str) -> Row:
    p99, longest, errors = (counted[key] for key in ("p99_milliseconds", "longest_milliseconds", "errors"))
    return Row(
        name=name,
        value=p99,
        unit=f"ms, 99th percentile; median {counted['p50_milliseconds']}, longest {longest}, {errors} × 5xx",
        compared_with=f"{load}: {counted['answers']} answers",
        ratio=None,
        goal=f"at most {GOAL_P99_MILLISECONDS} ms, longest {GOAL_LONGEST_MILLISECONDS} ms, no 5xx",
        is_within_limit=p99 <= GOAL_P99_MILLISECONDS and longest <= GOAL_LONGEST_MILLISECONDS and not errors,
    )
