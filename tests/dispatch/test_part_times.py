"""When the visits of a route begin: as many as possible at the times of today."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from dispatch.planning.engine.engine_model import build_model
from dispatch.planning.engine.part_times import PartTimes
from dispatch.planning.engine.routing_problem import EngineerDay, PlanBreak, PlanJob, PlanSpan, RoutingProblem
from dispatch.planning.engine.vroom_solver import RouteStop
from tests.dispatch.routing_problems import HOUR

DAY = ((0, 24 * HOUR),)


def problem_of(jobs: int, *, until: int = 24, breaks: tuple[PlanBreak, ...] = ()) -> RoutingProblem:
    """Jobs of an hour at one place, ten minutes from home."""
    return RoutingProblem(
        jobs=tuple(PlanJob(number + 1, 0, HOUR, DAY) for number in range(jobs)),
        engineers=(EngineerDay("0", 1, PlanSpan(0, until * HOUR), breaks),),
        travel_seconds=np.array([[0, 600], [600, 0]], dtype=np.uint32),
        is_commute_in_shift=False,
    )


def hours(
    problem: RoutingProblem,
    today: dict[int, float],
    *,
    own: set[int] | None = None,
    held: frozenset[int] = frozenset(),
) -> list[float]:
    """When the jobs begin, in their order. `today`: by job when, `own`: those that the engineer has today."""
    # as VROOM has them: each as early as it can be
    stops = [RouteStop(number, number * HOUR) for number in range(len(problem.jobs))]
    wanted = {job: int(hour * HOUR) for job, hour in today.items()}
    times = PartTimes(build_model(problem), 0, stops, wanted, frozenset(today if own is None else own), held)
    found = times.near_today()
    assert [stop.job for stop in found] == [stop.job for stop in stops]
    return [stop.start / HOUR for stop in found]


@pytest.mark.parametrize(("today", "number"), [([1, 2.5, 4], 3), ([4, 1, 3], 2), ([5, 5.5, 6], 1)])
def test_as_many_visits_as_possible_keep_their_times(today: list[float], number: int) -> None:
    starts = hours(problem_of(len(today)), dict(enumerate(today)))

    assert sum(start == before for start, before in zip(starts, today, strict=True)) == number
    assert all(later - earlier >= 1 for earlier, later in pairwise(starts))


def test_others_begin_as_near_to_their_times_as_those_that_are_kept_leave_them() -> None:
    assert hours(problem_of(3), {0: 9, 1: 5, 2: 7}) == [4, 5, 7]


def test_visits_of_a_colleague_give_way_to_those_that_can_stay() -> None:
    assert hours(problem_of(2), {0: 9, 1: 5}, own={1}) == [4, 5]
    assert hours(problem_of(2), {0: 9, 1: 5}, own={0}) == [9, 10]


def test_visit_that_would_keep_the_last_one_from_its_shift_does_not_keep_its_time() -> None:
    assert hours(problem_of(2, until=10), {0: 9}) == [8, 9]


def test_team_begins_when_the_route_has_it() -> None:
    assert hours(problem_of(3), {0: 4, 2: 4}, held=frozenset({1})) == [0, 1, 4]


def test_route_stays_where_a_break_would_not_fit() -> None:
    noon = PlanBreak(12 * HOUR, 12 * HOUR, HOUR)

    assert hours(problem_of(2, breaks=(noon,)), {0: 11.5, 1: 13}) == [0, 1]
    assert hours(problem_of(2, breaks=(noon,)), {0: 11, 1: 13}) == [11, 13]


def test_windows_are_kept() -> None:
    problem = problem_of(2)
    evening = replace(problem.jobs[1], start_windows=((1 * HOUR, 2 * HOUR), (18 * HOUR, 19 * HOUR)))
    problem = replace(problem, jobs=(problem.jobs[0], evening))

    assert hours(problem, {0: 4}) == [4, 18]
