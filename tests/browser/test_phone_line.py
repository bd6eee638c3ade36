"""Check the line on the phone: red, without signal, repaired by the sandbox, checked again, closed; in every look."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests import make
from tests.browser import thumb
from tests.browser.phone import come_back, day_of_jobs, in_shell, job_url
from tests.browser.story import main_button, messages, sign_in, until
from tests.servers.browser import PHONE, Window, log_in, open_window
from tests.servers.phone import drawn, open_app, wait_until_safe
from tests.servers.reach import cut_off, english_left, looked_at_by_everybody, too_small
from tests.servers.system import System

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(600)]
Job = dict[str, str]
GERMAN = "html[lang=de]"


@pytest.fixture
def van(system: System, browser: Browser) -> Iterator[Window]:
    window = open_window(browser, base_url=system.url, kind=PHONE)
    yield window
    window.page.context.close()


def begin(system: System, van: Window, *, username: str, seed: int, job_type: str = "revisit") -> Job:
    """An engineer on site, everything answered, the ONT provisioned."""
    (job,) = day_of_jobs(system, username=username, count=1, seed=seed, plan=[1], types=(job_type,))
    sign_in(system, van.page, username=username)
    thumb.go_on_site(van, system, job["ours"])
    thumb.answer_all(van.page, job["ours"], "REVCOMP" if job_type == "revisit" else "SP")
    open_app(van.page, job_url(job, "scan/"))
    van.page.get_by_label("FSAN").first.fill(job["fsan"])
    van.page.get_by_label("Serial number").first.fill(job["serial"])
    main_button(van.page)
    expect(van.page.get_by_role("heading", name="ONT provisioned")).to_be_visible()
    # premises of the sandbox's samples may be those of another story
    switch(system, job, "repair")
    return job


def switch(system: System, job: Job, action: str) -> None:
    """What happens to the line in the operator's network."""
    service = system.seller_job(job["seller"])["pack"]["serviceIdentifier"]
    system.seller(f"/api/lines/{service}/{action}", {})


def check(page: Page, name: str = "Check the line") -> None:
    page.get_by_role("button", name=name, exact=True).click()


def expect_line(page: Page, tone: str, title: str) -> None:
    expect(page.locator(f"[data-line={tone}]")).to_contain_text(title)


def test_line_is_red_repaired_checked_again_and_closed(system: System, van: Window) -> None:
    job, page = begin(system, van, username="lina", seed=61), van.page
    switch(system, job, "cut-fibre")
    page.get_by_role("link", name="Check the line").click()
    check(page)
    expect_line(page, "alarm", "The ONT is offline: check the fibre")
    expect(page.locator(".line-alarm").first).to_contain_text("Offline")
    expect(page.get_by_text("Green: not busy").or_(page.get_by_text("No data")).first).to_be_visible()

    asked_why(page, job)
    stays_without_signal(page, job)
    switch(system, job, "repair-fibre")
    # with the keyboard alone
    page.get_by_role("button", name="Check again", exact=True).focus()
    page.keyboard.press("Enter")
    expect_line(page, "good", "The line works")
    page.get_by_role("button", name="Add this result to your answers").click()
    expect(page.get_by_text("This result is in your answers.")).to_be_visible()
    page.get_by_role("link", name="Continue", exact=True).click()
    page.wait_for_url("**/review/")
    expect(page.locator("[data-line-summary=good]")).to_contain_text("The line works")
    close(page)

    until(lambda: messages(system, job)[-1] == "closeJob", seconds=90)
    answers = system.seller_job(job["seller"])["messages"][-1]["body"]["questions_answers"]
    (result,) = [answer["answer"] for answer in answers if answer["question_code"] == "LIN01"]
    assert result.startswith("AOK001 Service Working: ONT Online")
    assert system.seller_job(job["seller"])["breaches"] == 0
    assert van.complaints == []


def asked_why(page: Page, job: Job) -> None:
    """A success is not closed while the line is down, unless somebody says why."""
    open_app(page, job_url(job, "close/?code=REVCOMP"))
    expect(page.locator("[data-line-down]")).to_be_visible()
    main_button(page)
    expect(page.locator("[data-problems]")).to_contain_text("say why the job is done")
    expect(page.get_by_label("Remarks for the seller")).to_be_visible()
    page.locator("[data-line-down] a").click()
    page.wait_for_url("**/line/")


