"""A problem as the engine sees it: fixed visits cut each engineer's day into parts, and only free jobs are left.

A part begins where the fixed visit before it ends (or at home) and ends where the next one begins. So no fixed visit
can be moved, whatever rule it breaks, and the engine knows neither pins nor overlaps.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from dispatch.planning.engine.routing_problem import (
    EngineerDay,
    Matrix,
    PlanBreak,
    PlanJob,
    PlanSpan,
    PlanVisit,
    RoutingProblem,
)
from dispatch.planning.engine.team_jobs import find_seconds


@dataclass(frozen=True)
class ShiftPart:
    """Free time of one engineer between two locations (indices into the model's matrices)."""

    engineer: int
    start_location: int
    end_location: int
    span: PlanSpan
    breaks: tuple[PlanBreak, ...]
    max_jobs: int | None


@dataclass(frozen=True)
class EngineModel:
    """`durations` are what a drive takes of the time, `costs` what it costs. `skills` of jobs and of engineers are
    numbers; a job that only some engineers may do has one of its own. `alone_skills`: of a job that one engineer does
    (see PlanJob). `seconds`: by job (index) the second engineer's part. `single_jobs`: those that are to be planned and
    that one engineer may do."""

    problem: RoutingProblem
    parts: tuple[ShiftPart, ...]
    durations: Matrix
    costs: Matrix
    job_skills: tuple[frozenset[int], ...]
    alone_skills: tuple[frozenset[int] | None, ...]
    engineer_skills: tuple[frozenset[int], ...]
    seconds: Mapping[int, int]
    single_jobs: tuple[int, ...]

    @cached_property
    def others(self) -> Mapping[int, int]:
        """Of each part of a team's job the other part."""
        return {**self.seconds, **{second: first for first, second in self.seconds.items()}}

    @cached_property
    def job_locations(self) -> NDArray[np.intp]:
        return np.array([job.location for job in self.problem.jobs], dtype=np.intp)

    @cached_property
    def priorities(self) -> NDArray[np.int64]:
        """What each job is worth; the second engineer's part is worth nothing of its own."""
        return np.array([0 if job.is_second else job.priority for job in self.problem.jobs], dtype=np.int64)

    @cached_property
    def reach(self) -> NDArray[np.bool_]:
        """`[part, job]`: whether the part could take this job, if it took no other and without its breaks."""
        return _reach(self)

    def part_cost(self, part: int, jobs: Iterable[int]) -> int:
        """Seconds of travel of a part with these jobs in order; an unused part costs nothing."""
        stops = [self.problem.jobs[job].location for job in jobs]
        if not stops:
            return 0
        stops = [self.parts[part].start_location, *stops, self.parts[part].end_location]
        return int(self.costs[stops[:-1], stops[1:]].sum())

    def part_of(self, visit: PlanVisit) -> int | None:
        """The part in which this visit lies."""
        span = PlanSpan(visit.start, visit.start + self.problem.jobs[visit.job].length_seconds)
        for number, part in enumerate(self.parts):
            if part.engineer == visit.engineer and part.span.contains(span):
                return number
        return None


def build_model(problem: RoutingProblem) -> EngineModel:
    durations, costs, homes = _matrices(problem)
    numbers = {skill: number for number, skill in enumerate(_all_skills(problem))}
    job_skills = [frozenset(numbers[skill] for skill in job.skills) for job in problem.jobs]
    alone_skills = tuple(
        None if job.alone_skills is None else frozenset(numbers[skill] for skill in job.alone_skills)
        for job in problem.jobs
    )
    engineer_skills = [
        {numbers[skill] for skill in engineer.skills & numbers.keys()} for engineer in problem.engineers
    ]
    for number, job in enumerate(problem.jobs):
        if job.engineers is not None and job.fixed is None:
            own = len(numbers) + number
            job_skills[number] |= {own}
            for engineer in job.engineers:
                engineer_skills[engineer].add(own)
    return EngineModel(
        problem=problem,
        parts=tuple(part for number in range(len(homes)) for part in _parts(problem, number, homes[number])),
        durations=durations,
        costs=costs,
        job_skills=tuple(job_skills),
        alone_skills=alone_skills,
        engineer_skills=tuple(map(frozenset, engineer_skills)),
        seconds=find_seconds(problem),
        single_jobs=tuple(
            number
            for number, job in enumerate(problem.jobs)
            if job.fixed is None and not job.is_second and job.alone_skills is not None
        ),
    )


def _all_skills(problem: RoutingProblem) -> list[str]:
    return sorted({skill for job in problem.jobs for skill in job.skills | (job.alone_skills or frozenset())})


def _matrices(problem: RoutingProblem) -> tuple[Matrix, Matrix, list[int]]:
    """Durations, costs and the home of each engineer in them: where commuting is no working time, each home is one
    more location from and to which drives cost but take no time, except that to a first visit of who is at home."""
    homes = [engineer.home for engineer in problem.engineers]
    if problem.is_commute_in_shift or not homes:
        return problem.travel_seconds, problem.travel_seconds, homes
    number = len(problem.travel_seconds)
    order = [*range(number), *homes]
    costs = problem.travel_seconds[np.ix_(order, order)]
    durations = costs.copy()
    is_untimed = [not problem.is_first_drive_timed(engineer) for engineer in range(len(homes))]
    durations[number:][is_untimed] = 0
    durations[:, number:] = 0
    return durations, costs, list(range(number, number + len(homes)))


@dataclass(frozen=True)
class _Block:
    """Fixed visits that leave no time between them: time, where they begin and where they end. `last_end` is when the
    last one ends, which is before the span's end where that was widened to the shift."""

    span: PlanSpan
    first_location: int
    last_location: int
    last_end: int
    visits: int


def _parts(problem: RoutingProblem, number: int, home: int) -> Iterator[ShiftPart]:
    engineer = problem.engineers[number]
    blocks = _blocks(problem, number)
    edges = [
        (engineer.shift.start, home),
        *(edge for block in blocks for edge in _edges(block)),
        (engineer.shift.end, home),
    ]
    spans = [
        (PlanSpan(start, end), here, there)
        for (start, here), (end, there) in zip(edges[::2], edges[1::2], strict=True)
        if start < end
    ]
    limits = _job_limits(engineer, [span for span, _here, _there in spans], blocks)
    breaks = _breaks_of_parts([span for span, _here, _there in spans], engineer.breaks)
    for (span, here, there), limit, pauses in zip(spans, limits, breaks, strict=True):
        if limit != 0:
            yield ShiftPart(number, here, there, span, pauses, limit)


def _edges(block: _Block) -> list[tuple[int, int]]:
    return [(block.span.start, block.first_location), (block.span.end, block.last_location)]


def _blocks(problem: RoutingProblem, number: int) -> list[_Block]:
    """The fixed visits of an engineer in order, those joined between which nobody could drive in time."""
    shift = problem.engineers[number].shift
    # of visits at the same time the first job's, as in plan_check: it says where the engineer comes from
    fixed = sorted(
        (job.fixed.span, index, job.location)
        for index, job in enumerate(problem.jobs)
        if job.fixed and job.fixed.engineer == number
    )
    blocks: list[_Block] = []
    for visit, _index, location in fixed:
        span = _widened(visit, shift)
        last = blocks[-1] if blocks else None
        travel_seconds = int(problem.travel_seconds[last.last_location, location]) if last else 0
        if last and span.start < last.span.end + travel_seconds:
            joined = PlanSpan(last.span.start, max(last.span.end, span.end))
            end, end_location = max(
                (last.last_end, last.last_location), (visit.end, location), key=itemgetter(0)
            )
            blocks[-1] = _Block(joined, last.first_location, end_location, end, last.visits + 1)
        else:
            blocks.append(_Block(span, location, location, visit.end, 1))
    return blocks


def _widened(span: PlanSpan, shift: PlanSpan) -> PlanSpan:
    """Time outside the shift between it and a visit is nobody's working time."""
    start = min(span.start, shift.end) if span.end > shift.end else span.start
    end = max(span.end, shift.start) if span.start < shift.start else span.end
    return PlanSpan(start, end)


def _job_limits(
    engineer: EngineerDay, spans: Sequence[PlanSpan], blocks: Sequence[_Block]
) -> list[int | None]:
    """How many jobs each part may have, by its length, so that the day keeps its limit."""
    if engineer.max_jobs is None or not spans:
        return [None] * len(spans)
    left = max(engineer.max_jobs - sum(block.visits for block in blocks), 0)
    total = sum(span.end - span.start for span in spans)
    limits = [left * (span.end - span.start) // total for span in spans]
    longest = max(range(len(spans)), key=lambda number: spans[number].end - spans[number].start)
    limits[longest] += left - sum(limits)
    return list(limits)


def _breaks_of_parts(spans: Sequence[PlanSpan], breaks: Iterable[PlanBreak]) -> list[tuple[PlanBreak, ...]]:
    """Each break in the part that leaves it most moments to begin; one that has none, or none after the breaks before
    it, is up to its engineer: VROOM takes no part whose breaks cannot all be kept."""
    found: list[list[PlanBreak]] = [[] for _ in spans]
    for pause in sorted(breaks):
        clipped = [_clipped(pause, span) for span in spans]
        best = max(range(len(spans)), key=lambda number: _moments(clipped[number]), default=None)
        if best is not None and _can_be_kept([*found[best], clipped[best]]):
            found[best].append(clipped[best])
    return [tuple(pauses) for pauses in found]


def _can_be_kept(pauses: Iterable[PlanBreak]) -> bool:
    """Whether one break after the other can begin in its time."""
    ended = 0
    for pause in pauses:
        begins = max(ended, pause.earliest)
        if begins > pause.latest:
            return False
        ended = begins + pause.length_seconds
    return True


def _clipped(pause: PlanBreak, span: PlanSpan) -> PlanBreak:
    latest = min(pause.latest, span.end - pause.length_seconds)
    return PlanBreak(max(pause.earliest, span.start), latest, pause.length_seconds)


def _moments(pause: PlanBreak) -> int:
    return pause.latest - pause.earliest


def _reach(model: EngineModel) -> NDArray[np.bool_]:
    jobs = model.problem.jobs
    if not jobs or not model.parts:
        return np.zeros((len(model.parts), len(jobs)), dtype=np.bool_)
    lengths = np.array([job.length_seconds for job in jobs], dtype=np.int64)
    firsts, lasts = _padded_windows(jobs)
    reach = _has_skills(model)
    for number, part in enumerate(model.parts):
        drive_seconds = model.durations[part.start_location, model.job_locations].astype(np.int64)
        earliest = part.span.start + drive_seconds
        latest = part.span.end - lengths - model.durations[model.job_locations, part.end_location]
        begins = np.maximum(earliest[:, None], firsts) <= np.minimum(latest[:, None], lasts)
        reach[number] &= begins.any(axis=1)
    reach[:, [job.fixed is not None for job in jobs]] = False
    return reach


def _padded_windows(jobs: Sequence[PlanJob]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """`[job, window]`: first and last start; a window that a job does not have ends before it begins."""
    most = max((len(job.start_windows) for job in jobs), default=0) or 1
    padded = [[*job.start_windows, *[(1, 0)] * (most - len(job.start_windows))] for job in jobs]
    windows = np.array(padded, dtype=np.int64)
    return windows[:, :, 0], windows[:, :, 1]


def _has_skills(model: EngineModel) -> NDArray[np.bool_]:
    """`[part, job]`: whether the part's engineer has every skill that the job needs."""
    has = np.ones((len(model.parts), len(model.job_skills)), dtype=np.bool_)
    for needed in set(model.job_skills):
        jobs = np.array([skills == needed for skills in model.job_skills])
        able = np.array([needed <= model.engineer_skills[part.engineer] for part in model.parts])
        has[:, jobs] = able[:, None]
    return has
