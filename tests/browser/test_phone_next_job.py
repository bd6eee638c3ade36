"""The one large button at the end of a job: the next job, also when only the signal is missing; cancelled is loud."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from tests.browser import thumb
from tests.browser.phone import Start, come_back, day_of_jobs, go_to_site, in_shell, job_url, one_job
from tests.browser.story import main_button, until
from tests.servers.phone import APP, open_app, wait_until_safe
from tests.servers.system import System

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
FLAT = """
from dispatch.models import Job
Job.objects.filter(provider_job_id={job!r}).update(address_lines=["Flat 29", "Carder Mill", "1 Tanner's Row"])
"""


def starts(page: Page, job: dict[str, str]) -> str:
    script = """async ([app, id]) => {
      const { queue } = await import(app);
      return (await queue.readDayAndRows()).day.jobs.find((job) => job.id === id).page.starts;
    }"""
    found: str = page.evaluate(script, [APP, job["ours"]])
    return found


def in_order_of_the_day(page: Page, jobs: list[dict[str, str]]) -> list[dict[str, str]]:
    return sorted(jobs, key=lambda job: starts(page, job))


def test_after_closing_the_next_job_is_one_tap_away(system: System, start: Start) -> None:
    jobs = day_of_jobs(system, username="nelly", count=2, seed=621, plan=[2])
    page = start("nelly").page
    first, second = in_order_of_the_day(page, jobs)
    in_shell(system, FLAT.format(job=second["ours"]))
    open_app(page)
    expect(page.locator(".phone-card-place").nth(1)).to_have_text(
        f"Flat 29, Carder Mill, 1 Tanner's Row, {second['postcode']}"
    )
    go_to_site(page, first)
    thumb.close(page, first["ours"], "UNF")
    wait_until_safe(page)
    open_app(page, job_url(first))
    expect(page.locator(".main-button")).to_have_text(
        f"Next: {starts(page, second)}, Flat 29, Carder Mill, 1 Tanner's Row"
    )
    main_button(page)
    page.wait_for_url(f"**{job_url(second)}")
    expect(page.locator(".phone-address")).to_contain_text("Carder Mill")

    go_to_site(page, second)
    thumb.close(page, second["ours"], "UNF")
    wait_until_safe(page)
    open_app(page, job_url(second))
    expect(page.locator(".main-button")).to_have_text("My day")


def test_job_that_only_waits_for_signal_lets_the_engineer_leave(system: System, start: Start) -> None:
    jobs = day_of_jobs(system, username="norma", count=2, seed=622, plan=[2])
    page = start("norma").page
    first, second = in_order_of_the_day(page, jobs)
    go_to_site(page, first)
    wait_until_safe(page)
    page.context.set_offline(True)
    scan = {"scan_id": "3f7a2c58-9d1b-4b38-9a4a-0d5f3ad0f1ce", "fsan": first["fsan"]}
    thumb.tap(
        page, first["ours"], "ont_scanned", {**scan, "serial_number": first["serial"], "source": "typed"}
    )
    open_app(page, job_url(first, "provisioning/"))
    expect(page.locator(".main-button")).to_have_text("Continue with the questions")
    thumb.answer_all(page, first["ours"], "SP")

    text = "You can leave. The scan will be sent when there is signal; close the job after that."
    for address in (job_url(first), job_url(first, "provisioning/")):
        open_app(page, address)
        expect(page.get_by_text(text)).to_be_visible()
        expect(page.locator(".main-button")).to_contain_text(f"Next: {starts(page, second)}")
    come_back(page)
    expect(page.get_by_role("link", name="Continue")).to_be_visible()


def test_cancelled_job_of_somebody_who_went_on_site_offline_is_loud(system: System, start: Start) -> None:
    (job,) = day_of_jobs(system, username="nina", count=1, seed=623, plan=[2])
    page = start("nina").page
    page.context.set_offline(True)
    go_to_site(page, job)
    system.seller(f"/api/jobs/{job['seller']}/cancel", {"message": "Customer changed their mind"})
    until(lambda: system.seller_job(job["seller"])["state"] == "cancelled")
    come_back(page)

    heading = page.get_by_role("heading", level=1)
    expect(heading).to_have_text("This job was cancelled")
    expect(page.locator(".phone-ended")).to_contain_text(
        "mind. You don't need to attend. If you're already there, call the office."
    )


def test_list_of_yesterday_says_so_until_there_is_signal(system: System, start: Start) -> None:
    job = one_job(system, "noor", 614)
    page = start("noor").page
    open_app(page)
    outdated, card = page.locator("[data-outdated]"), page.get_by_text(job["postcode"]).first
    expect(card).to_be_visible()
    expect(outdated).to_have_count(0)
    page.context.set_offline(True)
    # no answer that is under way may show the phone, whose clock jumps now, that its clock is wrong
    page.goto("about:blank")
    page.clock.install(time=timezone.now() + timedelta(days=1))
    open_app(page)
    expect(outdated).to_contain_text("New jobs and changes appear when there is signal.")
    expect(card).to_be_visible()

    # with signal it turns out that it is the phone's clock that is a day off
    come_back(page)
    expect(outdated).to_have_count(0)
    expect(card).to_be_visible()
