"""Orders of a town through the sandbox seller: how many a second, how long a year of them takes, and random lives.

Each works in a process with the sandbox seller's own settings (order_work.py, random_lives.py).
"""

from pathlib import Path

from tests.bench.rows import Row
from tests.bench.sandbox_process import run_module

RATE_GOAL = 50.0
YEAR_GOAL_SECONDS = 60.0
LIVES_GOAL = 10_000


def rate(name: str, *, url: str, folder: Path, orders: int = 1000) -> list[Row]:
    """From the buyer's bytes to the queued createJob, by a process that takes orders and a worker."""
    done = run_module("order_work", "rate", f"--orders={orders}", url=url, folder=folder)
    a_second = orders / done["seconds"]
    return [
        Row(
            name=name,
            value=round(a_second, 1),
            unit=f"orders a second, {orders} appointed installs in a town of 5,000 premises",
            compared_with=f"{1000 * done['processor_seconds'] / orders:.1f} ms of processor time an order, "
            f"{1000 * done['of_worker'] / orders:.1f} of them in the worker; PostgreSQL's own comes on top",
            ratio=None,
            goal=f"at least {RATE_GOAL:g}",
            is_within_limit=a_second >= RATE_GOAL,
        )
    ]


def year(name: str, *, url: str, folder: Path, orders: int = 5000) -> list[Row]:
    """Every order of a town, visits included, each message taken by a stub in the process."""
    done = run_module("order_work", "year", f"--orders={orders}", url=url, folder=folder)
    counts = ", ".join(
        f"{done[what]} {what}" for what in ("orders", "completed", "ended", "messages", "events")
    )
    return [
        Row(
            name=name,
            value=round(done["seconds"], 1),
            unit=f"seconds for a year of a town of 5,000 premises: {counts}",
            compared_with=f"{done['processor_seconds']:.1f} s of processor time",
            ratio=None,
            goal=f"under {YEAR_GOAL_SECONDS:g} s",
            is_within_limit=done["seconds"] < YEAR_GOAL_SECONDS,
        )
    ]


def lives(folder: Path, *, orders: int = LIVES_GOAL) -> list[Row]:
    """Random lives until so many orders have lived; the first that leaves the table ends the measurement."""
    done = run_module("random_lives", "orders", str(orders), url="", folder=folder)
    return [
        Row(
            name="order_lives",
            value=done["lives"],
            unit=f"random lives of orders without a state or message outside the table, {done['events']} events",
            compared_with=f"{done['processor_seconds']:.0f} s of processor time, SQLite",
            ratio=None,
            goal=f"{LIVES_GOAL} lives",
            is_within_limit=done["lives"] >= LIVES_GOAL,
        )
    ]
