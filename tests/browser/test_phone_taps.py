"""How many taps a plain installation with six photos takes: at most forty, counted by the page itself."""

import contextlib
import re
from collections.abc import Iterator
from random import Random

import pytest
from playwright.sync_api import Browser, Locator, Page, TimeoutError, expect

from tests.bench.labels import View, whole_label
from tests.browser.phone import day_of_jobs, in_shell, rows
from tests.browser.story import drawn, main_button, messages, sign, sign_in, until
from tests.servers import browser as browsers
from tests.servers.browser import PHONE, open_window
from tests.servers.phone import open_app
from tests.servers.system import System

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
MOST_TAPS = 40
MOST_PAGES = 60
Job = dict[str, str]
# what a finger does, over every page of this phone; a stroke on the pad for the signature counts as one
COUNT = """
addEventListener("pointerup", (event) => {
  if (event.isTrusted) localStorage.setItem("taps", 1 + Number(localStorage.getItem("taps") ?? 0));
}, { capture: true });
"""
# the film shows one frame again and again; a sensor takes no two pictures alike
NOISE = """
const encode = HTMLCanvasElement.prototype.toBlob;
HTMLCanvasElement.prototype.toBlob = function (...rest) {
  const spot = this.getContext("2d");
  for (let at = 0; at < 8; at += 1) {
    spot.fillStyle = Math.random() < 0.5 ? "black" : "white";
    spot.fillRect(8 * at, 0, 8, 8);
  }
  return encode.apply(this, rest);
};
"""
# the speed test was not run, and the cable needs no pole
CHOICES = {"SPD01": "no", "ROU01": "wall", "SAF05": "no", "DAM01": "no"}
EXPECT_THE_LABEL = """
from dispatch.models import Job
Job.objects.filter(provider_job_id={job!r}).update(ont_fsan={fsan!r}, ont_serial_number={serial!r})
"""


@pytest.fixture(scope="module")
def job(system: System) -> Job:
    (found,) = day_of_jobs(system, username="tamsin", count=1, seed=641, plan=[2])
    return found


@pytest.fixture(scope="module")
def browser(job: Job, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Its camera sees the label of the expected ONT."""
    if not browsers.CHROMIUM:
        pytest.skip("no chromium is installed")
    codes = [("code128", "0017E4A1B2C3"), ("code128", f"S/N {job['serial']}"), ("code128", job["fsan"])]
    film = tmp_path_factory.mktemp("film") / "label.mjpeg"
    film.write_bytes(whole_label(codes, View(module=2, turn=3), Random(3)) * 20)
    camera = ("--use-fake-device-for-media-stream", f"--use-file-for-fake-video-capture={film}")
    with browsers.chromium(*camera, "--use-fake-ui-for-media-stream") as running:
        yield running


def main_link(page: Page) -> Locator:
    return page.locator(".main-button").first


def taps(page: Page) -> int:
    return int(page.evaluate("Number(localStorage.getItem('taps') ?? 0)"))


def answer(page: Page, code: str) -> None:
    """What the page is there for, with as few taps as it takes."""
    if page.locator("canvas.camera-pad").count():
        sign(page)
    elif page.locator("[data-photo]").count():
        photograph(page)
    elif page.locator("button.phone-choice").count():
        value = f'[value="{CHOICES[code]}"]' if code in CHOICES else ""
        page.locator(f"button.phone-choice{value}").first.click()
    else:
        expect(page.locator("#value")).to_be_focused()
        page.keyboard.type("-19.5" if page.locator("[data-signed]").count() else "42")
        main_button(page)


def photograph(page: Page) -> None:
    """The first photo opens the camera; the next ones find it open."""
    shutter = page.get_by_role("button", name="Take it", exact=True)
    opens = page.get_by_role("button", name="Take the photo")
    expect(shutter.or_(opens)).to_be_visible()
    if opens.is_visible() and not page.locator("video").count():
        # a camera that was open for the question before opens by itself a moment later, and the button goes
        with contextlib.suppress(TimeoutError):
            opens.click(timeout=10_000)
    expect(shutter).to_be_enabled()
    shutter.click()
    page.get_by_role("button", name="Keep it", exact=True).click()


def go_there(page: Page, job: Job) -> None:
    page.locator("a:has(.phone-card-place)").filter(has_text=job["postcode"]).click()
    page.wait_for_url("**/jobs/**")
    main_button(page)
    page.wait_for_url("**/travel/")
    main_button(page)
    page.wait_for_url("**/arrive/")
    expect(main_link(page)).to_have_text("I'm on site")
    main_button(page)
    page.wait_for_url("**/question/**")


def scan(page: Page) -> None:
    main_button(page)
    expect(page.get_by_role("heading", name="Check the label")).to_be_visible()
    main_button(page)
    page.wait_for_url("**/provisioning/")
    go_on = page.locator("a.main-button").get_by_text("Continue", exact=True)
    expect(go_on).to_be_visible()
    go_on.click()
    page.wait_for_url("**/question/**")


def finish(page: Page) -> None:
    for _ in range(MOST_PAGES):
        drawn(page)
        before = page.url
        if "/review/" in before:
            return
        if "/scan/" in before:
            scan(page)
        else:
            answer(page, before.split("/question/")[1].split("/")[0])
        page.wait_for_url(re.compile(f"^(?!{re.escape(before)}$)"))
    raise AssertionError("the questions never end")


def photos_of(system: System, job: Job) -> list[str]:
    query = """select question_code from closures_photo p join dispatch_job j on j.id = p.job_id
    where j.provider_job_id = ? and stored_at is not null order by question_code"""
    return [row["question_code"] for row in rows(system, query, job["ours"])]


def test_plain_installation_takes_at_most_forty_taps(system: System, browser: Browser, job: Job) -> None:
    in_shell(system, EXPECT_THE_LABEL.format(job=job["ours"], fsan=job["fsan"], serial=job["serial"]))
    window = open_window(browser, base_url=system.url, kind=PHONE)
    page = window.page
    page.context.grant_permissions(["geolocation", "camera"])
    sign_in(system, window.page, username="tamsin")
    page.context.add_init_script(COUNT + NOISE)
    open_app(page)

    go_there(page, job)
    finish(page)
    main_button(page)
    page.wait_for_url("**/close/**")
    # that no speed test was run does not match a completed job, and is asked once
    page.get_by_label("I have checked this").click()
    main_button(page)
    page.wait_for_url(lambda url: "/close/" not in url)

    until(lambda: messages(system, job)[-1] == "closeJob", seconds=60)
    assert photos_of(system, job) == ["PHO01", "PHO02", "PHO03", "PHO04", "PHO05", "PHO06", "SIG01"]
    assert system.seller_job(job["seller"])["closure"]["closureCode"] == "SP"
    assert taps(page) <= MOST_TAPS
