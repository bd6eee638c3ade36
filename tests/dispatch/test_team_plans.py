"""The planner and visits of two: two engineers who begin together and are moved as a pair."""

from dataclasses import replace

import pytest
import time_machine

from dispatch import visits
from dispatch.models import ChangeKind, Job, PlanProposal, Visit
from dispatch.planning.problem.plan_scope import PlanScope
from dispatch.planning.problem.problem_reader import read_problem
from dispatch.planning.proposal_acceptance import accept_proposal
from dispatch.planning.proposal_making import make_proposal
from dispatch.planning.proposal_texts import reason_text
from dispatch.planning.proposals import request_proposal
from dispatch.planning.reason_codes import ChangeReason, UnassignedCode
from engineers.models import Absence, Engineer, User
from engineers.shifts import day_span
from tests import make

pytestmark = pytest.mark.django_db
DAY = PlanScope(day_span(make.DAY))


@pytest.fixture(autouse=True)
def morning() -> object:
    with time_machine.travel(make.at("06:00"), tick=True):
        yield


def team_job(erin: Engineer, sam: Engineer) -> Job:
    job, start = make.job(duration_minutes=180), make.at("08:00")
    visits.assign(job=job, engineer=erin, starts_at=start, by=make.office(), second_engineer=sam)
    return job


def plan_day(scope: PlanScope = DAY) -> PlanProposal:
    requested = request_proposal(scope=scope, by=make.dispatcher(), seconds=15, neighbourhoods=2)
    make_proposal(requested.pk)
    return PlanProposal.objects.get(pk=requested.pk)


def people_of(job: Job) -> list[str]:
    visit = visits.current_visit(job)
    return [person.name for person in visit.people] if visit else []


def test_pinned_visit_of_two_is_fixed_in_the_days_of_both() -> None:
    erin, sam = make.engineer(name="Erin"), make.engineer(name="Sam")
    job = team_job(erin, sam)
    Visit.objects.update(is_pinned=True)

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
    Visit.objects.update(is_pinned=True)
    waiting = make.job(window=("08:00", "11:00"), duration_minutes=60)
    later = make.job(duration_minutes=60)
    proposal = plan_day()
    result = accept_proposal(proposal, by=make.office(), now=make.now())

    kinds = {change.job_id: change.kind for change in proposal.changes.all()}
    assert kinds == {waiting.pk: ChangeKind.REMAIN_UNASSIGNED, later.pk: ChangeKind.ASSIGN}
    assert result.refusals == []
    assert {*people_of(accompanied)} == {"Erin", "Sam"}


def test_job_that_needs_two_people_gets_two_engineers() -> None:
    erin, sam = make.engineer(name="Erin", skills=("cherry-picker",)), make.engineer(name="Sam", skills=())
    job = make.job(flags=("CHP",), duration_minutes=60)

    proposal = plan_day()
    change = proposal.changes.get()
    result = accept_proposal(proposal, by=make.office(), now=make.now())

    assert (change.kind, change.engineer_after, change.second_after) == (ChangeKind.ASSIGN, erin, sam)
    assert result.refusals == []
    assert people_of(job) == ["Erin", "Sam"]


def test_job_that_needs_two_people_stays_unassigned_where_one_works() -> None:
    make.engineer(skills=("cherry-picker",))
    make.job(flags=("CHP",), duration_minutes=60)

    change = plan_day().changes.get()

    assert (change.kind, change.reason) == (ChangeKind.REMAIN_UNASSIGNED, UnassignedCode.TEAM)
    assert reason_text(change).startswith("It needs two engineers at the same time")


def test_team_whose_second_is_absent_gets_another_second() -> None:
    erin, sam, tess = (make.engineer(name=name) for name in ("Erin", "Sam", "Tess"))
    job = team_job(erin, sam)
    Absence.objects.create(engineer=sam, starts_at=make.at("00:00"), ends_at=make.at("23:00"))

    proposal = plan_day()
    change = proposal.changes.get()
    result = accept_proposal(proposal, by=make.office(), now=make.now())

    assert (change.kind, change.reason) == (ChangeKind.REASSIGN, ChangeReason.NOT_WORKING)
    assert change.people_before == [erin, sam]
    assert result.refusals == []
    assert {*people_of(job)} == {"Erin", "Tess"}
    assert tess in change.people_after


@pytest.mark.parametrize("inside", ["first", "second"])
def test_team_with_an_engineer_whom_the_plan_leaves_out_stays(inside: str) -> None:
    erin, sam = make.engineer(name="Erin"), make.engineer(name="Sam")
    job, own = team_job(erin, sam), erin if inside == "first" else sam

    found = read_problem(replace(DAY, engineers=frozenset({own.pk})), now=make.now())

    assert found
    assert [(plan_job.key, plan_job.fixed is not None) for plan_job in found.problem.jobs] == [
        (job.pk if own == erin else -job.pk, True)
    ]
    assert found.visits == {}


@pytest.mark.parametrize("clock", ["06:00", "08:30"], ids=["ahead", "overdue"])
@pytest.mark.parametrize("away", ["inside", "inside, suspended", "outside"])
def test_team_of_which_one_is_away_is_moved_also_where_the_plan_leaves_the_other_out(
    clock: str, away: str
) -> None:
    erin, sam, tess, tom = (make.engineer(name=name) for name in ("Erin", "Sam", "Tess", "Tom"))
    job, gone = team_job(erin, sam), sam if away == "outside" else erin
    if away == "inside, suspended":
        User.objects.filter(pk=gone.user_id).update(is_active=False)
    else:
        Absence.objects.create(engineer=gone, starts_at=make.at("00:00"), ends_at=make.at("23:00"))

    with time_machine.travel(make.at(clock), tick=True):
        inside = frozenset({erin.pk, tess.pk, tom.pk})
        proposal = plan_day(replace(DAY, engineers=inside))
        change = proposal.changes.get()
        result = accept_proposal(proposal, by=make.office(), now=make.now())

    assert (change.job, change.kind, change.reason) == (job, ChangeKind.REASSIGN, ChangeReason.NOT_WORKING)
    assert result.refusals == []
    assert {gone.name, sam.name}.isdisjoint(people_of(job))


def test_team_that_stays_although_one_is_away_is_not_announced_as_late() -> None:
    """A pin keeps it; the plan names what speaks against it."""
    erin, sam = make.engineer(name="Erin"), make.engineer(name="Sam")
    team_job(erin, sam)
    Visit.objects.update(is_pinned=True)
    Absence.objects.create(engineer=sam, starts_at=make.at("00:00"), ends_at=make.at("23:00"))

    with time_machine.travel(make.at("08:30"), tick=True):
        proposal = plan_day()

    assert not proposal.changes.exists()
    assert proposal.pinned_breaches
