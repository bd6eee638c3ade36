"""The first plan of a region that is too large for one call: groups of neighbouring engineers with their jobs."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dispatch.planning.engine.engine_model import EngineModel
from dispatch.planning.engine.plan_routes import NOBODY

# VROOM takes a tenth of a second for so many with five jobs each
PARTS_IN_GROUP = 16
# of a job besides its own length: the drive to it, as long as nobody knows from where
DRIVE_SECONDS = 20 * 60
# more jobs than a group has time for: the search finds out which are worth it
OVERLOAD = 1.1


def split(model: EngineModel, part_of_job: NDArray[np.intp]) -> list[tuple[list[int], list[int]]]:
    """Groups of parts and of waiting jobs (indices): each part in one group, each job that is in no part and that
    somebody could do in one."""
    groups = _bisect(model, list(range(len(model.parts))))
    jobs: list[list[int]] = [[] for _ in groups]
    for job, group in _groups_of_jobs(model, groups, part_of_job):
        jobs[group].append(job)
    return [(parts, sorted(own)) for parts, own in zip(groups, jobs, strict=True)]


def _bisect(model: EngineModel, parts: list[int]) -> list[list[int]]:
    """Halves of halves, cut between the two parts that begin farthest from each other."""
    if len(parts) <= PARTS_IN_GROUP:
        return [parts] if parts else []
    starts = np.array([model.parts[part].start_location for part in parts])
    first = int(model.costs[starts[0], starts].argmax())
    second = int(model.costs[starts[first], starts].argmax())
    nearer = model.costs[starts[first], starts].astype(np.int64) - model.costs[starts[second], starts]
    order = np.argsort(nearer, kind="stable")
    half = len(parts) // 2
    return [
        *_bisect(model, sorted(parts[number] for number in order[:half])),
        *_bisect(model, sorted(parts[number] for number in order[half:])),
    ]


def _groups_of_jobs(
    model: EngineModel, groups: Sequence[Sequence[int]], part_of_job: NDArray[np.intp]
) -> list[tuple[int, int]]:
    """Each job that somebody can reach in the nearest group with time left, the most important jobs first."""
    distances = _distances(model, groups)
    left = [OVERLOAD * _free_seconds(model, group, part_of_job) for group in groups]
    is_waiting = (part_of_job == NOBODY) & np.isfinite(distances).any(axis=0)
    reached = [job for job in model.single_jobs if is_waiting[job]]
    found = []
    for job in sorted(reached, key=lambda job: (-int(model.priorities[job]), job)):
        nearest = np.argsort(distances[:, job], kind="stable")
        possible = [group for group in nearest if np.isfinite(distances[group, job])]
        group = int(next((group for group in possible if left[group] > 0), possible[0]))
        left[group] -= model.problem.jobs[job].length_seconds + DRIVE_SECONDS
        found.append((job, group))
    return found


def _free_seconds(model: EngineModel, group: Sequence[int], part_of_job: NDArray[np.intp]) -> int:
    total = sum(model.parts[part].span.end - model.parts[part].span.start for part in group)
    own = np.flatnonzero(np.isin(part_of_job, group))
    return total - sum(model.problem.jobs[job].length_seconds + DRIVE_SECONDS for job in own)


def _distances(model: EngineModel, groups: Sequence[Sequence[int]]) -> NDArray[np.float64]:
    """`[group, job]`: the shortest drive from a part's start, of those that could do the job; infinite without one."""
    distances = np.full((len(groups), len(model.problem.jobs)), np.inf)
    for number, group in enumerate(groups):
        starts = np.array([model.parts[part].start_location for part in group], dtype=np.intp)
        drives = model.costs[np.ix_(starts, model.job_locations)].astype(np.float64)
        drives[~model.reach[group]] = np.inf
        distances[number] = drives.min(axis=0)
    return distances
