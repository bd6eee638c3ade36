"""What lies on the phone only, in a real browser: seen, kept through everything, exported, never doubled."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, CDPSession, Page, expect
from playwright.sync_api import Error as PlaywrightError

from tests import make
from tests.browser import thumb
from tests.browser.phone import day_of_jobs
from tests.browser.story import at_desk, in_the_van, messages, sign_in, until
from tests.servers.browser import PHONE, Window, log_in, open_window
from tests.servers.system import ROOT, System

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(300)]
SAFE = "All sent"
SPARE = 4 * 2**20
Job = dict[str, str]
CELLULAR = "Object.defineProperty(navigator.connection, 'type', { get: () => 'cellular' });"


def new_job(system: System, seed: int) -> tuple[Job, str]:
    """A job with the day of an engineer of its own, and the engineer's user name."""
    username = f"keeper{seed}"
    (job,) = day_of_jobs(system, username=username, count=1, seed=seed, plan=[2])
    return job, username


def set_out(system: System, browser: Browser, seed: int) -> tuple[Window, Job, str]:
    """The engineer has the job on the phone, is signed in, and loses signal."""
    job, username = new_job(system, seed)
    van = in_the_van(system, browser, username=username)
    thumb.ready(van.page)
    expect(van.page.get_by_text(job["postcode"]).first).to_be_visible()
    van.page.context.set_offline(True)
    return van, job, username


def status(page: Page) -> str:
    return page.locator("[data-status]").inner_text()


def back_online(van: Window) -> None:
    van.page.context.set_offline(False)
    expect(van.page.locator("[data-status]")).to_contain_text(SAFE)


def read_in(office: Window, file: Path) -> list[str]:
    """What the page says became of each line."""
    office.page.goto("/board/offline-import/")
    office.page.get_by_label("Offline export from the phone").set_input_files(file)
    office.page.get_by_role("button", name="Import").click()
    office.page.wait_for_selector("#lines-title")
    office.looked_at("offline-import")
    return office.page.locator("tr[data-tone] b").all_inner_texts()


def test_offline_export_saves_what_the_phone_cannot_send(
    system: System, browser: Browser, tmp_path: Path
) -> None:
    office = at_desk(system, browser)
    van, job, _username = set_out(system, browser, 41)
    thumb.go_on_site(van, system, job["ours"])
    thumb.answer(van.page, job["ours"], "SAF01", "yes")
    thumb.photograph(van.page, job["ours"])
    page = thumb.opened(van, system, "/phone/queue/")
    expect(page.locator("[data-entry]")).to_have_count(4)
    van.looked_at("phone-queue")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save export file").click()
    file = tmp_path / download.value.suggested_filename
    download.value.save_as(file)
    expect(page.get_by_text("Saved as offline-export-")).to_be_visible()
    signed = json.loads(json.loads(file.read_text())["signed"])
    assert (len(signed["entries"]), file.suffix) == (4, ".json")

    assert read_in(office, file) == ["Applied", "Applied", "Applied", "Applied", "Stored"]
    back_online(van)

    assert set(read_in(office, file)) == {"Already received"}
    until(lambda: messages(system, job)[-1] == "onSite")
    assert messages(system, job) == ["engineerAssigned", "enRoute", "onSite"]


# the phone's own list of ways to share takes the file
SHARES = """
globalThis.shared = [];
navigator.canShare = () => true;
navigator.share = async ({ files }) => { shared.push(await files[0].text()); };"""


def test_file_that_is_shared_is_the_latest(system: System, browser: Browser) -> None:
    van, job, _username = set_out(system, browser, 43)
    van.page.add_init_script(SHARES)
    thumb.go_on_site(van, system, job["ours"])
    page = thumb.opened(van, system, "/phone/queue/")
    for number, question in enumerate(["SAF01", "SAF02"], start=3):
        thumb.answer(page, job["ours"], question, "yes")
        expect(page.locator("[data-entry]")).to_have_count(number)
        with page.expect_download():
            page.get_by_role("button", name="Save export file").click()
        page.get_by_role("button", name="Send the file to the office").click()
        until(lambda many=number - 2: page.evaluate("shared.length") == many)  # type: ignore[misc]

    shared = [json.loads(json.loads(text)["signed"])["entries"] for text in page.evaluate("shared")]
    assert [len(entries) for entries in shared] == [3, 4]


def test_session_that_ended_in_the_cellar_loses_nothing(system: System, browser: Browser) -> None:
    van, job, username = set_out(system, browser, 11)
    thumb.go_on_site(van, system, job["ours"])
    thumb.answer(van.page, job["ours"], "SAF01", "yes")
    here = thumb.opened(van, system, f"/phone/jobs/{job['ours']}/").url
    _end_all_sessions(system)
    van.page.context.set_offline(False)

    line = van.page.locator("[data-status]")
    expect(line).to_contain_text("Sign in to send; nothing has been lost")
    assert thumb.states(van.page) == ["pending"] * 3
    van.looked_at("phone-signed-out")
    line.get_by_role("link").click()
    van.page.get_by_label("User name").fill(username)
    van.page.get_by_label("Password", exact=True).fill(make.PASSWORD)
    van.page.get_by_role("button", name="Sign in").click()

    van.page.wait_for_url(here)
    thumb.ready(van.page)
    expect(line).to_contain_text(SAFE)
    until(lambda: messages(system, job) == ["engineerAssigned", "enRoute", "onSite"])


