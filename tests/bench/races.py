"""Two dispatchers who drop on the same hour: nothing is ever booked twice, and the loser reads why."""

from pathlib import Path

from tests.bench.board_live import run_module
from tests.bench.rows import Row

ROUNDS = 1000


def measure(folder: Path, *, rounds: int = ROUNDS) -> list[Row]:
    found = run_module(folder, "booking_races", rounds)
    return [
        Row(
            name="double_booking_races",
            value=found["double_bookings"],
            unit=f"double bookings in {rounds} races",
            compared_with=f"{found['unexplained']} refusals without a reason",
            ratio=None,
            goal="0 and 0",
            is_within_limit=not any(found.values()),
        )
    ]
