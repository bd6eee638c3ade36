"""An engineer whose account is suspended with visits ahead: nobody plans with them, and what is left rings."""

from collections.abc import Iterator

import pytest
import time_machine
from django.utils import timezone

from dispatch import attention, visits
from dispatch.models import ProposedChange
from dispatch.planning.proposal_acceptance import accept_proposal
from dispatch.visits import NotBookable
from engineers.models import Engineer, Role
from monitoring import alarms
from monitoring.models import Alarm
from tests import make
from tests.board.proposals import planned, proposal_of
from tests.board.test_people import client_of

pytestmark = pytest.mark.django_db
SUSPENDED = "Erin Moss's account is suspended. Choose another engineer, or reinstate the account."


@pytest.fixture(autouse=True)
def early() -> Iterator[None]:
    with time_machine.travel(make.at("07:00"), tick=False):
        yield


def suspend(engineer: Engineer) -> str:
    """The page that the supervisor gets."""
    supervisor = client_of(make.dispatcher(role=Role.SUPERVISOR))
    page = supervisor.post(f"/board/people/{engineer.pk}/suspend/", follow=True).content.decode()
    engineer.refresh_from_db()
    return page


def test_nobody_gives_a_visit_to_a_suspended_engineer() -> None:
    erin = make.engineer(name="Erin Moss")
    job, waiting = planned(make.engineer(), "09:00"), make.job()
    proposal = proposal_of((job, erin, "10:00"))
    suspend(erin)

    result = accept_proposal(proposal, by=make.office(), now=timezone.now())
    with pytest.raises(NotBookable) as refused:
        visits.assign(
            job=waiting, engineer=erin, starts_at=make.at("11:00"), by=make.office(), override_reason="Please"
        )

    assert [problem.message for refusal in result.refusals for problem in refusal.problems] == [SUSPENDED]
    assert SUSPENDED in [problem.message for problem in refused.value.problems]
    assert not ProposedChange.objects.exclude(accepted_at=None).exists()


def test_visits_that_are_left_ring_until_somebody_else_has_them() -> None:
    erin, other = make.engineer(name="Erin Moss"), make.engineer()
    job = planned(erin, "09:00")

    page = suspend(erin)
    attention.watch_day()

    assert "1 visit is still planned with this engineer. Assign it to somebody else." in page
    alarm = Alarm.objects.get(kind="engineer_absent", cleared_at=None)
    assert str(alarms.text_of(alarm)) == "Erin Moss's account is suspended and still has 1 job today."

    visits.assign(job=job, engineer=other, starts_at=make.at("09:00"), by=make.office())
    attention.watch_day()
    assert not Alarm.objects.filter(kind="engineer_absent", cleared_at=None).exists()


def test_row_and_panel_count_the_visits_of_a_suspended_engineer_alike() -> None:
    erin = make.engineer(name="Erin Moss")
    job = planned(erin, "09:00")
    suspend(erin)

    office = client_of(make.dispatcher())
    answer = office.get(f"/board/?day={make.DAY}&engineer={erin.staff_number}")

    page = answer.context["page"]
    (lane,) = page.board.lanes
    assert (lane.status.text, lane.to_reassign) == ("Suspended · 1 job to reassign", 1)
    assert [line.job_id for line in page.engineer.to_reassign] == [job.provider_job_id]
    assert lane.cards[0].risk.reason == "Erin Moss is suspended"
    assert 'id="absent-from"' not in answer.content.decode()
