"""Asks solver processes again and again, and applies their answers to the plan.

The order in which answers are applied is that of their questions, and a new question waits for the answer that is so
many before it, not for whoever is first. So the same problem, seed and number of neighbourhoods give the same plan,
with one process or with eight.
"""

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from dispatch.planning.engine.engine_model import EngineModel
from dispatch.planning.engine.neighbourhoods import PlanState
from dispatch.planning.engine.plan_routes import Neighbourhood
from dispatch.planning.engine.routing_problem import Plan, PlanLimits, PlanProgress
from dispatch.planning.engine.solver_pool import SolverPool, SolverTask
from dispatch.planning.engine.vroom_solver import QUICKEST, Routes, RouteStop
from dispatch.planning.reason_codes import EndedBy

# questions that are out at a time, however many processes answer them; with fewer parts of shifts for each they would
# get what the others have left, so they overlap, and an answer that comes too late is dropped
FEWEST_QUESTIONS, MOST_QUESTIONS, PARTS_OF_QUESTION = 2, 6, 24
REPORT_SECONDS = 0.25
# of the time limit: for the last report, and for whoever receives it
LAST_SECONDS = 0.1

Report = Callable[[PlanProgress], None]
ChooseNext = Callable[[Sequence[Neighbourhood]], Neighbourhood | None]
UseAnswer = Callable[[Neighbourhood, Routes], None]


class TimeIsOver(Exception):
    """The plan ends with what it has."""


@dataclass
class SearchRun:
    """One run of the engine. `report` gets the best plan whenever there is a better one, and the last. `started`: of
    the time limit, by time.monotonic."""

    model: EngineModel
    limits: PlanLimits
    report: Report
    option: int = 0
    started: float = field(default_factory=time.monotonic)
    reported: float = 0.0
    # since the search improves a first plan: what PlanLimits.neighbourhoods counts
    solved: int = 0
    is_improving: bool = False
    # how many were when the best plan was found
    solved_at_best: int = 0
    best_score: tuple[int, int] = (0, 0)
    best_routes: Routes = field(default_factory=dict)
    # none: nothing worse is taken
    detour_seconds: int | None = None
    # jobs near which a question was chosen whose answer came too late
    late: set[int] = field(default_factory=set)
    state: PlanState = field(init=False)
    pool: SolverPool = field(init=False)

    def solve(
        self,
        choose: ChooseNext,
        *,
        level: int = QUICKEST,
        is_pinned: bool = False,
        use: UseAnswer | None = None,
    ) -> None:
        """Ask and apply, or `use`, until there is nothing more to ask; `is_pinned`: jobs stay with whom they are.
        Raises TimeIsOver."""
        use = use or self.apply
        asked: deque[tuple[int, Neighbourhood]] = deque()
        answers: dict[int, Routes] = {}
        number = 0
        while True:
            while len(asked) < self._most_questions and (
                question := choose([other for _number, other in asked])
            ):
                self.pool.submit(self._task(number, question, level=level, is_pinned=is_pinned))
                asked.append((number, question))
                number += 1
            if not asked:
                return
            first, question = asked[0]
            while first not in answers:
                answers.update(self._receive())
            asked.popleft()
            self.solved += 1
            use(question, answers.pop(first))

    def _task(self, number: int, question: Neighbourhood, *, level: int, is_pinned: bool) -> SolverTask:
        start = self._start(question, is_pinned=is_pinned)
        in_start = {stop.job: part for part, stops in start.items() for stop in stops}
        return SolverTask(
            number,
            question.parts,
            question.jobs,
            level,
            start,
            in_start if is_pinned else question.pins,
            question.team_starts,
            question.kept_starts,
        )

    def _start(self, question: Neighbourhood, *, is_pinned: bool) -> Routes:
        """Where few changes are wanted, the visits that nobody is to move, or whose engineers have them today: from
        routes that the search has made itself, VROOM finds only what a small change makes better."""
        if not self.limits.is_calm:
            return {}
        starts, found = {**question.kept_starts, **question.team_starts}, dict[int, tuple[RouteStop, ...]]()
        for part in question.parts:
            stops = (
                stop
                for stop in self.state.routes.get(part, ())
                if is_pinned or self.state.is_with_same_engineer(stop.job)
            )
            if own := tuple(stop for stop in stops if starts.get(stop.job, stop.start) == stop.start):
                found[part] = own
        return found

    @property
    def _most_questions(self) -> int:
        return max(FEWEST_QUESTIONS, min(MOST_QUESTIONS, len(self.model.parts) // PARTS_OF_QUESTION))

    def apply(self, question: Neighbourhood, routes: Routes) -> None:
        """Change the plan by this answer where that makes it better."""
        value, cost = self.best_score
        least = None if self.detour_seconds is None else (value, cost - self.detour_seconds)
        is_in_time = self.state.apply(question, routes, least=least)
        if not is_in_time and question.focus is not None:
            self.late.add(question.focus)
        if self.state.score > self.best_score:
            self.best_score, self.best_routes = self.state.score, dict(self.state.routes)
            self.solved_at_best = self.solved
            if time.monotonic() - self.reported > REPORT_SECONDS:
                self.send(EndedBy.TIME_LIMIT)

    def _receive(self) -> list[tuple[int, Routes]]:
        seconds = self.limits.seconds - LAST_SECONDS - self._seconds
        if seconds <= 0:
            raise TimeIsOver
        return self.pool.receive(seconds=seconds)

    @property
    def _seconds(self) -> float:
        return time.monotonic() - self.started

    def send(self, ended_by: EndedBy, *, is_last: bool = False) -> None:
        """Report the plan as it is."""
        self.reported = time.monotonic()
        self.report(
            PlanProgress(
                Plan(self.state.visits(), ended_by, self.solved if self.is_improving else 0),
                value=self.state.value,
                travel_seconds=self.state.travel_seconds,
                seconds=self._seconds,
                is_last=is_last,
                option=self.option,
            )
        )
