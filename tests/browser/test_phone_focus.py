"""The focus on a phone with a keyboard or a screen reader, and which field a problem is about."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.phone import day_of_jobs, go_to_site
from tests.browser.story import sign_in
from tests.browser.test_phone_photos import AGAIN, CAMERA, Job, ask, picture
from tests.servers import browser as browsers
from tests.servers.browser import PHONE, Window, open_window
from tests.servers.phone import open_app
from tests.servers.system import System

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if not browsers.CHROMIUM:
        pytest.skip("no chromium is installed")
    with browsers.chromium(*CAMERA) as running:
        yield running


@pytest.fixture(scope="module")
def job(system: System) -> Job:
    (found,) = day_of_jobs(system, username="frida", count=1, seed=47, plan=[1])
    return found


@pytest.fixture(scope="module")
def van(system: System, browser: Browser, job: Job) -> Window:
    window = open_window(browser, base_url=system.url, kind=PHONE)
    window.page.context.grant_permissions(["geolocation", "camera"])
    sign_in(system, window.page, username="frida")
    go_to_site(window.page, job)
    return window


def test_camera_hands_the_focus_to_the_large_button(van: Window, job: Job) -> None:
    page, main = van.page, van.page.locator(".main-button")
    ask(page, job, "PHO01")
    page.get_by_role("button", name="Take the photo").press("Enter")
    shutter = page.get_by_role("button", name="Take it", exact=True)
    expect(shutter).to_be_focused()

    page.get_by_role("button", name="Close the camera").press("Enter")
    expect(page.get_by_role("button", name="Take the photo")).to_be_focused()
    page.keyboard.press("Enter")
    expect(shutter).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_text(AGAIN)).to_be_visible()
    expect(main).to_be_focused()
    expect(main).to_have_text("Keep it")


def test_signature_hands_the_focus_to_the_large_button_and_names_its_problem(van: Window, job: Job) -> None:
    page, main = van.page, van.page.locator(".main-button")
    ask(page, job, "SIG01")
    signer = page.get_by_label("Signed by")
    signer.fill("")
    main.press("Enter")
    expect(signer).to_have_attribute("aria-invalid", "true")
    signer.fill("Pat Tester")
    expect(signer).not_to_have_attribute("aria-invalid", "true")

    page.locator("#photo").focus()
    page.locator("#photo").set_input_files(picture())
    expect(page.get_by_text(AGAIN)).to_be_visible()
    expect(main).to_have_text("Keep it")
    expect(main).to_be_focused()
    page.get_by_role("button", name=AGAIN).press("Enter")
    expect(main).to_have_text("Save the signature")
    expect(main).to_be_focused()


def test_scanner_hands_the_focus_to_the_large_button(van: Window, job: Job) -> None:
    page = van.page
    open_app(page, f"/phone/jobs/{job['ours']}/scan/")
    page.get_by_role("button", name="Scan the label").press("Enter")
    close = page.get_by_role("button", name="Close the camera")
    expect(close).to_be_focused()

    page.keyboard.press("Enter")

    expect(page.get_by_role("button", name="Scan the label")).to_be_focused()


def test_reason_of_a_closing_names_its_problem(van: Window, job: Job) -> None:
    page = van.page
    open_app(page, f"/phone/jobs/{job['ours']}/close/?code=CON")
    # as Enter in a field: the large button leads to the missing photos
    page.locator("#step").evaluate("(form) => form.requestSubmit()")

    expect(page.locator("[data-problems]")).to_be_visible()
    group = page.locator(".phone-secondaries")
    expect(group).to_have_attribute("aria-invalid", "true")
    expect(group).to_have_accessible_description(re.compile("Choose a reason for"))
