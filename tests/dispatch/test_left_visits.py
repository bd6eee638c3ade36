"""Visits of somebody who is absent: somebody else is looked for, and what stays is named."""

import pytest
import time_machine
from django.utils import timezone

from dispatch import pins, visits
from dispatch.models import ChangeKind, Job, Occasion
from dispatch.planning.proposal_acceptance import accept_proposal
from engineers.models import Engineer
from tests import make
from tests.dispatch.day_comparisons import compared, job_at, kinds, planned, proposal_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def morning() -> object:
    with time_machine.travel(make.at("11:20"), tick=True):
        yield


def agreed_visit(engineer: Engineer, at: str) -> Job:
    """After the window, which the customer knows."""
    job = job_at(53.82, window=("08:00", "11:00"))
    visits.assign(
        job=job, engineer=engineer, starts_at=make.at(at), by=make.office(), override_reason="agreed"
    )
    return job


def begun_visit(first: Engineer, then: Engineer) -> Job:
    """Begun by the first, handed over for 15:00 to the other."""
    job = planned(first, "08:00", window=("08:00", "13:00"))
    make.start_travel(job, occurred_at=make.at("08:00"))
    make.arrive(job, occurred_at=make.at("08:05"))
    visits.assign(
        job=job, engineer=then, starts_at=make.at("15:00"), by=make.office(), override_reason="ladder"
    )
    return job


def test_agreed_start_is_kept_by_somebody_else() -> None:
    ann, ben = make.engineer(name="Ann"), make.engineer(name="Ben")
    job = agreed_visit(ann, "15:00")

    change = proposal_of(compared(Occasion.ENGINEER_ABSENT, engineer=ann)).changes.get()

    found = (change.job, change.kind, change.engineer_after, change.start_after)
    assert found == (job, ChangeKind.REASSIGN, ben, make.at("15:00"))
    # what the customer agreed to is not asked for again
    assert accept_proposal(change.proposal, by=make.office(), now=timezone.now()).refusals == []
    visit = job.visits.current().get()
    assert (visit.engineer, visit.is_start_agreed) == (ben, True)


def test_agreed_start_that_nobody_can_keep_is_called_off() -> None:
    ann, ben = make.engineer(name="Ann"), make.engineer(name="Ben")
    job = agreed_visit(ann, "15:00")
    busy = planned(ben, "14:30", window=("14:00", "16:00"))
    pins.pin_visit(job=busy, is_pinned=True, by=make.office())

    proposal = proposal_of(compared(Occasion.ENGINEER_ABSENT, engineer=ann))

    assert kinds(proposal) == {job.pk: ChangeKind.UNASSIGN}


def test_begun_job_that_waits_for_somebody_absent_goes_to_a_colleague() -> None:
    ann, ben = make.engineer(name="Ann"), make.engineer(name="Ben")
    job = begun_visit(ben, ann)

    change = proposal_of(compared(Occasion.ENGINEER_ABSENT, engineer=ann)).changes.get()

    assert (change.job, change.kind, change.engineer_after) == (job, ChangeKind.REASSIGN, ben)


def test_begun_job_of_somebody_at_work_stays() -> None:
    ann, ben = make.engineer(name="Ann"), make.engineer(name="Ben")
    job = begun_visit(ben, ann)

    proposal = proposal_of(compared(Occasion.ENGINEER_ABSENT, engineer=ben))

    assert kinds(proposal) == {}
    assert [breach["job"] for breach in proposal.pinned_breaches] == []
    assert job.visits.current().get().engineer == ann


def test_visit_that_stays_with_somebody_absent_is_named() -> None:
    """En route to one, with another on hold: neither is a plan's to move."""
    ann = make.engineer(name="Ann")
    held = planned(ann, "15:00", window=("13:00", "18:00"))
    Job.objects.filter(pk=held.pk).update(on_hold_since=make.at("11:00"), on_hold_for="outage")
    driving = planned(ann, "11:30", window=("08:00", "13:00"))
    make.start_travel(driving, occurred_at=make.at("11:10"))

    proposal = proposal_of(compared(Occasion.ENGINEER_ABSENT, engineer=ann))

    assert kinds(proposal) == {}
    codes = {breach["job"]: set(breach["codes"]) for breach in proposal.pinned_breaches}
    assert codes.keys() == {held.pk, driving.pk}
    assert all("outside_shift" in found for found in codes.values())
