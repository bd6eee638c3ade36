"""The whole day: five jobs, forty photos, no signal for its middle half, and a browser that dies again and again.

Given an engineer with five jobs of the seller, when the line is cut from the second door to the fourth one's end
and the phone dies five times on the way, then everything that the screen had confirmed arrives once, in the order of
the taps and with their times, and the seller has all five jobs closed.
"""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from random import Random

import pytest
from django.utils import timezone
from playwright.sync_api import expect, sync_playwright

from tests.bench.labels import View, whole_label
from tests.browser import phone as phones
from tests.browser.day import MAY, Engineer, Entry, Job
from tests.browser.story import main_button, messages, sign_in, until
from tests.servers.line import Line
from tests.servers.phone import Phone, wait_until_safe
from tests.servers.system import System

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(900)]
TYPES = ("installation", "installation", "revisit", "external", "installation")
FSANS = [f"CXNK1A2B3C4{number}" for number in range(5)]
SERIAL_NUMBERS = [f"26120012345{number}" for number in range(5)]
PHOTOS, KILLS = 40, 5
LEAST_WITHOUT_SIGNAL = 60


def label(number: int) -> bytes:
    codes = ["0017E4A1B2C3", f"S/N {SERIAL_NUMBERS[number]}", FSANS[number]]
    return whole_label([("code128", code) for code in codes], View(module=2, turn=3), Random(3))


@pytest.fixture
def jobs(system: System) -> list[Job]:
    return phones.day_of_jobs(system, username="wren", count=5, seed=395, plan=[2], types=TYPES)


@pytest.fixture
def engineer(system: System, jobs: list[Job], line: Line, tmp_path: Path) -> Iterator[Engineer]:
    """Signed in in the morning, with the application on the phone; its camera sees the first job's label."""
    film = tmp_path / "label.mjpeg"
    film.write_bytes(label(0) * 20)
    camera = ("--use-fake-device-for-media-stream", f"--use-file-for-fake-video-capture={film}")
    with sync_playwright() as playwright:
        driver = Engineer(Phone(playwright, tmp_path / "phone", line.url, camera), Random(351))
        driver.phone.start(**MAY)
        sign_in(system, driver.page, username="wren")
        # a browser writes its cookies down late; who signed in is not what this is about
        driver.phone.close()
        driver.phone.start(**MAY)
        yield driver
        driver.phone.close()


def use_what_was_read(engineer: Engineer, job: Job, number: int) -> None:
    page = engineer.page
    expect(page.get_by_role("heading", name="Check the label")).to_be_visible()
    expect(page.locator(".scan-values")).to_contain_text(FSANS[number])
    expect(page.locator(".scan-values")).to_contain_text(SERIAL_NUMBERS[number])
    engineer.send_the_scan(job)
    # the picture that was read is the photo of the label
    engineer.confirmed.append((job["ours"], "answered", "PHO04"))


def first_job_with_signal(engineer: Engineer, job: Job) -> None:
    """The label is read from the camera's film; the phone dies between two photos."""
    engineer.take_up(job)
    engineer.work(job, ends_at="/scan/")
    engineer.page.get_by_role("button", name="Scan the label").click()
    use_what_was_read(engineer, job, 0)
    engineer.work(job, ends_at="/question/PHO02/")
    engineer.die()
    engineer.take_up(job)
    engineer.finish(job)


def second_job_loses_signal_on_arrival(engineer: Engineer, job: Job, line: Line) -> None:
    """Nobody can provision an ONT without signal: all but the closing is done."""
    engineer.take_up(job)
    engineer.work(job, ends_at="/question/")
    line.cut()
    engineer.work(job, ends_at="/scan/")
    engineer.page.get_by_label("FSAN", exact=True).fill(FSANS[1])
    engineer.page.get_by_label("Serial number", exact=True).fill(SERIAL_NUMBERS[1])
    # another ONT than the expected one is asked about
    main_button(engineer.page)
    expect(engineer.page.get_by_role("heading", name="Check the label")).to_be_visible()
    engineer.send_the_scan(job)
    expect(engineer.page.get_by_role("heading", name="Waiting to send")).to_be_visible()
    engineer.work(job, ends_at="/question/PHO06/")
    engineer.die()
    engineer.take_up(job)
    engineer.work(job, ends_at="/question/PHO06/")
    engineer.work(job, ends_at="/provisioning/")


def third_job_without_signal(engineer: Engineer, job: Job) -> None:
    """The phone dies with a photo in hand that was not used yet: it is in hand again."""
    engineer.take_up(job)
    engineer.work(job, ends_at="/scan/")
    engineer.page.get_by_role("link", name="Keep the ONT").click()
    engineer.work(job, ends_at="/question/PHO04/")
    engineer.page.locator("#photo").set_input_files(engineer.picture())
    expect(engineer.page.get_by_role("button", name="Take it again")).to_be_visible()
    engineer.die()
    engineer.take_up(job)
    main_button(engineer.page)
    engineer.page.wait_for_url("**/question/PHO04/")
    engineer.use(last=True)
    engineer.page.wait_for_url(lambda url: "PHO04" not in url)
    engineer.confirmed.append((job["ours"], "answered", "PHO04"))
    engineer.finish(job)


