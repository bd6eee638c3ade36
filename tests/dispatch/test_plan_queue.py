"""Proposals that wait for their turn, and how long those are kept that were accepted."""

from datetime import timedelta

import pytest
from django.utils import timezone

from dispatch.models import PlanProposal, ProposalState
from dispatch.plan_changes import plan_actions
from dispatch.planning.problem.plan_scope import PlanScope
from dispatch.planning.proposals import is_overdue, request_proposal
from engineers.shifts import day_span
from tests import make

pytestmark = pytest.mark.django_db
DAY = PlanScope(day_span(make.DAY))


def test_plan_that_waits_behind_another_one_is_not_overdue() -> None:
    now = timezone.now()
    waiting, other = (request_proposal(scope=DAY, by=make.dispatcher()) for _ in range(2))
    late = now + timedelta(minutes=10)

    assert is_overdue(waiting, now=late)
    PlanProposal.objects.filter(pk=other.pk).update(
        state=ProposalState.PLANNING, started_at=late - timedelta(minutes=1)
    )
    assert not is_overdue(waiting, now=late)
    other.refresh_from_db()
    assert is_overdue(other, now=late + timedelta(minutes=10))


def test_accepted_plan_of_days_to_come_is_kept() -> None:
    dana = make.office()
    accepted, _old = (request_proposal(scope=DAY, by=make.dispatcher()) for _ in range(2))
    long_ago, tomorrow = timezone.now() - timedelta(days=3), timezone.now() + timedelta(days=1)
    assert dana.user
    PlanProposal.objects.update(requested_at=long_ago, ends_at=tomorrow)
    PlanProposal.objects.filter(pk=accepted.pk).update(action=plan_actions.new_action(dana.user))

    newest = request_proposal(scope=DAY, by=make.dispatcher())

    assert set(PlanProposal.objects.values_list("pk", flat=True)) == {accepted.pk, newest.pk}
