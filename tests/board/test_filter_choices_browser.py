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
