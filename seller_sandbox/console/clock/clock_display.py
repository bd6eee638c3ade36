"""The sandbox clock as every page shows it: what it says, and how far it was moved."""

from dataclasses import dataclass

from django.http import HttpRequest

from seller_sandbox import clock
from seller_sandbox.console import text_formats


@dataclass(frozen=True)
class ClockDisplay:
    """`ahead` is empty while the clock shows the real time."""

    time: str
    ahead: str


def sandbox_clock(_: HttpRequest) -> dict[str, ClockDisplay]:
    """A context processor, so that no page can leave the clock out."""
    now, offset = clock.now(), clock.offset().total_seconds()
    time = text_formats.full_time(now)
    return {"sandbox_clock": ClockDisplay(time, text_formats.ahead(offset) if offset else "")}
