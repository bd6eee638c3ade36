"""The engine: one call of VROOM for a small region, moving neighbourhoods for a large one."""

from collections.abc import Hashable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass

from dispatch.planning.engine.engine_model import EngineModel
from dispatch.planning.engine.minimal_change_search import fill_gaps
from dispatch.planning.engine.neighbourhoods import PlanState
from dispatch.planning.engine.partition import split
from dispatch.planning.engine.plan_check import without_breaches
from dispatch.planning.engine.plan_routes import Neighbourhood
from dispatch.planning.engine.routing_problem import Plan
from dispatch.planning.engine.search_run import FEWEST_QUESTIONS, PARTS_OF_QUESTION, SearchRun, TimeIsOver
from dispatch.planning.engine.solver_pool import SolverPools
from dispatch.planning.engine.team_search import pair_teams
from dispatch.planning.engine.vroom_solver import THOROUGH, Routes, RouteStop
from dispatch.planning.reason_codes import EndedBy

# up to here one thorough call takes seconds
MOST_PARTS_OF_ONE_CALL, MOST_JOBS_OF_ONE_CALL = 20, 100
# of driving, for each part of a shift: a plan may be so much longer than the best one for the search to go on from it;
# where nothing worse is ever taken, it ends where no small change is better
DETOUR_SECONDS = 20
# a small region is searched through after so many neighbourhoods for each job without a better plan
STALE_PER_JOB, FEWEST_STALE = 50, 100
# where few changes are wanted, one of so many questions keeps the times of today: with more of these fewer jobs find
# an engineer (plan_few_changes)
TURNS = 3


@dataclass
class PlanSearch(SearchRun):
    """A search from the present plan, or for a new one."""

    turn: int = 0

    def run(self, pools: SolverPools | None = None) -> None:
        """Ends with the last report. `pools`: those of whoever runs several searches of the model."""
        self.present = present_routes(self.model)
        self.state = self._empty_state()
        self.state.set_routes((), self.present)
        # whoever runs the engine knows that it has begun
        self.send(EndedBy.TIME_LIMIT)
        present = self.state
        with nullcontext(pools) if pools else SolverPools(self.model) as own:
            ended_by = self._search_in(own)
        if self.best_score > self.state.score:
            self.state.set_routes(range(len(self.model.parts)), self.best_routes)
        if present.score >= self.state.score:
            # nobody is moved for nothing
            self.state = present
        self.send(ended_by, is_last=True)

    def _search_in(self, pools: SolverPools) -> EndedBy:
        try:
            with pools.opened(processes=self.limits.processes) as self.pool:
                self._search()
        except TimeIsOver:
            return EndedBy.TIME_LIMIT
        return EndedBy.WORK

    def _empty_state(self) -> PlanState:
        return PlanState(self.model, self.limits, present=self.present)

    def _search(self) -> None:
        if self.limits.is_calm:
            fill_gaps(self)
        else:
            self._make_new_plan()
        self._improve()

    def _make_new_plan(self) -> None:
        present = self.state
        self._make_first_plan()
        self.state = max(present.copy(), self.state, key=lambda state: state.score)
        self.best_score, self.best_routes = self.state.score, dict(self.state.routes)
        pair_teams(self)
        if self._is_small:
            everything = [self.state.everything()]
            self.solve(lambda _busy: everything.pop() if everything else None, level=THOROUGH)

    def _make_first_plan(self) -> None:
        """Group by group; the jobs that found nobody in their group are left to the neighbourhoods."""
        self.state = self._empty_state()
        groups = split(self.model, self.state.part_of_job)
        questions = [self.state.group(parts, waiting) for parts, waiting in groups][::-1]
        self.solve(lambda _busy: questions.pop() if questions else None)

    def _improve(self) -> None:
        left = self.limits.neighbourhoods
        self.solved, self.solved_at_best, self.is_improving = 0, 0, True
        if not self.limits.is_calm:
            self.detour_seconds = DETOUR_SECONDS * len(self.model.parts)

        asked = set[Hashable]()

        def choose(busy: Sequence[Neighbourhood]) -> Neighbourhood | None:
            nonlocal left
            while left != 0 and not self._is_searched_through:
                left = None if left is None else left - 1
                found = self._choose_change(busy)
                # where nothing worse is ever taken, the same question about the same routes changes nothing
                key = self.state.question_key(found) if found else None
                if key not in asked or left is None or not self.limits.is_calm:
                    asked.add(key)
                    return found
            return None

        self.solve(choose)

    @property
    def _is_small(self) -> bool:
        parts, jobs = len(self.model.parts), len(self.state.possible_jobs)
        return parts <= MOST_PARTS_OF_ONE_CALL and jobs <= MOST_JOBS_OF_ONE_CALL

    @property
    def _is_searched_through(self) -> bool:
        """More of the same would only fill the time; whoever names a number of neighbourhoods gets it."""
        stale = max(FEWEST_STALE, STALE_PER_JOB * len(self.state.possible_jobs))
        is_limited = self.limits.neighbourhoods is not None
        return not is_limited and self._is_small and self.solved - self.solved_at_best >= stale

    def _choose_change(self, busy: Sequence[Neighbourhood]) -> Neighbourhood | None:
        """Where few changes are wanted, by turns with the visits that are as today at their times, or at any."""
        is_apart = len(self.model.parts) >= FEWEST_QUESTIONS * PARTS_OF_QUESTION
        found = self.state.choose(busy if is_apart else ())
        self.turn = (self.turn + 1) % TURNS
        is_turn_of_times = self.limits.is_calm and self.turn == 1
        return self.state.keeping_times(found) if found and is_turn_of_times else found


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
