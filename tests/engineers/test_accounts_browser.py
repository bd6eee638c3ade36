"""The pages of an account in a real browser: the QR code is drawn within our policy, and nobody is shut out."""

from collections.abc import Iterator

import pytest
from django_otp.oath import totp
from django_otp.plugins.otp_totp.models import TOTPDevice
from playwright.sync_api import Browser, Page, expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from dispatch import visits
from dispatch.states import EventKind, JobState
from engineers.models import Engineer, User
from tests import make
from tests.browser import thumb
from tests.servers.browser import DESKTOP, PHONE, Window, chromium, log_in, open_window
from tests.servers.phone import APP

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

BROWSER_STORES = """async ([app, job]) => {
  const { database } = await import(app);
  const key = `photo taken /phone/jobs/${job}/question/PHO01/p1`;
  await database.setValue(key, { id: "p1", job, question: "PHO01", bytes: new ArrayBuffer(4) });
}"""
TYPES = """async ([app, job]) => {
  const { database } = await import(app);
  await database.setValue(`draft /phone/jobs/${job}/question/CUS02/`, { value: "Key is under the mat" });
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture
def window(browser: Browser, live_server: LiveServer) -> Iterator[Window]:
    opened = open_window(browser, base_url=live_server.url, kind=DESKTOP)
    yield opened
    opened.page.context.close()


def test_office_sets_up_its_second_factor(
    window: Window, live_server: LiveServer, settings: Settings
) -> None:
    settings.REQUIRE_SECOND_FACTOR = True
    make.dispatcher(username="dana")
    page = window.page
    log_in(window, username="dana", password=make.PASSWORD)

    expect(page.get_by_role("heading", name="Set up two-factor authentication")).to_be_visible()
    picture = page.get_by_alt_text("QR code of the key")
    assert picture.evaluate("image => image.complete && image.naturalWidth > 100")
    window.looked_at("second-factor-set-up")
    page.get_by_label("Code", exact=True).fill(f"{totp(TOTPDevice.objects.get().bin_key):06}")
    page.get_by_role("button", name="Set up").click()

    expect(page.locator("#recovery-codes li")).to_have_count(10)
    window.looked_at("second-factor-codes")
    page.get_by_role("link", name="Continue").click()
    expect(page).to_have_url(f"{live_server.url}/board/")


@pytest.fixture
def engineer_phone(browser: Browser, live_server: LiveServer) -> Iterator[Window]:
    """A phone on which Erin has signed in."""
    make.engineer(username="erin")
    opened = open_window(browser, base_url=live_server.url, kind=PHONE)
    log_in(opened, username="erin", password=make.PASSWORD)
    yield opened
    opened.page.context.close()


def expire_password() -> None:
    """Erin's password becomes a temporary one."""
    User.objects.filter(username="erin").update(must_change_password=True)


def sign_in_here(page: Page) -> None:
    """As Erin, on the page that asks for it."""
    page.get_by_label("User name").fill("erin")
    page.get_by_label("Password", exact=True).fill(make.PASSWORD)
    page.get_by_role("button", name="Sign in").click()


def change_password(page: Page) -> None:
    page.get_by_label("Old password").fill(make.PASSWORD)
    page.get_by_label("New password", exact=True).fill("another horse battery")
    page.get_by_label("New password confirmation").fill("another horse battery")
    page.get_by_role("button", name="Change password").click()


def test_engineer_replaces_a_temporary_password_on_the_phone(
    browser: Browser, live_server: LiveServer
) -> None:
    user = make.engineer(username="erin").user
    user.must_change_password = True
    user.save()
    window = open_window(browser, base_url=live_server.url, kind=PHONE)
    page = window.page
    log_in(window, username="erin", password=make.PASSWORD)

    expect(page.get_by_text("Your password is temporary.")).to_be_visible()
    window.looked_at("password-change")
    change_password(page)

    expect(page).to_have_url(f"{live_server.url}/phone/")
    page.context.close()


def test_temporary_password_leads_back_into_the_application(
    engineer_phone: Window, live_server: LiveServer
) -> None:
    """The worker answers for the pages of the phone: its own page must lead to the step that is missing."""
    page = engineer_phone.page
    page.wait_for_function("() => navigator.serviceWorker.controller !== null")
    expire_password()
    page.goto("/phone/me/")

    expect(page.get_by_role("heading", name="Finish signing in")).to_be_visible()
    engineer_phone.looked_at("phone-finish-signing-in")
    page.get_by_role("link", name="Continue").click()
    change_password(page)

    expect(page).to_have_url(f"{live_server.url}/phone/me/")
    expect(page.get_by_role("heading", name="Erin")).to_be_visible()


