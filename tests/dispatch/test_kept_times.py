"""A plan that is to move few visits keeps the times that the seller knows, unless moving one saves enough driving."""

from dataclasses import replace

import numpy as np
import pytest
import time_machine
from hypothesis import given, settings
from hypothesis import strategies as st

from dispatch.models import Job, Occasion, PlanOption, PlanProposal
from dispatch.planning.change_weights import CHANGE_MINUTES, ChangeWeight
from dispatch.planning.engine.engine_model import build_model
from dispatch.planning.engine.plan_check import list_breaches, without_breaches
from dispatch.planning.engine.plan_search import PlanSearch
from dispatch.planning.engine.plan_value import plan_value
from dispatch.planning.engine.routing_problem import (
    EngineerDay,
    Plan,
    PlanBreak,
    PlanJob,
    PlanLimits,
    PlanProgress,
    PlanSpan,
    PlanVisit,
    RoutingProblem,
)
from dispatch.planning.engine.visit_times import with_starts_near
from dispatch.planning.problem.plan_scope import PlanScope
from dispatch.planning.proposal_making import make_proposal
from dispatch.planning.proposals import request_proposal
from engineers.models import Engineer
from engineers.shifts import TimeSpan, local_time
from tests import make
from tests.dispatch.day_comparisons import compared, job_at, planned, proposal_of
from tests.dispatch.routing_problems import HOUR, plan_problems

FEW = 60 * CHANGE_MINUTES[ChangeWeight.FEW]
DAY = ((8 * HOUR, 17 * HOUR),)
SHIFT = PlanSpan(8 * HOUR, 18 * HOUR)
# longer than all drives of a small problem together
NOTHING_IS_WORTH_IT = 1_000_000


@pytest.fixture
def ten() -> object:
    with time_machine.travel(make.at("10:00"), tick=True):
        yield


def all_plans(urgent: Job) -> list[PlanProposal]:
    """The three options for an urgent job, and a plan of the whole day that moves few."""
    comparison = compared(Occasion.URGENT_JOB, job=urgent)
    scope = PlanScope(TimeSpan(make.at("10:00"), make.at("18:00")))
    whole = request_proposal(scope=scope, by=make.dispatcher(), neighbourhoods=6, change_minutes=30)
    make_proposal(whole.pk)
    return [*(proposal_of(comparison, option) for option in PlanOption), whole]


def changes_of(proposal: PlanProposal) -> list[tuple[int, str, str]]:
    changes = proposal.changes.select_related("engineer_after__user").order_by("job")
    return [
        (change.job_id, str(change.engineer_after), f"{local_time(change.start_after):%H:%M}")
        for change in changes
        if change.start_after
    ]


@pytest.mark.django_db
@pytest.mark.usefixtures("ten")
def test_urgent_job_goes_to_whoever_is_free_and_not_between_visits_that_would_be_later() -> None:
    ann, bea = make.engineer(name="Ann"), make.engineer(name="Bea")
    Engineer.objects.filter(pk=ann.pk).update(home_latitude=53.82)
    Engineer.objects.filter(pk=bea.pk).update(home_latitude=53.825)
    for start in ("11:00", "12:00", "13:00"):
        planned(ann, start, window=("08:00", "18:00"))
    urgent = job_at(53.82, window=("11:00", "12:00"))

    plans = all_plans(urgent)

    assert [changes_of(plan) for plan in plans] == [[(urgent.pk, "Bea", "11:00")]] * 4


@pytest.mark.django_db
@pytest.mark.usefixtures("ten")
def test_job_is_done_after_the_visits_that_are_planned_where_the_afternoon_is_free() -> None:
    ann = make.engineer(name="Ann")
    for start in ("11:00", "12:00"):
        planned(ann, start, window=("08:00", "18:00"))
    third = job_at(53.82, window=("08:00", "18:00"))

    plans = all_plans(third)

    assert [[job for job, _name, _start in changes_of(plan)] for plan in plans] == [[third.pk]] * 4


def search(
    problem: RoutingProblem, *, change_seconds: int = FEW, focus: frozenset[int] | None = None
) -> Plan:
    reports: list[PlanProgress] = []
    limits = PlanLimits(60, 6, processes=1, change_seconds=change_seconds, focus=focus)
    PlanSearch(build_model(problem), limits, reports.append).run()
    return reports[-1].plan


def problem_of(
    jobs: int, present: list[tuple[int, int, int]], *, engineers: int = 1, **day: object
) -> RoutingProblem:
    """All jobs at one place, each an hour long; engineers live ten minutes away. `present`: job, engineer, start."""
    return RoutingProblem(
        jobs=tuple(PlanJob(number + 1, 0, HOUR, DAY) for number in range(jobs)),
        engineers=tuple(EngineerDay(str(number), 1, SHIFT, **day) for number in range(engineers)),  # type: ignore[arg-type]
        travel_seconds=np.array([[0, 600], [600, 0]], dtype=np.uint32),
        is_commute_in_shift=False,
        present=tuple(PlanVisit(*visit) for visit in present),
    )


