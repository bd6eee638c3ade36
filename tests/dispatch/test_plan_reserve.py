"""Minutes at the end of each shift in which nothing new is planned."""

from dataclasses import replace

import pytest
import time_machine

from dispatch import visits
from dispatch.planning.problem.plan_scope import PlanScope
from dispatch.planning.problem.problem_reader import read_problem
from dispatch.planning.proposals import read_scope, request_proposal
from engineers.shifts import day_span
from tests import make

pytestmark = pytest.mark.django_db
DAY = PlanScope(day_span(make.DAY), reserve_minutes=30)


@pytest.fixture(autouse=True)
def morning() -> object:
    with time_machine.travel(make.at("06:00"), tick=True):
        yield


def shift_end(scope: PlanScope) -> object:
    found = read_problem(scope, now=make.now())
    assert found
    (day,) = found.problem.engineers
    return found.moment(day.shift.end)


def test_shift_ends_earlier_for_the_planner() -> None:
    make.engineer(ends="17:00")

    assert shift_end(replace(DAY, reserve_minutes=0)) == make.at("17:00")
    assert shift_end(DAY) == make.at("16:30")


def test_visit_of_today_keeps_its_time() -> None:
    engineer, job = make.engineer(ends="17:00"), make.job(window=("13:00", "18:00"), duration_minutes=60)
    visits.assign(job=job, engineer=engineer, starts_at=make.at("15:50"), by=make.office())

    assert shift_end(DAY) == make.at("16:50")


def test_reserve_is_kept_with_the_proposal() -> None:
    proposal = request_proposal(scope=DAY, by=make.dispatcher())

    assert read_scope(proposal).reserve_minutes == 30
