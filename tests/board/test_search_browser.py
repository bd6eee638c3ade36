"""The search of the office in a real browser, wide and narrow, by keyboard alone."""

from datetime import timedelta

import pytest
from playwright.sync_api import Page, Route, expect

from dispatch.models import Job
from dispatch.states import JobState
from tests import make
from tests.servers.browser import Window

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.parametrize("window", [1440, 390], indirect=True),
]
# tests/board/conftest.py sets the clock to noon of the day before
TODAY = make.DAY - timedelta(days=1)


def a_day() -> Job:
    """An engineer on site, with another job to come; the job on site."""
    engineer = make.engineer(name="Niamh Ellershaw")
    now = make.job(day=TODAY, at_state=JobState.ON_SITE, to=engineer)
    make.job(day=TODAY, window=("13:00", "18:00"), at_state=JobState.ASSIGNED, to=engineer)
    return now


def late_answer_is_not_shown(page: Page) -> None:
    """The response to the first characters is slow and must not replace the later one."""
    held: list[Route] = []
    page.route("**/suggestions?q=ch", lambda route: held.append(route))  # noqa: PLW0108  # Playwright writes to it
    page.keyboard.press("/")
    expect(page.get_by_role("combobox", name="Search by order")).to_be_focused()
    with page.expect_request("**/suggestions?q=ch"):
        page.keyboard.type("ch")
    page.keyboard.type("zz")
    expect(page.get_by_text("No jobs or engineers found.").first).to_be_visible()
    held[0].continue_()
    expect(page.locator(".search-popup").get_by_role("option")).to_have_count(0)


def test_where_is_my_engineer(window: Window) -> None:
    now, page, width = a_day(), window.page, window.page.viewport_size["width"]
    field, popup = page.get_by_role("combobox", name="Search by order"), page.locator(".search-popup")
    options = popup.get_by_role("option")
    page.goto("/board/alarms/")
    expect(field).to_have_attribute("aria-expanded", "false")

    late_answer_is_not_shown(page)
    window.looked_at(f"search-nothing-{width}")
    for _ in range(4):
        page.keyboard.press("Backspace")
    expect(popup).to_be_hidden()

    # the list of half a word has the same three
    with page.expect_response("**/suggestions?q=niamh"):
        page.keyboard.type("niamh")
    expect(options).to_have_count(3)
    expect(options.nth(1)).to_contain_text("arrived 12:00, until about 14:00")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(options.nth(1)).to_have_attribute("aria-selected", "true")
    expect(field).to_have_attribute("aria-activedescendant", "search-option-1")
    window.looked_at(f"search-engineer-{width}")
    page.keyboard.press("Escape")
    expect(popup).to_be_hidden()
    expect(field).to_have_value("niamh")

    page.keyboard.press("Control+A")
    with page.expect_response("**/suggestions?q=ls6+3a"):
        page.keyboard.type("ls6 3a")
    expect(options).to_have_count(2)
    window.looked_at(f"search-jobs-{width}")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"/board/jobs/{now}/")
    expect(field).to_have_attribute("aria-expanded", "false")

    page.keyboard.press("/")
    page.keyboard.type("niamh")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Search: niamh")).to_be_visible()
    window.fits_its_width()
    window.looked_at(f"search-page-{width}")
