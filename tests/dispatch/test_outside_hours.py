"""Visits outside the hours of their engineer, whose day was changed after they were booked: a plan looks for somebody
else as for those of whoever is absent or suspended, and names those that stay."""

from collections.abc import Callable

import pytest
import time_machine

from dispatch import pins, visits
from dispatch.models import ChangeKind, Job, Occasion, PlanProposal
from dispatch.planning.problem.plan_scope import PlanScope
from dispatch.planning.proposal_making import make_proposal
from dispatch.planning.proposals import request_proposal
from engineers.models import Absence, Engineer, ShiftException
from engineers.shifts import day_span
from tests import make
from tests.dispatch.day_comparisons import compared, kinds, planned

pytestmark = pytest.mark.django_db
STAYS_OUTSIDE = ["outside_shift"]


@pytest.fixture(autouse=True)
def morning() -> object:
    with time_machine.travel(make.at("11:05"), tick=True):
        yield


@pytest.fixture
def ann() -> Engineer:
    return make.engineer(name="Ann")


def change_hours(engineer: Engineer, starts: str = "", ends: str = "") -> None:
    """Of the day; without any, the engineer does not work then."""
    hours = {
        "starts": make.at(starts).time() if starts else None,
        "ends": make.at(ends).time() if ends else None,
    }
    ShiftException.objects.create(engineer=engineer, day=make.DAY, **hours)


def day_plan() -> PlanProposal:
    requested = request_proposal(
        scope=PlanScope(day_span(make.DAY)), by=make.dispatcher(), seconds=15, neighbourhoods=2
    )
    make_proposal(requested.pk)
    return PlanProposal.objects.get(pk=requested.pk)


def breaches(proposal: PlanProposal) -> dict[int, list[str]]:
    return {breach["job"]: breach["codes"] for breach in proposal.pinned_breaches}


@pytest.mark.parametrize(
    ("at", "hours"),
    [("15:30", ("08:00", "16:00")), ("16:00", ("08:00", "16:00")), ("15:30", ())],
    ids=["ends after them", "begins with their end", "a day off"],
)
def test_visit_goes_to_whoever_works_then(ann: Engineer, at: str, hours: tuple[str, ...]) -> None:
    job = planned(ann, at, window=(at, "17:30"))
    change_hours(ann, *hours)
    ben = make.engineer(name="Ben")

    proposal = day_plan()

    change = proposal.changes.get()
    assert (change.job, change.kind, change.engineer_after) == (job, ChangeKind.REASSIGN, ben)
    assert breaches(proposal) == {}


def test_visit_that_nobody_else_has_time_for_stays_and_is_named(ann: Engineer) -> None:
    job = planned(ann, "15:30", window=("15:30", "17:30"))
    change_hours(ann, "08:00", "16:00")

    proposal = day_plan()

    assert (kinds(proposal), breaches(proposal)) == ({}, {job.pk: STAYS_OUTSIDE})


def pin(job: Job) -> None:
    pins.pin_visit(job=job, is_pinned=True, by=make.office())


def hold(job: Job) -> None:
    Job.objects.filter(pk=job.pk).update(on_hold_since=make.at("11:00"), on_hold_for="outage")


def set_off(job: Job) -> None:
    make.start_travel(job, occurred_at=make.at("11:00"))


@pytest.mark.parametrize("keep", [pin, hold, set_off])
def test_visit_that_no_plan_moves_is_named(ann: Engineer, keep: Callable[[Job], None]) -> None:
    job = planned(ann, "16:30", window=("16:00", "18:00"))
    keep(job)
    change_hours(ann, "08:00", "16:00")
    make.engineer(name="Ben")

    proposal = day_plan()

    assert kinds(proposal) == {}
    assert set(breaches(proposal)[job.pk]) - {"on_hold"} == set(STAYS_OUTSIDE)


def test_visit_that_was_booked_outside_the_hours_stays(ann: Engineer) -> None:
    job = planned(ann, "15:30", window=("13:00", "18:00"))
    change_hours(ann, "08:00", "15:00")
    make.engineer(name="Ben")
    visits.assign(
        job=job, engineer=ann, starts_at=make.at("16:30"), by=make.office(), override_reason="She offered"
    )

    proposal = day_plan()

    assert (kinds(proposal), breaches(proposal)) == ({}, {job.pk: STAYS_OUTSIDE})


def become_sick(engineer: Engineer) -> None:
    Absence.objects.create(engineer=engineer, starts_at=make.at("10:30"), ends_at=make.at("23:00"))


def suspend(engineer: Engineer) -> None:
    engineer.user.is_active = False
    engineer.user.save()


def go_home(engineer: Engineer) -> None:
    change_hours(engineer, "08:00", "10:15")


@pytest.mark.parametrize("leave", [become_sick, suspend, go_home])
def test_whoever_has_left_for_any_reason_begins_no_visit(
    ann: Engineer, leave: Callable[[Engineer], None]
) -> None:
    """One whose window is over nobody can make good; the others go to somebody else."""
    missed, overdue = (
        planned(ann, "10:00", window=("08:00", "11:00"), duration_minutes=30),
        planned(ann, "10:40", window=("08:00", "13:00"), duration_minutes=30),
    )
    ahead = planned(ann, "14:00", window=("13:00", "18:00"))
    leave(ann)
    make.engineer(name="Ben")

    assert kinds(day_plan()) == {
        missed.pk: ChangeKind.UNASSIGN,
        overdue.pk: ChangeKind.REASSIGN,
        ahead.pk: ChangeKind.REASSIGN,
    }


def test_comparison_for_an_absent_engineer_leaves_a_colleague_outside_hours_named(ann: Engineer) -> None:
    colleague = planned(ann, "15:30", window=("15:30", "17:30"))
    change_hours(ann, "08:00", "16:00")
    cem = make.engineer(name="Cem")
    own = planned(cem, "15:30", window=("15:30", "17:30"))

    comparison = compared(Occasion.ENGINEER_ABSENT, engineer=cem)

    for proposal in comparison.proposals.all():
        assert kinds(proposal) == {own.pk: ChangeKind.UNASSIGN}
        assert breaches(proposal) == {colleague.pk: STAYS_OUTSIDE}
