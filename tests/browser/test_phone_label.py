"""The label's values against what is expected, what the seller refuses of them, and the next right thing on each page.

Given a job on site, when a typed character is not the expected one, then it is marked and asked about once.
"""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser import thumb
from tests.browser.phone import Start, arrived, day_of_jobs, go_to_site, job_url, one_job
from tests.browser.story import main_button, until
from tests.servers.browser import watched
from tests.servers.phone import open_app
from tests.servers.system import System

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

# the page is drawn again and again, also while it answers a tap
MANY_UPDATES = """() => {
  const news = setInterval(() => dispatchEvent(new Event("offline")), 1);
  setTimeout(() => clearInterval(news), 2000);
}"""


def slip(value: str) -> str:
    """The last character is another one."""
    return value[:-1] + ("8" if value[-1] != "8" else "3")


def type_label(page: Page, fsan: str, serial_number: str) -> None:
    page.locator("#fsan").fill(fsan)
    page.locator("#serial_number").fill(serial_number)
    main_button(page)


def scans(system: System, job: dict[str, str]) -> list[tuple[str, str]]:
    entries = [entry["body"] for entry in arrived(system, job) if entry["kind"] == "ont_scanned"]
    return [(body["fsan"], body["serial_number"]) for body in entries]


def at_the_scan(start: Start, username: str, job: dict[str, str]) -> Page:
    page: Page = start(username).page
    go_to_site(page, job)
    open_app(page, job_url(job, "scan/"))
    return page


def test_differing_characters_are_marked_and_asked_about_once(system: System, start: Start) -> None:
    job = one_job(system, "lotte", 755)
    page = at_the_scan(start, "lotte", job)
    window = watched(page)
    wrong = slip(job["fsan"]), slip(job["serial"])
    expect(page.locator(".main-button")).to_have_text("Scan the label")
    page.evaluate(MANY_UPDATES)
    type_label(page, *wrong)

    expect(page.get_by_role("heading", name="Check the label")).to_be_focused()
    expect(page.locator("[data-differs] mark")).to_have_text([wrong[0][-1], wrong[1][-1]])
    for name, typed, expected in zip(
        ("FSAN", "Serial number"), wrong, (job["fsan"], job["serial"]), strict=True
    ):
        text = f"{name}: character {len(typed)} is {typed[-1]}, expected {expected[-1]}."
        expect(page.get_by_text(text)).to_be_visible()
    window.looked_at("phone-scan-differs")
    expect(page.locator(".main-button")).to_have_text("Correct, submit scan")
    # another slip is another question
    page.locator("#serial_number").fill(job["serial"])
    main_button(page)
    expect(page.locator("[data-differs] mark")).to_have_text([wrong[0][-1]])
    assert scans(system, job) == []

    main_button(page)
    page.wait_for_url("**/question/**")
    until(lambda: scans(system, job) == [(wrong[0], job["serial"])])


def test_what_is_expected_is_not_asked_about(system: System, start: Start) -> None:
    job = one_job(system, "mirko", 751)
    page = at_the_scan(start, "mirko", job)
    type_label(page, job["fsan"].lower(), job["serial"])
    page.wait_for_url("**/question/**")

    until(lambda: scans(system, job) == [(job["fsan"], job["serial"])])


def test_refused_label_is_corrected_or_scanned_at_once(system: System, start: Start) -> None:
    (job,) = day_of_jobs(system, username="nele", count=1, seed=712, plan=[6, 2])
    page = at_the_scan(start, "nele", job)
    window = watched(page)
    wrong = slip(job["fsan"])
    type_label(page, wrong, job["serial"])
    # a tap while the page still answers the one before is no tap
    expect(page.get_by_role("heading", name="Check the label")).to_be_focused()
    main_button(page)
    page.wait_for_url("**/question/**")
    open_app(page, job_url(job, "provisioning/"))
    # the seller's answer needs a moment
    expect(page.get_by_role("heading", name="Check the label")).to_be_visible()
    expect(page.locator("[data-differs] mark")).to_have_text([wrong[-1]])
    window.looked_at("phone-provisioning-wrong-details")

    # no camera is allowed here, and the page shows that without another tap
    page.locator(".main-button", has_text="Scan again").click()
    expect(page.get_by_text("Take a photo of the label, or type the code.")).to_be_visible()
    expect(page.locator("#fsan")).to_have_value("")
    expect(page.locator(".main-button")).to_have_text("Photograph the label")
    page.go_back()
    page.get_by_role("button", name="Correct the characters").click()
    expect(page.locator("#fsan")).to_have_value(wrong)
    type_label(page, job["fsan"], job["serial"])
    page.wait_for_url("**/question/**")
    open_app(page, job_url(job, "provisioning/"))
    expect(page.get_by_role("heading", name="ONT provisioned")).to_be_visible()


def test_order_desk_is_called_with_the_large_button(system: System, start: Start) -> None:
    (job,) = day_of_jobs(system, username="odo", count=1, seed=713, plan=[3])
    page = at_the_scan(start, "odo", job)
    type_label(page, job["fsan"], job["serial"])
    page.wait_for_url("**/question/**")
    open_app(page, job_url(job, "provisioning/"))
    expect(page.get_by_role("heading", name="Call the order desk")).to_be_visible()

    main = page.locator(".main-button")
    expect(main).to_have_attribute("href", "tel:01134960100")
    assert main.inner_text() == "Call the order desk, 0113\u00a0496\u00a00100"


def test_closing_refused_for_the_ont_is_no_problem_once_it_is_provisioned(
    system: System, start: Start
) -> None:
    (job,) = day_of_jobs(system, username="nadia", count=1, seed=715, plan=[6, 1])
    page = at_the_scan(start, "nadia", job)
    type_label(page, job["fsan"], job["serial"])
    page.wait_for_url("**/question/**")
    thumb.close(page, job["ours"], "SP")
    refusal = page.get_by_text("The seller has not reported the ONT as provisioned")
    open_app(page, job_url(job))
    expect(page.locator("[data-refused]")).to_contain_text("has not reported the ONT as provisioned")
    open_app(page, job_url(job, "close/?code=SP"))
    expect(page.locator("[data-problems]").locator(refusal)).to_be_visible()

    # the seller drops a scan without an answer when the next one comes
    open_app(page, job_url(job, "provisioning/"))
    expect(page.get_by_role("heading", name="Check the label")).to_be_visible()
    open_app(page, job_url(job, "scan/"))
    type_label(page, job["fsan"], job["serial"])
    page.wait_for_url(re.compile("/(provisioning|question|review)/"))
    open_app(page, job_url(job, "provisioning/"))
    expect(page.get_by_role("heading", name="ONT provisioned")).to_be_visible()

    open_app(page, job_url(job, "close/?code=SP"))
    expect(page.locator("#remarks")).to_be_visible()
    expect(refusal).to_have_count(0)
    for path in (job_url(job), "/phone/queue/"):
        open_app(page, path)
        expect(page.locator("[data-refused]")).to_contain_text("What was missing is there now.")
