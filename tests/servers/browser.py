"""A real browser: Debian's Chromium, at phone and at desktop size, with axe and the policy's violations watched."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Geolocation,
    Page,
    expect,
    sync_playwright,
)

from tests.servers.axe import list_barriers

CHROMIUM = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), "")
# the same browser without a window, a camera and notifications; it takes a fifth less of the processor
HEADLESS = shutil.which("chromium-headless-shell") or CHROMIUM
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "device_scale_factor": 2,
    "is_mobile": True,
    "has_touch": True,
    "locale": "en-GB",
    "timezone_id": "Europe/London",
}
DESKTOP: dict[str, Any] = {
    "viewport": {"width": 1440, "height": 900},
    "locale": "en-GB",
    "timezone_id": "Europe/London",
}
LEEDS: Geolocation = {"latitude": 53.8, "longitude": -1.55, "accuracy": 12}
# a page of a machine that does much else at the same time
SECONDS = 60
expect.set_options(timeout=SECONDS * 1000)
SCREENS = Path(__file__).resolve().parent.parent.parent / "docs" / "screens"


@dataclass
class Window:
    """One person's browser: a page, what its console complained of, and where pictures go."""

    page: Page
    complaints: list[str] = field(default_factory=list)

    def picture(self, name: str) -> None:
        """A screenshot into docs/screens, when asked to (SCREENS=1): not every test makes them again.

        A phone's picture is what its screen shows: Chromium draws a sticky bar of a whole mobile page in
        the middle of it, and has left taps next to their buttons afterwards.
        """
        if os.environ.get("SCREENS"):
            SCREENS.mkdir(parents=True, exist_ok=True)
            path = SCREENS / f"{name}.png"
            self.page.screenshot(path=path, full_page=not name.startswith("phone-"), animations="disabled")

    def barriers(self) -> list[str]:
        """What axe finds on the page as it is, empty when nobody is shut out."""
        return list_barriers(self.page)

    def fits_its_width(self) -> None:
        """Nothing is wider than the window. Asked until true: a click may still be opening the page."""
        self.page.wait_for_load_state()
        self.page.wait_for_function(
            "() => document.body && document.documentElement.scrollWidth === innerWidth"
        )

    def looked_at(self, name: str) -> None:
        """Axe finds nothing, the policy was kept, and there is a picture."""
        barriers = self.barriers()
        assert barriers == [], barriers
        assert self.complaints == [], self.complaints
        self.picture(name)


# every page that is listened to, so that a story fails by what any of them complained of
_windows: list[Window] = []


def take_complaints() -> list[str]:
    """What the pages complained of since this was asked last: uncaught errors, rejections, errors in the console."""
    found = [complaint for window in _windows for complaint in window.complaints]
    for window in _windows:
        window.complaints.clear()
    _windows[:] = [window for window in _windows if not window.page.is_closed()]
    return found


@contextmanager
def chromium(*camera: str) -> Iterator[Browser]:
    """`camera`: arguments that give it one."""
    # Django refuses its ORM in a thread with a running loop, which Playwright's is
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM if camera else HEADLESS, args=[*QUIET, *camera]
        )
        yield browser
        browser.close()


def open_window(browser: Browser, *, base_url: str, kind: dict[str, Any], located: bool = True) -> Window:
    context: BrowserContext = browser.new_context(base_url=base_url, **kind)
    if located:
        context.set_geolocation(LEEDS)
        context.grant_permissions(["geolocation"])
    return watched(context.new_page())


def watched(page: Page) -> Window:
    """A page whose console is listened to."""
    window = Window(page)
    _windows.append(window)
    page.set_default_timeout(SECONDS * 1000)
    page.on("console", lambda message: _note(window, message))
    page.on("pageerror", lambda error: window.complaints.append(str(error)))
    return window


def _note(window: Window, message: ConsoleMessage) -> None:
    """Errors of scripts and of the content security policy; a refused message (4xx) is no fault."""
    if message.type == "error" and "Failed to load resource" not in message.text:
        window.complaints.append(message.text)


def log_in(window: Window, *, username: str, password: str) -> None:
    window.page.goto("/login/")
    window.page.get_by_label("User name").or_(window.page.get_by_label("Username")).fill(username)
    window.page.get_by_label("Password", exact=True).fill(password)
    window.page.get_by_role("button", name="Sign in").or_(
        window.page.get_by_role("button", name="Log in")
    ).click()
    window.page.wait_for_url(lambda url: "/login" not in url)
    if "/phone/" in window.page.url:
        # the first visit puts the application on the phone
        window.page.locator("body[data-app=ready]").wait_for()