def test_phone_that_knows_nobody_gets_in_with_a_temporary_password(engineer_phone: Window) -> None:
    page = engineer_phone.page
    page.goto("/phone/me/")
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/login/**")
    expire_password()
    sign_in_here(page)

    expect(page.get_by_text("Your password is temporary.")).to_be_visible()
    # a bookmark, or Back: the phone's own page sends them here again, and not in a circle
    page.goto("/phone/", wait_until="commit")
    expect(page.get_by_text("Your password is temporary.")).to_be_visible()


def test_phone_on_which_the_office_signed_in_is_locked(engineer_phone: Window) -> None:
    make.dispatcher(username="dana")
    page = engineer_phone.page
    page.wait_for_function("() => navigator.serviceWorker.controller !== null")
    page.context.clear_cookies()
    log_in(engineer_phone, username="dana", password=make.PASSWORD)
    page.goto("/phone/me/")

    expect(page.get_by_role("heading", name="Sign in to see your jobs")).to_be_visible()
    expect(page.locator("[data-status]")).to_contain_text("Sign in to see updates")
    page.locator(".main-button").click()
    expect(page.get_by_text("You are signed in as dana, who is not an engineer.")).to_be_visible()
    engineer_phone.looked_at("login-as-somebody-else")
    sign_in_here(page)
    expect(page.get_by_role("heading", name="Erin")).to_be_visible()


def test_signing_out_says_that_a_photo_is_not_used_yet(browser: Browser, live_server: LiveServer) -> None:
    erin = make.engineer(username="erin")
    job = make.job(at_state=JobState.ON_SITE, to=erin, day=make.today())
    window = open_window(browser, base_url=live_server.url, kind=PHONE)
    page = window.page
    log_in(window, username="erin", password=make.PASSWORD)
    page.goto("/phone/me/")
    expect(page.get_by_role("heading", name="Erin")).to_be_visible()
    page.evaluate(BROWSER_STORES, [APP, job.provider_job_id])
    page.get_by_role("button", name="Sign out").click()

    expect(page.get_by_text("You have 1 unfinished answer")).to_be_visible()
    expect(page.get_by_role("link", name="Finish it first")).to_be_visible()
    window.looked_at("phone-leave-unfinished")
    before = thumb.databases(page)
    page.get_by_role("button", name="Sign out and keep it here").click()
    page.wait_for_url("**/login/**")
    assert thumb.databases(page) == before
    page.context.close()


def test_work_for_a_job_that_was_taken_off_is_found_again_and_sent(engineer_phone: Window) -> None:
    page = engineer_phone.page
    job = make.job(at_state=JobState.ASSIGNED, to=Engineer.objects.get(), day=make.today())
    page.evaluate(TYPES, [APP, job.provider_job_id])
    visits.unassign(job=job, by=make.office())
    page.goto("/phone/me/")
    page.get_by_role("button", name="Sign out").click()

    expect(page.get_by_text("is for a job that you can't work on now.")).to_be_visible()
    expect(page.get_by_text("Key is under the mat")).to_be_visible()
    expect(page.get_by_role("link", name="Look at it first")).to_be_visible()
    engineer_phone.looked_at("phone-leave-taken-off")
    page.get_by_role("button", name="Sign out and keep it here").click()
    page.wait_for_url("**/login/**")
    sign_in_here(page)
    page.get_by_role("link", name="Show unfinished work").click()
    expect(page.get_by_text("Key is under the mat")).to_be_visible()
    engineer_phone.looked_at("phone-unfinished-work")
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("Delete it? Nobody else has it.")).to_be_visible()
    engineer_phone.looked_at("phone-unfinished-delete")
    expect(page.get_by_role("button", name="Cancel")).to_be_focused()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Send to the office").click()

    expect(page.get_by_text("Received, but the job had already changed.")).to_be_visible()
    expect(page.locator("[data-unfinished]")).to_have_count(0)
    late = job.events.get(kind=EventKind.REPORTED_LATE)
    assert late.facts["engineer_name"] == "Erin Engineer"
    assert "Key is under the mat" in late.facts["reported_text"]


def test_engineer_finds_the_password_page_on_the_phone(browser: Browser, live_server: LiveServer) -> None:
    make.engineer(username="erin")
    window = open_window(browser, base_url=live_server.url, kind=PHONE)
    page = window.page
    log_in(window, username="erin", password=make.PASSWORD)
    page.goto("/phone/me/")
    page.get_by_role("link", name="Change password").click()

    expect(page.get_by_role("heading", name="Change password")).to_be_visible()
    page.get_by_role("link", name="Back").click()
    expect(page).to_have_url(f"{live_server.url}/phone/")
    page.context.close()
