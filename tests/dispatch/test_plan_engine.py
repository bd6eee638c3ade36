"""No plan adds a breach, whatever the problem; the engine keeps its time, and its process may crash or hang."""

import sys
import threading
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from dispatch.planning import plan_runner
from dispatch.planning.engine.engine_model import build_model
from dispatch.planning.engine.plan_check import list_breaches, without_breaches
from dispatch.planning.engine.plan_progress import progress_line
from dispatch.planning.engine.plan_search import PlanSearch
from dispatch.planning.engine.plan_value import plan_value
from dispatch.planning.engine.routing_problem import (
    EngineerDay,
    EngineRequest,
    FixedVisit,
    InvalidProblem,
    Plan,
    PlanBreak,
    PlanJob,
    PlanLimits,
    PlanProgress,
    PlanSpan,
    PlanVisit,
    RoutingProblem,
)
from dispatch.planning.plan_runner import EngineFailed, EngineProcess, run_engine, run_options
from dispatch.planning.reason_codes import EndedBy
from tests.bench.plan_instances import make_instance
from tests.dispatch.routing_problems import HOUR, plan_problems

SHIFT = PlanSpan(8 * HOUR, 18 * HOUR)
MORNING = ((8 * HOUR, 12 * HOUR),)


QUARTER = HOUR // 4


def search(problem: RoutingProblem, *, neighbourhoods: int = 4, **limits_of: int) -> Plan:
    """In this process, to its end."""
    reports: list[PlanProgress] = []
    limits = PlanLimits(60, neighbourhoods, **{"processes": 1, **limits_of})  # type: ignore[arg-type]
    PlanSearch(build_model(problem), limits, reports.append).run()
    return reports[-1].plan


def small_problem(*, jobs: int = 2, engineers: int = 1) -> RoutingProblem:
    return RoutingProblem(
        jobs=tuple(PlanJob(number, 0, HOUR, MORNING) for number in range(jobs)),
        engineers=tuple(EngineerDay(str(number), 1, SHIFT) for number in range(engineers)),
        travel_seconds=np.array([[0, 600], [600, 0]], dtype=np.uint32),
    )


@settings(max_examples=60)
@given(plan_problems())
def test_engine_adds_no_breach(problem: RoutingProblem) -> None:
    problem.validate()

    plan = search(problem)

    assert list_breaches(problem, plan) == []
    assert {visit.job for visit in plan.visits} <= {
        number for number, job in enumerate(problem.jobs) if job.fixed is None
    }


@settings(max_examples=60)
@given(plan_problems())
def test_calm_engine_adds_no_breach(problem: RoutingProblem) -> None:
    plan = search(problem, change_seconds=600)

    assert list_breaches(problem, plan) == []


def test_two_breaks_of_the_same_moment_leave_a_plan() -> None:
    noon = PlanBreak(12 * HOUR, 12 * HOUR, 900)
    engineer = EngineerDay("0", 1, SHIFT, breaks=(noon, noon))
    problem = replace(small_problem(), engineers=(engineer,))

    plan = search(problem)

    assert {visit.job for visit in plan.visits} == {0, 1}
    assert list_breaches(problem, plan) == []


@pytest.mark.parametrize("locations", [(1, 2), (2, 1)])
def test_of_two_fixed_visits_at_once_the_first_says_where_the_engineer_is(locations: tuple[int, int]) -> None:
    nine = FixedVisit(0, PlanSpan(9 * HOUR, 10 * HOUR))
    fixed = [
        PlanJob(number, location, HOUR, MORNING, fixed=nine) for number, location in enumerate(locations)
    ]
    problem = RoutingProblem(
        jobs=(*fixed, PlanJob(2, 1, HOUR, ((10 * HOUR, 16 * HOUR),))),
        engineers=(EngineerDay("0", 0, SHIFT),),
        travel_seconds=np.array([[0, 0, 0], [0, 0, 0], [0, 3 * HOUR, 0]], dtype=np.uint32),
    )

    plan = search(problem)

    assert list_breaches(problem, plan) == []
    assert [visit.start for visit in plan.visits] == [10 * HOUR if locations[0] == 1 else 13 * HOUR]


@settings(max_examples=100)
@given(plan_problems())
def test_present_plan_without_its_breaches_has_none(problem: RoutingProblem) -> None:
    plan = without_breaches(problem, Plan(problem.present))

    assert list_breaches(problem, plan) == []
    assert {*plan.visits} <= {*problem.present}


@settings(max_examples=15)
@given(plan_problems())
def test_same_input_and_seed_give_the_same_plan_with_any_number_of_processes(problem: RoutingProblem) -> None:
    assert search(problem, processes=1) == search(problem, processes=2)


def test_plan_is_the_same_again_and_in_another_process() -> None:
    problem = make_instance(30, 120, seed=1)

    plans = [run_engine(problem, PlanLimits(60, neighbourhoods=20, processes=number)) for number in (1, 2)]

    assert plans[0] == plans[1] == search(problem, neighbourhoods=20)
    assert plans[0].ended_by == EndedBy.WORK
    assert plan_value(problem, plans[0]).percent > 90
    assert list_breaches(problem, plans[0]) == []


