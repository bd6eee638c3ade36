"""Visits that a dispatcher booked against a rule, with a reason: no plan calls their customers off."""

import pytest
import time_machine

from dispatch import pins, visits
from dispatch.models import ChangeKind, FlagRule, Job, Occasion, PlanProposal
from dispatch.planning.problem.plan_scope import PlanScope
from dispatch.planning.proposal_making import make_proposal
from dispatch.planning.proposals import request_proposal
from engineers.models import Absence, Engineer
from engineers.shifts import day_span
from tests import make
from tests.dispatch.day_comparisons import compared, job_at, kinds, planned

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def morning() -> object:
    with time_machine.travel(make.at("06:00"), tick=True):
        yield


def booked(engineer: Engineer, at: str, **fields: object) -> Job:
    job = job_at(53.82, **fields)
    reason = "The customer knows"
    visits.assign(
        job=job,
        engineer=engineer,
        starts_at=make.at(at),
        by=make.office(),
        not_before=make.at("06:00"),
        override_reason=reason,
    )
    return job


def day_plan(*, change_minutes: int = 30) -> PlanProposal:
    scope = PlanScope(day_span(make.DAY))
    requested = request_proposal(
        scope=scope, by=make.dispatcher(), seconds=15, neighbourhoods=2, change_minutes=change_minutes
    )
    make_proposal(requested.pk)
    return PlanProposal.objects.get(pk=requested.pk)


def test_overridden_rules_are_named_and_their_visits_stay() -> None:
    ann, ben = make.engineer(name="Ann", skills=("cherry-picker",)), make.engineer(name="Ben", skills=())
    make.give_break(ben)
    FlagRule.objects.create(code="WSD", lead_days=1)
    evening = booked(ann, "19:30", window=("18:00", "21:00"))
    early = booked(ben, "09:00", flags=("WSD",))
    alone = booked(ann, "10:30", flags=("CHP",))
    over_break = booked(ben, "11:45", window=("11:30", "13:00"))

    proposal = day_plan()

    assert kinds(proposal) == {}
    assert {breach["job"]: breach["codes"] for breach in proposal.pinned_breaches} == {
        evening.pk: ["outside_shift"],
        early.pk: ["lead_time"],
        alone.pk: ["team_missing"],
        over_break.pk: ["on_break"],
    }


def test_urgent_job_calls_off_nobody_who_was_booked_late() -> None:
    evening = booked(make.engineer(name="Ann"), "19:30", window=("18:00", "21:00"))
    make.engineer(name="Ben")

    comparison = compared(Occasion.URGENT_JOB, job=job_at(53.82))

    assert all(evening.pk not in kinds(option) for option in comparison.proposals.all())


def test_visit_whose_engineer_is_absent_goes_to_somebody_else() -> None:
    ann, ben = make.engineer(name="Ann"), make.engineer(name="Ben", ends="21:00")
    evening = booked(ann, "19:30", window=("18:00", "21:00"))
    Absence.objects.create(engineer=ann, starts_at=make.at("12:00"), ends_at=make.at("23:00"))

    proposal = day_plan()

    change = proposal.changes.get()
    assert (change.job, change.kind, change.engineer_after) == (evening, ChangeKind.REASSIGN, ben)
    assert proposal.pinned_breaches == []


def test_rule_that_nobody_overrode_is_restored() -> None:
    """Booked inside the shift, which has become shorter since."""
    ann = make.engineer(name="Ann")
    job = planned(ann, "16:00", window=("08:00", "18:00"))
    ann.shifts.update(ends=make.at("14:00").time())

    proposal = day_plan()

    assert kinds(proposal) == {job.pk: ChangeKind.RESCHEDULE}
    assert proposal.pinned_breaches == []


@pytest.mark.parametrize("is_absent", [False, True])
def test_begun_job_that_was_handed_over_breaks_no_window(*, is_absent: bool) -> None:
    ann, ben = make.engineer(name="Ann"), make.engineer(name="Ben")
    job = planned(ann, "09:00", window=("08:00", "12:00"))
    make.start_travel(job, occurred_at=make.at("08:30"))
    make.arrive(job, occurred_at=make.at("09:00"))
    visits.assign(job=job, engineer=ben, starts_at=make.at("15:00"), by=make.office())
    pins.pin_visit(job=job, is_pinned=True, by=make.office())
    if is_absent:
        Absence.objects.create(engineer=ben, starts_at=make.at("14:00"), ends_at=make.at("23:00"))

    proposal = day_plan()

    expected = [{"job": job.pk, "codes": ["outside_shift"]}] if is_absent else []
    assert proposal.pinned_breaches == expected
