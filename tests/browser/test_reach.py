"""Everybody reaches everything: each page of the phone and of the office, light, dark and with large letters.

Axe finds nothing, on the phone with a contrast of 7:1; targets have 48 px, the main button 56; nothing is cut off on
the narrowest phone.
"""

import re
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect

from tests import make
from tests.browser import thumb
from tests.browser.phone import day_of_jobs
from tests.browser.story import at_desk, sign_in, today
from tests.servers.browser import PHONE, Window, open_window
from tests.servers.phone import drawn, open_app, wait_until_safe
from tests.servers.reach import barriers, looked_at_by_everybody, too_small
from tests.servers.system import System

HAS_OWN_SYSTEM = True
pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]
NARROW = {**PHONE, "viewport": {"width": 360, "height": 740}, "device_scale_factor": 1}
OFFICE = {
    "board-empty": "/board/?day=2030-01-01",
    "board": "/board/?day={day}&job={job}",
    "job": "/board/jobs/{job}/",
    "search": "/board/search?q={postcode}",
    "unassigned": "/board/search?list=unassigned",
    "messages": "/board/messages/",
    "offline-import": "/board/offline-import/",
}
Job = dict[str, str]


@pytest.fixture(scope="module")
def jobs(system: System) -> list[Job]:
    return day_of_jobs(system, username="petra", count=2, seed=41, plan=[4])


@pytest.fixture(scope="module")
def van(system: System, browser: Browser, jobs: list[Job]) -> Iterator[Window]:
    window = open_window(browser, base_url=system.url, kind=NARROW)
    sign_in(system, window.page, username="petra")
    yield window
    window.page.context.close()


@pytest.fixture(scope="module")
def on_site(system: System, van: Window, jobs: list[Job]) -> str:
    """The path of a job at which the engineer is."""
    thumb.go_on_site(van, system, jobs[0]["ours"])
    return f"/phone/jobs/{jobs[0]['ours']}"


def open_page(van: Window, path: str) -> Page:
    open_app(van.page, path)
    drawn(van.page)
    return van.page


def test_barriers_of_a_page_are_found(browser: Browser) -> None:
    page = browser.new_page()
    grey = '<p style="color: #767676; background: #fff">4.5:1</p>'
    document = '<html lang="en"><title>Page</title><main><h1>Page</h1>{}</main>'

    page.set_content(document.format(f'<img src="x">{grey}'))
    assert [line.split(":")[0] for line in barriers(page, enhanced=False)] == ["image-alt"]
    rules = [line.split(":")[0] for line in barriers(page, enhanced=True)]
    assert sorted(rules) == ["color-contrast-enhanced", "image-alt"]
    page.locator("img").evaluate("image => image.remove()")
    assert barriers(page, enhanced=False) == []
    # another document, which knows no axe
    page.goto(f"data:text/html,{quote(document.format('<input>'))}")
    assert [line.split(":")[0] for line in barriers(page, enhanced=False)] == ["label"]
    page.close()


def none(found: list[str]) -> None:
    """All of them at once, each on its line."""
    assert not found, "\n".join(found)


def findings(van: Window, **paths: str) -> list[str]:
    """Of pages of the application, by their name."""
    found = []
    for name, path in paths.items():
        open_page(van, path)
        found += looked_at_by_everybody(van, name.replace("_", "-"))
    return found + van.complaints


def test_pages_before_the_work(van: Window, jobs: list[Job]) -> None:
    job = f"/phone/jobs/{jobs[1]['ours']}"
    found = findings(
        van,
        day="/phone/",
        job=f"{job}/",
        travel=f"{job}/travel/",
        arrive=f"{job}/arrive/",
        cant_complete=f"{job}/cant-complete/",
        not_here="/phone/jobs/J-NONE-NONE/",
        queue_empty="/phone/queue/",
        me="/phone/me/",
        positions="/phone/me/positions/",
    )

    none(found)


def test_pages_of_the_work(van: Window, on_site: str) -> None:
    found = findings(
        van,
        job_on_site=f"{on_site}/",
        question_choice=f"{on_site}/question/SAF01/",
        question_number=f"{on_site}/question/LGT01/",
        question_text=f"{on_site}/question/CUS02/",
        question_photo=f"{on_site}/question/PHO01/",
        question_signature=f"{on_site}/question/SIG01/",
        scan=f"{on_site}/scan/",
        provisioning_nothing=f"{on_site}/provisioning/",
        review=f"{on_site}/review/",
        hand_over=f"{on_site}/hand-over/",
        close_no_access=f"{on_site}/close/?code=RNA%2FNA",
        close=f"{on_site}/close/",
    )

    none(found)


def test_number_in_doubt_and_a_missing_text(van: Window, on_site: str) -> None:
    page = open_page(van, f"{on_site}/question/LGT01/")
    page.locator("#value").fill("-35")
    expect(page.locator(".phone-value-warning .notice")).to_be_visible()
    found = looked_at_by_everybody(van, "question-doubt")
    open_page(van, f"{on_site}/hand-over/").get_by_role("button", name="Send request").click()
    expect(page.locator("[data-problems]")).to_be_visible()
    found += looked_at_by_everybody(van, "problem")

    none(found + van.complaints)


