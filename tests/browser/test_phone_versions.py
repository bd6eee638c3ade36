"""Another version of the application arrives while somebody works: nothing is lost, nothing moves under the hands."""

import contextlib
import re

import pytest
from playwright.sync_api import Error, Page, expect

from demo.environment import wait_until
from tests.browser.phone import Start, assert_all_arrived, go_to_site, job_url, one_job, say_yes
from tests.browser.story import until
from tests.servers.browser import Window
from tests.servers.line import Line
from tests.servers.phone import READY, kept_rows, open_app, wait_until_safe
from tests.servers.system import System

pytestmark = [
    pytest.mark.browser,
    pytest.mark.timeout(600),
]
# several browsers on a small machine
expect.set_options(timeout=30_000)


def another_version(piece: bytes) -> bytes:
    return re.sub(rb'(const VERSION = ")[0-9a-f]{8}', rb"\g<1>ffffffff", piece)


OLD_PAGE = "globalThis.isTheOldPage"
WAITING = (
    "async () => Boolean((await (await navigator.serviceWorker.getRegistration('/phone/')).update()).waiting)"
)


def versions(page: Page) -> list[str]:
    """Which the phone holds; nothing while its page is loaded anew."""
    try:
        kept = page.evaluate("caches.keys()")
    except Error:
        return []
    return [name[: len("phone-ffffffff")] for name in kept if name.startswith("phone-")]


def is_new(page: Page) -> bool:
    """The application was loaded again and is ready."""
    try:
        return page.locator(READY).is_visible() and page.evaluate(OLD_PAGE) is None
    except Error:
        return False


def put_away(page: Page) -> bool:
    """Out of sight or taken up again; a page that is being loaded anew hears nothing of it. Each time asks the server
    for news, and a new worker takes over when nothing is asked: not five times a second, as nobody does."""
    with contextlib.suppress(Error):
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    return True


def test_new_version_waits_for_the_queue(system: System, start: Start, line: Line) -> None:
    job = one_job(system, "ida", 309)
    one = start("ida")
    line.rewrite = another_version
    # the server is there, but the phone never learns that its work arrived
    line.losing = b"POST /phone/sync"
    go_to_site(one.page, job)
    until(lambda: one.page.evaluate(WAITING))
    one.page.evaluate("globalThis.isTheOldPage = true")
    say_yes(one.page, times=2)
    assert one.page.evaluate(OLD_PAGE) is True
    told = kept_rows(one.page)

    line.losing = b""
    one.page.evaluate("dispatchEvent(new Event('online'))")
    wait_until_safe(one.page)
    assert_all_arrived(one.page, told, system, job)
    assert one.page.evaluate(OLD_PAGE) is True, "never in the middle of a screen"

    one.page.get_by_role("link", name="My day").click()
    until(lambda: versions(one.page) == ["phone-ffffffff"])
    until(lambda: is_new(one.page))
    expect(one.page.locator('[data-page="day"]')).to_be_visible()


def test_new_version_takes_over_while_the_phone_is_put_away(system: System, start: Start, line: Line) -> None:
    job = one_job(system, "padma", 316)
    one = start("padma")
    open_app(one.page, job_url(job))
    line.rewrite = another_version
    one.page.evaluate("globalThis.isTheOldPage = true")
    until(lambda: one.page.evaluate(WAITING))
    assert one.page.evaluate(OLD_PAGE) is True

    # a phone that has something to do at that moment lets it in the next time
    until(
        lambda: put_away(one.page) and wait_until(lambda: versions(one.page) == ["phone-ffffffff"], seconds=5)
    )
    until(lambda: is_new(one.page))
    expect(one.page.locator('[data-page="job"]')).to_be_visible()


def test_files_that_the_browser_cleaned_away_come_again(system: System, start: Start) -> None:
    job = one_job(system, "ned", 314)
    one = start("ned")
    one.page.evaluate("async () => { for (const name of await caches.keys()) await caches.delete(name); }")
    open_app(one.page)
    one.context.set_offline(True)

    open_app(one.page, job_url(job))
    expect(one.page.locator(".main-button")).to_have_text("On my way")


def test_half_a_word_survives_news_and_a_new_version(system: System, start: Start, line: Line) -> None:
    job = one_job(system, "ola", 319)
    one = start("ola")
    open_app(one.page, job_url(job, "cant-complete/"))
    one.page.get_by_role("searchbox").fill("no on")
    line.rewrite = another_version
    one.page.evaluate("async () => (await navigator.serviceWorker.getRegistration('/phone/')).update()")
    one.page.evaluate("dispatchEvent(new Event('online'))")
    until(
        lambda: bool(
            one.page.evaluate(
                "async () => Boolean((await navigator.serviceWorker.getRegistration('/phone/')).waiting)"
            )
        )
    )

    expect(one.page.get_by_role("searchbox")).to_have_value("no on")
    assert Window(one.page).complaints == []
