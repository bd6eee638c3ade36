"""The phone as a thing: a browser with a folder of its own that can be killed, and what the application keeps in it."""

import os
import signal
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, Error, Page, Playwright, expect

from demo.environment import wait_until
from tests.servers.browser import CHROMIUM, LEEDS, PHONE, QUIET, SECONDS, Window, log_in, watched

READY = "body[data-app=ready]"
# the page's own script: what it exports is the one queue and the one store of that page
APP = "/static/built/js/phone/app.js"


def open_app(page: Page, path: str = "/phone/") -> None:
    """The application at this address; the first time the worker is put on the phone before."""
    page.goto(path, wait_until="commit")
    expect(page.locator(READY)).to_be_visible(timeout=SECONDS * 1000)


def drawn(page: Page) -> None:
    """The address changes a moment before its page stands there."""
    address = page.evaluate("location.pathname + location.search")
    expect(page.locator(f'[data-address="{address}"]')).to_be_attached(timeout=SECONDS * 1000)


def kept_rows(page: Page) -> list[dict[str, Any]]:
    """The queue as it lies on this phone."""
    found: list[dict[str, Any]] = page.evaluate("async (app) => (await import(app)).queue.rows()", APP)
    return found


def wait_until_safe(page: Page, *, seconds: float = 60) -> None:
    assert wait_until(lambda: all(row["state"] != "pending" for row in kept_rows(page)), seconds=seconds)


@dataclass
class Phone:
    """A browser with a folder of its own, as a phone has: what it keeps outlives its process."""

    playwright: Playwright
    folder: Path
    base_url: str
    flags: tuple[str, ...] = ()
    executable: str = CHROMIUM
    running: BrowserContext | None = None

    @property
    def context(self) -> BrowserContext:
        assert self.running is not None, "the phone is switched off"
        return self.running

    @property
    def page(self) -> Page:
        return self.context.pages[0]

    def start(self, **more: Any) -> Window:
        options = {**PHONE, "base_url": self.base_url, "geolocation": LEEDS, "permissions": ["geolocation"]}
        self.running = self.playwright.chromium.launch_persistent_context(
            self.folder,
            executable_path=self.executable,
            args=[*QUIET, *self.flags],
            **{**options, **more},
        )
        return watched(self.page)

    def sign_in(self, *, username: str, password: str) -> None:
        log_in(Window(self.page), username=username, password=password)

    def kill(self) -> None:
        """kill -9 of the whole browser: no page says goodbye, nothing is written any more."""
        groups = set()
        for process in self._processes():
            # a helper of the browser may end at any moment
            with suppress(ProcessLookupError):
                groups.add(os.getpgid(process))
        (browser,) = groups
        os.killpg(browser, signal.SIGKILL)
        assert wait_until(lambda: not self._processes(), seconds=20)
        with suppress(Error):
            self.close()
        self.running = None

    def _processes(self) -> list[int]:
        """Those of this browser that live, by the folder in their command line."""
        found = [entry for entry in Path("/proc").iterdir() if entry.name.isdigit()]
        return [int(entry.name) for entry in found if str(self.folder).encode() in _command_line(entry)]

    def close(self) -> None:
        if self.running is not None:
            self.context.close()
            self.running = None


def _command_line(entry: Path) -> bytes:
    try:
        return (entry / "cmdline").read_bytes()
    except OSError:
        return b""
