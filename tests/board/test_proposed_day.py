"""A proposal drawn on the board: new places, outlines of the old ones, what stays, and what is accepted from there."""

from datetime import timedelta

import pytest
from django.test import Client

from board.plans.proposed_day import ProposedDay
from dispatch import visits
from dispatch.models import ChangeKind, PlanProposal
from tests import make
from tests.board.office import signed_in
from tests.board.proposals import planned, proposal_of

pytestmark = pytest.mark.django_db


def day_of(client: Client, proposal: PlanProposal, query: str = "") -> ProposedDay:
    answer = client.get(f"/board/plans/{proposal.pk}/board/{query}")
    assert answer.status_code == 200
    page: ProposedDay = answer.context["page"]
    return page


def cards(page: ProposedDay) -> dict[str, list[tuple[str, str, str]]]:
    return {lane.name: [(card.look, card.time, card.label) for card in lane.cards] for lane in page.lanes}


def test_moves_lie_at_both_places_and_engineers_without_a_change_are_left_out() -> None:
    ann, lee, client = make.engineer(name="Ann"), make.engineer(name="Lee"), signed_in()
    planned(make.engineer(name="Una"), "09:00")
    to_lee, later, dropped = planned(ann, "08:00"), planned(ann, "09:30"), planned(ann, "11:00")
    planned(lee, "11:00")

    page = day_of(
        client,
        proposal_of(
            (to_lee, lee, "09:00"), (later, ann, "10:00"), (dropped, None, ""), (make.job(), lee, "10:15")
        ),
    )

    assert cards(page) == {
        "Ann": [
            ("old", "08:00–09:00", "to Lee"),
            ("old", "09:30–10:30", "to 10:00"),
            ("new", "10:00–11:00", "was 09:30"),
            ("old", "11:00–12:00", "Unassigned"),
        ],
        "Lee": [
            ("new", "09:00–10:00", "from Ann"),
            ("new", "10:15–12:15", "Newly assigned"),
            ("same", "11:00–12:00", ""),
        ],
    }
    assert [(lane.gets, lane.gives, lane.depth) for lane in page.lanes] == [(0, 2, 2), (2, 0, 2)]
    assert page.open_count == 4


def test_team_is_drawn_in_the_rows_of_both_and_accepted_once() -> None:
    ann, lee, client = make.engineer(name="Ann"), make.engineer(name="Lee"), signed_in()
    proposal = proposal_of((make.job(), ann, "09:00"))
    proposal.changes.update(second_after=lee)

    page = day_of(client, proposal)

    assert [(lane.name, lane.gets) for lane in page.lanes] == [("Ann", 1), ("Lee", 1)]
    choices = [card.choice for lane in page.lanes for card in lane.cards]
    assert choices == [proposal.changes.get().pk, None]
    assert page.plan.changes[0].after.startswith("Ann with Lee, ")
    assert [(line.name, line.gets) for line in page.plan.engineers] == [("Ann", 1), ("Lee", 1)]


def test_change_is_accepted_from_the_board_and_disappears_there() -> None:
    ann, lee, client = make.engineer(name="Ann"), make.engineer(name="Lee"), signed_in()
    first, second = planned(ann, "08:00"), planned(ann, "10:00")
    proposal = proposal_of((first, lee, "08:00"), (second, lee, "10:00"))

    chosen = {
        card.job_id: card.choice
        for lane in day_of(client, proposal).lanes
        for card in lane.cards
        if card.choice
    }
    client.post(f"/board/plans/{proposal.pk}/accept/", {"change": [chosen[str(first)]]})

    assert [visits.current_visit(job).engineer for job in (first, second)] == [lee, ann]  # type: ignore[union-attr]
    page = day_of(client, proposal)
    assert page.open_count == 1
    assert ("same", "08:00–09:00", "") in cards(page)["Lee"]


def test_each_day_has_its_own_board() -> None:
    lee, client = make.engineer(name="Lee"), signed_in()
    tomorrow = make.DAY + timedelta(days=1)
    proposal = proposal_of((make.job(), lee, "09:00"))
    proposal.changes.create(
        job=make.job(day=tomorrow),
        kind=ChangeKind.ASSIGN,
        engineer_after=lee,
        start_after=make.at("09:00", day=tomorrow),
        version="none",
        reason="free_engineer",
    )

    first, second = day_of(client, proposal), day_of(client, proposal, f"?day={tomorrow}")

    assert [first.day, second.day] == [make.DAY, tomorrow] == [day for day, _text in first.days]
    assert [first.open_count, second.open_count] == [1, 1]


@pytest.mark.parametrize(
    "query",
    ["", "?day=2030-01-01", "?day=nonsense", "?day=2026-02-31", "?day=0001-01-01", "?day=9999-12-31"],
)
def test_nothing_left_says_so(query: str) -> None:
    assert day_of(signed_in(), proposal_of(), query).open_count == 0


def test_number_of_queries_does_not_grow(django_assert_max_num_queries: object) -> None:
    ann, lee, client = make.engineer(name="Ann"), make.engineer(name="Lee"), signed_in()
    few = proposal_of((planned(ann, "08:00"), lee, "08:00"))
    many = proposal_of(*[(planned(ann, f"{hour}:00"), lee, f"{hour}:00") for hour in ("09", "10", "11")])

    for proposal in (few, many):
        with django_assert_max_num_queries(26):  # type: ignore[operator]
            day_of(client, proposal)


def test_page_is_for_the_office() -> None:
    engineer = Client()
    engineer.force_login(make.engineer().user)
    address = f"/board/plans/{proposal_of().pk}/board/"
    assert engineer.get(address).status_code in {302, 403}
    assert signed_in().get("/board/plans/999/board/").status_code == 404
