"""How a dispatcher wants the board: chosen once, kept for the session, and bounded by what there is."""

import html
import re

import pytest

from dispatch import jobs, visits
from dispatch.states import JobState
from engineers.models import Area, Engineer
from tests import make
from tests.board.office import signed_in

pytestmark = pytest.mark.django_db
PATH = f"/board/?day={make.DAY.isoformat()}"


def in_area(name: str, area: Area | None) -> Engineer:
    engineer = make.engineer(name=name)
    engineer.area = area
    engineer.save()
    return engineer


def lane_names(page: str) -> list[str]:
    return re.findall(r'data-name="([^"]+)"', page)


def test_rows_are_compact_above_twenty_engineers_until_somebody_chose_otherwise() -> None:
    client = signed_in()
    for _ in range(20):
        make.engineer()
    assert "density-comfortable" in client.get(PATH).content.decode()

    make.engineer()
    assert "density-compact" in client.get(PATH).content.decode()

    answer = client.post(f"/board/view/?day={make.DAY}", {"density": "dense"})
    assert answer.headers["Location"] == f"{PATH}#middle"
    assert "density-dense" in client.get(PATH).content.decode()


def test_choice_that_is_none_changes_nothing() -> None:
    client = signed_in()
    client.post("/board/view/", {"span": "morning"})

    client.post("/board/view/", {"density": "x" * 5000, "sort": "", "span": "night"})

    page = client.get(PATH).content.decode()
    assert "density-comfortable" in page
    assert 'data-quarters="24"' in page


def test_engineers_stand_by_area_and_without_one_last() -> None:
    north, south = Area.objects.create(name="North"), Area.objects.create(name="South")
    for name, area in (("Cal", None), ("Bea", south), ("Ada", south), ("Zoe", north)):
        in_area(name, area)

    assert lane_names(signed_in().get(PATH).content.decode()) == ["Zoe", "Ada", "Bea", "Cal"]


@pytest.mark.parametrize(("sort", "first"), [("name", "Ada"), ("load", "Bea"), ("lateness", "Cal")])
def test_engineers_are_sorted_as_chosen(sort: str, first: str) -> None:
    ada, bea, cal = (in_area(name, None) for name in ("Ada", "Bea", "Cal"))
    client, by = signed_in(), make.office()
    client.post("/board/view/", {"sort": sort})
    make.job(at_state=JobState.ASSIGNED, to=ada)
    for start in ("08:00", "10:15"):
        visits.assign(job=make.job(), engineer=bea, starts_at=make.at(start), by=by)
    late = make.job(day=make.DAY, at_state=JobState.ASSIGNED, to=cal)
    # far away from home: the drive alone makes it late
    late.latitude, late.longitude = 36.1, -5.3
    late.save()
    Engineer.objects.exclude(pk=cal.pk).update(home_latitude=None, home_longitude=None)

    page = client.get(PATH).content.decode()

    assert lane_names(page)[0] == first


def test_unassigned_jobs_are_grouped_by_risk_as_chosen() -> None:
    client = signed_in()
    make.job(window=("08:00", "13:00"))
    make.job(window=("13:00", "18:00"), flags=("SUR",))

    by_window = client.get(PATH).context["page"].board
    client.post("/board/view/", {"unassigned_sort": "risk"})
    by_risk = client.get(PATH).context["page"].board

    assert [group.name for group in by_window.unassigned_groups] == ["Morning", "Afternoon"]
    assert [(group.name, group.window) for group in by_risk.unassigned_groups] == [
        ("At risk", "13:00–18:00"),
        ("On time", "08:00–13:00"),
    ]


def test_ended_jobs_are_folded_away_as_chosen_but_for_what_needs_somebody() -> None:
    erin, client = make.engineer(name="Erin"), signed_in()
    make.close_without_visit(make.job(at_state=JobState.ASSIGNED, to=erin))
    jobs.cancel_job(job=make.job(at_state=JobState.ASSIGNED, to=erin), reason="Customer changed their mind")
    following = make.job(at_state=JobState.ASSIGNED, to=erin)
    on_the_way = make.job(at_state=JobState.EN_ROUTE, to=make.engineer(name="Zoe"))
    jobs.cancel_job(job=on_the_way, reason="Customer changed their mind")
    whole = client.get(PATH).context["page"].board

    client.post("/board/view/", {"ended_jobs": "folded"})
    answer = client.get(PATH)

    folded = answer.context["page"].board
    assert [len(lane.cards) for lane in whole.lanes] == [3, 1]
    assert [[card.job_id for card in lane.cards] for lane in folded.lanes] == [
        [following.provider_job_id],
        [on_the_way.provider_job_id],
    ]
    assert [(lane.depth, lane.folded) for lane in folded.lanes] == [(1, 2), (1, 0)]
    assert (folded.jobs, folded.legend) == (whole.jobs, whole.legend)
    assert "2 finished jobs folded away" in answer.content.decode()


def test_page_that_fetches_itself_keeps_its_view_and_chooses_none_for_other_pages() -> None:
    """Another tab may have chosen another one since."""
    client = signed_in()
    displayed = re.search(r'data-view="([^"]+)"', client.get(PATH).content.decode())
    client.post("/board/view/", {"span": "week"})
    assert displayed

    page = client.get(PATH, headers={"Board-View": html.unescape(displayed[1])}).content.decode()

    assert 'data-quarters="52"' in page
    assert f'data-view="{displayed[1]}"' in page
    assert 'class="week-page"' in client.get(PATH).content.decode()


def test_week_that_fetches_itself_stays_a_week() -> None:
    client = signed_in()
    client.post("/board/view/", {"span": "week", "sort": "load"})
    displayed = re.search(r'data-view="([^"]+)"', client.get(PATH).content.decode())
    client.get(f"/board/open-day/?day={make.DAY}")
    assert displayed

    page = client.get(PATH, headers={"Board-View": html.unescape(displayed[1])}).content.decode()

    assert 'class="week-page"' in page
    assert f'data-view="{displayed[1]}"' in page


def test_view_of_a_page_that_is_none_counts_as_not_chosen() -> None:
    page = signed_in().get(PATH, headers={"Board-View": "span=night&density=&x=%ff"}).content.decode()

    assert 'data-quarters="52"' in page
