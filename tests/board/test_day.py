"""The board's page: what it prints, what it costs, and what a script asks of it."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from dispatch.models import DayForecast
from dispatch.states import JobState
from tests import make
from tests.board.office import JSON, signed_in

pytestmark = pytest.mark.django_db
PATH = f"/board/?day={make.DAY}"


def test_board_describes_jobs_and_engineers() -> None:
    make.job(at_state=JobState.ASSIGNED, to=make.engineer(name="Erin Engineer"))
    make.job(flags=("DAN",))

    page = signed_in().get(PATH).content.decode()

    for label in ("Mon 23 Nov", "Erin Engineer", "2 h of 10 h", "Dangerous location", "1 of 2 jobs"):
        assert page.count(label) >= 1, label


def test_empty_board_says_what_to_do() -> None:
    page = signed_in().get(PATH).content.decode()

    assert page.count("No jobs on this day. New job packs appear here automatically") == 1
    assert page.count("There are no engineers yet.") == 1


def test_day_that_is_none_shows_today_and_says_so() -> None:
    answer = signed_in().get("/board/?day=2026-02-31")

    assert answer.context["page"].board.day == timezone.localdate()
    assert answer.content.decode().count("is not a valid date. Showing today instead.") == 1


@pytest.mark.parametrize(
    ("address", "is_about_jobs"),
    [("jobs/J-0000-0000/", True), ("plans/999999/", False), ("people/999999/", False)],
)
def test_missing_page_speaks_of_jobs_only_where_one_was_asked_for(
    address: str, *, is_about_jobs: bool
) -> None:
    answer = signed_in().get(f"/board/{address}")

    assert answer.status_code == 404
    assert ("Check the job number" in answer.content.decode()) == is_about_jobs


def test_panel_has_the_contact_s_number_to_call() -> None:
    job = make.job()

    page = signed_in().get(f"{PATH}&job={job.provider_job_id}").content.decode()

    assert page.count('Pat Tester · <a href="tel:07700900456">07700 900456</a>') == 1


def test_chosen_job_opens_the_panel_with_offers() -> None:
    make.engineer(name="Erin Engineer")
    job = make.job()

    panel = signed_in().get(f"{PATH}&job={job.provider_job_id}").context["page"].panel

    assert (panel.job_id, panel.hazards) == (job.provider_job_id, "Dog in the garden")
    assert [offer.name for offer in panel.assignment.suggestions] == ["Erin Engineer"]
    assert panel.assignment.button == "Assign"


def test_policy_and_no_store_are_in_the_headers() -> None:
    answer = signed_in().get(PATH)

    policy = dict(part.strip().split(" ", 1) for part in answer.headers["Content-Security-Policy"].split(";"))
    assert policy["style-src"] == "'self'"
    assert "'unsafe-inline'" not in policy["script-src"]
    assert "no-store" in answer.headers["Cache-Control"]


def test_board_s_scripts_do_not_repeat_the_policy_that_their_page_has() -> None:
    script, worker = (
        Client().get(f"/static/{path}")
        for path in ("built/js/board/board.js", "built/js/phone/decoder_worker.js")
    )

    assert (script.status_code, "Content-Security-Policy" in script.headers) == (200, False)
    assert "default-src 'self'" in worker.headers["Content-Security-Policy"]


def test_page_has_no_inline_style_or_script() -> None:
    make.job(at_state=JobState.ASSIGNED)

    page = signed_in().get(PATH).content.decode()

    assert page.count("style=") == 0
    assert page.count("<script") == page.count('<script type="module" src="/static/')


@pytest.mark.parametrize("rows", [1, 3])
def test_page_costs_the_same_for_one_row_and_for_three(rows: int, django_assert_num_queries: object) -> None:
    client = signed_in()
    for _ in range(rows):
        make.job(at_state=JobState.ASSIGNED, to=make.engineer())
        make.job()

    with django_assert_num_queries(25):
        client.get(PATH)


def test_version_changes_with_each_event(django_assert_num_queries: object) -> None:
    client = signed_in()
    before = client.get("/board/version").json()["version"]
    make.job()

    with django_assert_num_queries(4):
        after = client.get("/board/version").json()["version"]

    assert before.split(".")[0] == "0"
    assert before.split(".")[0] != after.split(".")[0]


def test_version_is_401_for_a_script_without_a_session() -> None:
    client = signed_in()
    client.logout()

    assert client.get("/board/version", headers=JSON).status_code == 401


def test_home_leads_to_the_board() -> None:
    client = signed_in()

    assert client.get("/").headers["Location"] == "/board/"


def test_engineer_is_kept_out_with_a_page_that_says_so() -> None:
    client = signed_in()
    client.force_login(make.engineer().user)

    answer = client.get(PATH)

    assert answer.status_code == 403
    assert answer.content.decode().count("You don't have permission to view this page") == 1


def test_everybody_of_the_office_has_the_way_to_people() -> None:
    assert signed_in().get(PATH).content.decode().count('href="/board/people/"') == 1


@pytest.mark.parametrize(
    ("url", "allowed"),
    [("", ""), ("/board/stream", ""), ("https://live.example/board/stream", " https://live.example")],
)
def test_only_the_board_may_connect_to_another_origin(url: str, allowed: str, settings: Any) -> None:
    settings.BOARD_STREAM_URL = url
    client = signed_in()

    board, search = (
        client.get(path).headers["Content-Security-Policy"].split("; ")
        for path in ("/board/", "/board/search")
    )

    assert f"connect-src 'self'{allowed}" in board
    assert "connect-src 'self'" in search


def test_board_says_when_an_engineer_will_finish_and_how_many_windows_the_day_will_miss() -> None:
    erin = make.engineer(name="Erin Engineer")
    make.job(at_state=JobState.ASSIGNED, to=erin)
    finish = round(make.at("16:40").timestamp())
    now = timezone.now()
    DayForecast.objects.create(
        day=make.DAY, made_at=now, misses=2.4, most_misses=4, finishes={str(erin.pk): [finish, finish + 1800]}
    )

    answer = signed_in().get(PATH)

    (lane,) = answer.context["page"].board.lanes
    assert lane.expected_end == "16:40"
    text = answer.content.decode()
    assert "expected to finish at 16:40" in text
    assert "Expected missed windows of assigned jobs: 2, rarely more than 4" in text


def test_board_of_a_calm_day_expects_no_missed_window() -> None:
    DayForecast.objects.create(day=make.DAY, made_at=timezone.now(), misses=0.1, most_misses=0, finishes={})

    assert "No missed window expected" in signed_in().get(PATH).content.decode()
