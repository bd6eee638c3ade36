"""One small problem solved by VROOM: some parts of shifts and the jobs that they may have.

VROOM assigns as much priority as it can and then drives as little as it can. It holds the interpreter's lock while it
works and keeps no time limit, so only processes that can be ended call this. Without a time limit of its own the
answer is the same each time.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from dispatch.planning.engine.engine_model import EngineModel
from dispatch.planning.engine.routing_problem import HIGHEST_PRIORITY, PlanBreak
from dispatch.planning.engine.vroom_import import Solution, VroomInputException, vroom

PROFILE = "car"
# how thoroughly VROOM searches (0 to 5): small problems, and a whole one that is solved in a single call
QUICKEST, THOROUGH = 0, 2
# above all numbers of skills: the skill that only this part has, for jobs that stay in it
PIN_SKILLS = 1_000_000


class RouteStop(NamedTuple):
    """A job (index) and when it begins."""

    job: int
    start: int


Routes = Mapping[int, tuple[RouteStop, ...]]
Starts = Mapping[int, Sequence[RouteStop]]
# when a team's job begins, of each part of it that two engineers are to do
TeamStarts = Mapping[int, int]
NONE: Mapping[int, int] = MappingProxyType({})


def solve(
    model: EngineModel,
    parts: Sequence[int],
    jobs: Sequence[int],
    *,
    level: int = QUICKEST,
    start: Starts = MappingProxyType({}),
    pins: Mapping[int, int] = NONE,
    team_starts: TeamStarts = NONE,
    kept_starts: Mapping[int, int] = NONE,
    known: "KnownRoutes | None" = None,
) -> Routes:
    """The routes of these parts (indices) with as many of these jobs as possible, those without a job left out. From
    the routes in `start`, which should break nothing, VROOM changes little; without them it makes its own.
    `pins`: by job the only part that may have it; `kept_starts`: the only moment at which it may begin. A job that is
    not in `team_starts` is for one engineer; of those that are, the answer may have one part only. `known`: kept by
    whoever asks again and again."""
    if not parts or not jobs:
        return {}
    asked = _Question(model, jobs, team_starts, pins, kept_starts)
    known = known or KnownRoutes()
    start = {
        part: stops for part, stops in start.items() if known.is_accepted(asked, part, stops) is not False
    }
    try:
        return _solve(asked, parts, level=level, start=start)
    except VroomInputException:
        if not start:
            raise
        # it refuses some routes in which a break fits only just; alone each of them says whether it is one
        accepted = {part: stops for part, stops in start.items() if known.check(asked, part, stops)}
        return _solve(asked, parts, level=level, start=accepted)


class _Question(NamedTuple):
    model: EngineModel
    jobs: Sequence[int]
    team_starts: TeamStarts
    pins: Mapping[int, int]
    kept_starts: Mapping[int, int]

    def alone(self, stops: Sequence[RouteStop]) -> "_Question":
        """With these stops only."""
        return self._replace(jobs=[stop.job for stop in stops], pins={})


class KnownRoutes:
    """Which routes VROOM accepts to begin from, of those of one model that were looked at."""

    def __init__(self) -> None:
        self._accepted: dict[Hashable, bool] = {}

    def is_accepted(self, asked: _Question, part: int, stops: Sequence[RouteStop]) -> bool | None:
        """None where nobody has looked."""
        return self._accepted.get(_key(asked, part, stops))

    def check(self, asked: _Question, part: int, stops: Sequence[RouteStop]) -> bool:
        """Look at the route, unless that was done."""
        key = _key(asked, part, stops)
        if key not in self._accepted:
            self._accepted[key] = _is_accepted(asked, part, stops)
        return self._accepted[key]


def _key(asked: _Question, part: int, stops: Sequence[RouteStop]) -> Hashable:
    return part, *((job, asked.kept_starts.get(job), asked.team_starts.get(job)) for job, _start in stops)


def _is_accepted(asked: _Question, part: int, stops: Sequence[RouteStop]) -> bool:
    try:
        _solve(asked.alone(stops), [part], level=QUICKEST, start={part: stops})
    except VroomInputException:
        return False
    return True


def _solve(asked: _Question, parts: Sequence[int], *, level: int, start: Starts) -> Routes:
    model = asked.model
    locations = _locations(model, parts, asked.jobs)
    number_of = {location: number for number, location in enumerate(locations)}
    problem = vroom.Input()
    for part in parts:
        problem.add_vehicle(_vehicle(asked, part, number_of, stops=start.get(part, ())))
    for job in asked.jobs:
        problem.add_job(_job(asked, job, number_of))
    problem.set_durations_matrix(PROFILE, model.durations[np.ix_(locations, locations)])
    if model.costs is not model.durations:
        problem.set_costs_matrix(PROFILE, model.costs[np.ix_(locations, locations)])
    return _routes(problem.solve(exploration_level=level, nb_threads=1))


def _locations(model: EngineModel, parts: Sequence[int], jobs: Sequence[int]) -> list[int]:
    ends = [(model.parts[part].start_location, model.parts[part].end_location) for part in parts]
    locations = {location for both in ends for location in both}
    return sorted(locations | {model.problem.jobs[job].location for job in jobs})


def _vehicle(
    asked: _Question, number: int, number_of: Mapping[int, int], *, stops: Sequence[RouteStop]
) -> vroom.Vehicle:
    model, part = asked.model, asked.model.parts[number]
    limit = {} if part.max_jobs is None else {"max_tasks": part.max_jobs}
    return vroom.Vehicle(
        number,
        start=number_of[part.start_location],
        end=number_of[part.end_location],
        profile=PROFILE,
        skills={*model.engineer_skills[part.engineer], PIN_SKILLS + number},
        time_window=vroom.TimeWindow(*part.span),
        breaks=_breaks(part.breaks),
        steps=_steps(stops),
        **limit,
    )


def _steps(stops: Sequence[RouteStop]) -> list[vroom.VehicleStep]:
    if not stops:
        return []
    jobs = [vroom.VehicleStep("single", stop.job) for stop in stops]
    return [vroom.VehicleStep("start"), *jobs, vroom.VehicleStep("end")]


def _breaks(breaks: Iterable[PlanBreak]) -> list[vroom.Break]:
    return [
        vroom.Break(
            number,
            time_windows=[vroom.TimeWindow(pause.earliest, pause.latest)],
            service=pause.length_seconds,
        )
        for number, pause in enumerate(breaks)
    ]


def _job(asked: _Question, number: int, number_of: Mapping[int, int]) -> vroom.Job:
    job, pin, start = asked.model.problem.jobs[number], asked.pins.get(number), asked.team_starts.get(number)
    skills = {*asked.model.job_skills[number], *([] if pin is None else [PIN_SKILLS + pin])}
    windows, priority = _merged(job.start_windows), job.priority
    if (kept_start := asked.kept_starts.get(number)) is not None:
        windows, priority = [(kept_start, kept_start)], HIGHEST_PRIORITY
    elif asked.kept_starts:
        # so that none of those is left out for one other job
        priority = min(priority, HIGHEST_PRIORITY - 1)
    if start is None:
        skills |= asked.model.alone_skills[number] or set()
    else:
        # each of two engineers brings one half of what the job is worth
        windows, priority = [(start, start)], (priority + 1) // 2
    return vroom.Job(
        number,
        location=number_of[job.location],
        default_service=job.length_seconds,
        skills=skills,
        priority=priority,
        time_windows=[vroom.TimeWindow(first, last) for first, last in windows],
    )


def _merged(windows: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """VROOM refuses a job whose windows touch."""
    merged: list[tuple[int, int]] = []
    for first, last in windows:
        if merged and first <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return merged


def _routes(solution: Solution) -> Routes:
    # `solution.routes` makes a table of pandas of these rows, which takes a tenth of a small problem's time
    rows = np.asarray(solution._routes_numpy())
    rows = rows[rows["type"] == b"job"]
    starts = rows["arrival"] + rows["waiting_time"]
    routes: dict[int, list[RouteStop]] = {}
    for part, job, start in zip(
        rows["vehicle_id"].tolist(), rows["id"].tolist(), starts.tolist(), strict=True
    ):
        routes.setdefault(part, []).append(RouteStop(job, start))
    return {part: tuple(stops) for part, stops in routes.items()}
