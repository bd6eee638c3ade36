"""The main job, end to end, in real browsers: a pack comes in, an engineer does it, the seller is notified.

Given a seller that sends a pack, when a dispatcher assigns it and an engineer works through the phone's
steps with a real photo, then the seller has every message in order and the job is closed on all sides.
With SCREENS=1 each page leaves a picture in docs/screens.
"""

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.story import (
    answer_until,
    arrive_at_board,
    assign_first_offer,
    at_desk,
    in_the_van,
    main_button,
    messages,
    seen,
    sign_in,
    type_the_ont,
    until,
)
from tests.servers.browser import PHONE, Window, open_window
from tests.servers.system import System

HAS_OWN_SYSTEM = True
pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]


def go_to_site(van: Window, job: dict[str, str]) -> None:
    """From the day's list to the first question, by the one large button."""
    page = van.page
    expect(page.get_by_text(job["postcode"]).first).to_be_visible()
    seen(van, "phone-day")
    page.get_by_text(job["postcode"]).first.click()
    page.wait_for_url("**/jobs/**")
    seen(van, "phone-job")
    main_button(page)
    page.wait_for_url("**/travel/")
    seen(van, "phone-travel")
    main_button(page)
    page.wait_for_url("**/arrive/")
    seen(van, "phone-arrive")
    main_button(page)
    page.wait_for_url("**/question/**")


def wait_out_the_countdown(van: Window, system: System) -> None:
    """Result 4, the seller's clock moved by five minutes, then result 2."""
    van.page.wait_for_url("**/provisioning/")
    seen(van, "phone-provisioning-waiting")
    expect(van.page.locator("time[data-until]")).to_be_visible()
    seen(van, "phone-provisioning-delayed")
    system.seller("/api/clock", {"advance_seconds": 300})
    # before the announced time the phone asks only every fifteen seconds
    expect(van.page.get_by_role("link", name=re.compile("Continue|Questions"))).to_be_visible()
    seen(van, "phone-provisioning-ready")
    main_button(van.page)


def review_and_close(van: Window) -> None:
    page = van.page
    seen(van, "phone-review")
    main_button(page)
    page.wait_for_url("**/close/**")
    seen(van, "phone-close")
    main_button(page)
    page.wait_for_url(lambda url: "/close/" not in url)
    expect(page.get_by_text(re.compile("Done|Closed")).first).to_be_visible()
    seen(van, "phone-done")


def test_a_day_from_job_pack_to_close_job(system: System, browser: Browser) -> None:
    office = at_desk(system, browser)
    office.page.goto("/board/")
    office.looked_at("board-empty")
    job = arrive_at_board(system, office, job_type="installation", seed=11, plan=[4, 2])
    office.looked_at("board-unassigned")
    username = assign_first_offer(office, job)
    office.looked_at("job-assigned")

    van = in_the_van(system, browser, username=username)
    go_to_site(van, job)
    answer_until(van, ends_at="/scan/", pictures=True)
    seen(van, "phone-scan")
    type_the_ont(van, job, system)
    wait_out_the_countdown(van, system)
    answer_until(van, ends_at="/review/", pictures=True)
    review_and_close(van)

    until(lambda: "closeJob" in messages(system, job))
    assert messages(system, job) == ["engineerAssigned", "enRoute", "onSite", "ontScanned", "closeJob"]
    seller_job = system.seller_job(job["seller"])
    assert seller_job["breaches"] == 0, seller_job["breach_list"]
    assert seller_job["closure"]["closureCode"] == "SP"
    office.page.goto(f"/board/jobs/{job['ours']}/")
    expect(office.page.get_by_text("Closed").first).to_be_visible()
    office.looked_at("job-closed")
    office.page.goto("/board/")
    office.looked_at("board")


def open_cant_complete_on_site(page: Page, job: dict[str, str]) -> None:
    page.goto(f"/phone/jobs/{job['ours']}/travel/")
    main_button(page)
    page.wait_for_url("**/arrive/")
    main_button(page)
    page.wait_for_url("**/question/**")
    page.goto(f"/phone/jobs/{job['ours']}/cant-complete/")


def test_customer_is_not_at_home(system: System, browser: Browser) -> None:
    office = at_desk(system, browser)
    job = arrive_at_board(system, office, job_type="installation", seed=12, plan=[])
    username = assign_first_offer(office, job)
    van = in_the_van(system, browser, username=username)
    page = van.page
    open_cant_complete_on_site(page, job)
    seen(van, "phone-cant-complete")
    page.get_by_text("No one home or no access").first.click()
    page.wait_for_url("**/question/**")
    answer_until(van, ends_at="/close/")
    seen(van, "phone-close-no-access")
    main_button(page)
    page.wait_for_url(lambda url: "/close/" not in url)

    until(lambda: "closeJob" in messages(system, job))
    assert messages(system, job) == ["engineerAssigned", "enRoute", "onSite", "closeJob"]
    assert system.seller_job(job["seller"])["closure"]["closureCode"] == "RNA/NA"
    assert system.seller_job(job["seller"])["breaches"] == 0


