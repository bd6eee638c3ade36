"""What is long or narrow at 1440: German words, two weeks of capacity, the smallest cards, tabs over pages."""

import pytest
from playwright.sync_api import Locator, expect

from dispatch import visits
from tests import make
from tests.board.test_browser import open_board
from tests.servers.browser import Window

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
]
LINES = """text => {
  const all = document.createRange();
  all.selectNodeContents(text);
  return all.getClientRects().length;
}"""


def is_cut(text: Locator) -> bool:
    return bool(text.evaluate("text => text.scrollWidth > text.clientWidth"))


def speak_german(window: Window) -> None:
    page = window.page
    page.goto("/board/messages/")
    page.locator(".user-menu summary").click()
    page.get_by_role("button", name="Deutsch").click()
    expect(page.locator("html")).to_have_attribute("lang", "de")


def test_german_header_is_one_line_and_names_are_whole_words(window: Window) -> None:
    engineer, job, page = make.engineer(), make.job(flags=("SUR", "MDU")), window.page
    visits.assign(job=job, engineer=engineer, starts_at=make.at("08:00"), by=make.office())
    speak_german(window)
    open_board(page)

    # the bar grows by a second line
    bar = page.locator("header.bar").bounding_box()
    assert bar and bar["height"] <= 44
    page.goto(f"/board/jobs/{job.provider_job_id}/")
    for name in page.locator(".facts dt, .event-times dt").all():
        assert not is_cut(name), name.inner_text()
    long = page.locator(".facts dt", has_text="Reservierungsschlüssel").bounding_box()
    short = page.locator(".facts dt", has_text="Empfangen").bounding_box()
    assert long and short and long["height"] == short["height"]


def test_german_head_of_waiting_jobs_breaks_in_no_window(window: Window) -> None:
    """With the risk that all of its jobs have, it is as long as it gets."""
    for _ in range(2):
        make.job(window=("14:00", "19:00"), flags=("SUR",))
    speak_german(window)
    open_board(window.page)

    head = window.page.locator("#waiting h3")
    expect(head).to_contain_text("Nachmittag 14:00–19:00 2 ")
    assert head.locator("time").evaluate(LINES) == 1
    assert not is_cut(head)


def test_narrow_card_keeps_its_postcode_when_it_is_selected(window: Window) -> None:
    page = window.page
    for number, minutes in enumerate((30, 45, 60, 90)):
        job = make.job(duration_minutes=minutes, flags=("SUR",) if number % 2 else ())
        person = make.engineer(name=f"Engineer {number}")
        visits.assign(job=job, engineer=person, starts_at=make.at("08:00"), by=make.office())
    open_board(page)
    expect(page.locator("#selection[data-started]")).to_be_attached()

    for card in page.locator("#lanes .card").all():
        card.locator("a").press("s")

    expect(page.locator("#lanes .card.is-selected")).to_have_count(4)
    for card in page.locator("#lanes .card").all():
        inner = card.locator(".postcode").bounding_box()
        outer = card.bounding_box()
        assert inner and outer and inner["x"] + inner["width"] <= outer["x"] + outer["width"] - 1


def test_two_weeks_of_capacity_fit(window: Window) -> None:
    for number in range(40):
        make.engineer(name=f"Engineer {number}", starts="06:00", ends="22:00")
    page = window.page

    page.goto("/board/plans/capacity/")

    assert not is_cut(page.locator(".capacity-scroll"))


def test_tabs_of_messages_stay_where_they_are(window: Window) -> None:
    page, positions = window.page, set()
    for path in ("", "stuck/"):
        page.goto(f"/board/messages/{path}")
        box = page.get_by_role("link", name="Message log").bounding_box()
        assert box
        positions.add(box["x"])

    assert len(positions) == 1
