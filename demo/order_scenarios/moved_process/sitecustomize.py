"""Loaded by Python itself in each process that runs under libfaketime (docs/adr/0021).

libfaketime 0.9.10 takes the deadline of time.sleep, which is on the monotonic clock, for one on the moved clock: the
call fails or returns at once. It leaves a wait in select alone.
"""

import select
import time
from typing import SupportsIndex


def _sleep(seconds: float | SupportsIndex, /) -> None:
    length = float(seconds)
    if length < 0:
        raise ValueError("sleep length must be non-negative")
    select.select([], [], [], length)


time.sleep = _sleep
