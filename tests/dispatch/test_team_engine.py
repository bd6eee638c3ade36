"""A job for a team of two in the engine: two engineers who begin together, or nobody."""

from dataclasses import replace

from dispatch.planning.engine.plan_check import list_breaches
from dispatch.planning.engine.routing_problem import FixedVisit, PlanJob, PlanVisit, RoutingProblem
from tests.dispatch.routing_problems import HOUR
from tests.dispatch.test_plan_engine import SHIFT, search, small_problem


def team_problem(*, engineers: int, alone_skills: frozenset[str] | None = None) -> RoutingProblem:
    problem = small_problem(jobs=1, engineers=engineers)
    first = replace(problem.jobs[0], key=1, alone_skills=alone_skills)
    return replace(problem, jobs=(first, replace(first, key=-1)))


def test_team_is_two_engineers_who_begin_together() -> None:
    problem = team_problem(engineers=2)

    first, second = search(problem).visits

    assert (first.job, second.job) == (0, 1)
    assert first.start == second.start
    assert first.engineer != second.engineer


def test_job_for_two_stays_unassigned_where_one_engineer_works() -> None:
    problem = team_problem(engineers=1)

    plan = search(problem)

    assert (plan.visits, plan.unassigned(problem)) == ((), [0])


def test_engineer_who_comes_with_a_second_person_goes_alone() -> None:
    problem = team_problem(engineers=1, alone_skills=frozenset({"team"}))
    engineer = replace(problem.engineers[0], skills=frozenset({"team"}))

    plan = search(replace(problem, engineers=(engineer,)))

    assert [visit.job for visit in plan.visits] == [0]


def test_team_moves_together_where_one_of_it_has_no_time() -> None:
    """The second of today's two is on another visit now: a third accompanies, and the job is done."""
    problem = team_problem(engineers=3)
    today = (PlanVisit(0, 0, 9 * HOUR), PlanVisit(1, 1, 9 * HOUR))
    fixed = PlanJob(9, 0, HOUR, (), fixed=FixedVisit(1, SHIFT))
    problem = replace(problem, jobs=(*problem.jobs, fixed), present=today)

    plan = search(problem, change_seconds=600)

    assert {visit.engineer for visit in plan.visits} == {0, 2}
    assert list_breaches(problem, plan) == []
