"""The plan while it is searched: the routes of all parts, what they are worth, and which answers are better.

VROOM knows no two routes that meet, so a team's job begins at one moment that the neighbourhood says, in whichever two
parts; an answer with one engineer of two is not taken.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from dispatch.planning.engine.engine_model import EngineModel
from dispatch.planning.engine.part_times import PartTimes
from dispatch.planning.engine.routing_problem import PlanLimits, PlanVisit
from dispatch.planning.engine.vroom_solver import Routes, RouteStop, TeamStarts

NOBODY = -1


@dataclass(frozen=True)
class Neighbourhood:
    """Parts and jobs (indices) that are solved together; nobody else changes them meanwhile. `team_starts`: when each
    part of a team's job begins that is among the jobs, `teams_before`: when they did when it was chosen. `kept_starts`:
    when the others begin that are to keep their time, `pins`: by job the part in which it is to be. `focus`: near which
    job it was chosen."""

    parts: tuple[int, ...]
    jobs: tuple[int, ...]
    team_starts: TeamStarts = field(default_factory=dict)
    teams_before: Mapping[int, int | None] = field(default_factory=dict)
    kept_starts: Mapping[int, int] = field(default_factory=dict)
    pins: Mapping[int, int] = field(default_factory=dict)
    focus: int | None = None


class PlanRoutes:
    """The routes of all parts, and what they are worth together."""

    def __init__(self, model: EngineModel, limits: PlanLimits, *, present: Routes) -> None:
        """`present`: today's visits; with whom they are, and when, is what a change is measured by."""
        self.model = model
        self.limits = limits
        self.present = present
        self.unchanged = 0
        self.present_part = {stop.job: part for part, stops in present.items() for stop in stops}
        self.present_start = {stop.job: stop.start for stops in present.values() for stop in stops}
        self.routes: dict[int, tuple[RouteStop, ...]] = {}
        self.part_of_job = np.full(len(model.problem.jobs), NOBODY, dtype=np.intp)
        self.start_of_job: dict[int, int] = {}
        self.cost_of_part = np.zeros(len(model.parts), dtype=np.int64)
        self.value = 0

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

    def set_routes(self, parts: Collection[int], routes: Routes) -> None:
        """These routes instead of those that the parts have."""
        for part in parts:
            before = self.routes.pop(part, ())
            self.unchanged -= self._unchanged(part, before)
            for stop in before:
                self.part_of_job[stop.job] = NOBODY
                self.value -= int(self.model.priorities[stop.job])
            self.cost_of_part[part] = 0
        for part, stops in routes.items():
            self.routes[part] = stops
            self.unchanged += self._unchanged(part, stops)
            self.cost_of_part[part] = self._cost(part, stops)
            for stop in stops:
                self.part_of_job[stop.job] = part
                self.start_of_job[stop.job] = stop.start
                self.value += int(self.model.priorities[stop.job])

    def apply(
        self, neighbourhood: Neighbourhood, routes: Routes, *, least: tuple[int, int] | None = None
    ) -> bool:
        """Keep the routes if they are worth at least as much, or if the whole plan still has this score. Those of a
        neighbourhood that another one has changed since it was chosen may fit no more: then False."""
        if (
            not self._is_up_to_date(neighbourhood)
            or (whole := self._whole_teams(neighbourhood, routes)) is None
        ):
            return False
        keeps_all = neighbourhood.kept_starts.keys() <= {
            stop.job for stops in whole.values() for stop in stops
        }
        if keeps_all:
            self._apply_better(neighbourhood, self._near_today(neighbourhood, whole), least)
        return True

    def _apply_better(
        self, neighbourhood: Neighbourhood, routes: Routes, least: tuple[int, int] | None
    ) -> None:
        before = self._score_of(neighbourhood.parts, self.routes)
        after = self._score_of(neighbourhood.parts, routes)
        score = (self.score[0] + after[0] - before[0], self.score[1] + after[1] - before[1])
        if after >= before or (least is not None and score >= least):
            self.set_routes(neighbourhood.parts, routes)

    def score_with(self, neighbourhood: Neighbourhood, routes: Routes) -> tuple[int, int]:
        """How much higher the score is with an answer, which fits the plan as it is."""
        before = self._score_of(neighbourhood.parts, self.routes)
        after = self._score_of(neighbourhood.parts, self._near_today(neighbourhood, routes))
        return after[0] - before[0], after[1] - before[1]

    def _near_today(self, neighbourhood: Neighbourhood, routes: Routes) -> Routes:
        """The routes with as many visits as possible at the times of today, where these count."""
        if not self.limits.is_calm or not self.present:
            return routes
        teams = frozenset(neighbourhood.team_starts)
        return {part: self._times(part, stops, teams).near_today() for part, stops in routes.items()}

    def _times(self, part: int, stops: Sequence[RouteStop], teams: frozenset[int]) -> PartTimes:
        own = frozenset(stop.job for stop in stops if self._has_same_engineer(part, stop.job))
        return PartTimes(self.model, part, stops, self.present_start, own, teams)

    def _has_same_engineer(self, part: int, job: int) -> bool:
        """Whether the engineer of the part has this job today."""
        today = self.present_part.get(job)
        return today is not None and self.model.parts[today].engineer == self.model.parts[part].engineer

    def _is_unchanged(self, part: int, stop: RouteStop) -> bool:
        return self.present_start.get(stop.job) == stop.start and self._has_same_engineer(part, stop.job)

    def _unchanged(self, part: int, stops: Iterable[RouteStop]) -> int:
        """How many of these visits the same engineer has today, at the same time: whoever is called an hour earlier,
        or three hours later, is disturbed as well, and the seller is sent another message."""
        return sum(self._is_unchanged(part, stop) for stop in stops)

    def _cost(self, part: int, stops: Sequence[RouteStop]) -> int:
        """Travel, less what it is worth that visits stay with their engineers at their times."""
        travel = self.model.part_cost(part, [stop.job for stop in stops])
        weight = self.limits.change_seconds
        return travel - weight * self._unchanged(part, stops) if weight else travel

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
            stops = routes.get(part, ())
            value += sum(int(self.model.priorities[stop.job]) for stop in stops)
            cost += self._cost(part, stops)
        return value, -cost

    def is_with_same_engineer(self, job: int) -> bool:
        """Whether the engineer who has this job has it today."""
        part = int(self.part_of_job[job])
        return part != NOBODY and self._has_same_engineer(part, job)

    def is_as_today(self, job: int) -> bool:
        """Whether the same engineer has it today, at the same time."""
        part = int(self.part_of_job[job])
        return part != NOBODY and self._is_unchanged(part, RouteStop(job, self.start_of_job[job]))

    def is_changed(self, job: int) -> bool:
        """Whether a visit of today has another engineer or time."""
        is_assigned = self.part_of_job[job] != NOBODY
        return is_assigned and job in self.present_part and not self.is_as_today(job)

    def team_start(self, job: int) -> int | None:
        """When this part of a team's job begins; None where no two engineers are to do it."""
        second = job if self.model.problem.jobs[job].is_second else self.model.seconds.get(job)
        is_assigned = second is not None and self.part_of_job[second] != NOBODY
        return self.start_of_job[second] if second is not None and is_assigned else None