def test_other_reason_is_sent_with_remarks(system: System, browser: Browser) -> None:
    office = at_desk(system, browser)
    job = arrive_at_board(system, office, job_type="revisit", seed=14, plan=[])
    van = in_the_van(system, browser, username=assign_first_offer(office, job))
    page = van.page
    open_cant_complete_on_site(page, job)
    page.get_by_text("Other reason").first.click()
    page.wait_for_url("**/question/**")
    answer_until(van, ends_at="/close/")
    main_button(page)
    expect(page.get_by_text("“Other reason” needs remarks. Describe what happened.").first).to_be_visible()
    seen(van, "phone-close-other-reason")
    page.get_by_label("Remarks for the seller").fill("The street is flooded")
    main_button(page)
    page.wait_for_url(lambda url: "/close/" not in url)

    until(lambda: "closeJob" in messages(system, job))
    seller_job = system.seller_job(job["seller"])
    assert (seller_job["closure"]["closureCode"], seller_job["breach_list"]) == ("OTHER", [])


def test_seller_cancels_while_the_engineer_is_on_the_way(system: System, browser: Browser) -> None:
    office = at_desk(system, browser)
    job = arrive_at_board(system, office, job_type="revisit", seed=13, plan=[])
    username = assign_first_offer(office, job)
    van = in_the_van(system, browser, username=username)
    van.page.goto(f"/phone/jobs/{job['ours']}/travel/")
    main_button(van.page)
    van.page.wait_for_url("**/arrive/")
    van.page.goto(f"/phone/jobs/{job['ours']}/cant-complete/")
    expect(van.page.get_by_text("so tap “I'm on site” first")).to_be_visible()
    van.page.goto(f"/phone/jobs/{job['ours']}/")

    system.seller(f"/api/jobs/{job['seller']}/cancel", {"message": "Customer changed their mind"})

    # nothing is awaited here, so it comes with the day
    expect(van.page.get_by_text(re.compile("Cancelled by the seller", re.I)).first).to_be_visible()
    seen(van, "phone-cancelled")
    van.page.goto(f"/phone/jobs/{job['ours']}/arrive/")
    van.page.get_by_role("link", name="Open job").click()
    van.page.wait_for_url(f"**/phone/jobs/{job['ours']}/")
    office.page.goto(f"/board/jobs/{job['ours']}/")
    expect(office.page.get_by_text("Cancelled").first).to_be_visible()
    office.looked_at("job-cancelled")


def test_refused_position_blocks_nothing(system: System, browser: Browser) -> None:
    office = at_desk(system, browser)
    job = arrive_at_board(system, office, job_type="installation", seed=14, plan=[])
    username = assign_first_offer(office, job)
    van = open_window(browser, base_url=system.url, kind=PHONE, located=False)
    sign_in(system, van.page, username=username)

    van.page.goto(f"/phone/jobs/{job['ours']}/travel/")
    main_button(van.page)
    van.page.wait_for_url("**/arrive/")

    until(lambda: "enRoute" in messages(system, job))
    office.page.goto(f"/board/jobs/{job['ours']}/")
    expect(office.page.get_by_text(re.compile("location access refused")).first).to_be_visible()
    assert system.seller_job(job["seller"])["breaches"] == 0


def personal_texts(pack: dict[str, Any]) -> list[str]:
    """What names, reaches or places the customer of a pack."""
    contact, address = pack["siteContact"], pack["property"]["address"]
    return [
        contact["name"],
        contact["phone"],
        contact.get("email", ""),
        *address["lines"],
        address["postcode"],
    ]


def test_no_log_of_that_day_names_a_customer(system: System, browser: Browser) -> None:
    office = at_desk(system, browser)
    job = arrive_at_board(system, office, job_type="installation", seed=15, plan=[])
    assign_first_offer(office, job)
    office.page.goto(f"/board/search/?q={job['postcode'].replace(' ', '+')}")
    until(lambda: "engineerAssigned" in messages(system, job))

    logs = {path.name: path.read_text() for path in system.supervisor.logs.glob("*.log")}
    packs = [system.seller_job(entry["sellerJobId"])["pack"] for entry in system.seller("/api/jobs")["jobs"]]
    texts = {text for pack in packs for text in personal_texts(pack) if text}

    assert job["ours"] in "".join(logs.values())
    assert [(name, text) for name, log in logs.items() for text in texts if text in log] == []
