"""What the engineer has in hand while the page is drawn again: a photo, a signature, a camera, a deletion at work.

Answers come from elsewhere meanwhile, as the seller's result or another tab of the same phone brings them.
"""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser import thumb
from tests.browser.phone import Start, go_to_site, job_url, one_job
from tests.browser.story import draw_signature, main_button, until
from tests.servers.phone import drawn, kept_rows, open_app, wait_until_safe
from tests.servers.system import System

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

# a picture is encoded when the test says so
ENCODES_LATE = """() => {
  const encode = HTMLCanvasElement.prototype.toBlob;
  const waiting = [];
  HTMLCanvasElement.prototype.toBlob = function (...parameters) { waiting.push(() => encode.apply(this, parameters)); };
  globalThis.isEncoding = () => waiting.length > 0;
  globalThis.endEncoding = () => {
    HTMLCanvasElement.prototype.toBlob = encode;
    for (const work of waiting) work();
  };
}"""
# the browser asks whether the page may use the camera, and nobody answers for a while
CAMERA_FAILS_LATE = """() => {
  navigator.mediaDevices.getUserMedia = () => new Promise((_resolve, reject) => {
    globalThis.failCamera = () => reject(new DOMException("", "NotAllowedError"));
  });
}"""
CAMERA_IS_BLOCKED = """() => {
  navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException("", "NotAllowedError"));
}"""
# the network is slow and somebody sends: see send_queue.js
SENDS_LONG = """() => new Promise((begun) => {
  const work = () => new Promise((end) => { globalThis.endSending = end; begun(); });
  navigator.locks.request(`send-queue-${localStorage.getItem("phone.engineer")}`, work);
})"""
PAD = "document.querySelector('canvas.camera-pad')"


def on_site(system: System, start: Start, username: str, seed: int) -> tuple[Page, dict[str, str]]:
    job = one_job(system, username, seed)
    page = start(username, permissions=["geolocation", "camera"]).page
    go_to_site(page, job)
    wait_until_safe(page)
    return page, job


def ask(page: Page, job: dict[str, str], code: str) -> None:
    open_app(page, job_url(job, f"question/{code}/"))
    drawn(page)


def keep(page: Page, job: dict[str, str], code: str, photo: Path, *, times: int = 1) -> None:
    """Photos are taken and kept, and the question is open again."""
    ask(page, job, code)
    for _ in range(times):
        page.locator("#photo").set_input_files(photo)
        page.get_by_text("Keep it, take another").click()
        expect(page.locator(".camera-taken")).to_have_count(0)
    expect(page.locator(".phone-preview")).to_have_count(times)


def last_value(page: Page, code: str) -> Any:
    """Of the answer as this phone has it."""
    bodies = [row["entry"]["body"] for row in kept_rows(page) if row["entry"]["kind"].startswith("answer")]
    return [body for body in bodies if body["question"] == code][-1].get("value")


def test_photo_that_is_being_taken_stays_when_an_answer_comes(
    system: System, start: Start, photo: Path
) -> None:
    page, job = on_site(system, start, "vance", 441)
    keep(page, job, "PHO05", photo)
    page.evaluate(ENCODES_LATE)
    page.locator("#photo").set_input_files(photo)
    until(lambda: page.evaluate("isEncoding()"))
    thumb.answer(page, job["ours"], "SPD01", "no")
    page.wait_for_timeout(500)
    page.evaluate("endEncoding()")

    expect(page.get_by_role("button", name="Keep it", exact=True)).to_be_visible()
    page.get_by_role("button", name="Take it again").click()
    page.get_by_role("link", name="Continue").click()
    page.wait_for_url("**/question/SPD04/")
    page.go_back()
    page.wait_for_url("**/question/PHO05/")


def test_photo_that_is_being_taken_stays_when_another_is_deleted(
    system: System, start: Start, photo: Path
) -> None:
    page, job = on_site(system, start, "vesna", 442)
    keep(page, job, "PHO05", photo)
    page.evaluate(ENCODES_LATE)
    page.locator("#photo").set_input_files(photo)
    until(lambda: page.evaluate("isEncoding()"))
    page.get_by_role("button", name="Delete photo").click()
    expect(page.locator(".phone-preview")).to_have_count(0)
    page.evaluate("endEncoding()")

    # a picture is encoded in its own time, and until then the button is for taking one
    page.get_by_role("button", name="Keep it", exact=True).click()
    page.wait_for_url("**/question/SPD01/")
    assert len(last_value(page, "PHO05")) == 1


