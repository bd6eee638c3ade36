"""Notices that never block: another job on site, no position, far away, offline; and a sign-in page that helps."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.phone import Start, day_of_jobs, go_to_site, job_url, one_job
from tests.browser.story import main_button
from tests.servers.browser import watched
from tests.servers.phone import open_app, wait_until_safe
from tests.servers.system import System

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]


def test_another_job_that_is_still_on_site_is_named(system: System, start: Start) -> None:
    first, second = day_of_jobs(system, username="rosa", count=2, seed=721, plan=[2])
    page = start("rosa").page
    window = watched(page)
    go_to_site(page, first)
    # everything in this system happens far from the middle of Leeds
    wait_until_safe(page)
    expect(page.locator("[data-far-away]")).to_contain_text(
        "from the premises. Check that this is the right job."
    )
    window.looked_at("phone-far-away")

    open_app(page, job_url(second, "travel/"))
    still = page.locator("[data-other-job]")
    expect(still).to_contain_text("Still at ")
    expect(still).to_contain_text(first["postcode"])
    main_button(page)
    page.wait_for_url("**/arrive/**")
    expect(still).to_be_visible()


def test_far_from_the_premises_is_displayed_without_signal(system: System, start: Start) -> None:
    """The phone has both positions; nothing is in the way of the next step."""
    job = one_job(system, "verity", 725)
    phone = start("verity")
    page = phone.page
    open_app(page, job_url(job, "travel/"))
    phone.context.set_offline(True)
    main_button(page)
    page.wait_for_url("**/arrive/**")
    main_button(page)
    page.wait_for_url("**/question/**")

    far = page.locator("[data-far-away]")
    expect(far).to_contain_text("from the premises. Check that this is the right job.")
    sentence = far.inner_text()
    page.locator("button.phone-choice").first.click()
    page.wait_for_url(lambda url: "SAF01" not in url)
    phone.context.set_offline(False)
    wait_until_safe(page)
    # once, and in the same words, when the server has it
    open_app(page, job_url(job))
    expect(page.get_by_text(sentence.strip(), exact=True)).to_have_count(1)


def test_visit_without_a_position_says_so(system: System, start: Start) -> None:
    job = one_job(system, "sören", 722)
    page = start("sören", permissions=[]).page
    open_app(page, job_url(job, "travel/"))

    expect(page.locator("[data-no-position]")).to_contain_text("saved without your location")
    main_button(page)
    page.wait_for_url("**/arrive/**")


def test_offline_with_nothing_waiting_is_seen(system: System, start: Start) -> None:
    one_job(system, "thelma", 723)
    phone = start("thelma")
    status = phone.page.locator("[data-status]")
    expect(status).to_have_attribute("data-tone", "good")
    phone.context.set_offline(True)
    expect(status).to_contain_text("Offline. All sent")
    expect(status).to_have_attribute("data-tone", "warning")

    phone.context.set_offline(False)
    expect(status).to_have_attribute("data-tone", "good")


def test_sign_in_says_what_is_wrong_and_shows_the_password(system: System, start: Start) -> None:
    one_job(system, "ulla", 724)
    phone = start("ulla")
    phone.context.clear_cookies()
    page = phone.page
    page.goto("/login/")
    expect(page.get_by_text("Fibre dispatch", exact=True)).to_be_visible()
    page.get_by_label("User name").fill("ulla")
    page.get_by_label("Password", exact=True).fill("wrong")
    page.get_by_role("button", name="Sign in").click()

    expect(page.get_by_role("alert")).to_contain_text("Wrong user name or password.")
    expect(page.get_by_label("Password", exact=True)).to_be_focused()
    page.get_by_label("Password", exact=True).fill("half a word")
    page.get_by_role("button", name="Show password").click()
    expect(page.get_by_label("Password", exact=True)).to_have_attribute("type", "text")
    page.get_by_role("button", name="Show password").click()
    expect(page.get_by_label("Password", exact=True)).to_have_attribute("type", re.compile("^password$"))