def stays_without_signal(page: Page, job: Job) -> None:
    """The last result with its age; a check that fails says so, and the way on stays open."""
    open_app(page, job_url(job, "line/"))
    expect_line(page, "alarm", "The ONT is offline")
    page.context.set_offline(True)
    open_app(page, job_url(job, "line/"))
    expect_line(page, "alarm", "The ONT is offline")
    expect(page.locator(".phone-line-age")).to_contain_text("minute")
    check(page, "Check again")
    expect(page.locator("[data-line-status]")).to_contain_text("No signal, so the line was not checked")
    expect(page.get_by_role("link", name="Continue", exact=True)).to_be_visible()
    come_back(page)


def close(page: Page) -> None:
    main_button(page)
    page.wait_for_url("**/close/**")
    expect(page.locator("[data-line-down]")).to_have_count(0)
    main_button(page)
    page.wait_for_url(lambda url: "/close/" not in url)
    wait_until_safe(page, seconds=90)


def test_success_on_a_dead_line_goes_with_its_reason(system: System, van: Window) -> None:
    job, page = begin(system, van, username="lorna", seed=62, job_type="installation"), van.page
    switch(system, job, "cut-power")
    open_app(page, job_url(job, "line/"))
    check(page)
    expect_line(page, "alarm", "The ONT has no power")

    open_app(page, job_url(job, "close/?code=SP"))
    page.get_by_label("Remarks for the seller").fill("Power is out in the whole street")
    main_button(page)
    page.wait_for_url(lambda url: "/close/" not in url)

    until(lambda: messages(system, job)[-1] == "closeJob", seconds=90)
    closing = system.seller_job(job["seller"])["messages"][-1]["body"]
    assert "Power is out in the whole street" in str(closing)


def test_everybody_can_read_and_tap_it(system: System, van: Window) -> None:
    job, page, found = begin(system, van, username="luise", seed=63), van.page, []
    open_app(page, job_url(job, "line/"))
    found += looked_at_by_everybody(van, "line-not-checked")
    switch(system, job, "cut-fibre")
    check(page)
    expect_line(page, "alarm", "The ONT is offline")
    found += looked_at_by_everybody(van, "line-red")
    open_app(page, job_url(job, "close/?code=REVCOMP"))
    found += looked_at_by_everybody(van, "line-close")
    switch(system, job, "repair-fibre")
    open_app(page, job_url(job, "line/"))
    check(page, "Check again")
    expect_line(page, "good", "The line works")
    found += looked_at_by_everybody(van, "line-green")
    open_app(page, job_url(job))
    found += looked_at_by_everybody(van, "line-job")

    assert found == []


def test_german_engineer_reads_german(system: System, browser: Browser, van: Window) -> None:
    job, found = begin(system, van, username="luise", seed=64), []
    wait_until_safe(van.page, seconds=90)
    choose_german(system, "luise")
    switch(system, job, "cut-fibre")
    new = open_window(browser, base_url=system.url, kind=PHONE)
    page = new.page
    log_in(new, username="luise", password=make.PASSWORD)
    expect(page.locator(GERMAN)).to_be_attached()
    open_app(page, job_url(job, "line/"))
    check(page, "Leitung prüfen")
    expect_line(page, "alarm", "Das ONT ist offline: Faser prüfen")
    for name, path in {"line": "line/", "close": "close/?code=REVCOMP", "review": "review/"}.items():
        open_app(page, job_url(job, path))
        expect(page.locator(GERMAN)).to_be_attached()
        drawn(page)
        new.picture(f"phone-german-line-{name}")
        lines = [*english_left(page, "de"), *cut_off(page), *too_small(page)]
        found += [f"{name}: {line}" for line in lines]

    page.context.close()
    assert found == []


def choose_german(system: System, username: str) -> None:
    in_shell(
        system,
        "from engineers import staff\nfrom engineers.models import User\n"
        f"staff.choose_language(user=User.objects.get(username={username!r}), language='de')",
    )


def test_job_without_a_service_says_so_and_goes_on(system: System, van: Window) -> None:
    job, page = begin(system, van, username="lucy", seed=65), van.page
    in_shell(
        system,
        "from dispatch.models import Job\n"
        f"Job.objects.filter(provider_job_id={job['ours']!r}).update(service_identifier='')",
    )
    wait_until_safe(page, seconds=90)
    page.reload()
    open_app(page, job_url(job, "line/"))

    expect(page.locator("[data-line-status]")).to_contain_text("no service identifier")
    expect(page.get_by_role("button", name="Check the line")).to_have_count(0)
    page.get_by_role("link", name="Continue", exact=True).click()
    page.wait_for_url("**/review/")
    close(page)
