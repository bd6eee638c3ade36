"""The scan of a label in a real browser, whose camera shows a film of one: live, refused, and as a photo.

Given a job on site, when the engineer holds the label into the picture, then both values stand on the screen
before anything is sent, and the picture that was read goes with the scan. A worker next to the page does the reading,
and the page itself where no worker starts.
"""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.bench.labels import View, whole_label
from tests.browser import phone
from tests.browser.story import main_button, sign_in, until
from tests.browser.thumb import answer_with_photo
from tests.servers import browser as browsers
from tests.servers.browser import LEEDS, PHONE, Window, open_window, take_complaints
from tests.servers.phone import open_app
from tests.servers.system import System

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(600)]

FSAN, SERIAL_NUMBER = "CXNK1A2B3C4D", "261200123456"
CODES = [("code128", "0017E4A1B2C3"), ("code128", f"S/N {SERIAL_NUMBER}"), ("code128", FSAN)]
OUTSIDE_THE_PAGE = ["/phone/reader.js"]
HAS_READER = "() => performance.getEntriesByType('resource').some(({ name }) => name.endsWith('.wasm'))"
# the camera works and no label is in front of it
SEES_A_WALL = """
navigator.mediaDevices.getUserMedia = async () => {
  const wall = document.createElement("canvas");
  wall.getContext("2d").fillRect(0, 0, 9, 9);
  return wall.captureStream(10);
};"""
WITHOUT_WORKER = {
    "unknown to the browser": "delete globalThis.Worker",
    "not to be loaded": """
      const Known = globalThis.Worker;
      globalThis.Worker = class extends Known {
        constructor(_address, options) { super("/phone/nowhere.js", options); }
      };""",
    "never heard of": """
      globalThis.Worker = class extends EventTarget { postMessage() {} terminate() {} };""",
}


