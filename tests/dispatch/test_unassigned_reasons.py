"""The numbers in the reason of a job for which a plan of several days finds nobody."""

from datetime import timedelta
from types import FrameType

import numpy as np
import pytest
import time_machine

from dispatch import visits
from dispatch.models import Job, Visit
from dispatch.planning import unassigned_reasons
from dispatch.planning.engine.routing_problem import EngineerDay, Plan, PlanJob, PlanSpan, RoutingProblem
from dispatch.planning.problem.plan_scope import PlanScope
from dispatch.planning.proposal_making import make_proposal
from dispatch.planning.proposal_texts import reason_text
from dispatch.planning.proposals import request_proposal
from engineers.models import Absence
from engineers.shifts import TimeSpan, day_span
from tests import make
from tests.function_calls import watching_calls

pytestmark = pytest.mark.django_db
TOMORROW = make.DAY + timedelta(days=1)
HOUR = 3600


@pytest.fixture(autouse=True)
def morning() -> object:
    with time_machine.travel(make.at("06:00"), tick=True):
        yield


def test_engineer_who_is_within_reach_on_two_days_is_one() -> None:
    engineer = make.engineer(ends="12:00")
    for day in (make.DAY, TOMORROW):
        busy, starts_at = make.job(day=day, duration_minutes=180), make.at("09:00", day=day)
        visits.assign(job=busy, engineer=engineer, starts_at=starts_at, by=make.office())
    Visit.objects.update(is_pinned=True)
    job = make.job(duration_minutes=240)
    Job.objects.filter(pk=job.pk).update(window_end=make.at("13:00", day=TOMORROW))
    scope = PlanScope(TimeSpan(make.at("06:00"), make.at("20:00", day=TOMORROW)))
    proposal = request_proposal(scope=scope, by=make.dispatcher(), neighbourhoods=1)

    make_proposal(proposal.pk)

    assert reason_text(proposal.changes.get(job=job)).endswith("(1 within reach).")


def reason_of(job: Job, *, reserve_minutes: int = 0) -> str:
    scope = PlanScope(day_span(make.DAY), reserve_minutes=reserve_minutes)
    proposal = request_proposal(scope=scope, by=make.dispatcher(), neighbourhoods=1)
    make_proposal(proposal.pk)
    return reason_text(proposal.changes.get(job=job))


def test_nobody_works_during_an_absence() -> None:
    away = {"starts_at": make.at("10:00"), "ends_at": make.at("13:00")}
    Absence.objects.create(engineer=make.engineer(), **away)
    job = make.job(window=("10:00", "13:00"), duration_minutes=60)

    assert reason_of(job).startswith("No engineer is working")


def test_job_that_no_stretch_of_work_holds_says_so() -> None:
    make.give_break(make.engineer())

    reason = reason_of(make.job(window=("08:00", "18:00"), duration_minutes=400))

    assert reason == "The job takes longer than any engineer works between breaks and absences."


def test_minutes_that_are_kept_free_are_named() -> None:
    make.engineer()
    job = make.job(window=("17:00", "18:00"), duration_minutes=60)

    reason = reason_of(job, reserve_minutes=20)

    assert reason == "An engineer could only do it in the minutes kept free at the end of the shift."


def calls_for(problem: RoutingProblem) -> int:
    """How many calls of functions of the module it takes to explain every job of the problem."""
    calls = 0

    def count(frame: FrameType) -> None:
        nonlocal calls
        calls += frame.f_code.co_filename == unassigned_reasons.__file__

    with watching_calls(count):
        unassigned_reasons.explain_unassigned(problem, Plan())
    return calls


@pytest.mark.parametrize("opens", [8, 20])
def test_work_grows_with_jobs_and_days_not_with_their_product(opens: int) -> None:
    def region(size: int) -> RoutingProblem:
        days = (EngineerDay(str(number), 0, PlanSpan(8 * HOUR, 16 * HOUR)) for number in range(size))
        windows = ((opens * HOUR, (opens + 2) * HOUR),)
        jobs = (PlanJob(number + 1, 0, HOUR, windows) for number in range(size))
        return RoutingProblem(tuple(jobs), tuple(days), np.zeros((1, 1), dtype=np.uint32))

    assert calls_for(region(80)) < 3 * calls_for(region(40))
