"""A job whose property flag asks for days of notice is in no plan before them."""

from datetime import timedelta

import pytest
import time_machine

from dispatch.models import ChangeKind, FlagRule
from dispatch.planning.problem.plan_scope import PlanScope
from dispatch.planning.proposal_making import make_proposal
from dispatch.planning.proposal_texts import reason_text
from dispatch.planning.proposals import request_proposal
from engineers.shifts import TimeSpan, day_span
from tests import make
from tests.dispatch.day_comparisons import job_at, kinds

pytestmark = pytest.mark.django_db
TOMORROW = make.DAY + timedelta(days=1)


def test_job_keeps_its_lead_time() -> None:
    """Received this morning, for today and for tomorrow, with one day of notice."""
    FlagRule.objects.create(code="WSD", lead_days=1)
    make.engineer()
    span = TimeSpan(day_span(make.DAY).start, day_span(TOMORROW).end)
    with time_machine.travel(make.at("06:00"), tick=True):
        soon, later = job_at(53.82, flags=("WSD",)), job_at(53.82, flags=("WSD",), day=TOMORROW)
        proposal = request_proposal(scope=PlanScope(span), by=make.dispatcher(), neighbourhoods=2)
        make_proposal(proposal.pk)

    assert kinds(proposal) == {soon.pk: ChangeKind.REMAIN_UNASSIGNED, later.pk: ChangeKind.ASSIGN}
    reason = reason_text(proposal.changes.get(job=soon))
    assert reason == "Its window or lead time leaves no room for it in the planned period."
