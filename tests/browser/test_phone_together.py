"""Two engineers and one job, or one device: a half-done job goes to a colleague, and an ONT is scanned twice.

Both phones, the board and the seller see the same at the end.
"""

import re
from pathlib import Path
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.day import Engineer, Job
from tests.browser.phone import (
    ASSIGN,
    Start,
    arrived,
    come_back,
    go_to_site,
    in_shell,
    job_url,
    one_job,
    rows,
    say_yes,
)
from tests.browser.story import USE_IT, main_button, messages, until
from tests.servers.browser import Window, watched
from tests.servers.phone import open_app, wait_until_safe
from tests.servers.system import System

pytestmark = [
    pytest.mark.browser,
    pytest.mark.timeout(600),
]
REASON = "The duct is blocked, the rods are with Hugo"


def scans(system: System, fsan: str) -> dict[str, str]:
    """Job → serial number of the scans of this device."""
    query = """select j.provider_job_id as job, s.serial_number as serial from dispatch_ontscan s
               join dispatch_job j on j.id = s.job_id where s.fsan = ?"""
    return {row["job"]: row["serial"] for row in rows(system, query, fsan)}


# --- a job changes hands ---


def half_done(page: Page, job: Job, photo: Path) -> None:
    """Two answers and a photo, and the handover request."""
    go_to_site(page, job)
    say_yes(page, times=2)
    open_app(page, job_url(job, "question/PHO01/"))
    page.locator("#photo").set_input_files(photo)
    page.get_by_role("button", name=USE_IT).click()
    page.wait_for_url(lambda url: "PHO01" not in url)
    open_app(page, job_url(job))
    page.get_by_role("link", name="Request handover").click()
    page.get_by_label("Reason, and what is left to do").fill(REASON)
    page.get_by_role("button", name="Send request").click()
    expect(page.get_by_text("Handover requested.")).to_be_visible()
    wait_until_safe(page)


def grant(office: Window, job: Job, name: str) -> None:
    """The board says what was asked and why; the dispatcher gives it to a colleague, now."""
    page = office.page
    page.goto(f"/board/jobs/{job['ours']}/")
    expect(page.get_by_text(REASON).first).to_be_visible()
    expect(page.get_by_text("Existing answers, scans and photos stay with the job")).to_be_visible()
    office.looked_at("board-hand-over-asked")
    page.get_by_label("Or choose an engineer").select_option(label=name)
    page.get_by_role("button", name="Hand over").click()
    expect(page.get_by_text("Change not saved")).to_have_count(0)
    expect(page.get_by_text(re.compile(f"requested a handover at .*{REASON}"))).to_have_count(0)
    expect(page.get_by_text(f"{name}, ").first).to_be_visible()


def test_job_in_progress_continues_on_a_colleagues_phone(
    system: System, start: Start, office: Window, photo: Path
) -> None:
    job = one_job(system, "gudrun", 801)
    in_shell(system, ASSIGN.format(jobs=[], username="hugo"))
    first, second = start("gudrun"), start("hugo")
    half_done(first.page, job, photo)
    grant(office, job, "Hugo")

    page = second.page
    complaints = watched(page).complaints
    open_app(page)
    page.locator("a:has(.phone-card-place)").filter(has_text=job["postcode"]).click()
    page.wait_for_url(f"**/jobs/{job['ours']}/")
    text = "Gudrun had this job before you. It already has answers: 1, ONT scans: 0, photos: 1."
    expect(page.get_by_text(text)).to_be_visible()
    open_app(page, job_url(job, "review/"))
    expect(page.get_by_role("heading", name="Review")).to_be_visible()
    expect(page.get_by_text("0 of 0 answered")).to_have_count(0)
    go_to_site(page, job)
    open_app(page, job_url(job, "review/"))
    expect(page.locator("main img")).to_have_count(1)
    # the safety questions are asked again
    expect(page.locator("main")).to_contain_text(re.compile("^.*1 of \\d+ answered", re.DOTALL))
    finished_by(second, job)

    until(lambda: messages(system, job)[-1] == "closeJob", seconds=60)
    known = system.seller_job(job["seller"])
    assert (known["state"], known["breaches"]) == ("closed", 0), known["breach_list"]
    assert messages(system, job).count("closeJob") == 1
    both_stand_in_the_history(system, office, job)
    assert complaints == []
    nothing_left_for_the_first(first.page, job)


def finished_by(phone: Any, job: Job) -> None:
    engineer = Engineer(phone, Random(5))
    engineer.take_up(job)
    engineer.work(job, ends_at="/scan/")
    phone.page.get_by_label("FSAN", exact=True).fill(job["fsan"])
    phone.page.get_by_label("Serial number", exact=True).fill(job["serial"])
    engineer.send_the_scan(job)
    engineer.finish(job)
    wait_until_safe(phone.page)


def both_stand_in_the_history(system: System, office: Window, job: Job) -> None:
    page = office.page
    page.goto(f"/board/jobs/{job['ours']}/")
    page.wait_for_load_state()
    history = page.locator("#history, .history").first
    expect(history).to_contain_text("handed over by Gudrun")
    expect(history).to_contain_text("Hugo")
    by = {
        row["question"]: row["engineer"]
        for row in rows(
            system,
            """select a.question_code as question, e.staff_number as engineer from closures_answer a
               join engineers_engineer e on e.id = a.by_id join dispatch_job j on j.id = a.job_id
               where j.provider_job_id = ?""",
            job["ours"],
        )
    }
    assert set(by.values()) == {"GUDRUN", "HUGO"}
    assert by["PHO01"] == "GUDRUN"


