"""The plan while it is searched: a choice of what is solved again next, and what of it is kept.

A neighbourhood is a few parts of shifts that lie together, their jobs and some unassigned ones near them. Choices
depend on the seed and on what was applied before, never on the clock.

VROOM knows no two routes that meet, so a team's job begins at one moment that the neighbourhood says, in whichever two
parts; that moment is chosen here, and an answer with one engineer of two is not taken.
"""

from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dispatch.planning.engine.engine_model import EngineModel
from dispatch.planning.engine.plan_problem import PlanLimits, PlanVisit
from dispatch.planning.engine.vroom_solver import Routes, RouteStop, TeamStarts

UNASSIGNED_AT_ONCE = 12
# more often than not near an unassigned job
NEAR_UNASSIGNED = 0.65
NOBODY = -1
# solved together, unless a search wants others: more are thorough, fewer are quick
FEWEST_PARTS, MOST_PARTS = 4, 6
# between two moments at which a team's job could begin
TEAM_STEP_SECONDS = 1800
# of a team's job that one engineer could do as well: how often that is tried
TRY_ALONE = 0.3


@dataclass(frozen=True)
class Neighbourhood:
    """Parts and jobs (indices) that are solved together; nobody else changes them meanwhile. `team_starts`: when each
    part of a team's job begins that is among the jobs, `teams_before`: when they did when it was chosen."""

    parts: tuple[int, ...]
    jobs: tuple[int, ...]
    team_starts: TeamStarts = field(default_factory=dict)
    teams_before: Mapping[int, int | None] = field(default_factory=dict)


class PlanState:
    """The routes of all parts, and what they are worth together."""

    def __init__(self, model: EngineModel, limits: PlanLimits, *, present: Routes) -> None:
        """`present`: today's visits; with whom they are is what a change is measured by."""
        self.model = model
        self.limits = limits
        self.present = present
        self.random = np.random.default_rng(limits.seed)
        self.unchanged = 0
        few = min(max(len(model.parts) // 5, FEWEST_PARTS), MOST_PARTS)
        self.parts_at_once = limits.parts_at_once or few
        self.present_engineer = np.full(len(model.problem.jobs), NOBODY, dtype=np.intp)
        self.present_start = np.zeros(len(model.problem.jobs), dtype=np.int64)
        for part, stops in present.items():
            self.present_engineer[[stop.job for stop in stops]] = model.parts[part].engineer
            self.present_start[[stop.job for stop in stops]] = [stop.start for stop in stops]
        self.routes: dict[int, tuple[RouteStop, ...]] = {}
        self.part_of_job = np.full(len(model.problem.jobs), NOBODY, dtype=np.intp)
        self.start_of_job: dict[int, int] = {}
        self.cost_of_part = np.zeros(len(model.parts), dtype=np.int64)
        self.value = 0
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
                self.start_of_job[stop.job] = stop.start
                self.value += int(self.model.priorities[stop.job])

    def apply(
        self, neighbourhood: Neighbourhood, routes: Routes, *, least: tuple[int, int] | None = None
    ) -> None:
        """Keep the routes if they are worth at least as much, or if the whole plan still has this score. Those of a
        neighbourhood that another one has changed since it was chosen may fit no more."""
        whole = self._whole_teams(neighbourhood, routes) if self._is_up_to_date(neighbourhood) else None
        if whole is None:
            return
        before = self._score_of(neighbourhood.parts, self.routes)
        after = self._score_of(neighbourhood.parts, whole)
        score = (self.score[0] + after[0] - before[0], self.score[1] + after[1] - before[1])
        if after >= before or (least is not None and score >= least):
            self.set_routes(neighbourhood.parts, whole)

    def _unchanged(self, part: int, jobs: Sequence[int]) -> int:
        """How many of these jobs the same engineer has today, in the same order: whoever is called an hour earlier, or
        three hours later, is disturbed as well."""
        engineer = self.model.parts[part].engineer
        own = [int(self.present_start[job]) for job in jobs if self.present_engineer[job] == engineer]
        return longest_in_order(own)

    def _cost(self, part: int, jobs: Sequence[int]) -> int:
        """Travel, less what it is worth that visits stay with their engineers."""
        return self.model.part_cost(part, jobs) - self.limits.change_seconds * self._unchanged(part, jobs)

    def _is_up_to_date(self, neighbourhood: Neighbourhood) -> bool:
        """Whether its parts have no other jobs by now, and its jobs are in no other part."""
        parts, jobs = {*neighbourhood.parts, NOBODY}, {*neighbourhood.jobs}
        has_own = all(stop.job in jobs for part in neighbourhood.parts for stop in self.routes.get(part, ()))
        has_teams = all(self.team_start(job) == start for job, start in neighbourhood.teams_before.items())
        return has_own and has_teams and {*self.part_of_job[list(jobs)].tolist()} <= parts

    def _whole_teams(self, neighbourhood: Neighbourhood, routes: Routes) -> Routes | None:
        """The routes without those who would wait for their second engineer; None where an engineer outside would."""
        jobs, others = {*neighbourhood.jobs}, self.model.others
        placed = {stop.job for stops in routes.values() for stop in stops}
        if any(job not in placed and others[job] not in jobs for job in neighbourhood.team_starts):
            return None
        waits = {
            job
            for job in neighbourhood.team_starts
            if job in placed and others[job] in jobs and others[job] not in placed
        }
        if not waits:
            return routes
        remaining = {
            part: tuple(stop for stop in stops if stop.job not in waits) for part, stops in routes.items()
        }
        return {part: stops for part, stops in remaining.items() if stops}

    def _score_of(self, parts: Iterable[int], routes: Routes) -> tuple[int, int]:
        value = cost = 0
        for part in parts:
            jobs = [stop.job for stop in routes.get(part, ())]
            value += sum(int(self.model.priorities[job]) for job in jobs)
            cost += self._cost(part, jobs)
        return value, -cost

    def is_as_today(self, job: int) -> bool:
        """Whether the engineer who has this job has it today."""
        part = self.part_of_job[job]
        return bool(part != NOBODY and self.model.parts[part].engineer == self.present_engineer[job])

    def waiting_jobs(self) -> list[int]:
        """Those that somebody could take, the most important first."""
        return sorted(self._waiting().tolist(), key=lambda job: (-int(self.model.priorities[job]), job))

    def _waiting(self) -> NDArray[np.intp]:
        waiting: NDArray[np.intp] = self.focus_jobs[self.part_of_job[self.focus_jobs] == NOBODY]
        return waiting

    def team_start(self, job: int) -> int | None:
        """When this part of a team's job begins; None where no two engineers are to do it."""
        second = job if self.model.problem.jobs[job].is_second else self.model.seconds.get(job)
        is_assigned = second is not None and self.part_of_job[second] != NOBODY
        return self.start_of_job[second] if second is not None and is_assigned else None

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
        return self._neighbourhood(parts, jobs, new_starts=new_starts) if parts else None

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


def longest_in_order(starts: Iterable[int]) -> int:
    """How many of these moments can be had without one that is earlier than the one before it."""
    # the earliest moment at which so many in order can end
    ends: list[int] = []
    for start in starts:
        number = bisect_right(ends, start)
        ends[number : number + 1] = [start]
    return len(ends)