def test_plan_that_the_time_limit_ended_says_so() -> None:
    problem = make_instance(60, 300, seed=1)

    plan = run_engine(problem, PlanLimits(5))

    assert plan.ended_by == EndedBy.TIME_LIMIT
    assert list_breaches(problem, plan) == []


def test_small_day_is_searched_through_before_its_time() -> None:
    """And is the same again with as many neighbourhoods."""
    problem = make_instance(3, 8, seed=1)
    whole = run_engine(problem, PlanLimits(60))

    assert (whole.ended_by, whole.neighbourhoods > 0) == (EndedBy.WORK, True)
    assert search(problem, neighbourhoods=whole.neighbourhoods).visits == whole.visits


def test_best_plan_is_there_while_the_engine_works_and_when_it_is_stopped() -> None:
    problem = make_instance(60, 300, seed=1)
    reports: list[PlanProgress] = []

    plan = run_engine(
        problem, PlanLimits(60), on_progress=reports.append, should_stop=lambda: len(reports) >= 3
    )

    assert plan.ended_by == EndedBy.STOPPED
    assert plan.visits == reports[-1].plan.visits
    assert [report.value for report in reports] == sorted(report.value for report in reports)


def test_nobody_to_plan_and_nothing_to_plan() -> None:
    assert search(small_problem(jobs=0)).visits == ()
    assert search(small_problem(engineers=0)).visits == ()


def test_one_engineer_gets_what_the_day_holds() -> None:
    """At the same premises, one after the other; the last begins at noon."""
    plan = search(small_problem(jobs=9))

    assert sorted((visit.start - SHIFT.start) % HOUR for visit in plan.visits) == [600] * 4


def test_job_longer_than_the_shift_stays_unassigned() -> None:
    problem = small_problem()
    problem = replace(problem, jobs=(replace(problem.jobs[0], length_seconds=11 * HOUR), problem.jobs[1]))

    assert search(problem).unassigned(problem) == [0]


def test_windows_that_touch_are_one() -> None:
    problem = small_problem(jobs=1)
    windows = ((8 * HOUR, 9 * HOUR), (9 * HOUR, 10 * HOUR))
    problem = replace(problem, jobs=(replace(problem.jobs[0], start_windows=windows),))

    assert len(search(problem).visits) == 1


def test_window_over_midnight() -> None:
    night = replace(small_problem().engineers[0], shift=PlanSpan(22 * HOUR, 30 * HOUR))
    problem = replace(small_problem(jobs=1), engineers=(night,))
    problem = replace(problem, jobs=(replace(problem.jobs[0], start_windows=((23 * HOUR, 26 * HOUR),)),))

    assert search(problem).visits == (PlanVisit(0, 0, 23 * HOUR),)


def test_fixed_visit_stays_where_it_breaks_every_rule() -> None:
    """Pinned in the night before a shift, on two other fixed ones: the free job is planned round them."""
    problem = small_problem(jobs=4)
    spans = (PlanSpan(6 * HOUR, 9 * HOUR), PlanSpan(8 * HOUR, 10 * HOUR), PlanSpan(9 * HOUR, 9 * HOUR + 900))
    fixed = [replace(problem.jobs[number], fixed=FixedVisit(0, span)) for number, span in enumerate(spans)]
    problem = replace(problem, jobs=(*fixed, problem.jobs[3]))

    plan = search(problem)

    assert [(visit.job, visit.start) for visit in plan.visits] == [(3, 10 * HOUR)]
    assert list_breaches(problem, plan) == []


def test_drive_begins_where_the_last_visit_before_the_shift_ended() -> None:
    """Both fixed visits end before the shift or with it; the second one is elsewhere."""
    shift = PlanSpan(2 * QUARTER, 3 * QUARTER)
    fixed = [FixedVisit(0, PlanSpan(number * QUARTER, (number + 1) * QUARTER)) for number in (0, 1)]
    jobs = (
        PlanJob(key=0, location=1, length_seconds=QUARTER, start_windows=(), fixed=fixed[0]),
        PlanJob(key=1, location=0, length_seconds=QUARTER, start_windows=(), fixed=fixed[1]),
        PlanJob(key=2, location=1, length_seconds=QUARTER, start_windows=((0, 2 * QUARTER),)),
    )
    problem = RoutingProblem(
        jobs=jobs,
        engineers=(EngineerDay(key="0", home=0, shift=shift),),
        travel_seconds=np.array([[0, 600], [0, 0]], dtype=np.uint32),
        is_commute_in_shift=False,
    )

    assert list_breaches(problem, search(problem)) == []


def test_time_limit_of_zero_leaves_the_present_plan() -> None:
    problem = replace(small_problem(), present=(PlanVisit(0, 0, 9 * HOUR),))

    plan = run_engine(problem, PlanLimits(0))

    assert plan.visits == problem.present
    assert plan.ended_by == EndedBy.TIME_LIMIT


def test_present_plan_stays_when_nothing_is_better() -> None:
    problem = replace(
        small_problem(jobs=1), present=(PlanVisit(0, 0, 9 * HOUR), PlanVisit(0, 0, 10 * HOUR))[:1]
    )

    assert plan_value(problem, search(problem)) == plan_value(problem, Plan(problem.present))


