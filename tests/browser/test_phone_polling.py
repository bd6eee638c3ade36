"""A phone polls for updates where somebody waits for them, and not elsewhere; the message about the last tap ends."""

import pytest
from playwright.sync_api import Page, Request, expect

from tests.browser import thumb
from tests.browser.phone import Start, day_of_jobs, go_to_site, job_url, one_job
from tests.browser.story import main_button
from tests.servers.phone import drawn, open_app, wait_until_safe
from tests.servers.system import System

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]


def asked_in_a_minute(page: Page) -> list[str]:
    """The last parts of the addresses that the page asks for in a minute of its own clock."""
    asked: list[str] = []

    def note(request: Request) -> None:
        asked.append(request.url.rsplit("/", maxsplit=1)[-1])

    # the page's first reading ends, or it would stand for every one that its clock asks for in the meantime
    page.wait_for_load_state("networkidle")
    page.on("request", note)
    for seconds in (31, 30):
        page.clock.run_for(seconds * 1000)
        page.wait_for_load_state("networkidle")
        page.wait_for_timeout(1_000)
    page.remove_listener("request", note)
    return asked


def test_question_page_asks_for_the_day_only(system: System, start: Start) -> None:
    job = one_job(system, "perdita", 611)
    page = start("perdita").page
    go_to_site(page, job)
    wait_until_safe(page)
    page.clock.install()
    open_app(page, job_url(job, "question/SAF01/"))
    asked = asked_in_a_minute(page)

    assert asked.count("version.json") == 0
    assert 1 <= asked.count("day.json") <= 3


def test_page_that_waits_for_the_seller_polls(system: System, start: Start) -> None:
    """The seller's first result is 4: another attempt in five minutes."""
    (job,) = day_of_jobs(system, username="pam", count=1, seed=612, plan=[4, 2])
    page = start("pam").page
    go_to_site(page, job)
    body = {"scan_id": "8a4c43ea-2d0e-4f57-9a62-5b1f0a4bb5a4", "fsan": job["fsan"], "source": "typed"}
    thumb.tap(page, job["ours"], "ont_scanned", {**body, "serial_number": job["serial"]})
    open_app(page, job_url(job, "provisioning/"))
    with page.expect_request("**/version.json"):
        pass
    expect(page.locator("time[data-until]")).to_be_visible()


def test_summary_of_a_refused_number_disappears_when_it_is_retyped(system: System, start: Start) -> None:
    job = one_job(system, "pat", 613)
    page = start("pat").page
    go_to_site(page, job)
    open_app(page, job_url(job, "question/LGT01/"))
    drawn(page)
    page.locator("#value").fill("much")
    main_button(page)
    expect(page.locator("[data-problems]")).to_contain_text("Enter a number")
    page.locator("#value").fill("-19.5")
    expect(page.locator("[data-problems]")).to_be_hidden()
