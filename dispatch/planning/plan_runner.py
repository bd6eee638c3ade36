"""Runs the engine in a process of its own and keeps its time limit, whatever it does."""

import os
import pickle
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from dispatch.planning.plan_check import without_breaches
from dispatch.planning.plan_problem import Plan, PlanLimits, PlanProblem, PlanProgress
from dispatch.planning.plan_progress import parse_progress
from dispatch.planning.reason_codes import EndedBy

ROOT = Path(__file__).resolve().parent.parent.parent
ENGINE = (sys.executable, "-m", "dispatch.planning.engine_process")
# the engine ends by itself before its limit; then it is ended
GRACE_SECONDS = 0.2
# within so long an engine says something, even of a problem that takes minutes
START_SECONDS = 10.0
LOOK_SECONDS = 0.1
MESSAGE_LENGTH = 300
# numerical libraries would start a thread for each core, which only take memory here
ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


class EngineFailed(Exception):
    """The engine ended or hung without a plan; the message says how. Nothing has changed."""


@dataclass
class _EngineRun:
    """What has arrived of one run. `until`: the last moment, by time.monotonic."""

    process: "subprocess.Popen[bytes]"
    until: float
    unread: bytes = b""
    best: PlanProgress | None = None
    is_at_end: bool = False

    def read(self) -> list[PlanProgress]:
        """What arrives until the next look, which may be nothing."""
        assert self.process.stdout
        seconds = min(LOOK_SECONDS, self.until - time.monotonic())
        readable, _, _ = select.select([self.process.stdout], [], [], max(seconds, 0))
        if not readable:
            return []
        received = os.read(self.process.stdout.fileno(), 2**20)
        self.is_at_end = not received
        *lines, self.unread = (self.unread + received).split(b"\n")
        try:
            found = [parse_progress(line) for line in lines]
        except (ValueError, KeyError, TypeError) as problem:
            raise EngineFailed("its answer cannot be read") from problem
        self.best = found[-1] if found else self.best
        return found


def run_engine(
    problem: PlanProblem,
    limits: PlanLimits,
    *,
    on_progress: Callable[[PlanProgress], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
    command: tuple[str, ...] = ENGINE,
) -> Plan:
    """The best plan within the limits; the time limit is kept within half a second. `on_progress` gets each better
    plan; as soon as `should_stop` answers yes, the best plan so far is the plan.

    Raises InvalidProblem, and EngineFailed when the engine ends or hangs before it has a plan.
    """
    started = time.monotonic()
    problem.validate()
    if limits.seconds <= 0:
        return without_breaches(problem, Plan(problem.present, EndedBy.TIME_LIMIT))
    with tempfile.TemporaryFile() as errors, _engine(command, errors, started=started) as process:
        run = _EngineRun(process, until=started + limits.seconds + GRACE_SECONDS)
        _send(process, problem, limits)
        while not _is_over(run):
            for progress in run.read():
                if on_progress:
                    on_progress(progress)
            if should_stop and should_stop():
                return without_breaches(problem, _best(problem, run, ended_by=EndedBy.STOPPED))
        return without_breaches(problem, _plan(problem, limits, run, errors))


def _is_over(run: _EngineRun) -> bool:
    is_done = run.best is not None and run.best.is_last
    return is_done or run.is_at_end or time.monotonic() >= run.until


def _plan(problem: PlanProblem, limits: PlanLimits, run: _EngineRun, errors: IO[bytes]) -> Plan:
    if run.best and run.best.is_last:
        return run.best.plan
    if run.is_at_end:
        run.process.wait()
        raise EngineFailed(f"ended with exit code {run.process.returncode}: {_last_line(errors)}")
    if run.best is None and limits.seconds > START_SECONDS:
        raise EngineFailed(f"no answer within {limits.seconds:g} s")
    return _best(problem, run, ended_by=EndedBy.TIME_LIMIT)


def _best(problem: PlanProblem, run: _EngineRun, *, ended_by: EndedBy) -> Plan:
    if run.best is None:
        return Plan(problem.present, ended_by)
    return replace(run.best.plan, ended_by=ended_by)


def _last_line(errors: IO[bytes]) -> str:
    errors.seek(0)
    lines = errors.read().decode(errors="replace").strip().splitlines()
    return lines[-1][:MESSAGE_LENGTH] if lines else "no message"


@contextmanager
def _engine(
    command: tuple[str, ...], errors: IO[bytes], *, started: float
) -> "Iterator[subprocess.Popen[bytes]]":
    """Ended with all its processes, which end with it, by force."""
    process = subprocess.Popen(  # noqa: S603  # our own command
        [*command, str(started)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        cwd=ROOT,
        env={**os.environ, **ENVIRONMENT},
    )
    try:
        yield process
    finally:
        process.kill()
        with process:
            pass


def _send(process: "subprocess.Popen[bytes]", problem: PlanProblem, limits: PlanLimits) -> None:
    assert process.stdin
    try:
        pickle.dump((problem, limits), process.stdin, protocol=5)
        process.stdin.close()
    except BrokenPipeError:
        # it has ended: its last line says why
        return
