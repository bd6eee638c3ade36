"""The plan while it is searched: a choice of what is solved again next, and what of it is kept.

A neighbourhood is a few parts of shifts that lie together, their jobs and some unassigned ones near them. Choices
depend on the seed and on what was applied before, never on the clock.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dispatch.planning.engine_model import EngineModel
from dispatch.planning.plan_problem import PlanLimits, PlanVisit
from dispatch.planning.vroom_solver import Routes, RouteStop

UNASSIGNED_AT_ONCE = 12
# more often than not near an unassigned job
NEAR_UNASSIGNED = 0.65
NOBODY = -1


@dataclass(frozen=True)
class Neighbourhood:
    """Parts and jobs (indices) that are solved together; nobody else changes them meanwhile."""

    parts: tuple[int, ...]
    jobs: tuple[int, ...]


class PlanState:
    """The routes of all parts, and what they are worth together."""

    def __init__(self, model: EngineModel, limits: PlanLimits, *, present: Routes) -> None:
        """`present`: today's visits; with whom they are is what a change is measured by."""
        self.model = model
        self.limits = limits
        self.present = present
        self.random = np.random.default_rng(limits.seed)
        self.unchanged = 0
        self.present_engineer = np.full(len(model.problem.jobs), NOBODY, dtype=np.intp)
        for part, stops in present.items():
            self.present_engineer[[stop.job for stop in stops]] = model.parts[part].engineer
        self.routes: dict[int, tuple[RouteStop, ...]] = {}
        self.part_of_job = np.full(len(model.problem.jobs), NOBODY, dtype=np.intp)
        self.cost_of_part = np.zeros(len(model.parts), dtype=np.int64)
        self.value = 0
        self.starts = np.array([part.start_location for part in model.parts], dtype=np.intp)
        is_possible = model.reach.any(axis=0) if len(model.parts) else np.zeros(len(self.part_of_job), bool)
        # nobody could do the others, whatever the plan
        self.possible_jobs = np.flatnonzero(is_possible)
        self.focus_jobs = self._focus_jobs()

    def _focus_jobs(self) -> NDArray[np.intp]:
        """The possible jobs near which the plan is changed."""
        if self.limits.focus is None:
            return self.possible_jobs
        return self.possible_jobs[np.isin(self.possible_jobs, list(self.limits.focus))]

    @property
    def travel_seconds(self) -> int:
        return int(self.cost_of_part.sum()) + self.limits.change_seconds * self.unchanged

    @property
    def score(self) -> tuple[int, int]:
        """The higher the better."""
        return self.value, -int(self.cost_of_part.sum())

    def visits(self) -> tuple[PlanVisit, ...]:
        """In the order of their jobs."""
        return tuple(
            sorted(
                PlanVisit(stop.job, self.model.parts[part].engineer, stop.start)
                for part, stops in self.routes.items()
                for stop in stops
            )
        )

    def copy(self) -> "PlanState":
        """The same plan from the same seed."""
        same = PlanState(self.model, self.limits, present=self.present)
        same.set_routes((), self.routes)
        return same

    def set_routes(self, parts: Collection[int], routes: Routes) -> None:
        """These routes instead of those that the parts have."""
        for part in parts:
            before = self.routes.pop(part, ())
            self.unchanged -= self._unchanged(part, [stop.job for stop in before])
            for stop in before:
                self.part_of_job[stop.job] = NOBODY
                self.value -= int(self.model.priorities[stop.job])
            self.cost_of_part[part] = 0
        for part, stops in routes.items():
            self.routes[part] = stops
            jobs = [stop.job for stop in stops]
            self.unchanged += self._unchanged(part, jobs)
            self.cost_of_part[part] = self._cost(part, jobs)
            for stop in stops:
                self.part_of_job[stop.job] = part
                self.value += int(self.model.priorities[stop.job])

    def apply(self, neighbourhood: Neighbourhood, routes: Routes) -> bool:
        """Keep the routes if they are worth at least as much; whether they are worth more. Those of a
        neighbourhood that another one has changed since it was chosen may fit no more."""
        if not self._is_up_to_date(neighbourhood):
            return False
        before = self._score_of(neighbourhood.parts, self.routes)
        after = self._score_of(neighbourhood.parts, routes)
        if after >= before and self._may_change(neighbourhood.parts, routes):
            self.set_routes(neighbourhood.parts, routes)
            return after > before
        return False

    def _may_change(self, parts: Iterable[int], routes: Routes) -> bool:
        """Whether these routes keep the limit of changes, or have no more of them than today's."""
        if self.limits.most_changes is None:
            return True
        more = -sum(
            self._unchanged(part, [stop.job for stop in own.get(part, ())]) * sign
            for part in parts
            for own, sign in ((routes, 1), (self.routes, -1))
        )
        changes = sum(map(len, self.present.values())) - self.unchanged
        return more <= 0 or changes + more <= self.limits.most_changes

    def _unchanged(self, part: int, jobs: Sequence[int]) -> int:
        """How many of these jobs the same engineer has today."""
        return int((self.present_engineer[list(jobs)] == self.model.parts[part].engineer).sum())

    def _cost(self, part: int, jobs: Sequence[int]) -> int:
        """Travel, less what it is worth that visits stay with their engineers."""
        return self.model.part_cost(part, jobs) - self.limits.change_seconds * self._unchanged(part, jobs)

    def _is_up_to_date(self, neighbourhood: Neighbourhood) -> bool:
        """Whether its parts have no other jobs by now, and its jobs are in no other part."""
        parts, jobs = {*neighbourhood.parts, NOBODY}, {*neighbourhood.jobs}
        has_own = all(stop.job in jobs for part in neighbourhood.parts for stop in self.routes.get(part, ()))
        return has_own and {*self.part_of_job[list(jobs)].tolist()} <= parts

    def _score_of(self, parts: Iterable[int], routes: Routes) -> tuple[int, int]:
        value = cost = 0
        for part in parts:
            jobs = [stop.job for stop in routes.get(part, ())]
            value += sum(int(self.model.priorities[job]) for job in jobs)
            cost += self._cost(part, jobs)
        return value, -cost

    def waiting_jobs(self) -> list[int]:
        """Those that somebody could take, the most important first."""
        return sorted(self._waiting().tolist(), key=lambda job: (-int(self.model.priorities[job]), job))

    def _waiting(self) -> NDArray[np.intp]:
        waiting: NDArray[np.intp] = self.focus_jobs[self.part_of_job[self.focus_jobs] == NOBODY]
        return waiting

    def choose(self, busy: Sequence[Neighbourhood], *, focus: int | None = None) -> Neighbourhood | None:
        """The next one, apart from those that are being solved, near the job `focus` or a chosen one; None when there
        is nothing to choose from."""
        busy_parts = {part for other in busy for part in other.parts}
        busy_jobs = {job for other in busy for job in other.jobs}
        focus = self._focus(busy_jobs) if focus is None else focus
        if focus is None:
            return None
        drives = self.model.costs[self.model.problem.jobs[focus].location]
        parts = self._nearest_parts(drives, focus=focus, busy=busy_parts)
        own = [stop.job for part in parts for stop in self.routes.get(part, ())]
        waiting = self._nearest_unassigned(drives, parts=parts, busy=busy_jobs)
        return Neighbourhood(tuple(sorted(parts)), tuple(sorted([*own, *waiting]))) if parts else None

    def _focus(self, busy: Collection[int]) -> int | None:
        """A job near which to look."""
        free = self.focus_jobs[~np.isin(self.focus_jobs, list(busy))]
        if not len(free):
            return None
        waiting = free[self.part_of_job[free] == NOBODY]
        is_near_unassigned = len(waiting) > 0 and self.random.random() < NEAR_UNASSIGNED
        return int(self.random.choice(waiting if is_near_unassigned else free))

    def _nearest_parts(self, drives: NDArray[np.uint32], *, focus: int, busy: Collection[int]) -> list[int]:
        """Those with a stop or their start nearest to the focus, the focus's own part or one that could take it among
        them."""
        near = drives[self.starts].astype(np.float64)
        assigned = np.flatnonzero(self.part_of_job != NOBODY)
        stops = drives[self.model.job_locations[assigned]].astype(np.float64)
        np.minimum.at(near, self.part_of_job[assigned], stops)
        near[list(busy)] = np.inf
        if self.part_of_job[focus] == NOBODY:
            near[~self.model.reach[:, focus]] += near[np.isfinite(near)].max(initial=0) / 2
        nearest = np.argsort(near, kind="stable")[: self.limits.parts_at_once]
        return [int(part) for part in nearest if np.isfinite(near[part])]

    def _nearest_unassigned(
        self, drives: NDArray[np.uint32], *, parts: Sequence[int], busy: Collection[int]
    ) -> list[int]:
        waiting = self._waiting()
        waiting = waiting[self.model.reach[np.ix_(np.array(parts), waiting)].any(axis=0)]
        waiting = waiting[~np.isin(waiting, list(busy))]
        order = np.argsort(drives[self.model.job_locations[waiting]], kind="stable")
        return [int(job) for job in waiting[order[:UNASSIGNED_AT_ONCE]]]
