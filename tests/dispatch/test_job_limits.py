"""The most jobs of an engineer in a day, which a dispatcher chose for a plan, hold for the options to change that
day."""

from dataclasses import replace
from datetime import timedelta

import pytest
import time_machine

from dispatch.models import ChangeKind, Job, Occasion, PlanAction, PlanOption
from dispatch.plan_changes import plan_actions
from dispatch.planning.job_limits import accepted_job_limits
from dispatch.planning.problem.plan_scope import PlanScope
from dispatch.planning.proposal_acceptance import accept_proposal
from dispatch.planning.proposal_making import make_proposal
from dispatch.planning.proposals import request_proposal
from dispatch.planning.reason_codes import UnassignedCode
from engineers.models import Engineer
from engineers.shifts import TimeSpan
from tests import make
from tests.dispatch.day_comparisons import compared, job_at, kinds, planned, proposal_of

pytestmark = pytest.mark.django_db
DAY = PlanScope(TimeSpan(make.at("10:00"), make.at("18:00")))
ALL_DAY = ("08:00", "18:00")


@pytest.fixture(autouse=True)
def ten() -> object:
    with time_machine.travel(make.at("10:00"), tick=True):
        yield


def accept_plan(scope: PlanScope) -> PlanAction | None:
    proposal = request_proposal(scope=scope, by=make.dispatcher(), neighbourhoods=2)
    make_proposal(proposal.pk)
    return accept_proposal(proposal, by=make.office(), now=make.at("10:00")).action


def test_urgent_job_is_no_third_one_of_a_day_that_was_planned_with_two() -> None:
    ann, bea = make.engineer(name="Ann"), make.engineer(name="Bea")
    Engineer.objects.filter(pk=ann.pk).update(home_latitude=53.82)
    Engineer.objects.filter(pk=bea.pk).update(home_latitude=53.9)
    for _ in range(2):
        job_at(53.82, window=ALL_DAY)
    accept_plan(replace(DAY, engineers=frozenset({ann.pk}), max_jobs=2))
    urgent = job_at(53.82, window=ALL_DAY)

    comparison = compared(Occasion.URGENT_JOB, job=urgent)

    changes = [proposal.changes.get(job=urgent) for proposal in comparison.proposals.all()]
    assert [change.engineer_after for change in changes] == [bea] * 3


def test_nobody_loses_a_visit_to_a_limit_that_is_passed_already() -> None:
    ann = make.engineer(name="Ann")
    job_at(53.82, window=ALL_DAY)
    accept_plan(replace(DAY, max_jobs=1))
    for start in ("14:00", "16:00"):
        planned(ann, start, window=ALL_DAY)
    waiting = job_at(53.82, window=ALL_DAY)
    cancelled = planned(make.engineer(name="Bea"), "17:00", window=ALL_DAY)

    proposal = proposal_of(compared(Occasion.JOB_CANCELLED, job=cancelled), PlanOption.EVERYBODY)

    assert accepted_job_limits(DAY.span).get(ann.pk) == 1
    assert ann.pk not in proposal.changes.values_list("engineer_after", flat=True)
    assert kinds(proposal) == {waiting.pk: ChangeKind.ASSIGN}


def test_reason_names_the_limit_where_everybody_has_as_many_jobs() -> None:
    make.engineer(name="Ann")
    job_at(53.82, window=ALL_DAY)
    accept_plan(replace(DAY, max_jobs=1))
    waiting = job_at(53.82, window=ALL_DAY)
    cancelled = job_at(53.82, window=ALL_DAY)

    proposal = proposal_of(compared(Occasion.JOB_CANCELLED, job=cancelled), PlanOption.EVERYBODY)

    assert proposal.changes.get(job=waiting).reason == UnassignedCode.MOST_JOBS


def test_newest_plan_counts_that_is_in_force_and_covers_the_engineer() -> None:
    ann, bea = make.engineer(name="Ann"), make.engineer(name="Bea")
    for _ in range(8):
        job_at(53.82, window=ALL_DAY)

    assert accepted_job_limits(DAY.span) == {}
    accept_plan(replace(DAY, max_jobs=1))
    assert accepted_job_limits(DAY.span) == {ann.pk: 1, bea.pk: 1}
    action = accept_plan(replace(DAY, engineers=frozenset({ann.pk}), max_jobs=2))
    assert accepted_job_limits(DAY.span) == {ann.pk: 2, bea.pk: 1}
    assert action
    plan_actions.undo(action, by=make.office())
    assert accepted_job_limits(DAY.span) == {ann.pk: 1, bea.pk: 1}
    selected = Job.objects.filter(visits=None)[:1].get()
    accept_plan(replace(DAY, jobs=frozenset({selected.pk})))
    assert accepted_job_limits(DAY.span) == {ann.pk: 1, bea.pk: 1}
    accept_plan(replace(DAY, engineers=frozenset({ann.pk})))
    assert accepted_job_limits(DAY.span) == {bea.pk: 1}
    tomorrow = TimeSpan(DAY.span.start + timedelta(days=1), DAY.span.end + timedelta(days=1))
    assert accepted_job_limits(tomorrow) == {}
