"""Runs the engine in a process of its own and keeps its time limit, whatever it does."""

import os
import pickle
import select
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType

from dispatch.planning.engine.plan_check import without_breaches
from dispatch.planning.engine.plan_progress import parse_progress
from dispatch.planning.engine.routing_problem import (
    EngineRequest,
    Plan,
    PlanLimits,
    PlanProgress,
    RoutingProblem,
)
from dispatch.planning.reason_codes import EndedBy

ROOT = Path(__file__).resolve().parent.parent.parent
ENGINE = (sys.executable, "-m", "dispatch.planning.engine.engine_process")
# the engine ends by itself before its limit; then it is ended
GRACE_SECONDS = 0.2
# so much more for the engine to begin, where the time of its options begins with it
START_SECONDS = 10.0
LOOK_SECONDS = 0.1
MESSAGE_LENGTH = 300
# numerical libraries would start a thread for each core, which only take memory here
ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


class EngineFailed(Exception):
    """The engine ended or hung without a plan; the message says how. Nothing has changed."""


class EngineProcess:
    """An engine that waits for its one request. It takes half a second to start, so whoever has a request again and
    again starts the next one ahead. Ended with all its processes, which end with it, by force."""

    def __init__(self, command: Sequence[str] = ENGINE) -> None:
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115  # closed by `end`
        self.process = subprocess.Popen(  # noqa: S603  # our own command
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            cwd=ROOT,
            env={**os.environ, **ENVIRONMENT},
        )
        self.writer: threading.Thread | None = None

    def __enter__(self) -> "EngineProcess":
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _problem: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        self.end()

    @property
    def is_running(self) -> bool:
        return self.process.poll() is None

    def end(self) -> None:
        """May be called twice."""
        if self.errors.closed:
            return
        self.process.kill()
        if self.writer:
            # one pipe closed by two threads at once is an error in either
            self.writer.join()
        with self.process, self.errors:
            pass

    def send(self, request: EngineRequest) -> None:
        """Returns at once: a large problem does not fit into the pipe to an engine that hangs."""
        content = pickle.dumps(request, protocol=5)
        writer = threading.Thread(target=self._write, args=[content], daemon=True)
        writer.start()
        self.writer = writer

    def _write(self, content: bytes) -> None:
        assert self.process.stdin
        # it has ended: its last line says why
        with suppress(BrokenPipeError), self.process.stdin as pipe:
            pipe.write(content)

    def exit_text(self) -> str:
        """How it ended, with the last line that it wrote."""
        self.process.wait()
        self.errors.seek(0)
        lines = self.errors.read().decode(errors="replace").strip().splitlines()
        message = lines[-1][:MESSAGE_LENGTH] if lines else "no message"
        return f"ended with exit code {self.process.returncode}: {message}"


@dataclass
class _EngineRun:
    """What has arrived of one request. `seconds`: that it may take, `until`: the last moment, by time.monotonic.
    `best`: the best plan by option."""

    engine: EngineProcess
    options: Sequence[PlanLimits]
    seconds: float
    until: float
    unread: bytes = b""
    best: dict[int, PlanProgress] = field(default_factory=dict)
    is_at_end: bool = False

    @property
    def is_over(self) -> bool:
        last = self.best.get(len(self.options) - 1)
        return (last is not None and last.is_last) or self.is_at_end or time.monotonic() >= self.until

    def read(self) -> list[PlanProgress]:
        """What arrives until the next look, which may be nothing."""
        pipe = self.engine.process.stdout
        assert pipe
        seconds = min(LOOK_SECONDS, self.until - time.monotonic())
        readable, _, _ = select.select([pipe], [], [], max(seconds, 0))
        if not readable:
            return []
        received = os.read(pipe.fileno(), 2**20)
        self.is_at_end = not received
        *lines, self.unread = (self.unread + received).split(b"\n")
        try:
            found = [parse_progress(line) for line in lines]
        except (ValueError, KeyError, TypeError) as problem:
            raise EngineFailed("its answer cannot be read") from problem
        self.best.update({progress.option: progress for progress in found})
        return found


def run_engine(
    problem: RoutingProblem,
    limits: PlanLimits,
    *,
    on_progress: Callable[[PlanProgress], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
    engine: EngineProcess | None = None,
) -> Plan:
    """The best plan within the limits; the time limit is kept within half a second. `on_progress` gets each better
    plan; as soon as `should_stop` answers yes, the best plan so far is the plan. `engine`: one that waits already.

    Raises InvalidProblem, and EngineFailed when the engine ends before its last plan, or has not begun in this time:
    the first that it says is the present plan.
    """
    started = time.monotonic()
    problem.validate()
    if limits.seconds <= 0:
        return without_breaches(problem, Plan(problem.present, EndedBy.TIME_LIMIT))
    request = EngineRequest(problem, (limits,), started)
    with engine or EngineProcess() as process:
        until = started + limits.seconds + GRACE_SECONDS
        run = _EngineRun(process, request.options, limits.seconds, until)
        process.send(request)
        while not run.is_over:
            for progress in run.read():
                if on_progress:
                    on_progress(progress)
            if should_stop and should_stop():
                return without_breaches(problem, _plan_until_now(problem, run))
        return without_breaches(problem, _plan(run))


def run_options(
    problem: RoutingProblem, options: Sequence[PlanLimits], *, engine: EngineProcess | None = None
) -> list[Plan]:
    """The best plan within each of these limits, whose time begins when the engine does. Raises as run_engine does."""
    problem.validate()
    request = EngineRequest(problem, tuple(options))
    seconds = START_SECONDS + sum(limits.seconds for limits in options)
    until = time.monotonic() + seconds
    with engine or EngineProcess() as process:
        run = _EngineRun(process, request.options, seconds, until)
        process.send(request)
        while not run.is_over:
            run.read()
        return [without_breaches(problem, _plan(run, option=option)) for option in range(len(options))]


def _plan(run: _EngineRun, *, option: int = 0) -> Plan:
    best = run.best.get(option)
    if best and best.is_last:
        return best.plan
    if run.is_at_end:
        raise EngineFailed(run.engine.exit_text())
    if best is None:
        raise EngineFailed(f"no answer within {run.seconds:g} s")
    return replace(best.plan, ended_by=EndedBy.TIME_LIMIT)


def _plan_until_now(problem: RoutingProblem, run: _EngineRun) -> Plan:
    best = run.best.get(0)
    return replace(best.plan if best else Plan(problem.present), ended_by=EndedBy.STOPPED)
