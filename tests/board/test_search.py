"""Finding a job by each thing that a caller may know."""

import dataclasses

import pytest

from dispatch import jobs
from dispatch.job_pack import SiteAddress, SiteContact
from dispatch.models import Job
from tests import make
from tests.board.office import signed_in

pytestmark = pytest.mark.django_db


def known_job() -> Job:
    pack = make.pack(uprn="200098765432")
    return jobs.create_job(
        pack=dataclasses.replace(
            pack,
            seller_job_id="S-KNOWN-1",
            buyer_order_reference="B-7",
            seller_order_reference="O-9",
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
    ["B-7", "o-9", "200098765432", "YO1 7HH", "yo17hh", "YO1", "o'hara", "S-KNOWN-1", " YO1 7HH ", "ZZ9,B-7"],
)
def test_job_is_found_by(query: str) -> None:
    make.job()
    job = known_job()

    assert found(query) == [job.provider_job_id]


def test_job_is_found_by_our_number() -> None:
    job = known_job()

    assert found(job.provider_job_id.lower()) == [job.provider_job_id]


@pytest.mark.parametrize("query", ["ZZ99", "200098765", "x", "", "  "])
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


@pytest.mark.parametrize("rows", [1, 3])
def test_search_costs_the_same_for_one_row_and_for_three(
    rows: int, django_assert_num_queries: object
) -> None:
    client = signed_in()
    for _ in range(rows):
        make.job()

    # session, user, whether the word is a reference, jobs, closures, and the frame's three
    with django_assert_num_queries(8):
        page = client.get("/board/search?q=LS6").context["page"]

    assert len(page.lines) == rows
