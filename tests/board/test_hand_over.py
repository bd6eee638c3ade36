"""Handing a half-done job over from its page on the board."""

import pytest
from django.test import Client

from board.day.board_presenter import build_board
from board.jobs.job_presenter import build_job_page
from dispatch.models import Job
from dispatch.states import JobState
from engineers.models import Engineer
from seller_link.models import OutboundMessage
from tests import make
from tests.board.office import assign, press, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def office() -> Client:
    return signed_in()


@pytest.fixture
def first() -> Engineer:
    return make.engineer(name="Erin First")


@pytest.fixture
def job(first: Engineer) -> Job:
    return make.job(at_state=JobState.ON_SITE, to=first)


def answer(job: Job, value: str, by: Engineer) -> None:
    make.record_answer(job, "SAF01", value, by=by)


def test_page_offers_to_hand_over_to_anybody_else(office: Client, job: Job, first: Engineer) -> None:
    second = make.engineer(name="Sam Second")
    page = build_job_page(job, now=make.now()).head.assignment

    assert (page.button, page.is_hand_over, page.can_unassign) == ("Hand over", True, False)
    assert [choice.staff_number for choice in page.choices] == [second.staff_number]
    assert first.staff_number not in {offer.engineer for offer in page.suggestions}
    html = office.get(f"/board/jobs/{job}/").content.decode()
    assert "Existing answers, scans and photos stay with the job" in html


def test_offer_after_the_window_says_so(job: Job) -> None:
    make.engineer(name="Sam Second", starts="14:00")
    make.engineer(name="Una Third", starts="12:00")

    offers = build_job_page(job, now=make.now()).head.assignment.suggestions

    assert {offer.name: offer.text.split(" · ")[:2] for offer in offers} == {
        "Sam Second": ["14:00–16:00", "after the window"],
        "Una Third": ["12:00–14:00", "ends after the window"],
    }


def test_hand_over_has_no_undo_and_keeps_both_names(office: Client, job: Job, first: Engineer) -> None:
    second = make.engineer(name="Sam Second")
    answer(job, "no", first)
    assert assign(office, job, second, "09:00").json() == {"ok": True}
    answer(job, "yes", second)

    page = build_job_page(Job.objects.get(pk=job.pk), now=make.now())
    (line,) = page.answers
    assert (line.answer, line.by) == ("Yes", "Sam Second")
    assert [line_text.startswith("No, Erin First, ") for line_text in line.before] == [True]
    sentences = [entry.event.sentence for entry in page.history]
    assert any(
        "Sam Second" in sentence and "handed over by Erin First (on site)" in sentence
        for sentence in sentences
    )
    assert "/board/undo/" not in office.get("/board/").content.decode()


def test_office_closes_for_another_reason_and_names_who_was_there(
    office: Client, job: Job, first: Engineer
) -> None:
    assert assign(office, job, make.engineer(name="Sam Second"), "09:00").json() == {"ok": True}
    page = office.get(f"/board/jobs/{job}/").context["page"]
    assert [choice.code for choice in page.closing] == ["OTHER"]

    nobody_went = press(office, job, "close", code="NTR", remarks="No access")
    assert [problem["code"] for problem in nobody_went.json()["problems"]] == ["needs_a_visit"]
    assert press(office, job, "close", code="OTHER", remarks="Customer wants another day").json() == {
        "ok": True
    }
    sent = OutboundMessage.objects.get(operation="closeJob").body
    assert sent["engineer"] == {"id": first.staff_number, "name": "Erin First"}


def test_photos_say_who_took_them(job: Job, first: Engineer) -> None:
    photo = make.photo(job, question_code="PHO01")
    type(photo).objects.update(by=first)

    assert [line.by for line in build_job_page(job, now=make.now()).photos] == ["Erin First"]


def test_nobody_on_site_is_dragged_away_on_the_board(job: Job) -> None:
    cards = [
        card for lane in build_board(make.DAY, now=make.now(), today=make.DAY).lanes for card in lane.cards
    ]

    assert [card.can_move for card in cards] == [False]
