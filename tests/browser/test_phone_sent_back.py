"""The office sends a photo back before the seller gets the closure; the engineer takes another one and closes again."""

from collections.abc import Iterator
from random import Random
from typing import Any
from uuid import UUID

import pytest
from playwright.sync_api import Page, expect

from tests.browser.day import Engineer
from tests.browser.phone import Start, one_job, rows
from tests.browser.story import messages, until
from tests.servers import system as systems
from tests.servers.browser import Window
from tests.servers.phone import Phone, wait_until_safe
from tests.servers.system import System

# its office approves every closure
HAS_OWN_SYSTEM = True
pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]
Job = dict[str, str]
REASON = "The house number can't be read"


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    with systems.running(tmp_path_factory.mktemp("system"), CLOSURE_REVIEW="True") as running:
        yield running


def finish(phone: Phone, engineer: Engineer, job: Job) -> None:
    engineer.take_up(job)
    engineer.work(job, ends_at="/scan/")
    phone.page.get_by_label("FSAN", exact=True).fill(job["fsan"])
    phone.page.get_by_label("Serial number", exact=True).fill(job["serial"])
    engineer.send_the_scan(job)
    engineer.finish(job)
    wait_until_safe(phone.page)


def front_photos(system: System, job: Job) -> list[str]:
    """Ids of the stored photos of the front, the oldest first."""
    query = """select p.id from closures_photo p join dispatch_job j on j.id = p.job_id
        where j.provider_job_id = ? and p.question_code = 'PHO01' and p.stored_at is not null order by p.recorded_at"""
    return [str(UUID(row["id"])) for row in rows(system, query, job["ours"])]


def open_review(office: Page, job: Job) -> None:
    until(lambda: _is_in_review(office, job))


def _is_in_review(office: Page, job: Job) -> bool:
    office.goto(f"/board/jobs/{job['ours']}/")
    return office.get_by_role("heading", name="Review", exact=True).is_visible()


def send_the_photo_back(office: Window, job: Job, photo_id: str) -> None:
    page = office.page
    open_review(page, job)
    page.get_by_role("heading", name="Send something back").click()
    page.locator(f"input[value='PHO01:{photo_id}']").check()
    page.get_by_label("Reason for the engineer").fill(REASON)
    office.looked_at("board-send-back")
    page.get_by_role("button", name="Send back to the engineer").click()
    expect(page.get_by_text("sent back. The engineer sees it on the phone.")).to_be_visible()


def take_it_again(phone: Phone, engineer: Engineer, job: Job) -> None:
    """The day says that something was sent back, the job what and why, and so does the question itself."""
    page = phone.page
    page.goto("/phone/")
    expect(page.get_by_text("Sent back", exact=True)).to_be_visible()
    Window(page).looked_at("phone-sent-back-day")
    engineer.take_up(job)
    expect(page.get_by_text(REASON).first).to_be_visible()
    Window(page).looked_at("phone-sent-back")
    engineer.work(job, ends_at="/question/PHO01/")
    expect(page.get_by_text(REASON).first).to_be_visible()
    Window(page).looked_at("phone-sent-back-question")
    engineer.finish(job)
    wait_until_safe(page)


def closings(system: System, job: Job) -> list[dict[str, Any]]:
    received = system.seller_job(job["seller"])["messages"]
    return [each for each in received if each["direction"] == "in" and each["operation"] == "closeJob"]


def test_photo_is_sent_back_taken_again_and_sent_to_the_seller_once(
    system: System, office: Window, start: Start
) -> None:
    job = one_job(system, "wanda", 1001)
    phone = start("wanda")
    engineer = Engineer(phone, Random(3))
    finish(phone, engineer, job)
    bad, good = front_photos(system, job)
    send_the_photo_back(office, job, bad)
    assert "closeJob" not in messages(system, job)

    take_it_again(phone, engineer, job)
    assert "closeJob" not in messages(system, job)
    open_review(office.page, job)
    office.page.get_by_role("button", name="Approve and notify the seller").click()
    expect(office.page.get_by_text("approved. The seller is being notified.")).to_be_visible()
    office.looked_at("board-approved")

    until(lambda: bool(closings(system, job)))
    (closing,) = closings(system, job)
    sent, retaken = str(closing), set(front_photos(system, job)) - {bad, good}
    assert retaken
    assert {each: each in sent for each in (bad, good, *retaken)} == {bad: False} | dict.fromkeys(
        [good, *retaken], True
    )
