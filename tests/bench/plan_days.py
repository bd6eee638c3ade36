"""Random days under way, planned and accepted: no plan adds a breach of a rule (tests/dispatch/drawn_days.py)."""

from pathlib import Path

from tests.bench.board_live import run_module
from tests.bench.rows import Row

# a second of processor time each; a measurement may take half an hour on a machine with other work
DAYS = 500


def measure(folder: Path, *, days: int = DAYS) -> list[Row]:
    """The first day whose plan adds a breach ends the measurement."""
    done = run_module(folder, "random_days", days)
    return [
        Row(
            name="plan_days",
            value=done["days"],
            unit="random days under way whose accepted plan adds no breach and leaves what it may not touch",
            compared_with=f"{done['processor_seconds']:.0f} s of processor time",
            ratio=None,
            goal=f"{DAYS} days",
            is_within_limit=done["days"] >= DAYS,
        )
    ]
