"""The largest value that any plan can assign; `make bench` prints it where a goal is above it."""

from dispatch.planning.engine.plan_value import plan_value
from dispatch.planning.engine.routing_problem import PlanLimits
from dispatch.planning.plan_runner import run_engine
from tests.bench.plan_bounds import most_percent
from tests.bench.plan_instances import make_instance


def test_day_with_enough_time_may_hold_everything() -> None:
    assert most_percent(make_instance(10, 20, seed=1)) == 100


def test_plan_of_a_day_with_too_much_work_is_worth_less_than_the_most() -> None:
    problem = make_instance(5, 60, seed=1)

    most = most_percent(problem)

    assert plan_value(problem, run_engine(problem, PlanLimits(60, neighbourhoods=20))).percent < most < 90


def test_goal_of_150_engineers_and_900_jobs_is_above_what_fits_into_their_shifts() -> None:
    """97.5 % (docs/numbers.md): the jobs' lengths alone are 1,588 hours, the shifts without breaks 1,425."""
    problem = make_instance(150, 900, seed=1)

    assert sum(job.length_seconds for job in problem.jobs) > 150 * 9.5 * 3600
    assert most_percent(problem) < 94.2
