"""What is half typed on the phone, and what the phone says of a clock that is wrong."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from tests.browser import thumb
from tests.browser.phone import (
    ASSIGN,
    Start,
    arrived,
    come_back,
    day_of_jobs,
    go_to_site,
    in_shell,
    job_url,
    one_job,
    take_off,
)
from tests.browser.story import main_button, until
from tests.servers.phone import APP, drawn, open_app, wait_until_safe
from tests.servers.system import System

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]


def drafts(page: Page) -> list[str]:
    """The addresses of which something half typed is kept."""
    script = """async (app) => {
      const { database } = await import(app);
      const keys = await database.read("values", ({ values }) => database.resultOf(values.getAllKeys()));
      return keys.filter((key) => key.startsWith("draft ")).map((key) => key.slice(6));
    }"""
    found: list[str] = page.evaluate(script, APP)
    return sorted(found)


def half_type(page: Page, path: str, text: str) -> None:
    open_app(page, path)
    drawn(page)
    page.locator("#value").fill(text)
    until(lambda: path in drafts(page))


def test_draft_outlives_the_browser_until_it_is_answered(system: System, start: Start) -> None:
    job = one_job(system, "tess", 401)
    phone = start("tess", dies=True)
    go_to_site(phone.page, job)
    wait_until_safe(phone.page)
    phone.context.set_offline(True)
    question = job_url(job, "question/CUS02/")
    half_type(phone.page, question, "The dog is in the")
    phone.kill()
    phone.start(offline=True)
    open_app(phone.page, question)
    drawn(phone.page)

    expect(phone.page.locator("#value")).to_have_value("The dog is in the")
    phone.page.locator("#value").fill("The dog is in the kitchen")
    phone.page.locator(".main-button").click()
    phone.page.wait_for_url(lambda url: "CUS02" not in url)
    assert drafts(phone.page) == []
    phone.context.set_offline(False)
    wait_until_safe(phone.page)


WITHDRAW = """
from django.db import transaction
from closures import answers
from dispatch.job_events import lock_job
from dispatch.models import Job
with transaction.atomic():
    job = lock_job(Job.objects.get(provider_job_id={job!r}))
    answers.withdraw_answer(job=job, question_code={question!r})
