"""`python -m tests.tools.sample_bench OUTPUT …`: `make bench` with measurements that go well and badly."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from tests.bench.rows import Row
from tests.bench.runner import Measurement
from tools.bench import main

LIMIT_SECONDS = 4.0


def row(name: str, value: float) -> Row:
    return Row(name, value, "ms", "nothing", None, "at most 5 ms", value <= 5)


def one_row(folder: Path, *, value: float = 1, system: str = "its own") -> Iterator[Row]:
    assert list(folder.iterdir()) == []
    yield row(f"{folder.name} on {system}", value)


def raises(_folder: Path) -> Iterator[Row]:
    yield row("before it raises", 1)
    tapped = ["once"]
    assert tapped == []


def is_killed(_folder: Path) -> Iterator[Row]:
    yield row("before it is killed", 1)
    os.kill(os.getpid(), signal.SIGKILL)


def never_ends(folder: Path) -> Iterator[Row]:
    """Its value is its process; it leaves a file when it is interrupted in good order."""
    yield row("process", os.getpid())
    try:
        time.sleep(300)
    finally:
        Path(os.environ["CLEANED_UP"]).touch()


@contextmanager
def shared_system(_folder: Path) -> Iterator[str]:
    yield "a shared one"


@contextmanager
def no_system(_folder: Path) -> Iterator[str]:
    raise RuntimeError("no port is free")
    yield ""


def same(name: str, measure: partial[Iterator[Row]]) -> Measurement:
    return Measurement(name, full=measure, quick=measure)


MEASUREMENTS = [
    Measurement("good", full=partial(one_row, value=9), quick=one_row),
    same("raises", partial(raises)),
    same("is_killed", partial(is_killed)),
    same("never_ends", partial(never_ends)),
    Measurement("absent", full=one_row, quick=one_row, missing=lambda: "no such program"),
    Measurement("shares", full=one_row, quick=one_row, shared=shared_system),
    Measurement("shares_nothing", full=one_row, quick=one_row, shared=no_system),
    Measurement("good_too", full=one_row, quick=one_row),
]

if __name__ == "__main__":
    output = Path(sys.argv.pop(1))
    limits = {"full": LIMIT_SECONDS, "quick": LIMIT_SECONDS}
    sys.exit(main(MEASUREMENTS, output, limits=limits))