def nothing_left_for_the_first(page: Page, job: Job) -> None:
    """And the first phone says who has it."""
    open_app(page)
    expect(page.locator("a:has(.phone-card-place)").filter(has_text=job["postcode"])).to_have_count(0)
    region = page.get_by_role("region", name="Reassigned")
    expect(region).to_contain_text(job["postcode"])
    expect(region).to_contain_text("Hugo")
    watched(page).looked_at("phone-day-gone")
    open_app(page, job_url(job))
    expect(page.locator("main")).to_contain_text("Hugo")


# --- a device stands twice ---


def scan(page: Page, job: Job, fsan: str, serial: str) -> None:
    open_app(page, job_url(job, "scan/"))
    page.get_by_label("FSAN", exact=True).fill(fsan)
    page.get_by_label("Serial number", exact=True).fill(serial)
    main_button(page)


def scan_again_without_signal(page: Page, earlier: Job, job: Job) -> None:
    """The device of the earlier job, scanned at the next one."""
    go_to_site(page, earlier)
    scan(page, earlier, earlier["fsan"], earlier["serial"])
    page.wait_for_url(lambda url: "/scan/" not in url)
    wait_until_safe(page)
    go_to_site(page, job)
    wait_until_safe(page)
    page.context.set_offline(True)
    scan(page, job, earlier["fsan"], earlier["serial"])


def test_device_of_a_colleagues_job_is_used_only_when_confirmed(system: System, start: Start) -> None:
    theirs, mine = one_job(system, "ines", 802), one_job(system, "jonah", 813)
    first, second = start("ines"), start("jonah")
    go_to_site(first.page, theirs)
    scan(first.page, theirs, theirs["fsan"], theirs["serial"])
    first.page.wait_for_url(lambda url: "/scan/" not in url)
    wait_until_safe(first.page)
    page = second.page
    window = watched(page)
    go_to_site(page, mine)
    scan(page, mine, theirs["fsan"], theirs["serial"])
    # another ONT than the expected one is asked about
    expect(page.get_by_role("heading", name="Check the label")).to_be_visible()
    main_button(page)

    # the server knows what this phone does not
    expect(page.locator("[data-status]")).to_contain_text("1 problem")
    assert scans(system, theirs["fsan"]) == {theirs["ours"]: theirs["serial"]}
    assert "ontScanned" not in messages(system, mine)
    open_app(page, job_url(mine, "scan/"))
    expect(page.get_by_text(f"our open job {theirs['ours']}").first).to_be_visible()
    window.looked_at("phone-scan-duplicate")
    main_button(page)
    # the page that answers the press
    expect(page.locator("[data-problems]")).to_be_focused()
    expect(page.get_by_text(f"our open job {theirs['ours']}").first).to_be_visible()
    assert len(arrived(system, mine)) == 3, "said again without the tick"

    page.get_by_label("Use it anyway").check()
    main_button(page)
    page.wait_for_url(lambda url: "/scan/" not in url)
    wait_until_safe(page)
    expect(page.locator("[data-status]")).to_contain_text("All sent")
    until(lambda: "ontScanned" in messages(system, mine), seconds=60)
    both = {theirs["ours"]: theirs["serial"], mine["ours"]: theirs["serial"]}
    assert scans(system, theirs["fsan"]) == both
    sent = [entry for entry in arrived(system, mine) if entry["kind"] == "ont_scanned"]
    assert [(entry["outcome"], entry["body"]["duplicate_confirmed"]) for entry in sent] == [
        ("refused", False),
        ("applied", True),
    ]
    assert window.complaints == []


def test_device_of_ones_own_other_job_is_asked_about_without_signal(system: System, start: Start) -> None:
    earlier, job = one_job(system, "kim", 804), one_job(system, "kim", 805)
    page = start("kim").page
    scan_again_without_signal(page, earlier, job)
    expect(page.get_by_text(f"our open job {earlier['ours']}").first).to_be_visible()
    page.get_by_label("Use it anyway").check()
    main_button(page)
    page.wait_for_url(lambda url: "/scan/" not in url)

    come_back(page)
    wait_until_safe(page)
    assert scans(system, earlier["fsan"]) == dict.fromkeys([earlier["ours"], job["ours"]], earlier["serial"])
    (scan,) = [entry for entry in arrived(system, job) if entry["kind"] == "ont_scanned"]
    assert (scan["outcome"], scan["body"]["duplicate_confirmed"]) == ("applied", True)
    expect(page.locator("[data-status]")).to_contain_text("All sent")


def test_yes_to_one_device_is_no_yes_to_the_next(system: System, start: Start) -> None:
    earlier, job = one_job(system, "lena", 806), one_job(system, "lena", 807)
    page = start("lena").page
    scan_again_without_signal(page, earlier, job)
    page.get_by_label("Use it anyway").check()
    page.get_by_label("FSAN", exact=True).fill(job["fsan"])
    page.get_by_label("Serial number", exact=True).fill(job["serial"])
    main_button(page)
    page.wait_for_url(lambda url: "/scan/" not in url)

    come_back(page)
    wait_until_safe(page)
    (scan,) = [entry for entry in arrived(system, job) if entry["kind"] == "ont_scanned"]
    assert (scan["outcome"], scan["body"]["fsan"]) == ("applied", job["fsan"])
    assert scan["body"]["duplicate_confirmed"] is False
