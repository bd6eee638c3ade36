"""An unsafe answer stops the work: what to do, the office's number, an alarm there, and a way out that asks nothing
that cannot be answered from a safe place.
"""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.phone import Start, arrived, go_to_site, job_url, one_job
from tests.browser.story import main_button
from tests.servers.browser import Window, watched
from tests.servers.phone import drawn, wait_until_safe
from tests.servers.system import System

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]


def choose(page: Page, text: str) -> None:
    drawn(page)
    page.get_by_role("button", name=text, exact=True).click()


def test_unsafe_site_stops_alarms_and_is_closed_from_a_safe_place(
    system: System, start: Start, office: Window
) -> None:
    job = one_job(system, "paula", 711)
    page = start("paula").page
    window = watched(page)
    go_to_site(page, job)
    choose(page, "No")

    expect(page.get_by_role("alert").filter(has_text="Stop work and go to a safe place.")).to_be_visible()
    expect(page.locator(".main-button")).to_have_attribute("href", "tel:01134960111")
    expect(page.get_by_text("Your answer: No").locator("..")).to_have_class(re.compile("unsafe"))
    window.looked_at("phone-safety-stop")
    wait_until_safe(page)
    office.page.goto("/board/alarms/")
    expect(office.page.get_by_text("Paula answered “Is it safe to work here?” with “No”")).to_be_visible()

    # outside the premises: one question as text, the photo may be left out
    page.get_by_role("link", name="Can't complete: Site unsafe").click()
    page.wait_for_url("**/question/HAZ01/**")
    drawn(page)
    page.locator("#value").fill("A loose dog")
    main_button(page)
    page.wait_for_url("**/question/HAZ02/**")
    page.locator(".phone-more-actions a").filter(has_text="Skip").click()
    page.wait_for_url("**/close/**")
    main_button(page)
    page.wait_for_url(lambda url: "/close/" not in url)
    wait_until_safe(page)
    entries = [entry["body"] for entry in arrived(system, job) if entry["kind"] in {"answered", "close"}]
    assert [body.get("question", body.get("code")) for body in entries] == ["SAF01", "HAZ01", "HAZ"]


def test_asbestos_stops_until_the_answer_is_another_one(system: System, start: Start) -> None:
    job = one_job(system, "quentin", 714)
    page = start("quentin").page
    go_to_site(page, job)
    choose(page, "Yes")
    page.wait_for_url("**/question/SAF03/**")
    choose(page, "Yes")
    page.wait_for_url("**/question/SAF08/**")
    choose(page, "No")
    expect(page.get_by_role("alert").filter(has_text="Do not drill")).to_be_visible()

    # the job leads back to it
    page.goto(job_url(job), wait_until="commit")
    expect(page.locator(".main-button")).to_have_text("Stop: not safe")
    main_button(page)
    page.wait_for_url("**/question/SAF08/**")
    choose(page, "Yes")
    page.wait_for_url("**/question/SAF05/**")
    wait_until_safe(page)