"""


def test_remarks_outlive_a_closing_that_the_server_refuses(system: System, start: Start) -> None:
    job = one_job(system, "tilda", 405)
    page = start("tilda").page
    go_to_site(page, job)
    thumb.answer_all(page, job["ours"], "UNF")
    wait_until_safe(page)
    page.context.set_offline(True)
    in_shell(system, WITHDRAW.format(job=job["ours"], question="UNF01"))
    open_app(page, job_url(job, "close/?code=UNF"))
    page.locator("#remarks").fill("The customer was called away")
    main_button(page)
    page.wait_for_url(f"**{job_url(job)}")
    come_back(page)
    expect(page.locator("[data-status]")).to_contain_text("1 problem")
    expect(page.locator("[data-refused]")).to_be_visible()

    open_app(page, job_url(job, "close/?code=UNF"))
    expect(page.locator("#remarks")).to_have_value("The customer was called away")
    # answered there, the closing goes on
    url = job_url(job, "question/UNF01/?closing=UNF")
    expect(page.locator("[data-problems] a").first).to_have_attribute("href", url)
    open_app(page, "/phone/queue/")
    page.get_by_role("button", name="Mark as read").click()
    expect(page.locator("[data-refused]")).to_have_count(0)
    open_app(page, job_url(job, "close/?code=UNF"))
    expect(page.locator("#remarks")).to_have_value("The customer was called away")


def choose(page: Page, value: str) -> None:
    page.locator(".phone-choice").filter(has_text=value).click()


def test_code_chosen_last_is_the_one_that_is_sent(system: System, start: Start) -> None:
    job = one_job(system, "theo", 406)
    page = start("theo").page
    go_to_site(page, job)
    thumb.answer_all(page, job["ours"], "CON")
    open_app(page, job_url(job, "cant-complete/"))
    choose(page, "CON ·")
    choose(page, "CON03")
    expect(page.locator("#CON03")).to_be_checked()
    page.locator("#CON04").check()
    page.wait_for_url("**secondary=CON04")
    page.reload()
    expect(page.locator("#CON04")).to_be_checked()
    page.get_by_role("link", name="Change outcome").click()
    choose(page, "CON ·")
    choose(page, "CON02")
    expect(page.locator("#CON02")).to_be_checked()
    main_button(page)
    page.wait_for_url(f"**{job_url(job)}")
    wait_until_safe(page)

    (body,) = (entry["body"] for entry in arrived(system, job) if entry["kind"] == "close")
    assert (body["code"], body["secondary_code"]) == ("CON", "CON02")


def test_corrected_value_is_not_a_problem_any_more(system: System, start: Start) -> None:
    job = one_job(system, "thea", 407)
    page = start("thea").page
    go_to_site(page, job)
    thumb.answer_all(page, job["ours"], "OTHER")
    open_app(page, job_url(job, "close/?code=OTHER"))
    main_button(page)
    complaint = page.get_by_text("“Other reason” needs remarks")
    expect(complaint.first).to_be_visible()
    remarks = page.locator("#remarks")
    expect(remarks).to_have_attribute("aria-invalid", "true")
    expect(remarks).to_have_accessible_description(re.compile("“Other reason” needs remarks"))
    remarks.press_sequentially("The road")
    expect(complaint).to_have_count(0)
    expect(remarks).not_to_have_attribute("aria-invalid", "true")
    # nothing of what is pasted is cut
    page.locator("#remarks").fill("a" * 5000)
    main_button(page)
    expect(page.get_by_text("Enter at most 2000 characters. This has 5000.").first).to_be_visible()

    # a request that the server refuses, and the same again
    thumb.tap(page, job["ours"], "handover_requested", {"reason": ""})
    expect(page.locator("[data-status]")).to_contain_text("1 problem")
    open_app(page, job_url(job, "hand-over/"))
    page.locator("#reason").fill("The ladder is too short")
    main_button(page)
    page.wait_for_url(f"**{job_url(job)}")
    wait_until_safe(page)
    expect(page.locator("[data-status]")).to_contain_text("All sent")


def test_draft_of_an_unassigned_job_is_there_again_with_the_job(system: System, start: Start) -> None:
    stays, goes = day_of_jobs(system, username="uma", count=2, seed=402, plan=[2])
    page = start("uma").page
    expect(page.get_by_text(goes["postcode"]).first).to_be_visible()
    questions = [job_url(job, "question/CUS02/") for job in (stays, goes)]
    for question in questions:
        half_type(page, question, "half a word")
    take_off(system, goes)
    open_app(page)
    expect(page.get_by_role("region", name="Unassigned")).to_contain_text(goes["postcode"])
    assert drafts(page) == sorted(questions)

    in_shell(system, ASSIGN.format(jobs=[goes["ours"]], username="uma"))
    open_app(page)
    expect(page.get_by_role("region", name="Unassigned")).to_have_count(0)
    open_app(page, questions[1])
    expect(page.locator("#value")).to_have_value("half a word")


def test_wrong_clock_is_shown_until_it_is_right(system: System, start: Start) -> None:
    job = one_job(system, "vera", 403)
    phone = start("vera")
    phone.page.clock.install(time=timezone.now() - timedelta(hours=3))
    open_app(phone.page)
    go_to_site(phone.page, job)
    wait_until_safe(phone.page)
    open_app(phone.page)
    notice = phone.page.locator("[data-clock]")

    expect(notice).to_contain_text("clock")
    phone.page.clock.set_system_time(timezone.now())
    open_app(phone.page)
    expect(notice).to_have_count(0)
