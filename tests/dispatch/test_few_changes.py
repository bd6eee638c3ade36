"""A plan that keeps most of the visits of today assigns about as much as a new one."""

from dataclasses import replace

import pytest

from dispatch.planning.engine.engine_model import build_model
from dispatch.planning.engine.plan_search import PlanSearch
from dispatch.planning.engine.plan_value import plan_value
from dispatch.planning.engine.routing_problem import Plan, PlanLimits, PlanProgress, RoutingProblem
from dispatch.planning.reason_codes import EndedBy
from tests.bench.plan_greedy import greedy_plan
from tests.bench.plan_instances import make_instance

HALF_HOUR = 1800


def search(problem: RoutingProblem, *, change_seconds: int = 0) -> Plan:
    """Bounded by work, not by time."""
    reports: list[PlanProgress] = []
    limits = PlanLimits(600, neighbourhoods=30, processes=1, change_seconds=change_seconds)
    PlanSearch(build_model(problem), limits, reports.append).run()
    return reports[-1].plan


@pytest.mark.parametrize("present", [1, 16])
def test_few_changes_assign_nearly_as_much_as_a_new_plan(present: int) -> None:
    problem = make_instance(8, 40, seed=3)
    new = search(problem)

    few = search(replace(problem, present=new.visits[:present]), change_seconds=HALF_HOUR)

    percent = plan_value(problem, few).percent
    assert percent >= plan_value(problem, new).percent - 1
    assert percent >= plan_value(problem, greedy_plan(problem)).percent


def test_nobody_is_asked_where_no_job_waits() -> None:
    problem = make_instance(40, 40, seed=3)
    done = search(problem)
    assert not done.unassigned(problem)
    reports: list[PlanProgress] = []
    # no time for an answer: the first question ends the search
    limits = PlanLimits(0, neighbourhoods=0, processes=1, change_seconds=HALF_HOUR)

    PlanSearch(build_model(replace(problem, present=done.visits)), limits, reports.append).run()

    assert reports[-1].plan.ended_by == EndedBy.WORK