def python(code: str) -> EngineProcess:
    return EngineProcess([sys.executable, "-c", code])


def test_engine_that_crashes_says_so() -> None:
    with pytest.raises(EngineFailed, match="exit code 1: ValueError: no such day"):
        run_engine(small_problem(), PlanLimits(20), engine=python("raise ValueError('no such day')"))


def test_engine_that_is_killed_says_so() -> None:
    code = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"

    with pytest.raises(EngineFailed, match="exit code -9"):
        run_engine(small_problem(), PlanLimits(20), engine=python(code))


def test_request_to_an_engine_that_has_ended_raises_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The end closed its pipe while the thread of the request still used it, and now and then one of them failed."""
    failures: list[object] = []
    monkeypatch.setattr(threading, "excepthook", lambda problem: failures.append(problem.exc_value))
    # it waits in the pipe's buffer, which a larger one passes by
    request = EngineRequest(small_problem(), (PlanLimits(1),))

    for _ in range(2000):
        with EngineProcess(["false"]) as engine:
            engine.process.wait()
            engine.send(request)

    assert failures == []


def test_engine_that_hangs_is_ended() -> None:
    """Also before it has read a problem that is larger than a pipe."""
    engine = python("import time; time.sleep(600)")

    with pytest.raises(EngineFailed, match=r"no answer within 0\.5 s"):
        run_engine(make_instance(60, 300, seed=1), PlanLimits(0.5), engine=engine)

    assert not engine.is_running


def test_engine_that_hangs_after_its_first_plan_leaves_the_best_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of several options, those that it never began have failed."""
    monkeypatch.setattr(plan_runner, "START_SECONDS", 2.0)
    problem, found = small_problem(), PlanVisit(0, 0, 9 * HOUR)
    line = progress_line(PlanProgress(Plan((found,)), value=10, travel_seconds=1200, seconds=0))
    code = f"import time; print({line!r}, flush=True); time.sleep(600)"

    assert run_engine(problem, PlanLimits(3), engine=python(code)) == Plan((found,), EndedBy.TIME_LIMIT)
    with pytest.raises(EngineFailed, match="no answer"):
        run_options(problem, [PlanLimits(1)] * 2, engine=python(code))


def test_engine_says_what_it_begins_with() -> None:
    problem = replace(small_problem(), present=(PlanVisit(0, 0, 9 * HOUR),))
    reports: list[PlanProgress] = []

    PlanSearch(build_model(problem), PlanLimits(60, neighbourhoods=1), reports.append).run()

    assert reports[0].plan.visits == problem.present
    assert [report.is_last for report in reports][0 :: len(reports) - 1] == [False, True]


def test_engine_that_writes_nonsense_has_failed() -> None:
    with pytest.raises(EngineFailed):
        run_engine(small_problem(), PlanLimits(20), engine=python("print('[]')"))


def test_engine_that_crashes_in_the_second_option_has_failed() -> None:
    line = progress_line(PlanProgress(Plan(), value=0, travel_seconds=0, seconds=0, is_last=True))

    with pytest.raises(EngineFailed, match="exit code 1: ValueError"):
        run_options(
            small_problem(), [PlanLimits(20)] * 2, engine=python(f"print('{line}'); raise ValueError('no')")
        )


def busy_day() -> tuple[RoutingProblem, int]:
    """Of eight engineers near each other with as much as they can do, and one job (index) that nobody has."""
    problem = make_instance(8, 60, seed=3)
    urgent = 0
    jobs = (replace(problem.jobs[urgent], priority=100), *problem.jobs[1:])
    others = search(
        replace(problem, jobs=tuple(replace(job, start_windows=()) for job in jobs[:1]) + jobs[1:])
    )
    return replace(problem, jobs=jobs, present=others.visits), urgent


def test_ways_find_a_place_for_an_urgent_job_and_disturb_more_and_more() -> None:
    problem, urgent = busy_day()
    calm = PlanLimits(20, neighbourhoods=6, change_seconds=1800, focus=frozenset({urgent}))

    near, free = run_options(problem, [calm, PlanLimits(20, neighbourhoods=10)])

    assert urgent in near.by_job
    assert list_breaches(problem, near) == list_breaches(problem, free) == []
    waited = {*Plan(problem.present).unassigned(problem)} - {urgent}
    assert waited <= {*near.unassigned(problem)}
    assert changes_of(problem, near) <= changes_of(problem, free)
    assert run_options(problem, [calm]) == [near]


def changes_of(problem: RoutingProblem, plan: Plan) -> int:
    same = {(visit.job, visit.engineer) for visit in plan.visits}
    return sum((visit.job, visit.engineer) not in same for visit in problem.present)


def test_problem_that_contradicts_itself_is_refused() -> None:
    problem = small_problem()
    job = replace(problem.jobs[0], location=2)

    with pytest.raises(InvalidProblem, match="outside the matrix"):
        run_engine(replace(problem, jobs=(job,)), PlanLimits(1))
