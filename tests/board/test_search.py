"""Finding a job by each thing that a caller may know."""

import dataclasses
import re
from datetime import timedelta

import pytest
from django.db import connection

from board.jobs.search import SearchResult
from dispatch import jobs
from dispatch.job_pack import SiteAddress, SiteContact
from dispatch.models import Job
from dispatch.states import JobState
from engineers.models import User
from tests import make
from tests.board.office import signed_in

pytestmark = pytest.mark.django_db
# tests/board/conftest.py sets the clock to noon
TODAY = make.DAY - timedelta(days=1)


def known_job() -> Job:
    pack = make.pack(uprn="200098765432")
    return jobs.create_job(
        pack=dataclasses.replace(
            pack,
            seller_job_id="S-KNOWN-1",
            # no random number of another job begins like this: Q is no hexadecimal digit
            buyer_order_reference="B-7Q",
            seller_order_reference="O-9Q",
            premises=dataclasses.replace(
                pack.premises, address=SiteAddress(("3 Mill Lane",), "York", "YO1 7HH")
            ),
            contact=SiteContact("Mo O'Hara", "01904 000000"),
        )
    ).job


def found(query: str) -> list[str]:
    page = signed_in().get("/board/search", {"q": query}).context["page"]
    return [line.job_id for line in page.lines]


@pytest.mark.parametrize(
    "query",
    [
        "B-7Q",
        "o-9q",
        "200098765432",
        "YO1 7HH",
        "yo17hh",
        "YO1",
        "o'hara",
        "S-KNOWN-1",
        " YO1 7HH ",
        "ZZ9,B-7Q",
    ],
)
def test_job_is_found_by(query: str) -> None:
    make.job()
    job = known_job()

    assert found(query) == [job.provider_job_id]


def test_job_is_found_by_our_number() -> None:
    job = known_job()

    assert found(job.provider_job_id.lower()) == [job.provider_job_id]


@pytest.mark.parametrize("query", ["ZZ99", "00987654321", "x", "", "  "])
def test_nothing_found_says_what_to_do(query: str) -> None:
    known_job()

    page = signed_in().get("/board/search", {"q": query})

    assert page.context["page"].lines == []
    assert page.content.decode().count('<p class="empty panel">') == 1


def test_search_of_a_thousand_parts_is_no_500(django_assert_max_num_queries: object) -> None:
    client = signed_in()

    with django_assert_max_num_queries(30):
        assert (
            client.get("/board/search", {"q": ",".join(["no"] * 3000 + list("abcdefgh") * 99)}).status_code
            == 200
        )


def test_list_of_jobs_that_need_a_location() -> None:
    make.job()
    lost = make.job(located=False)

    page = signed_in().get("/board/search?list=needs-location").context["page"]

    assert [(line.job_id, line.needs_location) for line in page.lines] == [(lost.provider_job_id, True)]


def test_list_of_jobs_to_place_spans_all_days() -> None:
    first, second = make.job(), make.job(day=make.DAY.replace(day=27))

    page = signed_in().get("/board/search?list=unassigned").context["page"]

    assert [line.job_id for line in page.lines] == [first.provider_job_id, second.provider_job_id]


@pytest.mark.parametrize(
    ("query", "current"),
    [("list=unassigned", "unassigned"), ("list=needs-location", "needs-location"), ("q=x", "")],
)
def test_list_that_is_open_is_marked(query: str, current: str) -> None:
    html = signed_in().get(f"/board/search?{query}").content.decode()

    marked = re.findall(r'href="\?list=([a-z-]+)" aria-current="page"', html)
    assert marked == [current] * bool(current)


@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize("page", ["/board/search", "/board/search/suggestions"])
def test_search_costs_the_same_for_one_row_and_for_three(
    rows: int, page: str, django_assert_num_queries: object
) -> None:
    client = signed_in()
    for number in range(rows):
        make.job(at_state=JobState.ASSIGNED, day=TODAY, to=make.engineer(name=f"Leeds{number} Engineer"))

    # session and user; engineers, their visits and absences; jobs near, by index and their rows;
    # closures, visits, the engineers' day; what they lost today, twice; what was learned of drives, twice;
    # and the frame's three;
    # the look: whether it is recorded, and its line in a savepoint
    # PostgreSQL looks at the newest jobs before it asks its index
    asked = 20 if connection.vendor == "postgresql" else 19
    with django_assert_num_queries(asked + (0 if page.endswith("suggestions") else 3)):
        found = client.get(page, {"q": "leeds"}).context["page"]

    assert (len(found.lines), len(found.engineers)) == (rows, rows)


def suggestions(query: str) -> SearchResult:
    answer = signed_in().get("/board/search/suggestions", {"q": query})
    assert answer.headers["Cache-Control"].count("no-store") == 1
    return answer.context["page"]


def test_list_answers_where_the_engineer_is() -> None:
    engineer = make.engineer(name="Erin Engineer")
    job = make.job(day=TODAY + timedelta(days=1), at_state=JobState.ASSIGNED, to=engineer)

    line = suggestions(str(job)).lines[0]

    assert (line.title, line.look.label) == ("LS6 3AB", "Assigned")
    assert line.attendance is not None
    assert (line.attendance.engineer, line.attendance.expected) == ("Erin Engineer", "")
    assert line.attendance.planned.endswith("08:00–10:00")


def test_expected_time_is_shown_for_a_job_of_today() -> None:
    on_site = make.job(day=TODAY, at_state=JobState.ON_SITE, to=make.engineer())
    late = make.job(day=TODAY, at_state=JobState.ASSIGNED, to=make.engineer())

    found = {line.job_id: line.attendance for line in suggestions("chapel").lines}

    arrived, expected = found[str(on_site)], found[str(late)]
    assert arrived is not None and expected is not None
    assert (arrived.expected, arrived.is_late) == ("arrived 12:00, until about 14:00", True)
    assert (expected.expected.startswith("expected 12:"), expected.is_late) == (True, True)


def test_engineer_shows_what_is_done_now_and_next() -> None:
    engineer = make.engineer(name="Niamh Ó Briain")
    now = make.job(day=TODAY, at_state=JobState.ON_SITE, to=engineer)
    following = make.job(day=TODAY, window=("13:00", "18:00"), at_state=JobState.ASSIGNED, to=engineer)

    for query in ("niamh", "bria", "o briain", engineer.staff_number):
        line = suggestions(query).engineers[0]
        assert line.current is not None and line.next is not None
        assert (line.current.job_id, line.next.job_id) == (str(now), str(following))
        assert "until about" in line.current.expected


def test_engineer_without_jobs_is_found_and_a_suspended_one_is_not() -> None:
    engineer, gone = make.engineer(name="Idle Ines"), make.engineer(name="Idle Igor")
    User.objects.filter(engineer=gone).update(is_active=False)

    lines = suggestions("idle").engineers

    assert [(line.name, line.status, line.jobs) for line in lines] == [("Idle Ines", "No jobs today", [])]
    assert engineer.staff_number in signed_in().get("/board/search?q=idle").content.decode()


def test_suggestions_are_few_and_say_that_there_are_more() -> None:
    for _ in range(9):
        make.job()

    page = signed_in().get("/board/search/suggestions?q=chapel")

    assert (len(page.context["page"].lines), page.context["page"].is_cut) == (8, True)
    assert "Press Enter for all results." in page.content.decode()
