"""A telephone of 320 by 568 pixels: the bars leave room, and what a page is for is on its first screen."""

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser import thumb
from tests.browser.phone import go_to_site, job_url, one_job
from tests.browser.story import sign_in, until
from tests.servers.browser import PHONE, open_window
from tests.servers.phone import drawn, open_app, wait_until_safe
from tests.servers.reach import look
from tests.servers.system import System

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
SMALL = {**PHONE, "viewport": {"width": 320, "height": 568}, "device_scale_factor": 1}
# of what stays while the page scrolls
MOST_OF_BARS = 140
BARS = """() => [...document.querySelectorAll("body *")]
  .filter((each) => ["sticky", "fixed"].includes(getComputedStyle(each).position))
  .reduce((sum, each) => sum + each.getBoundingClientRect().height, 0)"""
# a telephone zooms out of a page that is too wide: its inner width grows with it
TOO_WIDE = "() => document.documentElement.scrollWidth - screen.width"


def fits(page: Page, *visible: Locator) -> None:
    """Nothing sticks out to the side, the bars are low, and each of these is whole on the first screen."""
    drawn(page)
    assert (page.evaluate(TOO_WIDE), page.evaluate(BARS) <= MOST_OF_BARS) == (0, True), page.url
    for each in visible:
        expect(each).to_be_visible()
        box = each.bounding_box()
        assert box and box["y"] >= 0 and box["y"] + box["height"] <= SMALL["viewport"]["height"], each


def has_one_control(page: Page, name: str) -> None:
    """A file is one control to somebody who listens: not the browser's button and then its label's text."""
    expect(page.get_by_role("button", name=name)).to_have_count(1)
    assert page.locator("main").aria_snapshot().count(name) == 1


def test_day_question_photo_and_scan_fit_on_a_small_phone(system: System, browser: Browser) -> None:
    job = one_job(system, "minnie", 741)
    page = open_window(browser, base_url=system.url, kind=SMALL).page
    sign_in(system, page, username="minnie")
    open_app(page)
    fits(page, page.get_by_text(job["postcode"]).first)

    go_to_site(page, job)
    # what is known of the job since may stand between the question and its answers
    fits(page, page.get_by_role("heading", level=1))

    open_app(page, job_url(job, "question/PHO01/"))
    fits(page, page.locator(".main-button", has_text="Take the photo"))
    has_one_control(page, "Use the phone's camera")

    open_app(page, job_url(job, "scan/"))
    fits(page, page.locator(".main-button", has_text="Scan the label"))
    has_one_control(page, "Photo of the label instead")

    thumb.answer(page, job["ours"], "CUS02", "x" * 80)
    open_app(page, job_url(job, "question/CUS02/"))
    expect(page.locator(".phone-answered")).to_contain_text("xxx")
    fits(page)


def test_way_to_another_outcome_is_called_so(system: System, browser: Browser) -> None:
    job = one_job(system, "mickey", 742)
    page = open_window(browser, base_url=system.url, kind=SMALL).page
    sign_in(system, page, username="mickey")
    go_to_site(page, job)
    expect(page.get_by_role("link", name="Can't complete", exact=True)).to_be_visible()

    open_app(page, job_url(job, "cant-complete/"))
    # the codes most used so far come first, and some of them ask for a reason
    page.locator(".phone-choice[href*='closing=']").first.click()
    page.wait_for_url("**closing=**")
    drawn(page)
    expect(page.locator(".phone-outcome")).to_contain_text("Can't complete:")
    expect(page.get_by_role("link", name="Can't complete", exact=True)).to_have_count(0)
    expect(page.get_by_role("link", name="Different outcome")).to_be_visible()


def test_question_of_an_outcome_is_on_the_first_screen_in_large_german(
    system: System, browser: Browser
) -> None:
    job = one_job(system, "micky", 743)
    window = open_window(browser, base_url=system.url, kind=SMALL)
    page = window.page
    sign_in(system, page, username="micky")
    go_to_site(page, job)
    wait_until_safe(page)
    open_app(page, "/phone/me/")
    page.get_by_label("Deutsch").check()
    until(lambda: _is_german(page), seconds=120)
    look(page, "large")

    open_app(page, job_url(job, "question/HAZ02/?closing=HAZ"))
    drawn(page)
    window.picture("phone-small-outcome")
    question, bar = page.locator("h1").bounding_box(), page.locator(".phone-action").bounding_box()
    assert question and bar and question["y"] + question["height"] <= bar["y"]
    # whose job it is and why it ends are still on the page
    expect(page.locator(".phone-job")).to_contain_text(job["postcode"])
    expect(page.locator(".phone-outcome")).to_be_visible()
    assert page.evaluate(TOO_WIDE) == 0


def _is_german(page: Page) -> bool:
    page.locator(".phone-bar nav a").click()
    # the new language is fetched in the meantime
    page.wait_for_timeout(1000)
    return page.locator("html[lang=de]").count() == 1
