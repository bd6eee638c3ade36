"""What a redraw of the phone's page leaves alone: the caret in a field, and a status line that says the same."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.phone import Start, go_to_site, job_url, one_job
from tests.browser.story import main_button
from tests.servers.phone import drawn, open_app, wait_until_safe
from tests.servers.system import System

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

CARET = "(field) => [field.selectionStart, field.selectionEnd]"
PUT_CARET = "(field) => field.setSelectionRange(4, 4)"
WATCH_STATUS = """() => {
  globalThis.statusChanges = [];
  const note = (records) => globalThis.statusChanges.push(...records.map(({ type }) => type));
  const options = { childList: true, subtree: true, characterData: true };
  new MutationObserver(note).observe(document.querySelector("[data-status]"), options);
}"""


def redraw(page: Page, *, times: int = 1) -> None:
    for _ in range(times):
        page.evaluate("dispatchEvent(new Event('online'))")
        page.wait_for_timeout(300)


def test_caret_stays_in_place_when_lines_around_the_field_change(system: System, start: Start) -> None:
    job = one_job(system, "uriah", 431)
    page = start("uriah").page
    go_to_site(page, job)
    open_app(page, job_url(job, "question/CUS02/"))
    drawn(page)
    main_button(page)
    expect(page.locator(".field-wrong")).to_be_visible()
    field = page.locator("#value")
    field.press_sequentially("The in the kitchen")
    field.evaluate(PUT_CARET)
    expect(page.locator(".field-wrong")).to_have_count(0)

    assert field.evaluate(CARET) == [4, 4]
    page.keyboard.type("dog ")
    expect(field).to_have_value("The dog in the kitchen")


def test_caret_stays_where_it_is_when_lines_come_around_the_field(system: System, start: Start) -> None:
    job = one_job(system, "ursel", 432)
    page = start("ursel").page
    go_to_site(page, job)
    wait_until_safe(page)
    page.context.set_offline(True)
    open_app(page, job_url(job, "scan/"))
    drawn(page)
    main_button(page)
    field = page.locator("#fsan")
    field.press_sequentially("CXNKQQAB")
    field.evaluate(PUT_CARET)
    expect(page.locator(".phone-feedback-wrong")).to_be_visible()
    page.wait_for_timeout(600)

    assert field.evaluate(CARET) == [4, 4]
    page.keyboard.type("00")
    expect(field).to_have_value("CXNK00QQAB")


def test_unchanged_status_line_is_not_replaced(system: System, start: Start) -> None:
    job = one_job(system, "umber", 433)
    page = start("umber").page
    open_app(page, job_url(job))
    drawn(page)
    wait_until_safe(page)
    expect(page.locator("[data-status]")).to_contain_text("All sent")
    page.wait_for_timeout(1000)
    page.evaluate(WATCH_STATUS)
    redraw(page, times=3)

    assert page.evaluate("globalThis.statusChanges") == []
