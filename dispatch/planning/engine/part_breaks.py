"""Whether the breaks of a part of a shift fit between its visits."""

from collections.abc import Iterator, Sequence

from dispatch.planning.engine.engine_model import EngineModel
from dispatch.planning.engine.plan_check import Gap, breaks_fit
from dispatch.planning.engine.routing_problem import PlanSpan

# job (index) and when it begins
Stops = Sequence[tuple[int, int]]


def has_time_for_breaks(model: EngineModel, part: int, stops: Stops) -> bool:
    """Whether the breaks of the part (index) fit between these visits."""
    breaks = model.parts[part].breaks
    return not breaks or breaks_fit([*_gaps(model, part, stops)], breaks)


def _gaps(model: EngineModel, number: int, stops: Stops) -> Iterator[Gap]:
    part, jobs = model.parts[number], model.problem.jobs
    free_at, location = part.span.start, part.start_location
    for job, start in stops:
        drive = int(model.durations[location, jobs[job].location])
        yield Gap(PlanSpan(free_at, start), drive, is_fixed=False)
        free_at, location = start + jobs[job].length_seconds, jobs[job].location
    drive = int(model.durations[location, part.end_location])
    yield Gap(PlanSpan(free_at, part.span.end), drive, is_fixed=False)
