"""The engine: one call of VROOM for a small region, moving neighbourhoods for a large one.

The order in which answers are applied is that of their questions, and a new question waits for the answer that is so
many before it, not for whoever is first. So the same problem, seed and number of neighbourhoods give the same plan,
with one process or with eight.
"""

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from dispatch.planning.engine.engine_model import EngineModel
from dispatch.planning.engine.neighbourhoods import NOBODY, Neighbourhood, PlanState
from dispatch.planning.engine.partition import split
from dispatch.planning.engine.plan_check import without_breaches
from dispatch.planning.engine.plan_problem import Plan, PlanLimits, PlanProgress
from dispatch.planning.engine.solver_pool import SolverPool, SolverTask, running_pool
from dispatch.planning.engine.vroom_solver import QUICKEST, THOROUGH, Routes, RouteStop
from dispatch.planning.reason_codes import EndedBy

# up to here one thorough call takes seconds
MOST_PARTS_OF_ONE_CALL, MOST_JOBS_OF_ONE_CALL = 20, 100
# questions that are out at a time, however many processes answer them; with fewer parts of shifts for each they would
# get what the others have left, so they overlap, and an answer that comes too late is dropped
FEWEST_QUESTIONS, MOST_QUESTIONS, PARTS_OF_QUESTION = 2, 6, 24
# of driving, for each part of a shift: a plan may be so much longer than the best one for the search to go on from it;
# where nothing worse is ever taken, it ends where no small change is better
DETOUR_SECONDS = 20
REPORT_SECONDS = 0.25
# of the time limit: for the last report, and for whoever receives it
LAST_SECONDS = 0.1

Report = Callable[[PlanProgress], None]
ChooseNext = Callable[[Sequence[Neighbourhood]], Neighbourhood | None]


class TimeIsOver(Exception):
    """The plan ends with what it has."""


