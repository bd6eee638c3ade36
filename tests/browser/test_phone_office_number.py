"""Wherever the phone says "call the office", the office's number is a link: each page that says so."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser import thumb
from tests.browser.phone import Start, in_shell, job_url, one_job, take_off
from tests.browser.story import until
from tests.servers.phone import open_app, wait_until_safe
from tests.servers.system import System

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

HOLD = """
from dispatch import holds
from dispatch.job_events import Performer
from dispatch.models import Job
from dispatch.states import Actor
from engineers.models import User
by = Performer(Actor.DISPATCHER, User.objects.get(username="dana"))
assert holds.hold_job(job=Job.objects.get(provider_job_id={job!r}), by=by, reason="Fibre cut in the street")
"""
BREAK = """
from dispatch.models import Job
Job.objects.filter(provider_job_id={job!r}).update(address_lines=7)
"""


def office_is_one_tap_away(page: Page, address: str, text: str, *, within: str = "main") -> None:
    """The page says it and has the link, in the part `within`."""
    open_app(page, address)
    expect(page.get_by_text(text).first).to_be_visible()
    link = page.locator(f'{within} a[href="tel:01134960111"]')
    expect(link).to_be_visible()
    expect(link).to_have_text("Call the office, 0113\u00a0496\u00a00111")


def test_job_before_and_after_it_is_lost_has_the_office_s_number(system: System, start: Start) -> None:
    job = one_job(system, "ottokar", 731)
    page = start("ottokar").page
    office_is_one_tap_away(page, job_url(job, "cant-complete/"), "If nobody can go, call the office")
    in_shell(system, HOLD.format(job=job["ours"]))
    office_is_one_tap_away(page, job_url(job, "travel/"), "hold")

    take_off(system, job)
    office_is_one_tap_away(page, "/phone/", "If you expected one, call the office.")
    office_is_one_tap_away(page, job_url(job), "Not on this phone")

    # refused, and no page of this phone mends it
    thumb.tap(page, "J-NONE-0000", "answered", {"question": "PHO01", "value": "x"})
    wait_until_safe(page)
    office_is_one_tap_away(page, "/phone/queue/", "Call the office about this, then mark it as read.")


def test_address_that_is_no_page_says_nothing_of_a_job(system: System, start: Start) -> None:
    job = one_job(system, "otilie", 734)
    page = start("otilie").page
    for path in ("/phone/nix/", job_url(job, "question/NIX01/"), job_url(job, "nix/")):
        open_app(page, path)
        expect(page.get_by_role("heading", level=1, name="No such page")).to_be_visible()
        expect(page.get_by_text("reassigned")).to_have_count(0)
        expect(page.locator(".main-button")).to_have_attribute("href", "/phone/")


def test_cancelled_and_broken_jobs_have_the_office_s_number(system: System, start: Start) -> None:
    job = one_job(system, "pavel", 732)
    page = start("pavel").page
    in_shell(system, BREAK.format(job=job["ours"]))
    broken = "section[aria-labelledby=broken-title]"
    office_is_one_tap_away(page, "/phone/", "Call the office about these jobs", within=broken)

    cancelled = one_job(system, "pavel", 733)
    open_app(page, job_url(cancelled))
    system.seller(f"/api/jobs/{cancelled['seller']}/cancel", {"message": "Customer changed their mind"})
    until(lambda: system.seller_job(cancelled["seller"])["state"] == "cancelled")
    office_is_one_tap_away(page, job_url(cancelled), "This job was cancelled")