def _end_all_sessions(system: System) -> None:
    script = "from django.contrib.sessions.models import Session; Session.objects.all().delete()"
    environment = {**os.environ, **system.demo.our_environment()}
    subprocess.run(
        [sys.executable, "manage.py", "shell", "-c", script], cwd=ROOT, env=environment, check=True
    )


def test_signing_out_keeps_what_is_only_here(system: System, browser: Browser) -> None:
    van, job, username = set_out(system, browser, 12)
    thumb.go_on_site(van, system, job["ours"])
    page = thumb.opened(van, system, "/phone/me/")
    expect(page.get_by_text("You need signal to sign out.")).to_be_visible()
    expect(page.get_by_role("button", name="Sign out")).to_have_count(0)
    _hold_back_messages(page)
    page.context.set_offline(False)
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_text("2 of your updates are waiting to send")).to_be_visible()
    van.looked_at("phone-leave")
    page.get_by_role("button", name="Sign out and keep them here").click()
    page.wait_for_url("**/login/**")
    mine = thumb.databases(page)

    log_in(van, username="aled", password=system.demo.password())
    thumb.ready(page)
    thumb.opened(van, system, "/phone/queue/")
    expect(page.locator("[data-other-engineers]")).to_contain_text("2 updates from")
    expect(page.locator("[data-other-engineers]")).to_contain_text("must sign in to send them")
    van.looked_at("phone-queue-others")
    assert set(mine) < set(thumb.databases(page))

    thumb.opened(van, system, "/phone/me/").get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/login/**")
    assert thumb.databases(page) == mine
    page.unroute("**/phone/sync")
    log_in(van, username=username, password=make.PASSWORD)
    expect(page.locator("[data-status]")).to_contain_text(SAFE)
    until(lambda: messages(system, job) == ["engineerAssigned", "enRoute", "onSite"])


def _hold_back_messages(page: Page) -> None:
    page.route("**/phone/sync", lambda route: route.abort())


@pytest.fixture
def van_on_mobile(system: System, browser: Browser) -> Iterator[tuple[Window, Job]]:
    """A phone whose browser says that it is on mobile data."""
    job, username = new_job(system, 14)
    van = open_window(browser, base_url=system.url, kind=PHONE)
    van.page.add_init_script(CELLULAR)
    sign_in(system, van.page, username=username)
    thumb.ready(van.page)
    yield van, job
    van.page.context.close()


def test_closing_that_waits_for_wifi_says_so(system: System, van_on_mobile: tuple[Window, Job]) -> None:
    van, job = van_on_mobile
    page = thumb.opened(van, system, "/phone/queue/")
    page.get_by_label("Send photos over Wi-Fi only").check()
    expect(page.locator("#wifi-only[checked]")).to_be_attached()
    page.context.set_offline(True)
    thumb.go_on_site(van, system, job["ours"])
    thumb.close(page, job["ours"], "RNA/NA")
    thumb.opened(van, system, "/phone/queue/")
    page.context.set_offline(False)

    expect(page.get_by_text("Photos wait for Wi-Fi")).to_be_visible()
    expect(page.get_by_text("can't be closed until")).to_be_visible()
    expect(page.get_by_text("Photo waiting to send").first).to_be_visible()
    until(lambda: "onSite" in messages(system, job))
    assert "closeJob" not in messages(system, job)
    van.looked_at("phone-queue-wifi")
    page.route("**/phone/photos/*", lambda _route: None)
    page.get_by_role("button", name="Send the photos over mobile data now").click()
    expect(page.locator("#photos-progress")).to_be_visible()
    van.looked_at("phone-queue-sending")
    # asked once; the page may end before the photos are gone
    thumb.opened(van, system, "/phone/queue/")
    expect(page.locator("#photos-progress")).to_be_visible()
    page.unroute("**/phone/photos/*")

    expect(page.locator("[data-status]")).to_contain_text(SAFE)
    until(lambda: messages(system, job)[-1] == "closeJob")
    assert messages(system, job) == ["engineerAssigned", "enRoute", "onSite", "closeJob"]


@pytest.fixture
def full(system: System, browser: Browser) -> Iterator[tuple[Window, Job, CDPSession]]:
    """A phone with room for the application and ten photos; the browser keeps to a quota that it knew at first."""
    job, username = new_job(system, 16)
    application = _application(system, browser, username=username)
    van = open_window(browser, base_url=system.url, kind=PHONE)
    storage = van.page.context.new_cdp_session(van.page)
    storage.send("Storage.overrideQuotaForOrigin", {"origin": system.url, "quotaSize": application + SPARE})
    log_in(van, username=username, password=make.PASSWORD)
    thumb.ready(van.page)
    van.page.context.set_offline(True)
    yield van, job, storage
    van.page.context.close()


