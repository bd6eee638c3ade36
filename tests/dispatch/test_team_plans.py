"""The planner and visits of two: they stay as they are, and both engineers' time is taken."""

import pytest
import time_machine

from dispatch import visits
from dispatch.models import ChangeKind, Job, PlanProposal
from dispatch.planning.plan_scope import PlanScope
from dispatch.planning.problem_reader import read_problem
from dispatch.planning.proposal_acceptance import accept_proposal
from dispatch.planning.proposal_making import make_proposal
from dispatch.planning.proposals import request_proposal
from engineers.models import Engineer
from engineers.shifts import day_window
from tests import make

pytestmark = pytest.mark.django_db
DAY = PlanScope(day_window(make.DAY))


@pytest.fixture(autouse=True)
def morning() -> object:
    with time_machine.travel(make.at("06:00"), tick=True):
        yield


def team_job(erin: Engineer, sam: Engineer) -> Job:
    job, start = make.job(duration_minutes=180), make.at("08:00")
    visits.assign(job=job, engineer=erin, starts_at=start, by=make.office(), second_engineer=sam)
    return job


def test_visit_of_two_is_fixed_in_the_days_of_both() -> None:
    erin, sam = make.engineer(name="Erin"), make.engineer(name="Sam")
    job = team_job(erin, sam)

    found = read_problem(DAY, now=make.now())

    assert found
    fixed = [(plan_job.key, plan_job.fixed) for plan_job in found.problem.jobs]
    assert [key for key, _visit in fixed] == [job.pk, -job.pk]
    days = [found.days[visit.engineer].engineer for _key, visit in fixed if visit]
    assert days == [erin, sam]
    found.problem.validate()


@pytest.mark.parametrize("people", ["first", "second"])
def test_plan_gives_neither_of_a_team_another_job_at_that_time(people: str) -> None:
    erin, sam = make.engineer(name="Erin"), make.engineer(name="Sam")
    accompanied = team_job(*((erin, sam) if people == "first" else (sam, erin)))
    waiting = make.job(window=("08:00", "11:00"), duration_minutes=60)
    later = make.job(duration_minutes=60)
    requested = request_proposal(scope=DAY, by=make.dispatcher(), seconds=15, neighbourhoods=2)
    make_proposal(requested.pk)

    proposal = PlanProposal.objects.get(pk=requested.pk)
    result = accept_proposal(proposal, by=make.office(), now=make.now())

    kinds = {change.job_id: change.kind for change in proposal.changes.all()}
    assert kinds == {waiting.pk: ChangeKind.REMAIN_UNASSIGNED, later.pk: ChangeKind.ASSIGN}
    assert result.refusals == []
    visit = visits.current_visit(accompanied)
    assert visit
    assert {person.name for person in visit.people} == {"Erin", "Sam"}
