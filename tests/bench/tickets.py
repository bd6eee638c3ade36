"""Fault reports through the sandbox seller: how many a second, and random lives.

Each works in a process with the sandbox seller's own settings (ticket_work.py, random_lives.py).
"""

from pathlib import Path

from tests.bench.rows import Row
from tests.bench.sandbox_process import run_module

RATE_GOAL = 50.0
LIVES_GOAL = 3_000


def rate(name: str, *, url: str, folder: Path, tickets: int = 1000) -> list[Row]:
    """From the buyer's bytes to the queued createJob of the revisit, by a process that takes reports and a worker."""
    done = run_module("ticket_work", f"--tickets={tickets}", url=url, folder=folder)
    a_second = tickets / done["seconds"]
    return [
        Row(
            name=name,
            value=round(a_second, 1),
            unit=f"tickets a second, {tickets} outages in a town of 5,000 premises, each triaged to a revisit",
            compared_with=f"{1000 * done['processor_seconds'] / tickets:.1f} ms of processor time a ticket, "
            f"{1000 * done['of_worker'] / tickets:.1f} of them in the worker; PostgreSQL's own comes on top",
            ratio=None,
            goal=f"at least {RATE_GOAL:g}",
            is_within_limit=a_second >= RATE_GOAL,
        )
    ]


def lives(folder: Path, *, tickets: int = LIVES_GOAL) -> list[Row]:
    """Random lives until so many tickets have lived; the first that breaks a rule ends the measurement."""
    done = run_module("random_lives", "tickets", str(tickets), url="", folder=folder)
    return [
        Row(
            name="ticket_lives",
            value=done["lives"],
            unit=f"random lives of tickets that broke no rule, {done['events']} events",
            compared_with=f"{done['processor_seconds']:.0f} s of processor time, SQLite",
            ratio=None,
            goal=f"{LIVES_GOAL} lives",
            is_within_limit=done["lives"] >= LIVES_GOAL,
        )
    ]
