"""Three options to change a day that is under way, from the one that disturbs the fewest people to the one that may
move everybody: how the engine is to look for each."""

from collections.abc import Collection
from dataclasses import replace

from dispatch.planning.engine.routing_problem import PlanLimits

# small problems for each job that looks for an engineer; more of them find the same again
NEIGHBOURHOODS_PER_JOB, MOST_NEIGHBOURHOODS = 3, 60
# takes half a second with 60 engineers
NEIGHBOURHOODS_FOR_ALL = 30
NEAREST_PARTS, WIDER_PARTS = 8, 24


def plan_options(
    focus: Collection[int], change_minutes: tuple[int, int, int], *, seconds: float
) -> tuple[PlanLimits, PlanLimits, PlanLimits]:
    """For the jobs (indices) that need an engineer: among the nearest engineers, in a wider circle, and everywhere,
    with all unassigned jobs and every visit that is neither pinned nor begun; each in so many `seconds` at most. The
    first two leave other unassigned jobs as they are. `change_minutes`: of driving that a change must save, by
    option."""
    for_nearest, for_wider, for_everybody = (60 * minutes for minutes in change_minutes)
    nearest = PlanLimits(
        seconds,
        neighbourhoods=min(NEIGHBOURHOODS_PER_JOB * len(focus), MOST_NEIGHBOURHOODS),
        change_seconds=for_nearest,
        focus=frozenset(focus),
        parts_at_once=NEAREST_PARTS,
    )
    wider = replace(nearest, parts_at_once=WIDER_PARTS, change_seconds=for_wider)
    everybody = replace(
        nearest, neighbourhoods=NEIGHBOURHOODS_FOR_ALL, change_seconds=for_everybody, focus=None
    )
    return nearest, wider, everybody