def test_photos_of_two_tabs_for_one_question_are_both_kept(system: System, start: Start, photo: Path) -> None:
    page, job = on_site(system, start, "vonda", 446)
    other = page.context.new_page()
    for tab in (page, other):
        ask(tab, job, "PHO05")
    for tab in (page, other):
        tab.locator("#photo").set_input_files(photo)
        expect(tab.get_by_role("button", name="Keep it", exact=True)).to_be_visible()
    other.close()
    page.reload()
    drawn(page)

    main_button(page)
    # the second tab's is in hand, and the question stays until it is kept, too
    expect(page.locator(".phone-preview")).to_have_count(1)
    expect(page.get_by_role("button", name="Keep it", exact=True)).to_be_visible()
    main_button(page)
    page.wait_for_url("**/question/SPD01/")
    assert len(last_value(page, "PHO05")) == 2


def test_strokes_on_the_pad_stay_when_an_answer_comes(system: System, start: Start) -> None:
    page, job = on_site(system, start, "vito", 443)
    ask(page, job, "SIG01")
    page.get_by_label("Signed by").fill("Ann Other")
    draw_signature(page)
    main_button(page)
    page.wait_for_url(lambda url: "SIG01" not in url)
    ask(page, job, "SIG01")
    draw_signature(page)
    page.evaluate(f"globalThis.pad = {PAD}")
    thumb.answer(page, job["ours"], "SAF01", "yes")
    page.wait_for_timeout(500)

    assert page.evaluate(f"globalThis.pad === {PAD}") is True
    page.get_by_label("Signed by").fill("Ann Other")
    page.get_by_role("button", name="Sign again").click()
    page.wait_for_url(lambda url: "SIG01" not in url)


def test_camera_that_fails_late_leaves_the_photo_in_hand(system: System, start: Start, photo: Path) -> None:
    page, job = on_site(system, start, "vinca", 444)
    ask(page, job, "PHO01")
    page.evaluate(CAMERA_FAILS_LATE)
    main_button(page)
    page.get_by_role("button", name="Close the camera").click()
    page.locator("#photo").set_input_files(photo)
    expect(page.get_by_role("button", name="Keep it", exact=True)).to_be_visible()
    page.evaluate("failCamera()")
    page.wait_for_timeout(300)

    expect(page.get_by_text("Camera access is blocked.")).to_have_count(0)
    main_button(page)
    page.wait_for_url("**/question/PHO02/")


def test_blocked_camera_leaves_the_large_button_to_the_phone_s_camera(
    system: System, start: Start, photo: Path
) -> None:
    page, job = on_site(system, start, "verena", 449)
    ask(page, job, "PHO01")
    page.evaluate(CAMERA_IS_BLOCKED)
    main_button(page)
    expect(page.get_by_text("Camera access is blocked.")).to_be_visible()

    with page.expect_file_chooser() as chosen:
        main_button(page)
    chosen.value.set_files(photo)
    page.get_by_role("button", name="Keep it", exact=True).click()
    page.wait_for_url("**/question/PHO02/")
    with page.expect_file_chooser():
        main_button(page)


def test_deletion_that_waits_for_the_network_loses_no_other_tap(
    system: System, start: Start, photo: Path
) -> None:
    """Neither another deletion nor the next photo, which does not bring a deleted one back."""
    page, job = on_site(system, start, "vashti", 445)
    page.context.set_offline(True)
    keep(page, job, "PHO01", photo, times=2)
    first, second = last_value(page, "PHO01")
    page.locator("#photo").set_input_files(photo)
    expect(page.get_by_role("button", name="Keep it", exact=True)).to_be_visible()
    # the phone waits for its sender for as long as this story takes, not for three seconds (LOCK_MS)
    page.evaluate("() => { AbortSignal.timeout = () => new AbortController().signal; }")
    page.evaluate(SENDS_LONG)
    for button in page.get_by_role("button", name="Delete photo").all():
        button.click()
    main_button(page)
    page.wait_for_url("**/question/PHO02/")
    page.evaluate("endSending()")

    until(lambda: len(last_value(page, "PHO01")) == 1)
    assert last_value(page, "PHO01")[0] not in {first, second}
    assert thumb.pictures(page) == 1
