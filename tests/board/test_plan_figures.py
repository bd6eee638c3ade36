"""What the pages of a plan say about it: how far it is, driving, windows, who or what ended it."""

from datetime import timedelta

import pytest
from django.test import Client

from board.plans.plan_presenter import PlanPage
from dispatch.models import PlanProposal
from dispatch.planning.engine.routing_problem import Plan, PlanProgress
from dispatch.planning.problem.plan_scope import PlanScope
from dispatch.planning.proposal_making import make_proposal, progress_recorder
from dispatch.planning.proposals import request_proposal, request_stop
from dispatch.planning.reason_codes import EndedBy
from engineers.shifts import TimeSpan, day_span
from tests import make
from tests.board.office import signed_in
from tests.board.proposals import planned, proposal_of
from tests.dispatch.day_comparisons import job_at

pytestmark = pytest.mark.django_db
SCOPE = PlanScope(day_span(make.DAY))
STOPPED = "The search was stopped: this is the best plan until then."
OUT_OF_TIME = "The search ran out of time. With more seconds it may find a better plan."


def page_of(client: Client, proposal: PlanProposal) -> PlanPage:
    page: PlanPage = client.get(f"/board/plans/{proposal.pk}/").context["page"]
    return page


def text_on_board(client: Client, proposal: PlanProposal) -> str:
    return " ".join(client.get(f"/board/plans/{proposal.pk}/board/").content.decode().split())


def test_plan_says_what_it_assigns_drives_and_misses() -> None:
    """Both jobs are at the same address, 2.3 km from home: 1.3 times as far by road, at 9 m/s and slower in the worst
    hour, with four minutes to park 12 minutes, in steps of five 15, there and back."""
    make.engineer()
    client, _jobs = signed_in(), [job_at(53.82), job_at(53.82)]
    proposal = request_proposal(scope=SCOPE, by=make.dispatcher(), neighbourhoods=2)

    make_proposal(proposal.pk)

    page = page_of(client, proposal)
    assert (page.value_percent, page.misses_before) == (100, 0)
    assert (page.drive_before, page.drive_after) == ("0 min", "30 min")
    assert page.misses is not None and 0 <= page.misses < 0.5
    text = text_on_board(client, proposal)
    assert "100 % of the work assigned, by its value. Driving: 30 min, now 0 min." in text
    assert "Unassigned: 0, now 2." in text
    assert f"Expected missed windows of the assigned: {page.misses:.1f}, now 0.0." in text


def test_plan_is_watched_while_it_is_made() -> None:
    client, proposal = signed_in(), request_proposal(scope=SCOPE, by=make.dispatcher())
    PlanProposal.objects.update(possible_value=40, travel_seconds_before=3600)

    progress_recorder(proposal)(PlanProgress(Plan(), value=30, travel_seconds=5400, seconds=1))

    page = page_of(client, PlanProposal.objects.get())
    assert (page.is_running, page.value_percent) == (True, 75)
    assert (page.drive_before, page.drive_after) == ("1 h", "1 h 30")


@pytest.mark.parametrize(
    ("start", "hours", "text"),
    [
        ("00:00", 24, "Mon 23 Nov"),
        ("13:00", 11, "Mon 23 Nov 13:00–24:00"),
        ("00:00", 48, "Mon 23 Nov – Tue 24 Nov"),
    ],
)
def test_part_of_a_plan_is_written_as_other_spans_are(start: str, hours: int, text: str) -> None:
    span = TimeSpan(make.at(start), make.at(start) + timedelta(hours=hours))
    proposal = request_proposal(scope=PlanScope(span), by=make.dispatcher())

    assert page_of(signed_in(), proposal).line.part == text


def test_plan_that_is_stopped_says_so() -> None:
    """It would go on until its time is over."""
    for name in ("Ann", "Lee", "Una"):
        make.engineer(name=name)
    client, _jobs = signed_in(), [job_at(53.80 + number / 100) for number in range(8)]
    proposal = request_proposal(scope=SCOPE, by=make.dispatcher(), seconds=15)
    request_stop(proposal)

    make_proposal(proposal.pk)

    assert PlanProposal.objects.get().ended_by == EndedBy.STOPPED
    assert page_of(client, proposal).note == STOPPED


def test_plan_that_its_time_ended_says_so_also_on_the_board() -> None:
    client = signed_in()
    proposal = proposal_of((planned(make.engineer(name="Ann"), "09:00"), make.engineer(name="Lee"), "09:00"))
    assert OUT_OF_TIME not in text_on_board(client, proposal)
    PlanProposal.objects.update(ended_by=EndedBy.TIME_LIMIT)

    assert page_of(client, proposal).note == OUT_OF_TIME
    assert OUT_OF_TIME in text_on_board(client, proposal)


def test_day_on_which_nobody_can_be_disturbed_gets_a_new_plan() -> None:
    """Whatever may change: the calm search fills gaps one job after the other, and finds less."""
    make.engineer()
    client, _jobs = signed_in(), [job_at(53.80 + number / 100) for number in range(5)]
    proposals = [
        request_proposal(scope=SCOPE, by=make.dispatcher(), neighbourhoods=2, change_minutes=minutes)
        for minutes in (30, 0)
    ]
    for proposal in proposals:
        make_proposal(proposal.pk)

    calm, new = (list(proposal.changes.values_list("job", "kind", "start_after")) for proposal in proposals)
    assert calm == new
    assert page_of(client, proposals[0]).weight.startswith("No customer expects an engineer yet")
    assert page_of(client, proposals[1]).weight == ""
