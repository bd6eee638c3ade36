"""A running system, a browser for each file of stories, and a picture of every open page when one fails."""

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, time, timedelta
from pathlib import Path
from time import sleep
from typing import Any

import pytest
from playwright.sync_api import Browser, Error, Playwright, sync_playwright

from tests import make
from tests.browser.phone import Start
from tests.browser.story import at_desk, sign_in, today
from tests.servers import browser as browsers
from tests.servers import line as lines
from tests.servers import system as systems
from tests.servers.browser import CHROMIUM, HEADLESS, Window
from tests.servers.line import Line
from tests.servers.phone import Phone, open_app
from tests.servers.system import System


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call() -> Iterator[None]:
    """A story fails when a page of it has an uncaught error, an unhandled rejection or an error in its console."""
    browsers.take_complaints()
    outcome = yield
    complaints = browsers.take_complaints()
    if complaints and outcome.excinfo is None:
        outcome.force_exception(AssertionError(f"the console of a page: {complaints}"))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    outcome = yield
    report = outcome.get_result()
    browser = getattr(item, "funcargs", {}).get("browser")
    if report.when == "call" and report.failed and isinstance(browser, Browser):
        report.sections.append(("pages", "\n".join(_pictures(browser, item.config))))


def _pictures(browser: Browser, config: pytest.Config) -> list[str]:
    folder = Path(config.cache.mkdir("pages")) if config.cache else Path()
    lines = []
    for number, page in enumerate(page for context in browser.contexts for page in context.pages):
        path = folder / f"page-{number}.png"
        # a page that hangs has no picture
        with suppress(Error):
            page.screenshot(path=path, full_page=True)
        lines.append(f"{page.url} {path}")
    return lines


# a story looks at the same line again a moment after it was repaired
LINES_ARE_CHECKED_ANEW = {"LINE_CHECK_CACHE_SECONDS": "0", "LINE_CHECK_PER_JOB": "60"}


@pytest.fixture(scope="session")
def shared_system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    with systems.running(tmp_path_factory.mktemp("system"), **LINES_ARE_CHECKED_ANEW) as running:
        yield running


@pytest.fixture(scope="module")
def system(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    """One for all files, whose stories have engineers and jobs of their own; a file that says `HAS_OWN_SYSTEM = True`
    looks at lists, boards or logs that must hold nothing else."""
    if not getattr(request.module, "HAS_OWN_SYSTEM", False):
        yield request.getfixturevalue("shared_system")
        return
    with systems.running(tmp_path_factory.mktemp("system")) as running:
        yield running


def _skip_without_chromium() -> None:
    if not CHROMIUM:
        pytest.skip("no chromium is installed")


@pytest.fixture(autouse=True, scope="module")
def not_over_midnight() -> None:
    """A file's jobs are of the day on which it began."""
    left = datetime.combine(today() + timedelta(days=1), time(), make.LONDON) - datetime.now(make.LONDON)
    if left < timedelta(minutes=3):
        sleep(left.total_seconds() + 1)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    _skip_without_chromium()
    with browsers.chromium() as running:
        yield running


@pytest.fixture(autouse=True)
def windows_of_one_story(request: pytest.FixtureRequest) -> Iterator[None]:
    """What a story opened ends with it, but for the windows of its whole file: a page that is left open goes on asking
    the server and reading its camera's film, and the stories after it wait for both."""
    browser = request.getfixturevalue("browser") if "browser" in request.fixturenames else None
    before = set(browser.contexts) if browser else set()
    yield
    for context in set(browser.contexts) - before if browser else ():
        context.close()


@pytest.fixture(scope="module")
def photo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("photo") / "premises.jpg"
    path.write_bytes(make.jpeg(width=3000, height=2000))
    return path


@pytest.fixture(scope="module")
def playwright() -> Iterator[Playwright]:
    _skip_without_chromium()
    with sync_playwright() as running:
        yield running


@pytest.fixture(scope="module")
def line(system: System) -> Iterator[Line]:
    with lines.to(system.url) as running:
        yield running


@pytest.fixture
def office(system: System, playwright: Playwright) -> Iterator[Window]:
    """A dispatcher at the board, next to the phones of `start`."""
    running = playwright.chromium.launch(executable_path=HEADLESS, args=browsers.QUIET)
    window = at_desk(system, running)
    window.page.goto("/board/")
    yield window
    running.close()


@pytest.fixture
def start(system: System, line: Line, playwright: Playwright, tmp_path: Path) -> Iterator[Start]:
    """`start(username)`: this engineer's phone, signed in, with the application on it."""
    started: list[Phone] = []

    def begin(username: str, *, dies: bool = False, **more: Any) -> Phone:
        line.is_cut, line.losing, line.rewrite = False, b"", bytes
        executable = CHROMIUM if "notifications" in more.get("permissions", ()) else HEADLESS
        phone = Phone(playwright, tmp_path / username, line.url, executable=executable)
        started.append(phone)
        phone.start(**more)
        sign_in(system, phone.page, username=username)
        open_app(phone.page)
        if dies:
            # a browser writes its cookies down late; who signed in is not what this is about
            phone.close()
            phone.start(**more)
            open_app(phone.page)
        return phone

    yield begin
    for phone in started:
        phone.close()