def _application(system: System, browser: Browser, *, username: str) -> int:
    """How much the application's own files take, seen on another phone."""
    other = in_the_van(system, browser, username=username)
    thumb.ready(other.page)
    script = "async () => (await navigator.storage.estimate()).usageDetails"
    details = other.page.evaluate(script)
    other.page.context.close()
    return sum(size for name, size in details.items() if name != "indexedDB")


def test_full_phone_refuses_the_tap_with_a_message(
    system: System, full: tuple[Window, Job, CDPSession]
) -> None:
    van, job, storage = full
    expect(van.page.locator("[data-status]")).to_contain_text("Little space left for photos")
    thumb.go_on_site(van, system, job["ours"])
    page = thumb.opened(van, system, f"/phone/jobs/{job['ours']}/question/SAF01/")
    before = thumb.states(page)
    with pytest.raises(PlaywrightError, match="no room"):
        thumb.photograph(page, job["ours"], raw=os.urandom(2 * SPARE))
    assert (thumb.states(page), thumb.pictures(page)) == (before, 0)
    thumb.fill(page)
    page.locator("button.phone-choice").first.click()

    problems = page.locator("[data-problems]")
    expect(problems).to_contain_text("This phone is full")
    expect(problems).to_be_visible()
    expect(page).to_have_url(f"{system.url}/phone/jobs/{job['ours']}/question/SAF01/")
    assert thumb.states(page) == before
    van.looked_at("phone-full")
    thumb.fill(thumb.opened(van, system, f"/phone/jobs/{job['ours']}/"))
    page.get_by_role("button", name="30 min").click()
    expect(problems).to_contain_text("This phone is full")
    thumb.fill(thumb.opened(van, system, f"/phone/jobs/{job['ours']}/question/CUS02/"))
    page.locator("#value").fill("No room for half a word")
    expect(page.locator("[data-status]")).to_contain_text("What you type is not saved")
    storage.send("Storage.overrideQuotaForOrigin", {"origin": system.url})
    page.locator("#value").fill("Room for half a word")
    expect(page.locator("[data-status]")).not_to_contain_text("What you type is not saved")
    thumb.opened(van, system, f"/phone/jobs/{job['ours']}/question/SAF01/")
    page.locator("button.phone-choice").first.click()
    page.wait_for_url(lambda url: "/SAF01/" not in url)
    assert thumb.states(page) == [*before, "pending"]
    back_online(van)


def test_refused_entry_is_a_card_that_says_what_to_do(system: System, browser: Browser) -> None:
    van, job, username = set_out(system, browser, 18)
    thumb.go_on_site(van, system, job["ours"])
    # the same engineer's other phone has signal and is sooner
    other = in_the_van(system, browser, username=username)
    thumb.go_on_site(other, system, job["ours"])
    until(lambda: "onSite" in messages(system, job))
    van.page.context.set_offline(False)
    page = thumb.opened(van, system, "/phone/queue/")

    cards = page.locator("[data-refused]")
    expect(cards).to_have_count(2)
    expect(cards.first).to_contain_text("This step isn't possible")
    expect(page.locator("[data-status]")).to_contain_text("2 problems")
    van.looked_at("phone-queue-cards")
    cards.first.get_by_role("button", name="Mark as read").click()
    expect(cards).to_have_count(1)
    cards.first.get_by_role("link", name="Open the step again").click()
    page.wait_for_url("**/jobs/**")
    thumb.opened(van, system, "/phone/queue/").get_by_role("button", name="Mark as read").click()
    expect(page.locator("[data-status]")).to_contain_text(SAFE)
    assert messages(system, job) == ["engineerAssigned", "enRoute", "onSite"]


def test_look_is_kept_on_the_phone(system: System, browser: Browser) -> None:
    van, _job, _username = set_out(system, browser, 19)
    page = thumb.opened(van, system, "/phone/me/")
    # two taps before the page is drawn for the first
    page.evaluate("() => ['theme-dark', 'large-type'].forEach((id) => document.getElementById(id).click())")
    expect(page.get_by_label("Large text")).to_be_checked()
    van.looked_at("phone-me-dark-large")
    thumb.opened(van, system, "/phone/")

    expect(page.locator("html[data-theme=dark][data-type=large]")).to_be_attached()
    ground = (
        "() => [getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).fontSize]"
    )
    assert page.evaluate(ground) == ["rgb(18, 24, 31)", "23.4px"]
    thumb.opened(van, system, "/phone/me/").get_by_label("Same as phone").check()
    expect(page.locator("html:not([data-theme])")).to_be_attached()
    van.looked_at("phone-me")
