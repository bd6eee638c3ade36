"""Answers that don't match a completed job, on the phone: each is ticked as checked, or changed, before it closes."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser import thumb
from tests.browser.phone import Start, arrived, day_of_jobs, go_to_site, job_url
from tests.browser.story import main_button, until
from tests.servers.phone import drawn, open_app, wait_until_safe
from tests.servers.reach import cut_off, too_small
from tests.servers.system import System

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
CLOSING = "close/?code=SP"


def box(page: Page, question: str) -> Any:
    return page.locator(".phone-answer-check").filter(has_text=question).get_by_label("I have checked this")


def test_each_contradicting_answer_is_ticked_or_changed(system: System, start: Start) -> None:
    (job,) = day_of_jobs(system, username="vilma", count=1, seed=431, plan=[1])
    page = start("vilma").page
    go_to_site(page, job)
    thumb.answer_all(page, job["ours"], "SP")
    thumb.answer(page, job["ours"], "ONT03", "no_service")
    thumb.answer(page, job["ours"], "SPD01", "no")
    thumb.answer(page, job["ours"], "SPD04", "No laptop")
    open_app(page, job_url(job, "scan/"))
    page.get_by_label("FSAN").first.fill(job["fsan"])
    page.get_by_label("Serial number").first.fill(job["serial"])
    main_button(page)
    expect(page.get_by_role("heading", name="ONT provisioned")).to_be_visible()
    wait_until_safe(page)

    open_app(page, job_url(job, CLOSING))
    drawn(page)
    expect(page.get_by_text("They don't match a completed job.")).to_be_visible()
    assert (too_small(page), cut_off(page)) == ([], [])
    box(page, "Did you run a speed test?").check()
    main_button(page)
    refused = page.get_by_text("Broadband green, service off: this doesn't match a completed job")
    expect(refused.first).to_be_visible()
    assert page.url.endswith(job_url(job, CLOSING))

    # a tick is kept with the page, and holds only for the answer that was there
    open_app(page, job_url(job, CLOSING))
    drawn(page)
    expect(box(page, "Did you run a speed test?")).to_be_checked()
    expect(box(page, "Which lights does the ONT show?")).not_to_be_checked()
    box(page, "Which lights does the ONT show?").check()
    thumb.answer(page, job["ours"], "ONT03", "none")
    open_app(page, job_url(job, CLOSING))
    drawn(page)
    expect(box(page, "Which lights does the ONT show?")).not_to_be_checked()

    page.locator(".phone-answer-check").filter(has_text="Which lights").get_by_role("link").click()
    page.locator("button.phone-choice").filter(has_text="Power, broadband and service green").click()
    page.wait_for_url(lambda url: "ONT03" not in url)
    open_app(page, job_url(job, CLOSING))
    drawn(page)
    expect(box(page, "Which lights does the ONT show?")).to_have_count(0)
    main_button(page)
    page.wait_for_url(f"**{job_url(job)}")
    wait_until_safe(page)
    until(lambda: any(entry["kind"] == "close" for entry in arrived(system, job)))
    (body,) = (entry["body"] for entry in arrived(system, job) if entry["kind"] == "close")
    assert (body["code"], body["checked"]) == ("SP", ["SPD01"])


def test_nobody_at_home_without_a_call_is_ticked(system: System, start: Start) -> None:
    (job,) = day_of_jobs(system, username="vilma", count=1, seed=433, plan=[1])
    page = start("vilma").page
    go_to_site(page, job)
    thumb.answer_all(page, job["ours"], "RNA/NA")
    thumb.answer(page, job["ours"], "NOA01", "no")
    wait_until_safe(page)

    open_app(page, job_url(job, "close/?code=RNA%2FNA"))
    drawn(page)
    expect(page.get_by_text("They don't match this outcome.")).to_be_visible()
    main_button(page)
    refused = page.get_by_text("Did you call the customer? No: this doesn't match the outcome")
    expect(refused.first).to_be_visible()
    # to change it does not leave the outcome
    page.locator(".phone-answer-check").get_by_role("link", name="Change").click()
    expect(page).to_have_url(re.compile("closing=RNA"))
    page.go_back()
    box(page, "Did you call the customer?").check()
    main_button(page)
    wait_until_safe(page)
    until(lambda: any(entry["kind"] == "close" for entry in arrived(system, job)))
    (body,) = (entry["body"] for entry in arrived(system, job) if entry["kind"] == "close")
    assert (body["code"], body["checked"]) == ("RNA/NA", ["NOA01"])
