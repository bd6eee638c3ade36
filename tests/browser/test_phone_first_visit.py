"""The first visit puts the application on the phone; a browser that cannot run it says what to use instead."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from phone import pwa
from tests.browser.story import drawn
from tests.servers.browser import PHONE, Window, open_window, watched
from tests.servers.phone import READY
from tests.servers.system import System

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
ENGINEER = "leroy"
NO_WORKER = "delete Navigator.prototype.serviceWorker"
NO_DATABASE = "Object.defineProperty(globalThis, 'indexedDB', { value: undefined })"
NO_MODULES = "delete HTMLScriptElement.prototype.noModule"


def sign_in(page: Page, system: System) -> None:
    page.goto("/login/")
    page.get_by_label("User name").fill(ENGINEER)
    page.get_by_label("Password", exact=True).fill(system.demo.password())
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/phone/")


def expect_unsupported(page: Page) -> None:
    """The one page, in both languages; who signed in here may sign out again."""
    expect(page.get_by_role("heading", name="Use a different browser")).to_be_visible()
    expect(page.get_by_role("heading", name="Verwende einen anderen Browser")).to_be_visible()
    numbers = page.locator("a[href^='tel:']")
    assert numbers.all_inner_texts() == ["0113 496 0111"] * 2
    expect(page.get_by_text("Opening…")).to_be_hidden()


def sign_out(page: Page) -> None:
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/login/**")
    page.goto("/phone/")
    page.wait_for_url("**/login/**")


@pytest.fixture
def window(system: System, browser: Browser) -> Iterator[Window]:
    opened = open_window(browser, base_url=system.url, kind=PHONE)
    yield opened
    opened.page.context.close()


def test_first_visit_puts_the_application_on_the_phone(system: System, window: Window) -> None:
    page = window.page
    loaded: list[str] = []
    page.on("framenavigated", lambda frame: loaded.append(frame.url))
    sign_in(page, system)

    expect(page.locator(READY)).to_be_visible()
    expect(page.get_by_role("heading", name="Today")).to_be_visible()
    expect(page.get_by_text("If you expected one, call the office")).to_be_visible()
    assert loaded[-1] == f"{system.url}/phone/"
    page.context.set_offline(True)
    page.goto("/phone/me/")
    drawn(page)
    expect(page.locator("[data-page=me]")).to_be_visible()


def test_page_that_is_loaded_past_the_worker_waits_for_nothing(system: System, window: Window) -> None:
    page = window.page
    sign_in(page, system)
    expect(page.locator(READY)).to_be_visible()
    with page.expect_navigation():
        page.context.new_cdp_session(page).send("Page.reload", {"ignoreCache": True})

    expect(page.locator(READY)).to_be_visible()
    assert page.evaluate("navigator.serviceWorker.controller") is None


@pytest.mark.parametrize("lack", [NO_WORKER, NO_DATABASE, NO_MODULES])
def test_browser_that_lacks_something_gets_the_unsupported_page(
    system: System, window: Window, lack: str
) -> None:
    page = window.page
    page.add_init_script(lack)
    sign_in(page, system)

    expect_unsupported(page)
    window.looked_at("phone-unsupported")
    sign_out(page)


def test_browser_without_scripts_gets_the_unsupported_page(system: System, browser: Browser) -> None:
    context = browser.new_context(base_url=system.url, java_script_enabled=False, **PHONE)
    page = watched(context.new_page()).page
    sign_in(page, system)

    expect(page.get_by_role("heading", name="Use a different browser")).to_be_visible()
    expect_unsupported(page)
    sign_out(page)
    context.close()


def test_browser_that_does_not_know_the_syntax_gets_the_unsupported_page(
    system: System, browser: Browser
) -> None:
    """Its console complains of the script, so nobody listens to it."""
    context = browser.new_context(base_url=system.url, **PHONE)
    (script,) = pwa.scripts_of("page")
    context.route(f"**{script}", lambda route: route.fulfill(body="}", content_type="text/javascript"))
    page = context.new_page()
    sign_in(page, system)

    expect_unsupported(page)
    sign_out(page)
    context.close()


def test_first_visit_that_loses_the_signal_on_the_way_can_be_tried_again(
    system: System, window: Window
) -> None:
    page = window.page
    page.route("**/static/built/js/phone/*.js", lambda route: route.abort("connectionreset"))
    sign_in(page, system)

    expect(page.get_by_text("The app could not be loaded.")).to_be_visible()
    expect(page.get_by_text("Opening…")).to_be_hidden()
    page.unroute_all()
    page.get_by_role("link", name="Try again").click()
    expect(page.locator(READY)).to_be_visible()
    expect(page.get_by_text("The app could not be loaded.")).to_be_hidden()
