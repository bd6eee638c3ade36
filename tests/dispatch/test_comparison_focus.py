"""For whom the options of a comparison look for somebody: whose visits are concerned, and who is left alone."""

import pytest
import time_machine

from dispatch import pins
from dispatch.models import ChangeKind, Occasion
from dispatch.planning.problem.plan_scope import PlanScope
from dispatch.planning.proposal_making import make_proposal
from dispatch.planning.proposals import request_proposal
from engineers.models import Absence
from engineers.shifts import TimeSpan
from tests import make
from tests.dispatch.day_comparisons import compared, job_at, kinds, planned, proposal_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def ten() -> object:
    with time_machine.travel(make.at("10:00"), tick=True):
        yield


def test_visit_after_an_over_run_goes_to_a_colleague_and_a_job_that_waits_keeps_waiting() -> None:
    """Until noon and longer with the first: the second no longer fits its window, and Lee is free all day."""
    ann, lee = make.engineer(name="Ann"), make.engineer(name="Lee")
    long, after = planned(ann, "10:30"), planned(ann, "11:45")
    make.start_travel(long)
    make.arrive(long)
    job_at(53.82)

    proposal = proposal_of(compared(Occasion.VISIT_LONGER, job=long, longer_minutes=90))

    assert kinds(proposal) == {after.pk: ChangeKind.REASSIGN}
    assert proposal.changes.get().engineer_after == lee


def test_visit_after_an_over_run_of_two_is_looked_after_whoever_of_them_has_it() -> None:
    ann, sam, lee = (make.engineer(name=name) for name in ("Ann", "Sam", "Lee"))
    long, after = planned(ann, "10:30", second=sam), planned(sam, "11:45")
    make.start_travel(long)
    make.arrive(long)

    proposal = proposal_of(compared(Occasion.VISIT_LONGER, job=long, longer_minutes=90))

    assert kinds(proposal) == {after.pk: ChangeKind.REASSIGN}
    assert proposal.changes.get().engineer_after == lee


def test_second_engineer_who_is_absent_is_replaced_and_the_first_one_stays() -> None:
    erin, sam, tess = (make.engineer(name=name) for name in ("Erin", "Sam", "Tess"))
    job = planned(erin, "11:00", second=sam)
    job_at(53.82)

    proposal = proposal_of(compared(Occasion.ENGINEER_ABSENT, engineer=sam))

    assert kinds(proposal) == {job.pk: ChangeKind.REASSIGN}
    change = proposal.changes.get()
    assert (change.engineer_after, change.second_after) == (erin, tess)


def test_visits_that_an_absent_engineer_has_not_begun_are_looked_after_though_their_time_has_come() -> None:
    """Neither the one that is late already nor the one that is planned before the plan can begin is forgotten; the one
    whose window is over is called off."""
    ann, lee = make.engineer(name="Ann"), make.engineer(name="Lee")
    with time_machine.travel(make.at("08:00")):
        late, soon = planned(ann, "09:30"), planned(ann, "10:40")
        over = planned(ann, "08:30", window=("08:00", "10:00"))
    with time_machine.travel(make.at("10:33"), tick=True):
        proposal = proposal_of(compared(Occasion.ENGINEER_ABSENT, engineer=ann))

    reassigned = ChangeKind.REASSIGN
    assert kinds(proposal) == {late.pk: reassigned, soon.pk: reassigned, over.pk: ChangeKind.UNASSIGN}
    assert {change.engineer_after for change in proposal.changes.exclude(job=over)} == {lee}


def test_visits_before_an_absence_that_is_to_come_stay_with_the_engineer() -> None:
    ann, _lee = make.engineer(name="Ann"), make.engineer(name="Lee")
    with time_machine.travel(make.at("08:00")):
        planned(ann, "10:45", latitude=53.805)

    comparison = compared(Occasion.ENGINEER_ABSENT, engineer=ann, absent_since=make.at("12:00"))

    assert kinds(proposal_of(comparison)) == {}


def test_visit_that_an_engineer_who_was_marked_absent_has_not_begun_is_planned_with_the_day() -> None:
    ann, lee = make.engineer(name="Ann"), make.engineer(name="Lee")
    with time_machine.travel(make.at("08:00")):
        late = planned(ann, "09:30")
    Absence.objects.create(engineer=ann, starts_at=make.at("09:00"), ends_at=make.at("23:00"))
    scope = PlanScope(TimeSpan(make.at("10:00"), make.at("18:00")))
    proposal = request_proposal(scope=scope, by=make.dispatcher(), neighbourhoods=2, change_minutes=30)

    make_proposal(proposal.pk)

    assert kinds(proposal) == {late.pk: ChangeKind.REASSIGN}
    assert proposal.changes.get().engineer_after == lee


def test_pinned_begun_and_ended_visits_of_an_absent_engineer_are_in_no_option() -> None:
    ann, _lee = make.engineer(name="Ann"), make.engineer(name="Lee")
    with time_machine.travel(make.at("08:00")):
        ended, begun, pinned = planned(ann, "08:00"), planned(ann, "09:15"), planned(ann, "11:30")
        make.close_without_visit(ended)
        pins.pin_visit(job=pinned, is_pinned=True, by=make.office())
    make.start_travel(begun)
    make.arrive(begun)

    comparison = compared(Occasion.ENGINEER_ABSENT, engineer=ann)

    assert [kinds(proposal) for proposal in comparison.proposals.all()] == [{}, {}, {}]