@pytest.fixture(scope="module")
def label(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("label") / "label.jpg"
    path.write_bytes(whole_label(CODES, View(module=2, turn=3), Random(3)))
    return path


@pytest.fixture(scope="module")
def browser(label: Path) -> Iterator[Browser]:
    """A film is JPEGs one after the other."""
    if not browsers.CHROMIUM:
        pytest.skip("no chromium is installed")
    film = label.with_suffix(".mjpeg")
    film.write_bytes(label.read_bytes() * 20)
    camera = ("--use-fake-device-for-media-stream", f"--use-file-for-fake-video-capture={film}")
    with browsers.chromium(*camera) as running:
        yield running


def at_the_label(
    system: System, browser: Browser, *, seed: int, permissions: list[str], result: int = 2
) -> tuple[Window, dict[str, str]]:
    """An engineer of their own with one job, standing before the ONT."""
    username = f"scanner{seed}"
    (job,) = phone.day_of_jobs(system, username=username, count=1, seed=seed, plan=[result])
    window = open_window(browser, base_url=system.url, kind=PHONE, located=False)
    window.page.context.set_geolocation(LEEDS)
    window.page.context.grant_permissions(["geolocation", *permissions], origin=system.url)
    sign_in(system, window.page, username=username)
    phone.go_to_site(window.page, job)
    open_app(window.page, f"/phone/jobs/{job['ours']}/scan/")
    return window, job


def readers(page: Page) -> list[str]:
    """Where the reader was loaded, so where it reads: the addresses of the page and of what works next to it."""
    return [urlsplit(frame.url).path for frame in [page, *page.workers] if frame.evaluate(HAS_READER)]


def read(page: Page) -> None:
    """Both values stand on the screen, and the large button takes them over."""
    expect(page.get_by_role("heading", name="Check the label")).to_be_focused()
    expect(page.locator(".label-picture")).to_be_visible()
    expect(page.locator(".scan-values")).to_contain_text(FSAN)
    expect(page.locator(".scan-values")).to_contain_text("Calix")
    expect(page.locator(".scan-values")).to_contain_text(SERIAL_NUMBER)
    expect(page.locator(".main-button")).to_have_text(re.compile("^(Use|Correct, use) this code$"))


def sent(system: System, page: Page, job: dict[str, str]) -> dict[str, dict[str, Any]]:
    """What arrives of the scan: the entries by their kind, once the picture's bytes are safe too."""
    main_button(page)
    page.wait_for_url(re.compile("/(provisioning|question)/"))
    return reported(system, job)


def reported(system: System, job: dict[str, str]) -> dict[str, dict[str, Any]]:
    until(
        lambda: {"ont_scanned", "photo_taken"} <= {entry["kind"] for entry in phone.arrived(system, job)},
        seconds=40,
    )
    photo = next(entry["body"] for entry in phone.arrived(system, job) if entry["kind"] == "photo_taken")
    until(lambda: phone.stored_photos(system).get(photo["photo_id"]) == photo["sha256"])
    # messages go before pictures: with the picture all of them are there
    return {entry["kind"]: entry for entry in phone.arrived(system, job)}


def kinds(system: System, job: dict[str, str]) -> list[str]:
    return [entry["kind"] for entry in phone.arrived(system, job)]


def test_label_is_read_from_the_film(system: System, browser: Browser) -> None:
    van, job = at_the_label(system, browser, seed=11, permissions=["camera"])
    van.page.get_by_role("button", name="Scan the label").click()
    read(van.page)
    assert readers(van.page) == OUTSIDE_THE_PAGE
    van.looked_at("phone-scan-read")

    entries = sent(system, van.page, job)

    scan = entries["ont_scanned"]["body"]
    assert (scan["fsan"], scan["serial_number"], scan["source"]) == (FSAN, SERIAL_NUMBER, "camera")
    assert entries["photo_taken"]["body"]["question"] == "PHO04"
    assert entries["answered"]["body"]["value"] == [entries["photo_taken"]["body"]["photo_id"]]
    assert entries["ont_scanned"]["outcome"] == "applied"
    assert van.complaints == []


def test_refused_values_stand_next_to_the_picture_of_the_label(
    system: System, browser: Browser, tmp_path: Path
) -> None:
    van, job = at_the_label(system, browser, seed=16, permissions=[], result=6)
    page, own = van.page, tmp_path / "own.jpg"
    codes = [("code128", f"S/N {job['serial']}"), ("code128", job["fsan"])]
    own.write_bytes(whole_label(codes, View(module=2, turn=3), Random(3)))
    page.locator("#scan-photo").set_input_files(own)
    expect(page.locator(".main-button")).to_have_text("Use this code")
    # what is typed below a reading is the later word
    page.locator("#fsan").fill("ALCL12345679")
    page.locator("#serial_number").fill(job["serial"])
    expect(page.locator(".main-button")).to_have_text("Submit scan")
    page.locator("#fsan").fill("ALCL")
    expect(page.locator(".main-button")).to_have_text("Use this code")
    sent(system, page, job)

    open_app(page, f"/phone/jobs/{job['ours']}/provisioning/")
    check = page.get_by_role("region", name="Check the label")
    expect(check.locator(".label-check")).to_be_visible()
    picture = check.locator("img.label-picture")
    expect(picture).to_be_visible()
    assert picture.evaluate("async (image) => { await image.decode(); return image.naturalWidth; }") > 0


def test_typed_values_are_submitted_while_the_camera_is_open(system: System, browser: Browser) -> None:
    van, job = at_the_label(system, browser, seed=17, permissions=["camera"])
    page = van.page
    page.add_init_script(SEES_A_WALL)
    open_app(page, page.url)
    page.get_by_role("button", name="Scan the label").click()
    expect(page.get_by_text("Point the camera at the label.")).to_be_visible()
    expect(page.locator(".main-button")).to_have_count(0)

    page.locator("#fsan").fill(job["fsan"])
    # as the label groups it
    page.locator("#serial_number").fill(f"{job['serial'][:6]} {job['serial'][6:]}")
    expect(page.locator("video")).to_be_visible()
    page.get_by_role("button", name="Submit scan", exact=True).click()

    page.wait_for_url(re.compile("/(provisioning|question)/"))
    until(lambda: "ont_scanned" in kinds(system, job))
    (scan,) = [entry["body"] for entry in phone.arrived(system, job) if entry["kind"] == "ont_scanned"]
    assert (scan["fsan"], scan["serial_number"]) == (job["fsan"], job["serial"])


def test_refused_camera_leaves_the_other_ways(system: System, browser: Browser, label: Path) -> None:
    van, job = at_the_label(system, browser, seed=12, permissions=[])
    van.page.get_by_role("button", name="Scan the label").click()
    expect(van.page.get_by_text("Camera access is blocked.")).to_be_visible()
    expect(van.page.get_by_label("FSAN", exact=True)).to_be_visible()
    van.looked_at("phone-scan-refused")

    van.page.locator("#scan-photo").set_input_files(label)
    read(van.page)

    assert readers(van.page) == OUTSIDE_THE_PAGE
    assert sent(system, van.page, job)["ont_scanned"]["body"]["fsan"] == FSAN


@pytest.mark.parametrize(
    "seed, script", list(enumerate(WITHOUT_WORKER.values(), start=21)), ids=list(WITHOUT_WORKER)
)
def test_page_reads_where_no_worker_starts(
    system: System, browser: Browser, label: Path, seed: int, script: str
) -> None:
    van, _job = at_the_label(system, browser, seed=seed, permissions=["camera"])
    van.page.add_init_script(script)
    open_app(van.page, van.page.url)
    van.page.context.set_offline(True)
    van.page.get_by_role("button", name="Scan the label").click()
    read(van.page)

    van.page.locator("#scan-photo").set_input_files(label)
    read(van.page)

    assert readers(van.page) == [urlsplit(van.page.url).path]
    assert van.complaints == []


def test_page_reads_on_when_its_worker_fails(system: System, browser: Browser, label: Path) -> None:
    van, _job = at_the_label(system, browser, seed=31, permissions=[])
    van.page.locator("#scan-photo").set_input_files(label)
    read(van.page)
    (worker,) = van.page.workers
    worker.evaluate("() => { self.onmessage = () => { throw new Error('no memory left'); }; }")

    van.page.locator("#scan-photo").set_input_files(label)
    read(van.page)

    assert readers(van.page) == [urlsplit(van.page.url).path, *OUTSIDE_THE_PAGE]
    # the browser reports the fault that was planted, and nothing else is wrong
    assert take_complaints() == ["no memory left"]


def test_photo_is_read_without_signal(system: System, browser: Browser, label: Path) -> None:
    van, job = at_the_label(system, browser, seed=14, permissions=[])
    van.page.context.set_offline(True)
    open_app(van.page, van.page.url)
    van.page.locator("#scan-photo").set_input_files(label)
    read(van.page)
    assert readers(van.page) == OUTSIDE_THE_PAGE
    van.page.evaluate("document.querySelector('.main-button').click()")
    van.page.wait_for_url(re.compile("/(provisioning|question)/"))
    assert "ont_scanned" not in {entry["kind"] for entry in phone.arrived(system, job)}

    phone.come_back(van.page)

    assert reported(system, job)["ont_scanned"]["body"]["serial_number"] == SERIAL_NUMBER


def test_photo_that_the_browser_cannot_open_goes_up_with_its_hash(
    system: System, browser: Browser, label: Path
) -> None:
    van, job = at_the_label(system, browser, seed=18, permissions=[])
    van.page.add_init_script("globalThis.createImageBitmap = async () => { throw new Error('no picture'); };")
    open_app(van.page, van.page.url)
    van.page.locator("#scan-photo").set_input_files(label)
    expect(van.page.locator(".scan-values")).to_contain_text(FSAN)

    photo = sent(system, van.page, job)["photo_taken"]["body"]

    assert photo["sha256"] == hashlib.sha256(label.read_bytes()).hexdigest()


def test_picture_of_another_device_is_no_proof(system: System, browser: Browser, tmp_path: Path) -> None:
    """The FSAN of a device in the box was read; the one on the wall is typed, and later one more."""
    van, job = at_the_label(system, browser, seed=15, permissions=[])
    page, half = van.page, tmp_path / "half.jpg"
    half.write_bytes(whole_label([("code128", FSAN)], View(module=2, turn=3), Random(3)))
    page.locator("#scan-photo").set_input_files(half)
    page.get_by_role("button", name="Use this reading").click()
    expect(page.locator("#fsan")).to_have_value(FSAN)
    page.locator("#fsan").fill(job["fsan"])
    page.locator("#serial_number").fill(job["serial"])
    main_button(page)
    page.wait_for_url(re.compile("/(provisioning|question)/"))
    until(lambda: "ont_scanned" in kinds(system, job))
    assert "photo_taken" not in kinds(system, job)

    answer_with_photo(page, job["ours"], question="PHO04", raw=half.read_bytes())
    open_app(page, f"/phone/jobs/{job['ours']}/scan/")
    page.locator("#fsan").fill("ALCL12345678")
    page.locator("#serial_number").fill(job["serial"])
    main_button(page)
    # a tap while the page still answers the one before is no tap
    expect(page.locator(".main-button")).to_have_text("Correct, submit scan")
    main_button(page)
    page.wait_for_url(re.compile("/(provisioning|question)/"))
    until(lambda: kinds(system, job)[-2:] == ["ont_scanned", "answer_withdrawn"])


OTHER_FSAN = "CXNK5E6F7D9C"


@pytest.mark.parametrize(("seed", "number"), [(41, f"S/N {SERIAL_NUMBER}"), (43, "")], ids=["whole", "half"])
def test_code_that_was_chosen_of_several_is_taken_over(
    system: System, browser: Browser, tmp_path: Path, seed: int, number: str
) -> None:
    """Two devices lie next to each other, and the label's other half may be missing."""
    van, job = at_the_label(system, browser, seed=seed, permissions=["camera"])
    page, both = van.page, tmp_path / "both.jpg"
    codes = [("code128", code) for code in (FSAN, number, OTHER_FSAN) if code]
    both.write_bytes(whole_label(codes, View(module=2, turn=3), Random(3)))
    page.locator("#scan-photo").set_input_files(both)
    expect(page.get_by_text("Which is the FSAN?")).to_be_visible()
    expect(page.locator(".main-button")).to_have_text("Scan again")
    use = page.get_by_role("button", name="Use this reading")
    expect(use).to_have_count(1 if number else 0)

    page.get_by_label(OTHER_FSAN).check()
    if number:
        expect(page.locator(".main-button")).to_have_text(re.compile("^(Use|Correct, use) this code$"))
        expect(use).to_have_count(0)
    else:
        use.click()
        expect(page.locator("#fsan")).to_have_value(OTHER_FSAN)
        page.locator("#serial_number").fill(SERIAL_NUMBER)
        page.get_by_role("button", name="Submit scan", exact=True).click()
        # another one than the seller expects
        expect(page.locator(".main-button")).to_have_text("Correct, submit scan")
        expect(page.locator(".phone-check-label img")).to_be_visible()
    entries = sent(system, page, job)

    scan = entries["ont_scanned"]["body"]
    assert (scan["fsan"], scan["serial_number"]) == (OTHER_FSAN, SERIAL_NUMBER)
    assert entries["photo_taken"]["body"]["question"] == "PHO04"
