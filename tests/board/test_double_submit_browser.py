"""A form that loads a page, or is answered in place: clicked twice it is sent once, and again where no page came."""

from typing import Literal

import pytest
from playwright.sync_api import Locator, Page, Request, expect

from dispatch.models import Visit
from dispatch.states import JobState
from tests import make
from tests.board.test_browser import BOARD, open_board
from tests.servers.browser import Window

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
]
GUARD = "[data-module*='double_submit'][data-started]"


def posts_of(page: Page) -> list[Request]:
    """What it posts from now on, apart from who is at which job."""
    posted: list[Request] = []

    def note(request: Request) -> None:
        if request.method == "POST" and "/presence/" not in request.url:
            posted.append(request)

    page.on("request", note)
    return posted


def open_page(page: Page, path: str) -> list[Request]:
    """What it posts."""
    posted = posts_of(page)
    page.goto(path)
    expect(page.locator(GUARD)).to_be_attached()
    return posted


def click_twice(button: Locator) -> None:
    """The second time while the first is on its way, as a mouse does it."""
    button.evaluate("button => { button.click(); setTimeout(() => button.click(), 60); }")


@pytest.mark.parametrize(("path", "event"), [(f"{BOARD}&job=JOB", "response"), ("/board/jobs/JOB/", "load")])
def test_double_click_on_a_suggestion_assigns_once(
    window: Window, path: str, event: Literal["load", "response"]
) -> None:
    engineer, job, page = make.engineer(name="Erin Engineer"), make.job(), window.page
    posted = open_page(page, path.replace("JOB", str(job)))

    # before its style sheets are there, what is hidden is counted as well
    with page.expect_event(event):
        click_twice(page.locator(".suggestion").first)

    expect(page.get_by_role("button", name="Unassign")).to_be_visible()
    assert len(posted) == 1
    assert Visit.objects.get().engineer == engineer


def test_undo_in_the_week_clicked_twice_undoes_once(window: Window) -> None:
    job, page = make.job(at_state=JobState.ASSIGNED), window.page
    open_page(page, f"/board/jobs/{job}/")
    page.get_by_role("button", name="Unassign").click()
    expect(page.get_by_role("button", name="Undo")).to_be_visible()
    page.goto(BOARD)
    page.get_by_role("button", name="Week", exact=True).click()
    expect(page.locator("#week")).to_be_visible()
    posted = open_page(page, page.url)

    click_twice(page.get_by_role("button", name="Undo"))

    expect(page.get_by_role("button", name="Redo")).to_be_enabled()
    assert len(posted) == 1


@pytest.mark.parametrize("key", ["Delete", "p"])
def test_key_that_is_held_down_changes_a_job_once(window: Window, key: str) -> None:
    job, page = make.job(at_state=JobState.ASSIGNED), window.page
    open_board(page)
    posted = posts_of(page)
    page.locator(f"#lanes #card-{job} a").focus()

    page.keyboard.down(key)
    page.keyboard.down(key)
    page.keyboard.up(key)

    expect(page.locator("#undo")).to_contain_text(job.title)
    expect(page.locator("#action-response")).to_be_hidden()
    assert len(posted) == 1


def test_form_is_sent_again_where_no_page_came(window: Window) -> None:
    """Stopped, and back from the page of a browser that is offline."""
    job, page = make.job(at_state=JobState.ASSIGNED), window.page
    page.clock.install()
    posted = open_page(page, f"/board/jobs/{job}/")
    button = page.get_by_role("button", name="Unassign")
    page.route("**/unassign/", lambda route: route.fulfill(status=204), times=2)

    with page.expect_response("**/unassign/"):
        click_twice(button)
    page.clock.fast_forward(8000)
    with page.expect_response("**/unassign/"):
        button.click()
    page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    button.click()

    expect(page.locator(".suggestion").first).to_be_visible()
    assert len(posted) == 3
    assert not Visit.objects.active().exists()
