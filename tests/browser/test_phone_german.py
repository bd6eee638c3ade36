"""The phone in its second language: chosen on the me page, kept without signal, through a whole job to the closing."""

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests import make
from tests.browser import thumb
from tests.browser.phone import day_of_jobs, in_shell
from tests.browser.story import MOST_QUESTIONS, answer_page, main_button, messages, sign_in, until
from tests.servers.browser import PHONE, Window, log_in, open_window
from tests.servers.phone import drawn, open_app, wait_until_safe
from tests.servers.reach import cut_off, english_left, look, too_small
from tests.servers.system import System

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]
NARROW = {**PHONE, "viewport": {"width": 360, "height": 740}, "device_scale_factor": 1}
GERMAN = "html[lang=de]"
Job = dict[str, str]


@pytest.fixture(scope="module")
def job(system: System) -> Job:
    (found,) = day_of_jobs(system, username="gerda", count=1, seed=43, plan=[1])
    return found


@pytest.fixture(scope="module")
def van(system: System, browser: Browser, job: Job) -> Iterator[Window]:
    window = open_window(browser, base_url=system.url, kind=NARROW)
    sign_in(system, window.page, username="gerda")
    yield window
    window.page.context.close()


def wrong_with(van: Window, name: str) -> list[str]:
    """English that is left, and what the longer texts break on the narrowest phone with large letters."""
    drawn(van.page)
    look(van.page, "large")
    found = [*english_left(van.page, "de"), *cut_off(van.page), *too_small(van.page)]
    van.picture(f"phone-german-{name}")
    return [f"{name}: {line}" for line in found]


def none(found: list[str]) -> None:
    assert not found, "\n".join(found)


def test_language_waits_for_the_queue_and_stays_without_signal(system: System, van: Window, job: Job) -> None:
    page = van.page
    page.route("**/phone/sync", lambda route: route.abort())
    thumb.go_on_site(van, system, job["ours"])
    open_app(page, "/phone/me/")
    page.get_by_label("Deutsch").check()
    coming = page.get_by_text("will be used from the next page, once everything has been sent")
    expect(coming).to_be_visible()
    expect(page.locator("html[lang=en-gb]")).to_be_attached()
    page.unroute("**/phone/sync")
    wait_until_safe(page, seconds=90)

    until(lambda: _on_the_next_page(page) == "de", seconds=120)
    page.context.set_offline(True)
    paths = {
        "me": "/phone/me/",
        "positions": "/phone/me/positions/",
        "queue": "/phone/queue/",
        "day": "/phone/",
        "job": f"/phone/jobs/{job['ours']}/",
        "cant-complete": f"/phone/jobs/{job['ours']}/cant-complete/",
        "close-no-access": f"/phone/jobs/{job['ours']}/close/?code=RNA%2FNA",
        "hand-over": f"/phone/jobs/{job['ours']}/hand-over/",
        "scan": f"/phone/jobs/{job['ours']}/scan/",
        "review": f"/phone/jobs/{job['ours']}/review/",
        "not-here": "/phone/jobs/J-NONE-NONE/",
    }
    found = []
    for name, path in paths.items():
        open_app(page, path)
        expect(page.locator(GERMAN)).to_be_attached()
        found += wrong_with(van, name)
    page.context.set_offline(False)
    open_app(page, paths["job"])
    look(page, "light")
    for values in page.locator(".phone-facts").all():
        edges = values.locator("dd").evaluate_all(
            "all => all.map((each) => each.getBoundingClientRect().left)"
        )
        found += [f"values do not begin at one edge: {edges}"] if len(set(edges)) > 1 else []
    none(found)


def _on_the_next_page(page: Page) -> str | None:
    """The language of the page to which the engineer goes; the new one is fetched in the meantime."""
    page.locator(".phone-bar nav a").click()
    page.wait_for_timeout(1000)
    return page.locator("html").get_attribute("lang")


def test_whole_job_is_done_in_german(system: System, van: Window, job: Job) -> None:
    page, found = van.page, []
    open_app(page, f"/phone/jobs/{job['ours']}/next/")
    for _ in range(MOST_QUESTIONS):
        drawn(page)
        step = page.url.split("/phone/jobs/")[1].split("/")[1]
        found += wrong_with(van, _name(page))
        if step == "review":
            break
        before = page.url
        go_on(page, step, job)
        page.wait_for_url(lambda url, before=before: bool(url != before))  # type: ignore[misc]
    main_button(page)
    page.wait_for_url("**/close/**")
    found += wrong_with(van, "close")
    main_button(page)
    page.wait_for_url(lambda url: "/close/" not in url)
    found += wrong_with(van, "done")

    none(found + van.complaints)
    until(lambda: messages(system, job)[-1] == "closeJob", seconds=60)
    seller_job = json.dumps(system.seller_job(job["seller"])["messages"], ensure_ascii=False)
    # the seller receives English, whatever language the engineer speaks
    assert ('"answer": "Yes"' in seller_job, '"answer": "Ja"' in seller_job) == (True, False)


def _name(page: Page) -> str:
    parts = page.url.split("/phone/jobs/")[1].rstrip("/").split("?")[0].split("/")[1:]
    return "-".join(parts).lower()


def go_on(page: Page, step: str, job: Job) -> None:
    if step == "question":
        answer_page(Window(page))
    elif step == "scan":
        page.get_by_label("FSAN").first.fill(job["fsan"])
        page.get_by_label("Seriennummer").first.fill(job["serial"])
        main_button(page)
    elif step == "provisioning":
        expect(page.get_by_text("ONT bereitgestellt")).to_be_visible()
        main_button(page)
    else:
        main_button(page)


def test_engineer_who_chose_german_finds_it_on_a_new_phone(system: System, browser: Browser) -> None:
    day_of_jobs(system, username="greta", count=1, seed=45, plan=[1])
    choose_elsewhere(system, "greta")
    new = open_window(browser, base_url=system.url, kind=NARROW)
    page = new.page
    log_in(new, username="greta", password=make.PASSWORD)
    expect(page.locator(GERMAN)).to_be_attached()
    expect(page.get_by_text("Als Nächstes")).to_be_visible()

    page.context.set_offline(True)
    for path in ("/phone/", "/phone/me/"):
        open_app(page, path)
        expect(page.locator(GERMAN)).to_be_attached()
    assert english_left(page, "de") == []
    page.context.close()


def test_phone_speaks_as_whoever_signs_in(system: System, browser: Browser) -> None:
    day_of_jobs(system, username="emma", count=1, seed=47, plan=[1])
    day_of_jobs(system, username="gunda", count=1, seed=48, plan=[1])
    choose_elsewhere(system, "gunda")
    shared = open_window(browser, base_url=system.url, kind=NARROW)
    page = shared.page
    log_in(shared, username="emma", password=make.PASSWORD)
    expect(page.locator("html[lang=en-gb]")).to_be_attached()
    open_app(page, "/phone/me/")
    page.locator("#sign-out").click()
    page.wait_for_url("**/login/**")

    log_in(shared, username="gunda", password=make.PASSWORD)
    expect(page.locator(GERMAN)).to_be_attached()
    page.context.set_offline(True)
    open_app(page, "/phone/me/")
    expect(page.locator(GERMAN)).to_be_attached()
    page.context.close()


def choose_elsewhere(system: System, username: str) -> None:
    """As on the me page of another phone."""
    in_shell(
        system,
        "from engineers import staff\nfrom engineers.models import User\n"
        f"staff.choose_language(user=User.objects.get(username={username!r}), language='de')",
    )