@dataclass
class PlanSearch:
    """One run of the engine. `report` gets the best plan whenever there is a better one, and the last. `started`: of
    the time limit, by time.monotonic."""

    model: EngineModel
    limits: PlanLimits
    report: Report
    way: int = 0
    started: float = field(default_factory=time.monotonic)
    reported: float = 0.0
    solved: int = 0
    best_score: tuple[int, int] = (0, 0)
    best_routes: Routes = field(default_factory=dict)
    # none: nothing worse is taken
    detour_seconds: int | None = None

    def run(self) -> None:
        self.present = present_routes(self.model)
        self.state = self._empty_state()
        self.state.set_routes((), self.present)
        # whoever runs the engine knows that it has begun
        self._send(EndedBy.TIME_LIMIT)
        present, ended_by = self.state, EndedBy.WORK
        with running_pool(self.model, processes=self.limits.processes) as pool:
            try:
                self._search(pool)
            except TimeIsOver:
                ended_by = EndedBy.TIME_LIMIT
        if self.best_score > self.state.score:
            self.state.set_routes(range(len(self.model.parts)), self.best_routes)
        if present.score >= self.state.score:
            # nobody is moved for nothing
            self.state = present
        self._send(ended_by, is_last=True)

    def _empty_state(self) -> PlanState:
        return PlanState(self.model, self.limits, present=self.present)

    def _search(self, pool: SolverPool) -> None:
        if self.limits.is_calm:
            self._fill_gaps(pool)
        else:
            self._make_new_plan(pool)
        self._improve(pool)

    def _fill_gaps(self, pool: SolverPool) -> None:
        """Jobs that wait, where nobody has to be moved for them: first group by group as in a new plan, which
        finds more than one job after the other does."""
        if self.limits.focus is None:
            self._solve_groups(pool, is_pinned=True)
        waiting = self.state.waiting_jobs()[::-1]

        def choose(_busy: Sequence[Neighbourhood]) -> Neighbourhood | None:
            return self.state.choose((), focus=waiting.pop()) if waiting else None

        self._solve(pool, choose, is_pinned=True)
        self._pair_teams(pool, is_pinned=True)

    def _pair_teams(self, pool: SolverPool, *, is_pinned: bool = False) -> None:
        """Two engineers for each team's job that waits, at one moment after the other."""
        for job in self.state.waiting_jobs():
            starts = self.state.possible_team_starts(job)[::-1]
            self._solve(pool, partial(self._choose_team, job, starts), is_pinned=is_pinned)

    def _choose_team(
        self, job: int, starts: list[int], _busy: Sequence[Neighbourhood]
    ) -> Neighbourhood | None:
        is_waiting = self.state.part_of_job[job] == NOBODY
        return self.state.choose((), focus=job, team_start=starts.pop()) if starts and is_waiting else None

    def _make_new_plan(self, pool: SolverPool) -> None:
        present = self.state
        self._make_first_plan(pool)
        self.state = max(present.copy(), self.state, key=lambda state: state.score)
        self.best_score, self.best_routes = self.state.score, dict(self.state.routes)
        self._pair_teams(pool)
        parts, jobs = len(self.model.parts), len(self.state.possible_jobs)
        if parts <= MOST_PARTS_OF_ONE_CALL and jobs <= MOST_JOBS_OF_ONE_CALL:
            everything = [self.state.everything()]
            self._solve(pool, lambda _busy: everything.pop() if everything else None, level=THOROUGH)

    def _make_first_plan(self, pool: SolverPool) -> None:
        self.state = self._empty_state()
        self._solve_groups(pool)

    def _solve_groups(self, pool: SolverPool, *, is_pinned: bool = False) -> None:
        """Group by group; the jobs that found nobody in their group are left to the neighbourhoods. Where jobs stay
        with whom they are, a group for which none waits has nothing to find."""
        groups = split(self.model, self.state.part_of_job)
        asked = [(parts, waiting) for parts, waiting in groups if waiting or not is_pinned]
        questions = [self.state.group(parts, waiting) for parts, waiting in asked][::-1]
        self._solve(pool, lambda _busy: questions.pop() if questions else None, is_pinned=is_pinned)

    def _improve(self, pool: SolverPool) -> None:
        left = self.limits.neighbourhoods
        self.solved = 0
        if not self.limits.is_calm:
            self.detour_seconds = DETOUR_SECONDS * len(self.model.parts)

        def choose(busy: Sequence[Neighbourhood]) -> Neighbourhood | None:
            nonlocal left
            if left == 0:
                return None
            left = None if left is None else left - 1
            is_apart = len(self.model.parts) >= FEWEST_QUESTIONS * PARTS_OF_QUESTION
            return self.state.choose(busy if is_apart else ())

        self._solve(pool, choose)

    def _solve(
        self, pool: SolverPool, choose: ChooseNext, *, level: int = QUICKEST, is_pinned: bool = False
    ) -> None:
        """Ask and apply until there is nothing more to ask; `is_pinned`: jobs stay with whom they are. Raises
        TimeIsOver."""
        asked: deque[tuple[int, Neighbourhood]] = deque()
        answers: dict[int, Routes] = {}
        number = 0
        while True:
            while len(asked) < self._most_questions and (
                question := choose([other for _number, other in asked])
            ):
                start = self._start(question, is_pinned=is_pinned)
                task = SolverTask(
                    number, question.parts, question.jobs, level, start, is_pinned, question.team_starts
                )
                pool.submit(task)
                asked.append((number, question))
                number += 1
            if not asked:
                return
            first, question = asked[0]
            while first not in answers:
                answers.update(self._receive(pool))
            asked.popleft()
            self._apply(question, answers.pop(first))

    def _start(self, question: Neighbourhood, *, is_pinned: bool) -> Routes:
        """Where few changes are wanted, the visits that nobody is to move, or that are as today: from routes that the
        search has made itself, VROOM finds only what a small change makes better."""
        if not self.limits.is_calm:
            return {}
        starts, found = question.team_starts, dict[int, tuple[RouteStop, ...]]()
        for part in question.parts:
            stops = (
                stop
                for stop in self.state.routes.get(part, ())
                if is_pinned or self.state.is_as_today(stop.job)
            )
            if own := tuple(stop for stop in stops if starts.get(stop.job, stop.start) == stop.start):
                found[part] = own
        return found

    @property
    def _most_questions(self) -> int:
        return max(FEWEST_QUESTIONS, min(MOST_QUESTIONS, len(self.model.parts) // PARTS_OF_QUESTION))

    def _apply(self, question: Neighbourhood, routes: Routes) -> None:
        self.solved += 1
        value, cost = self.best_score
        least = None if self.detour_seconds is None else (value, cost - self.detour_seconds)
        self.state.apply(question, routes, least=least)
        if self.state.score > self.best_score:
            self.best_score, self.best_routes = self.state.score, dict(self.state.routes)
            if time.monotonic() - self.reported > REPORT_SECONDS:
                self._send(EndedBy.TIME_LIMIT)

    def _receive(self, pool: SolverPool) -> list[tuple[int, Routes]]:
        seconds = self.limits.seconds - LAST_SECONDS - self._seconds
        if seconds <= 0:
            raise TimeIsOver
        return pool.receive(seconds=seconds)

    @property
    def _seconds(self) -> float:
        return time.monotonic() - self.started

    def _send(self, ended_by: EndedBy, *, is_last: bool = False) -> None:
        self.reported = time.monotonic()
        self.report(
            PlanProgress(
                Plan(self.state.visits(), ended_by, self.solved),
                value=self.state.value,
                travel_seconds=self.state.travel_seconds,
                seconds=self._seconds,
                is_last=is_last,
                way=self.way,
            )
        )


def present_routes(model: EngineModel) -> Routes:
    """Today's visits by part, but for those that break a rule."""
    routes: dict[int, list[RouteStop]] = {}
    present = without_breaches(model.problem, Plan(model.problem.present))
    # one engineer of two is not enough, so they are looked at again without those who are in no part
    held = tuple(visit for visit in present.visits if model.part_of(visit) is not None)
    present = without_breaches(model.problem, Plan(held))
    for visit in sorted(present.visits, key=lambda visit: visit.start):
        part = model.part_of(visit)
        if part is not None:
            routes.setdefault(part, []).append(RouteStop(visit.job, visit.start))
    return {part: tuple(stops) for part, stops in routes.items()}
