"""Which part of a plan is solved again next, and what of it is kept.

A neighbourhood is a few parts of shifts that lie together, their jobs and some unassigned ones near them. Choices
depend on the seed and on what was applied before, never on the clock.
"""

from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dispatch.planning.engine.engine_model import EngineModel
from dispatch.planning.engine.plan_routes import NOBODY, Neighbourhood, PlanRoutes
from dispatch.planning.engine.routing_problem import PlanLimits
from dispatch.planning.engine.vroom_solver import Routes, TeamStarts

UNASSIGNED_AT_ONCE = 12
# more often than not near an unassigned job
NEAR_UNASSIGNED = 0.65
# solved together, unless a search wants others: more are thorough, fewer are quick
FEWEST_PARTS, MOST_PARTS = 4, 6
# between two moments at which a team's job could begin
TEAM_STEP_SECONDS = 1800
# of a team's job that one engineer could do as well: how often that is tried
TRY_ALONE = 0.3


class PlanState(PlanRoutes):
    """A plan from which neighbourhoods are chosen."""

    def __init__(self, model: EngineModel, limits: PlanLimits, *, present: Routes) -> None:
        """As that of PlanRoutes."""
        super().__init__(model, limits, present=present)
        self.random = np.random.default_rng(limits.seed)
        few = min(max(len(model.parts) // 5, FEWEST_PARTS), MOST_PARTS)
        self.parts_at_once = limits.parts_at_once or few
        self.starts = np.array([part.start_location for part in model.parts], dtype=np.intp)
        is_possible: NDArray[np.bool_] = np.zeros(len(self.part_of_job), dtype=np.bool_)
        if len(model.parts):
            is_possible |= model.reach.any(axis=0)
        # they follow the first engineer's part
        is_possible[list(model.seconds.values())] = False
        # nobody could do the others, whatever the plan
        self.possible_jobs = np.flatnonzero(is_possible)
        self.focus_jobs = self._focus_jobs()

    def _focus_jobs(self) -> NDArray[np.intp]:
        """The possible jobs near which the plan is changed."""
        if self.limits.focus is None:
            return self.possible_jobs
        return self.possible_jobs[np.isin(self.possible_jobs, list(self.limits.focus))]

    def copy(self) -> "PlanState":
        """The same plan from the same seed."""
        same = PlanState(self.model, self.limits, present=self.present)
        same.set_routes((), self.routes)
        return same

    def keeping_times(self, neighbourhood: Neighbourhood) -> Neighbourhood:
        """The same, with the visits that are as today at their times, whoever has them then."""
        kept_starts = {job: self.present_start[job] for job in neighbourhood.jobs if self.is_as_today(job)}
        return replace(neighbourhood, kept_starts=kept_starts)

    def question_key(self, neighbourhood: Neighbourhood) -> Hashable:
        """The same for the same question about the same routes."""
        routes = tuple(self.routes.get(part) for part in neighbourhood.parts)
        starts, teams = neighbourhood.kept_starts.items(), neighbourhood.team_starts.items()
        return neighbourhood.parts, neighbourhood.jobs, tuple(starts), tuple(teams), routes

    def changed_jobs(self) -> list[int]:
        """Those of today that have another engineer or time, the first visit of today first."""
        changed = [job for job in self.present_part if self.is_changed(job)]
        return sorted(changed, key=lambda job: (self.present_start[job], job))

    def one_by_one(self, job: int) -> list[Neighbourhood]:
        """Each of the nearest parts that could take the job, alone with it."""
        drives = self.model.costs[self.model.problem.jobs[job].location]
        parts = self._nearest_parts(drives, focus=job, busy=())
        waiting = self._for_one([job])
        return [self.group([part], waiting) for part in parts if waiting and self.model.reach[part, job]]

    def back_as_today(self, job: int) -> Neighbourhood:
        """In which this job, and the other part of a team's, has its engineer and time of today; what else is in the
        way finds another time, or another engineer of these."""
        team = [part for part in (job, self.model.others.get(job)) if part in self.present_part]
        pins = {part: self.present_part[part] for part in team}
        parts = {*pins.values(), *(int(self.part_of_job[part]) for part in team)} - {NOBODY}
        starts = {part: self.present_start[part] for part in team}
        found = self._neighbourhood(
            parts, [*self._jobs_of(parts), *team], new_starts=starts if len(team) > 1 else {}
        )
        found = self.keeping_times(found)
        return replace(found, kept_starts={**found.kept_starts, **starts}, pins=pins)

    def waiting_jobs(self) -> list[int]:
        """Those that somebody could take, the most important first."""
        return sorted(self._waiting().tolist(), key=lambda job: (-int(self.model.priorities[job]), job))

    def _waiting(self) -> NDArray[np.intp]:
        waiting: NDArray[np.intp] = self.focus_jobs[self.part_of_job[self.focus_jobs] == NOBODY]
        return waiting

    def possible_team_starts(self, job: int) -> list[int]:
        """When two engineers could begin this job."""
        windows = self.model.problem.jobs[job].start_windows if job in self.model.seconds else ()
        return [start for first, last in windows for start in range(first, last + 1, TEAM_STEP_SECONDS)]

    def everything(self) -> Neighbourhood:
        """All parts, and all jobs that somebody could do."""
        waiting = self.possible_jobs[self.part_of_job[self.possible_jobs] == NOBODY]
        return self.group(range(len(self.model.parts)), self._for_one(waiting))

    def group(self, parts: Collection[int], waiting: Iterable[int]) -> Neighbourhood:
        """These parts with the jobs that they have, and with these others."""
        return self._neighbourhood(parts, [*self._jobs_of(parts), *waiting])

    def _jobs_of(self, parts: Iterable[int]) -> list[int]:
        return [stop.job for part in parts for stop in self.routes.get(part, ())]

    def _neighbourhood(
        self, parts: Iterable[int], jobs: Iterable[int], *, new_starts: TeamStarts | None = None
    ) -> Neighbourhood:
        chosen = tuple(sorted({*jobs, *(new_starts or {})}))
        before = {job: self.team_start(job) for job in chosen if job in self.model.others}
        starts = {job: start for job, start in before.items() if start is not None} | dict(new_starts or {})
        return Neighbourhood(tuple(sorted(parts)), chosen, starts, before)

    def choose(
        self, busy: Sequence[Neighbourhood], *, focus: int | None = None, team_start: int | None = None
    ) -> Neighbourhood | None:
        """The next one, apart from those that are being solved, near the job `focus` or a chosen one; None when there
        is nothing to choose from. `team_start`: when two engineers are to begin the job `focus`."""
        busy_parts = {part for other in busy for part in other.parts}
        busy_jobs = {job for other in busy for job in other.jobs}
        focus = self._focus(busy_jobs) if focus is None else focus
        if focus is None:
            return None
        drives = self.model.costs[self.model.problem.jobs[focus].location]
        parts = self._nearest_parts(drives, focus=focus, busy=busy_parts)
        new_starts = self._new_team_starts(focus, team_start)
        with_team = {*parts, *(int(self.part_of_job[job]) for job in new_starts)} - {NOBODY}
        if with_team & busy_parts or new_starts.keys() & busy_jobs:
            new_starts = {}
        else:
            parts = sorted(with_team)
        waiting = self._nearest_unassigned(drives, parts=parts, busy=busy_jobs)
        jobs = [*self._jobs_of(parts), *waiting]
        found = self._neighbourhood(parts, jobs, new_starts=new_starts)
        return replace(found, focus=focus) if parts else None

    def _new_team_starts(self, job: int, start: int | None) -> TeamStarts:
        """Of both parts of a team's job; none for another job, and where one engineer is to be tried."""
        starts = self.possible_team_starts(job)
        if start is None and starts:
            is_for_one = self.model.alone_skills[job] is not None and self.team_start(job) is None
            draw = self.random.random()
            start = None if is_for_one and draw < TRY_ALONE else int(self.random.choice(starts))
        return {} if start is None else {job: start, self.model.seconds[job]: start}

    def _for_one(self, jobs: Iterable[int]) -> list[int]:
        return [int(job) for job in jobs if self.model.alone_skills[job] is not None]

    def _focus(self, busy: Collection[int]) -> int | None:
        """A job near which to look."""
        free = self.focus_jobs[~np.isin(self.focus_jobs, list(busy))]
        if not len(free):
            return None
        waiting = free[self.part_of_job[free] == NOBODY]
        is_near_unassigned = len(waiting) > 0 and self.random.random() < NEAR_UNASSIGNED
        return int(self.random.choice(waiting if is_near_unassigned else free))

    def _nearest_parts(self, drives: NDArray[np.uint32], *, focus: int, busy: Collection[int]) -> list[int]:
        """Those with a stop or their start nearest to the focus; its own part, or one that could take it, is first."""
        near = drives[self.starts].astype(np.float64)
        assigned = np.flatnonzero(self.part_of_job != NOBODY)
        stops = drives[self.model.job_locations[assigned]].astype(np.float64)
        np.minimum.at(near, self.part_of_job[assigned], stops)
        near[list(busy)] = np.inf
        if self.part_of_job[focus] == NOBODY:
            near[~self.model.reach[:, focus]] += near[np.isfinite(near)].max(initial=0) / 2
        nearest = np.argsort(near, kind="stable")[: self.parts_at_once]
        return [int(part) for part in nearest if np.isfinite(near[part])]

    def _nearest_unassigned(
        self, drives: NDArray[np.uint32], *, parts: Sequence[int], busy: Collection[int]
    ) -> list[int]:
        waiting = self._waiting()
        waiting = waiting[self.model.reach[np.ix_(np.array(parts), waiting)].any(axis=0)]
        waiting = waiting[~np.isin(waiting, list(busy))]
        order = np.argsort(drives[self.model.job_locations[waiting]], kind="stable")
        return self._for_one(waiting[order])[:UNASSIGNED_AT_ONCE]