def test_photo_and_its_arrow(van: Window, on_site: str) -> None:
    page = open_page(van, f"{on_site}/question/PHO01/")
    photo = {"name": "photo.jpg", "mimeType": "image/jpeg", "buffer": make.jpeg(width=900, height=1200)}
    page.locator("input[type=file]").first.set_input_files(photo)
    expect(page.get_by_text("Take it again")).to_be_visible()
    found = looked_at_by_everybody(van, "photo-taken")
    page.get_by_role("button", name="Draw an arrow").click()
    expect(page.locator("canvas")).to_be_visible()
    found += looked_at_by_everybody(van, "photo-arrow")

    none(found + van.complaints)


def test_scan_on_its_way_and_answered(van: Window, jobs: list[Job], on_site: str) -> None:
    page = open_page(van, f"{on_site}/scan/")
    page.get_by_label("FSAN").first.fill(jobs[0]["fsan"])
    page.get_by_label("Serial number").first.fill(jobs[0]["serial"])
    found = looked_at_by_everybody(van, "scan-typed")
    page.locator(".main-button").click()
    page.wait_for_url(re.compile("/(provisioning|question)/"))
    open_page(van, f"{on_site}/provisioning/")
    found += looked_at_by_everybody(van, "provisioning-waiting")
    expect(page.get_by_text("will retry in five minutes")).to_be_visible()
    found += looked_at_by_everybody(van, "provisioning-delayed")
    # nine minutes later without an answer from the server
    page.evaluate("globalThis.now = Date.now; Date.now = () => now() + 9 * 60_000")
    expect(page.locator(".phone-advice").get_by_text("The next attempt was due at")).to_be_visible()
    page.evaluate("Date.now = globalThis.now")

    none(found + van.complaints)


def test_queue_its_cards_and_the_way_out(system: System, van: Window, jobs: list[Job], on_site: str) -> None:
    job, page = jobs[0]["ours"], van.page
    wait_until_safe(page)
    page.context.set_offline(True)
    thumb.answer(page, job, "SAF01", "yes")
    thumb.photograph(page, job)
    found = findings(van, queue="/phone/queue/", leave="/phone/me/leave/", day_offline="/phone/")
    open_page(van, "/phone/queue/")
    with page.expect_download():
        page.get_by_role("button", name="Save export file").click()
    expect(page.get_by_text("Saved as offline-export-")).to_be_visible()
    found += looked_at_by_everybody(van, "offline-export")
    # an answer that no question has
    thumb.answer(page, job, "NONE99", "yes")
    page.context.set_offline(False)
    expect(page.locator("[data-refused]")).to_be_visible()
    found += looked_at_by_everybody(van, "queue-cards")

    none(found + van.complaints)


def test_closed_job(system: System, van: Window, jobs: list[Job]) -> None:
    job = jobs[1]["ours"]
    thumb.go_on_site(van, system, job)
    thumb.close(van.page, job, "RNA/NA")
    wait_until_safe(van.page)
    found = findings(van, job_closed=f"/phone/jobs/{job}/", day_with_closed="/phone/")
    expect(van.page.get_by_text("Closed", exact=True).first).to_be_visible()

    none(found)


def test_signed_out_and_signing_in(system: System, browser: Browser, van: Window) -> None:
    van.page.context.clear_cookies(name="sessionid")
    open_app(van.page)
    expect(van.page.locator("[data-status]")).to_contain_text("Sign in to")
    found = looked_at_by_everybody(van, "signed-out")
    signed_out = open_window(browser, base_url=system.url, kind=NARROW, located=False)
    page = signed_out.page
    page.goto("/login/?next=/phone/")
    found += [*_of_the_server(signed_out, "login"), *too_small(page)]
    page.get_by_label("User name").fill("petra")
    page.get_by_label("Password", exact=True).fill("wrong")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_be_visible()
    found += [*_of_the_server(signed_out, "login-refused"), *too_small(page)]
    page.goto("/nowhere/")
    found += _of_the_server(signed_out, "nothing-here")
    page.context.close()

    none(found)


def _of_the_server(window: Window, name: str) -> list[str]:
    """Of a page that has no choice of its own: as the browser says."""
    found = []
    for scheme in ("light", "dark"):
        window.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        found += [f"{name}, {scheme}: {line}" for line in barriers(window.page, enhanced=False)]
    return found + window.complaints


def test_office_pages(system: System, browser: Browser, jobs: list[Job]) -> None:
    desk = at_desk(system, browser)
    parameters = {"day": today().isoformat(), "job": jobs[0]["ours"], "postcode": jobs[0]["postcode"]}
    paths = {name: path.format(**parameters) for name, path in OFFICE.items()}
    found = []
    for name, path in {**paths, **_about_messages(desk.page)}.items():
        answer = desk.page.goto(path)
        assert answer and answer.ok, path
        found += _of_the_server(desk, name)
    desk.page.context.close()

    none(found)


def _about_messages(page: Page) -> dict[str, str]:
    """Every kind of page to which the list of messages leads, by its first words."""
    page.goto("/board/messages/")
    links = "links => links.map(({ pathname }) => pathname)"
    found: list[str] = page.eval_on_selector_all("a[href^='/board/']", links)
    return {"/".join(path.split("/")[2:4]): path for path in found}
