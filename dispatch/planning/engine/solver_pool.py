"""Processes that solve small problems, so that one can be ended whatever VROOM is doing.

They are forks: the matrices of a region are there once, however many solve.
"""

import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from types import TracebackType
from typing import Self

from dispatch.planning.engine.engine_model import EngineModel
from dispatch.planning.engine.vroom_solver import KnownRoutes, Routes, TeamStarts, solve
from monitoring.processes import end_with_parent

PROCESSES = get_context("fork")


class SolverEnded(Exception):
    """A process that solves has ended by itself."""


@dataclass(frozen=True)
class SolverTask:
    """Solved in any order; `number` says which answer is whose."""

    number: int
    parts: tuple[int, ...]
    jobs: tuple[int, ...]
    level: int
    start: Routes
    pins: Mapping[int, int] = field(default_factory=dict)
    team_starts: TeamStarts = field(default_factory=dict)
    kept_starts: Mapping[int, int] = field(default_factory=dict)


@dataclass
class SolverPool:
    """Hands tasks to whoever is free."""

    connections: "list[Connection[SolverTask, tuple[int, Routes]]]"
    free: "list[Connection[SolverTask, tuple[int, Routes]]]" = field(default_factory=list)
    waiting: list[SolverTask] = field(default_factory=list)

    def submit(self, task: SolverTask) -> None:
        self.waiting.append(task)
        self._hand_out()

    def receive(self, *, seconds: float) -> list[tuple[int, Routes]]:
        """The answers that come first, at most after so many seconds; none when there were none. Raises SolverEnded."""
        answers = []
        ready = wait(self.connections, timeout=max(seconds, 0))
        for connection in [own for own in self.connections if own in ready]:
            try:
                answers.append(connection.recv())
            except (EOFError, OSError) as problem:
                raise SolverEnded("a solver process ended") from problem
            self.free.append(connection)
        self._hand_out()
        return answers

    def _hand_out(self) -> None:
        while self.waiting and self.free:
            self.free.pop().send(self.waiting.pop(0))


@contextmanager
def running_pool(model: EngineModel, *, processes: int) -> Iterator[SolverPool]:
    """Ended by force: VROOM answers to nothing else while it works."""
    started = []
    pool = SolverPool([])
    try:
        for _ in range(processes):
            ours, theirs = PROCESSES.Pipe()
            process = PROCESSES.Process(target=_serve, args=(model, theirs, os.getpid()), daemon=True)
            process.start()
            started.append(process)
            theirs.close()
            pool.connections.append(ours)
        pool.free = list(pool.connections)
        yield pool
    finally:
        for process in started:
            process.kill()
        for process in started:
            process.join()


class SolverPools:
    """The pool of several searches of one model, one after the other: its processes start once, and know which routes
    VROOM accepts. A context that ends them."""

    def __init__(self, model: EngineModel) -> None:
        self._model = model
        self._stack = ExitStack()
        self._pools: dict[int, SolverPool] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _problem: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        self._end()

    @contextmanager
    def opened(self, *, processes: int) -> Iterator[SolverPool]:
        """The pool of so many processes. One that an exception leaves is ended: nobody waits for its answers."""
        if processes not in self._pools:
            self._end()
            self._pools[processes] = self._stack.enter_context(running_pool(self._model, processes=processes))
        try:
            yield self._pools[processes]
        except BaseException:
            self._end()
            raise

    def _end(self) -> None:
        self._stack.close()
        self._pools.clear()


def _serve(model: EngineModel, connection: "Connection[tuple[int, Routes], SolverTask]", parent: int) -> None:
    if bind := end_with_parent(parent, by=signal.SIGKILL):
        bind()
    known = KnownRoutes()
    while True:
        try:
            task = connection.recv()
        except EOFError:
            return
        routes = solve(
            model,
            task.parts,
            task.jobs,
            level=task.level,
            start=task.start,
            pins=task.pins,
            team_starts=task.team_starts,
            kept_starts=task.kept_starts,
            known=known,
        )
        connection.send((task.number, routes))
