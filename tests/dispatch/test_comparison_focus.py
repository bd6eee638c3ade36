"""For whom the ways of a comparison look for somebody: whose visits are concerned, and who is left alone."""

import pytest
import time_machine

from dispatch.models import ChangeKind, Occasion
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
