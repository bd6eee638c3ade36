"""A file that is no picture never stays in an answer: refused when it is chosen, or by the server, one by one."""

import io
import json
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from tests.browser import thumb
from tests.browser.phone import arrived, bounce, day_of_jobs, go_to_site, rows, stored_photos
from tests.browser.story import messages, sign_in, until
from tests.servers import browser as browsers
from tests.servers.browser import PHONE, Window, open_window
from tests.servers.phone import open_app
from tests.servers.system import System

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
Job = dict[str, str]
CHANCE = Random(5)
NOT_A_PICTURE = "Refused: not a picture. Take it again."


def jpeg() -> bytes:
    """Another one each time: one picture proves one answer."""
    content = io.BytesIO()
    grain = Image.frombytes("RGB", (80, 60), CHANCE.randbytes(80 * 60 * 3))
    grain.resize((640, 480)).save(content, "JPEG", quality=85)
    return content.getvalue()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if not browsers.CHROMIUM:
        pytest.skip("no chromium is installed")
    with browsers.chromium() as running:
        yield running


@pytest.fixture(scope="module")
def jobs(system: System) -> list[Job]:
    return day_of_jobs(system, username="hanne", count=2, seed=57, plan=[2])


@pytest.fixture(scope="module")
def van(system: System, browser: Browser, jobs: list[Job]) -> Window:
    window = open_window(browser, base_url=system.url, kind=PHONE)
    sign_in(system, window.page, username="hanne")
    go_to_site(window.page, jobs[0])
    return window


def ask(page: Page, job: Job, code: str) -> None:
    open_app(page, f"/phone/jobs/{job['ours']}/question/{code}/")


def choose(page: Page, content: bytes) -> None:
    file: Any = {"name": "photo.jpg", "mimeType": "image/jpeg", "buffer": content}
    page.locator("#photo").set_input_files(file)


def answer_with(page: Page, job: Job, code: str, content: bytes) -> None:
    """A photo that got past the phone's own look, as one whose bytes are damaged later does."""
    thumb.answer_with_photo(page, job["ours"], question=code, raw=content)


def active_value(system: System, job: Job, code: str) -> list[str]:
    query = """select value from closures_answer a join dispatch_job j on j.id = a.job_id
    where j.provider_job_id = ? and question_code = ? and withdrawn_at is null"""
    return [row["value"] for row in rows(system, query, job["ours"], code)]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "This file is empty."),
        (b"%PDF-1.7\n" + bytes(3000), "This file is not a picture."),
        (Random(3).randbytes(20_000), "This file is not a picture."),
        (jpeg()[:5000], "This photo is damaged or incomplete."),
    ],
    ids=["empty", "document", "noise", "cut off"],
)
def test_file_that_is_no_picture_is_refused_when_it_is_chosen(
    van: Window, jobs: list[Job], content: bytes, message: str
) -> None:
    ask(van.page, jobs[0], "PHO01")
    choose(van.page, content)

    expect(van.page.get_by_text(message)).to_be_visible()
    expect(van.page.locator(".camera-taken")).to_have_count(0)
    assert thumb.pictures(van.page) == 0
    choose(van.page, jpeg())
    expect(van.page.get_by_text("Take it again")).to_be_visible()
    van.page.get_by_text("Take it again").click()
    expect(van.page.locator(".camera-taken")).to_have_count(0)


def test_photo_of_another_question_is_refused_when_it_is_chosen(van: Window, jobs: list[Job]) -> None:
    """Also without signal: the phone knows the hashes of its own photos."""
    page, job, content = van.page, jobs[0], jpeg()
    page.context.set_offline(True)
    ask(page, job, "PHO01")
    choose(page, content)
    page.get_by_role("button", name="Keep it", exact=True).click()
    page.wait_for_url(lambda url: "PHO01" not in url)
    ask(page, job, "PHO02")
    choose(page, content)

    same = "Photo of the cable entry, outside: this is the same photo as for “Photo of the front of the premises”."
    expect(page.get_by_text(same)).to_be_visible()
    expect(page.locator(".camera-taken")).to_have_count(0)
    # a second one of the same question is no second proof, and does no harm
    ask(page, job, "PHO01")
    choose(page, content)
    expect(page.get_by_text("Take it again")).to_be_visible()
    page.get_by_text("Take it again").click()
    page.get_by_role("button", name="Delete photo").click()
    expect(page.get_by_text("Your answer:")).to_have_count(0)
    page.context.set_offline(False)


def test_photo_of_a_signature_is_no_photo_of_another_question(van: Window, jobs: list[Job]) -> None:
    """Nor is a picture that carries an arrow there."""
    page, job, content = van.page, jobs[0], jpeg()
    page.context.set_offline(True)
    ask(page, job, "PHO01")
    choose(page, content)
    page.get_by_role("button", name="Draw an arrow").click()
    page.get_by_role("button", name="Done").click()
    page.get_by_role("button", name="Keep it", exact=True).click()
    page.wait_for_url(lambda url: "PHO01" not in url)
    ask(page, job, "SIG01")
    choose(page, content)

    same = "this is the same photo as for “Photo of the front of the premises”. Sign again."
    expect(page.locator("#pad-problem")).to_contain_text(same)
    expect(page.get_by_text("Take it again")).to_have_count(0)
    choose(page, jpeg())
    page.get_by_text("Take it again").click()
    ask(page, job, "PHO01")
    page.get_by_role("button", name="Delete photo").click()
    expect(page.get_by_text("Your answer:")).to_have_count(0)
    page.context.set_offline(False)


