"""Pinned visits that break a rule, which a dispatcher overrode: the plan leaves them and its page names them."""

import pytest
import time_machine

from dispatch import jobs, pins, visits
from dispatch.models import Job, Occasion
from dispatch.planning.comparison_making import make_comparison
from dispatch.planning.comparisons import request_comparison
from dispatch.planning.problem.plan_scope import PlanScope
from dispatch.planning.proposal_making import make_proposal
from dispatch.planning.proposals import request_proposal
from engineers import staff
from engineers.models import Absence, Engineer
from engineers.shifts import day_span
from tests import make
from tests.board.office import signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def morning() -> object:
    with time_machine.travel(make.at("06:00"), tick=True):
        yield


def pinned(engineer: Engineer, at: str) -> Job:
    job = jobs.create_job(pack=make.pack(duration_minutes=60)).job
    starts_at, by = make.at(at), make.office()
    visits.assign(job=job, engineer=engineer, starts_at=starts_at, by=by, override_reason="Agreed")
    pins.pin_visit(job=job, is_pinned=True, by=by)
    return job


def named_visits(proposal: int) -> dict[str, str]:
    page = signed_in().get(f"/board/plans/{proposal}/").context["page"]
    return {line.job_id: line.text for line in page.pinned}


def test_pinned_visits_that_break_a_rule_are_named_and_stay() -> None:
    erin, lee = make.engineer(name="Erin"), make.engineer(name="Lee")
    late, _good, lost = pinned(erin, "12:30"), pinned(erin, "09:00"), pinned(lee, "09:00")
    Absence.objects.create(engineer=lee, starts_at=make.at("00:00"), ends_at=make.at("23:00"))
    proposal = request_proposal(scope=PlanScope(day_span(make.DAY)), by=make.dispatcher(), neighbourhoods=1)

    make_proposal(proposal.pk)

    assert named_visits(proposal.pk) == {
        late.provider_job_id: "It is outside the customer's window.",
        lost.provider_job_id: "The engineer isn't working then.",
    }
    assert not proposal.changes.exists()


def test_pinned_visit_of_a_suspended_engineer_says_so() -> None:
    erin = make.engineer(name="Erin")
    job = pinned(erin, "09:00")
    staff.suspend(user=erin.user, by=make.dispatcher())
    proposal = request_proposal(scope=PlanScope(day_span(make.DAY)), by=make.dispatcher(), neighbourhoods=1)

    make_proposal(proposal.pk)

    text = "The engineer's account is suspended. Unpin the visit and choose somebody else."
    assert named_visits(proposal.pk) == {job.provider_job_id: text}


def test_pinned_visit_of_whom_a_comparison_takes_for_absent_is_named() -> None:
    erin = make.engineer(name="Erin")
    job = pinned(erin, "09:00")
    comparison = request_comparison(occasion=Occasion.ENGINEER_ABSENT, by=make.dispatcher(), engineer=erin)

    make_comparison(comparison.pk)

    nearest = comparison.proposals.order_by("pk")[0]
    assert named_visits(nearest.pk) == {job.provider_job_id: "The engineer isn't working then."}