def changed(problem: RoutingProblem, plan: Plan) -> set[int]:
    """Jobs (indices) whose visit of today another engineer has, or nobody, or that begins at another time."""
    return {visit.job for visit in problem.present if visit not in plan.visits}


@pytest.mark.parametrize(("weight", "moved"), [(FEW, set()), (600, {0})])
def test_visit_begins_at_another_time_only_where_that_saves_the_weight(weight: int, moved: set[int]) -> None:
    """The second job can only begin at nine, when the engineer of the first one is busy; a colleague would drive ten
    minutes there and back for it."""
    problem = problem_of(2, [(0, 0, 9 * HOUR)], engineers=2)
    only_at_nine = replace(problem.jobs[1], start_windows=((9 * HOUR, 9 * HOUR),))
    problem = replace(problem, jobs=(problem.jobs[0], only_at_nine))

    plan = search(problem, change_seconds=weight)

    assert (changed(problem, plan), len(plan.visits)) == (moved, 2)


def with_urgent_job(problem: RoutingProblem) -> RoutingProblem:
    """The last job may only begin at eleven, and is worth more than any other."""
    *others, last = problem.jobs
    urgent = replace(last, start_windows=((11 * HOUR, 11 * HOUR),), priority=100)
    return replace(problem, jobs=(*others, urgent))


@pytest.mark.parametrize("focus", [None, frozenset({4})])
def test_only_the_visit_in_the_way_of_an_urgent_job_begins_at_another_time(
    focus: frozenset[int] | None,
) -> None:
    present = [(0, 0, 10 * HOUR), (1, 0, 11 * HOUR), (2, 0, 12 * HOUR), (3, 0, 13 * HOUR)]
    problem = with_urgent_job(problem_of(5, present))

    plan = search(problem, focus=focus)

    assert 4 in plan.by_job
    assert changed(problem, plan) == {1}
    assert len(plan.visits) == 5


def test_visit_keeps_its_time_next_to_a_break() -> None:
    noon = PlanBreak(12 * HOUR, 12 * HOUR, HOUR // 2)
    present = [(0, 0, 10 * HOUR), (1, 0, 13 * HOUR)]
    problem = with_urgent_job(problem_of(3, present, breaks=(noon,)))

    plan = search(problem)

    assert (changed(problem, plan), plan.by_job[2].start) == (set(), 11 * HOUR)


def test_start_that_a_plan_keeps_stays_where_the_others_are_brought_near_theirs() -> None:
    """The plan has the visit of one o'clock before those of eleven and twelve, which it keeps."""
    problem = problem_of(3, [(0, 0, 13 * HOUR), (1, 0, 11 * HOUR), (2, 0, 12 * HOUR)])
    plan = Plan((PlanVisit(0, 0, 9 * HOUR), *problem.present[1:]))

    times = with_starts_near(problem, plan, {visit.job: visit.start for visit in problem.present})

    assert [visit.start for visit in times.visits] == [10 * HOUR, 11 * HOUR, 12 * HOUR]


@st.composite
def days_under_way(draw: st.DrawFn) -> RoutingProblem:
    """Part of a plan is today's."""
    problem = draw(plan_problems())
    # of a part between two fixed visits that loses its only job, the engine counts no drive from one to the other
    jobs = tuple(replace(job, fixed=None) for job in problem.jobs)
    problem = replace(problem, jobs=jobs, present=())
    planned = search(problem, change_seconds=0)
    some = Plan(tuple(visit for visit in planned.visits if draw(st.booleans())))
    return replace(problem, present=without_breaches(problem, some).visits)


@settings(max_examples=30)
@given(days_under_way())
def test_plan_that_has_nothing_to_add_moves_nothing(problem: RoutingProblem) -> None:
    """Everything that somebody could do is assigned, and no driving is worth a change."""
    keys = {abs(problem.jobs[visit.job].key) for visit in problem.present}
    jobs = (job if abs(job.key) in keys else replace(job, start_windows=()) for job in problem.jobs)
    problem = replace(problem, jobs=tuple(jobs))

    assert search(problem, change_seconds=NOTHING_IS_WORTH_IT).visits == problem.present


@settings(max_examples=30)
@given(days_under_way(), st.sampled_from([60, 600, 1800]))
def test_each_change_saves_its_weight_or_makes_time_for_a_job(problem: RoutingProblem, weight: int) -> None:
    plan = search(problem, change_seconds=weight)

    before, after = plan_value(problem, Plan(problem.present)), plan_value(problem, plan)
    saved = before.travel_seconds - after.travel_seconds
    assert list_breaches(problem, plan) == []
    assert after.value > before.value or saved >= weight * len(changed(problem, plan))
