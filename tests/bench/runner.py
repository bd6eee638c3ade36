"""Runs measurements, each in a process of its own: one that raises, dies or never ends is a row that says so."""

import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from itertools import groupby
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from monitoring.processes import end_with_parent
from tests.bench.rows import QUICK, Row, failure, write

# a fork has everything imported already, and a shared system at hand
PROCESSES = get_context("fork")
CLEAN_UP_SECONDS = 15
LONGEST_REASON = 300
OURS = str(Path(__file__).resolve().parent.parent.parent)
PREFIX = "fibre-bench-"
Measure = Callable[..., Iterable[Row]]
Shared = Callable[[Path], AbstractContextManager[Any]]


@dataclass(frozen=True)
class Measurement:
    """`full` and `quick` make rows with an empty folder; `missing` says why they cannot here, or nothing.

    Neighbours in the list with the same `shared` get it as `system` in their quick form: it is started once for all.
    """

    name: str
    full: Measure
    quick: Measure
    missing: Callable[[], str] = str
    shared: Shared | None = None


@dataclass(frozen=True)
class Runner:
    """One run in one form; `limit_seconds` bounds each measurement."""

    form: str
    output: Path
    limit_seconds: float

    def rows(self, measurements: Iterable[Measurement]) -> Iterator[Row]:
        """Each row once it is in the file."""
        for shared, group in groupby(filter(_is_possible, measurements), key=self._shared):
            with ExitStack() as stack:
                system, problem = _start(shared, stack)
                for measurement in group:
                    measure = partial(measurement.quick if self.form == QUICK else measurement.full, **system)
                    rows = _apart(measurement.name, measure, seconds=self.limit_seconds)
                    yield from self._recorded(
                        measurement, [failure(measurement.name, problem)] if problem else rows
                    )

    def _shared(self, measurement: Measurement) -> Shared | None:
        return measurement.shared if self.form == QUICK else None

    def _recorded(self, measurement: Measurement, rows: Iterable[Row]) -> Iterator[Row]:
        _say(f"measuring {measurement.name}")
        started, made = time.monotonic(), list[Row]()
        for row in rows:
            made.append(
                replace(
                    row,
                    is_within_limit=None if self.form == QUICK else row.is_within_limit,
                    measurement=measurement.name,
                    form=self.form,
                    measured_at=datetime.now(UTC).isoformat(timespec="seconds"),
                    seconds=round(time.monotonic() - started, 1),
                )
            )
            write(made, self.output)
            yield made[-1]
        _say(f"  {measurement.name} took {time.monotonic() - started:.1f} s")


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _is_possible(measurement: Measurement) -> bool:
    missing = measurement.missing()
    if missing:
        _say(f"SKIPPED: {measurement.name}: {missing}")
    return not missing


def _start(shared: Shared | None, stack: ExitStack) -> tuple[dict[str, Any], str]:
    """What the measurements of a group are called with, or why there is none."""
    if shared is None:
        return {}, ""
    folder = stack.enter_context(TemporaryDirectory(prefix=PREFIX))
    try:
        return {"system": stack.enter_context(shared(Path(folder)))}, ""
    except Exception as problem:
        return {}, f"the system did not start: {_reason(problem)}"


def _apart(name: str, measure: Measure, *, seconds: float) -> Iterator[Row]:
    """The rows of a process of its own as they come, then a failed one unless it got to its end in time."""
    with TemporaryDirectory(prefix=PREFIX) as temporary:
        folder = Path(temporary) / name
        folder.mkdir()
        receiver, sender = PROCESSES.Pipe(duplex=False)
        process = PROCESSES.Process(target=_send_rows, args=(measure, folder, sender, os.getpid()))
        process.start()
        sender.close()
        try:
            until = time.monotonic() + seconds
            while isinstance(received := _receive(receiver, process, until=until), Row):
                yield received
            if received:
                yield failure(name, received)
        finally:
            _end(process)


def _receive(receiver: "Connection[Any, Row | str]", process: BaseProcess, *, until: float) -> Row | str:
    """The next row; or why there will be none, which is an empty text when all were made."""
    if not receiver.poll(max(0.0, until - time.monotonic())):
        return "it did not end in time"
    try:
        return receiver.recv()
    except EOFError:
        process.join()
        code = process.exitcode or 0
        return f"killed by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"


def _end(process: BaseProcess) -> None:
    """An interrupt first: then it ends what it has started."""
    process.join(1)
    if process.is_alive() and process.pid:
        os.kill(process.pid, signal.SIGINT)
        process.join(CLEAN_UP_SECONDS)
    process.kill()
    process.join()


def _send_rows(measure: Measure, folder: Path, sender: "Connection[Row | str, Any]", parent: int) -> None:
    """In the process of its own: each row, then an empty text or the reason of the failure."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if bind := end_with_parent(parent, by=signal.SIGINT):
        bind()
    try:
        for row in measure(folder):
            sender.send(row)
    except Exception as problem:
        traceback.print_exc()
        sender.send(_reason(problem))
    else:
        sender.send("")


def _reason(problem: Exception) -> str:
    """One line with the innermost place of ours; an assertion without a message is quoted."""
    frames = traceback.extract_tb(problem.__traceback__)
    ours = [
        level for level in frames if level.filename.startswith(OURS) and "site-packages" not in level.filename
    ]
    frame = (ours or frames)[-1]
    text = " ".join(str(problem).split()) or frame.line or ""
    location = f"{Path(frame.filename).name}:{frame.lineno}"
    return f"{type(problem).__name__} at {location}: {text}"[:LONGEST_REASON]
