"""The choices of the filter follow what is on the board; what is chosen stays."""

import pytest
from playwright.sync_api import Route, expect

from dispatch.states import JobType
from tests import make
from tests.board.test_browser import BOARD, open_board
from tests.board.test_two_dispatchers import streaming
from tests.servers.browser import Window

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize("live", ["stream", "polling"])
def test_kind_of_a_job_that_comes_later_can_be_chosen(live: str, stream_port: int, window: Window) -> None:
    make.job(job_type=JobType.INSTALLATION)
    page = window.page
    if live == "polling":
        page.route("**/board/stream?*", lambda route: route.abort())
    with streaming(stream_port):
        open_board(page)
        expect(page.locator("#board")).to_have_attribute("data-live", live)
        page.get_by_text("More filters").click()
        page.get_by_label("Type", exact=True).select_option("installation")
        page.get_by_label("Filter by postcode, street or type").focus()

        make.job(job_type=JobType.REVISIT, uprn="200")

        expect(page.locator("#filter-kind option")).to_have_count(3)
        expect(page.get_by_label("Type", exact=True)).to_have_value("installation")
        expect(page.locator(".card-waiting.is-faded")).to_have_count(1)


def test_choice_made_before_the_scripts_are_there_counts(window: Window) -> None:
    make.job(job_type=JobType.INSTALLATION)
    make.job(job_type=JobType.REVISIT, uprn="200")
    page, waiting = window.page, list[Route]()

    def hold(route: Route) -> None:
        waiting.append(route)

    page.route("**/built/js/board/board*.js", hold)
    page.goto(BOARD, wait_until="commit")
    page.get_by_text("More filters").click()
    page.get_by_label("Type", exact=True).select_option("installation")
    waiting[0].continue_()

    expect(page.locator("#filters[data-started]")).to_be_attached()
    expect(page.get_by_label("Type", exact=True)).to_have_value("installation")
    expect(page.locator(".card-waiting.is-faded")).to_have_count(1)


def test_jobs_of_one_half_of_the_day_are_kept_under_a_name(window: Window) -> None:
    """With the keyboard alone."""
    morning = make.job(window=("08:00", "13:00"))
    make.job(window=("13:00", "18:00"))
    make.job(window=("08:00", "18:00"))
    page = window.page
    open_board(page)
    expect(page.locator("#filters[data-started]")).to_be_attached()

    page.get_by_text("More filters").press("Enter")
    page.get_by_label("Window", exact=True).focus()
    page.keyboard.type("Mor")

    expect(page.locator(".card-waiting:not(.is-faded)")).to_have_id(f"card-{morning.provider_job_id}")
    expect(page.locator(".card-waiting.is-faded")).to_have_count(2)
    page.get_by_label("Save as").fill("Early")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Early", exact=True).wait_for()
    page.locator("[data-clear-filter]").press("Enter")
    expect(page.locator(".card-waiting.is-faded")).to_have_count(0)
    page.get_by_role("button", name="Early", exact=True).press("Enter")
    expect(page.get_by_label("Window", exact=True)).to_have_value("morning")
    expect(page.locator(".card-waiting.is-faded")).to_have_count(2)