def fourth_job_without_signal(engineer: Engineer, job: Job) -> None:
    """The battery is empty right after the closing."""
    engineer.take_up(job)
    engineer.finish(job)
    engineer.die()
    expect(engineer.page.locator("[data-status]")).to_contain_text("waiting to send")


def signal_comes_back(engineer: Engineer, system: System, jobs: list[Job], line: Line, before: int) -> None:
    """And the phone dies once more while the photos go up."""
    line.restore()
    until(lambda: len(phones.stored_photos(system, *jobs)) > before, seconds=60)
    engineer.die()
    wait_until_safe(engineer.page, seconds=120)
    expect(engineer.page.locator("[data-status]")).to_contain_text("All sent")


def second_job_ends(engineer: Engineer, job: Job) -> None:
    engineer.take_up(job)
    engineer.finish(job)


def fifth_job_with_signal(engineer: Engineer, job: Job) -> None:
    engineer.take_up(job)
    engineer.work(job, ends_at="/scan/")
    file = {"name": "label.jpg", "mimeType": "image/jpeg", "buffer": label(4)}
    engineer.page.locator("#scan-photo").set_input_files([file])  # type: ignore[list-item]
    use_what_was_read(engineer, job, 4)
    engineer.finish(job)
    wait_until_safe(engineer.page, seconds=120)


def test_whole_day_without_signal_in_its_middle(
    system: System, engineer: Engineer, jobs: list[Job], line: Line
) -> None:
    first_job_with_signal(engineer, jobs[0])
    wait_until_safe(engineer.page)
    before_the_cut = len(phones.stored_photos(system, *jobs))
    second_job_loses_signal_on_arrival(engineer, jobs[1], line)
    third_job_without_signal(engineer, jobs[2])
    fourth_job_without_signal(engineer, jobs[3])
    at_the_cut = phones.arrived(system, *jobs)
    reconnected_at = timezone.now()
    signal_comes_back(engineer, system, jobs, line, before_the_cut)
    without_signal = new_ones(phones.arrived(system, *jobs), at_the_cut)
    second_job_ends(engineer, jobs[1])
    fifth_job_with_signal(engineer, jobs[4])

    assert engineer.kills == KILLS
    assert len(without_signal) >= LEAST_WITHOUT_SIGNAL
    assert all(happened(entry) < reconnected_at for entry in without_signal)
    everything_arrived_once_in_order(engineer, phones.arrived(system, *jobs), jobs)
    every_photo_is_safe(phones.stored_photos(system, *jobs), phones.arrived(system, *jobs))
    for job in jobs:
        seller_has_it_closed(system, job, phones.arrived(system, job))


def new_ones(entries: list[Entry], known: list[Entry]) -> list[Entry]:
    ids = {entry["message_id"] for entry in known}
    return [entry for entry in entries if entry["message_id"] not in ids]


def happened(entry: Entry) -> datetime:
    return datetime.fromisoformat(entry["occurred_at"])


def everything_arrived_once_in_order(engineer: Engineer, delivered: list[Entry], jobs: list[Job]) -> None:
    """As the screen had confirmed it and as it lay on the phone: each once, with its time and text."""
    ids = Counter(entry["message_id"] for entry in delivered)
    assert set(ids.values()) == {1}
    assert {entry["outcome"] for entry in delivered} == {"applied"}
    by_id = {entry["message_id"]: entry for entry in delivered}
    for entry in engineer.entries.values():
        assert {name: by_id[entry["message_id"]][name] for name in entry} == entry
    for job in jobs:
        mine = [entry for entry in delivered if entry["job"] == job["ours"]]
        times = [happened(entry) for entry in mine]
        assert times == sorted(times)
        entries = [(job["ours"], *tap(entry)) for entry in mine if entry["kind"] != "photo_taken"]
        assert list(dict.fromkeys(entries)) == [
            tap_made for tap_made in engineer.confirmed if tap_made[0] == job["ours"]
        ]


def tap(entry: Entry) -> tuple[str, str]:
    return entry["kind"], entry["body"].get("question", "")


def every_photo_is_safe(stored: dict[str, str], delivered: list[Entry]) -> None:
    announced = [entry["body"] for entry in delivered if entry["kind"] == "photo_taken"]
    others = Counter(entry["question"] for entry in announced if not entry["question"].startswith("PHO"))
    assert others == {"SIG01": 4}
    assert len(announced) - others.total() == PHOTOS
    assert {entry["photo_id"]: entry["sha256"] for entry in announced} == stored


def seller_has_it_closed(system: System, job: Job, delivered: list[Entry]) -> None:
    """Each event once, in order, at the time at which it happened; nothing against the contract."""
    events = {"en_route": "enRoute", "on_site": "onSite", "ont_scanned": "ontScanned", "close": "closeJob"}
    reported = [entry for entry in delivered if entry["kind"] in events]
    until(lambda: messages(system, job)[-1] == "closeJob", seconds=60)
    assert messages(system, job) == ["engineerAssigned", *(events[entry["kind"]] for entry in reported)]
    found = system.seller_job(job["seller"])
    assert (found["breaches"], found["state"]) == (0, "closed"), found["breach_list"]
    received = [message["body"] for message in found["messages"] if message["direction"] == "in"][1:]
    times = [datetime.fromisoformat(body.get("occurredAt") or body["closedAt"]) for body in received]
    assert times == [happened(entry) for entry in reported]