def test_photo_that_the_server_refuses_opens_its_question_again(
    system: System, van: Window, jobs: list[Job]
) -> None:
    page, job = van.page, jobs[0]
    ask(page, job, "PHO01")
    answer_with(page, job, "PHO01", b"%PDF-1.7 no picture")

    expect(page.locator("[data-status]")).to_contain_text("1 problem")
    expect(page.locator("figure").get_by_text(NOT_A_PICTURE)).to_be_visible()
    expect(page.get_by_text("Your answer:")).to_have_count(0)
    expect(page.get_by_role("button", name="Take the photo")).to_be_visible()
    van.looked_at("phone-photo-refused")
    page.goto("/phone/queue/")
    expect(page.get_by_text("All sent")).to_have_count(0)
    until(lambda: active_value(system, job, "PHO01") == [])

    ask(page, job, "PHO01")
    choose(page, jpeg())
    page.get_by_role("button", name="Keep it", exact=True).click()
    page.wait_for_url(lambda url: "PHO01" not in url)
    expect(page.locator("[data-status]")).to_contain_text("All sent")
    ask(page, job, "PHO01")
    expect(page.get_by_text("Your answer: 1 photo")).to_be_visible()
    expect(page.get_by_text(NOT_A_PICTURE)).to_have_count(0)


def test_the_good_photo_of_an_answer_stays_when_another_is_refused(
    system: System, van: Window, jobs: list[Job]
) -> None:
    page, job = van.page, jobs[0]
    ask(page, job, "PHO02")
    answer_with(page, job, "PHO02", jpeg())
    answer_with(page, job, "PHO02", b"")

    expect(page.locator("[data-status]")).to_contain_text("1 problem")
    expect(page.get_by_text("Your answer: 1 photo")).to_be_visible()
    expect(page.locator("figure")).to_have_count(2)
    page.locator("figure").filter(has_text=NOT_A_PICTURE).get_by_role("button", name="Delete photo").click()
    expect(page.locator("figure")).to_have_count(1)
    expect(page.locator("[data-status]")).to_contain_text("All sent")
    until(lambda: [value.count("-") for value in active_value(system, job, "PHO02")] == [4])


def test_photo_that_was_sent_can_be_deleted_alone(system: System, van: Window, jobs: list[Job]) -> None:
    page, job = van.page, jobs[0]
    ask(page, job, "PHO03")
    for number in (1, 2):
        answer_with(page, job, "PHO03", jpeg())
        expect(page.locator("figure").get_by_text("sent", exact=True)).to_have_count(number)
    page.locator("figure").first.get_by_role("button", name="Delete photo").click()
    expect(page.locator("figure")).to_have_count(1)
    # a double tap deletes one
    bounce(page.get_by_role("button", name="Delete photo"))
    until(lambda: [value.count("-") for value in active_value(system, job, "PHO03")] == [4])
    expect(page.locator("figure")).to_have_count(1)
    assert arrived(system, job)[-1]["kind"] == "answered"


def test_one_of_two_photos_is_deleted_and_taken_anew(system: System, van: Window, jobs: list[Job]) -> None:
    page, job = van.page, jobs[0]
    ask(page, job, "PHO06")
    for number in (1, 2):
        answer_with(page, job, "PHO06", jpeg())
        expect(page.locator("figure").get_by_text("sent", exact=True)).to_have_count(number)
    until(lambda: [len(value) for value in photos(system, job, "PHO06")] == [2])
    ((wrong, remaining),) = photos(system, job, "PHO06")
    page.locator("figure").first.get_by_role("button", name="Delete photo").click()
    expect(page.locator("figure")).to_have_count(1)

    choose(page, jpeg())
    page.get_by_role("button", name="Keep it", exact=True).click()
    page.wait_for_url(lambda url: "PHO06" not in url)

    until(lambda: [(len(each), wrong in each) for each in photos(system, job, "PHO06")] == [(2, False)])
    ((first, added),) = photos(system, job, "PHO06")
    assert (first, added in {wrong, remaining}) == (remaining, False)
    until(lambda: added in stored_photos(system))


def photos(system: System, job: Job, code: str) -> list[list[str]]:
    """The photos of each answer that counts: there is one."""
    return [json.loads(value) for value in active_value(system, job, code)]


def test_new_photo_takes_the_place_of_a_refused_answer(van: Window, jobs: list[Job]) -> None:
    page, job = van.page, jobs[0]
    ask(page, job, "PHO05")
    thumb.answer(page, job["ours"], "PHO05", ["7a0a9d52-6c3c-4f0e-9f0a-2f4a3c1f9b11"])
    expect(page.locator("[data-status]")).to_contain_text("1 problem")
    expect(page.locator("[data-problems] a").and_(page.locator("[href='#photo']"))).to_have_count(1)

    choose(page, jpeg())
    page.get_by_role("button", name="Keep it", exact=True).click()
    page.wait_for_url(lambda url: "PHO05" not in url)

    expect(page.locator("[data-status]")).to_contain_text("All sent")


def test_closing_is_judged_by_the_photos_that_are_left(system: System, van: Window, jobs: list[Job]) -> None:
    """Closed without signal with a good photo and one that is none: the closing goes, without the bad one."""
    page, job = van.page, jobs[1]
    go_to_site(page, job)
    page.context.set_offline(True)
    answer_with(page, job, "PHO01", jpeg())
    answer_with(page, job, "PHO01", b"%PDF-1.7 no picture")
    thumb.close(page, job["ours"], "UNF")
    page.context.set_offline(False)
    page.evaluate("dispatchEvent(new Event('online'))")

    until(lambda: messages(system, job)[-1] == "closeJob", seconds=60)
    open_app(page, "/phone/queue/")
    expect(page.locator("[data-status]")).to_contain_text("1 problem")
