"""A moment that stands still until it is set, for everything in this process that asks Django for the time.

The engine measures its limits by time.monotonic, which goes on.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone


@dataclass
class SimulatedClock:
    moment: datetime

    def now(self) -> datetime:
        return self.moment


@contextmanager
def simulated_time(clock: SimulatedClock) -> Iterator[None]:
    real = timezone.now
    timezone.now = clock.now
    try:
        yield
    finally:
        timezone.now = real
