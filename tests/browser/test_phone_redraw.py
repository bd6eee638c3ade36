"""What a redraw of the phone's page leaves alone: the caret in a field, and a status line that says the same. What a
tap does is always of the latest redraw.
"""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.phone import Start, arrived, go_to_site, job_url, one_job
from tests.browser.story import main_button
from tests.servers.phone import APP, drawn, open_app, wait_until_safe
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

# as soon as it stands there, before anything else runs
TAP_ON_ARRIVAL = """() => new MutationObserver((_, observer) => {
  if (!document.querySelector("[data-page=arrive]")) return;
  observer.disconnect();
  document.querySelector(".main-button").click();
}).observe(document.querySelector("#main"), { childList: true, subtree: true })"""
# one that looks the same, one of another class, one with other words, and one that is no control any more
TAPS_AFTER_REDRAW = """async () => {
  const names = ["dom.js", "dom_diff.js"].map((name) => import("/static/js/phone/app/" + name));
  const [{ h }, { updateDom }] = await Promise.all(names);
  const taps = [];
  const page = (number, mark, words, last) => {
    const tap = (name) => ({ type: "button", onclick: () => taps.push(`${name} ${number}`) });
    return h("div", {},
      h("p", {}, h("button", tap("same"), "Same")),
      h(`button${mark}`, tap("marked"), "Marked"),
      h("button", tap("worded"), words),
      h("div", { "data-component": "part" }, h("button", tap("part"), `part ${number}`)),
      h("b", last ? { onclick: tap("last").onclick } : {}, "Last"),
    );
  };
  const element = page("before", "", "Scan", true);
  document.body.append(element);
  const buttons = [...element.querySelectorAll("button, b")];
  updateDom(element, page("after", ".chosen", "Use it", false));
  const stay = buttons.filter((button) => button.isConnected).length;
  for (const button of buttons) button.click();
  updateDom(element, page("later", ".chosen", "Use it", true));
  for (const button of buttons) button.click();
  return [stay, taps];
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


def test_tap_on_a_page_that_has_just_come_counts(system: System, start: Start) -> None:
    """The tap that led to it may still be at work."""
    job = one_job(system, "ulric", 434)
    page = start("ulric").page
    open_app(page, job_url(job, "travel/"))
    drawn(page)
    page.evaluate(TAP_ON_ARRIVAL)
    main_button(page)
    page.wait_for_url("**/question/**")
    wait_until_safe(page)
    assert [entry["kind"] for entry in arrived(system, job)] == ["en_route", "on_site"]


def test_button_that_stays_does_what_the_latest_page_is_for(system: System, start: Start) -> None:
    """Whatever it looks like; a part that looks after itself goes on with what it began."""
    one_job(system, "uriella", 435)
    page = start("uriella").page

    stay, taps = page.evaluate(TAPS_AFTER_REDRAW)

    assert stay == 5
    assert taps == [
        *("same after", "marked after", "worded after", "part before"),
        *("same later", "marked later", "worded later", "part before", "last later"),
    ]


# the phone's own disk is slow
WRITES_LONG = """async (app) => {
  const { database } = await import(app);
  let isEnd = false;
  globalThis.endWriting = () => { isEnd = true; };
  database.write(["queue", "photos", "values"], async ({ values }) => {
    while (!isEnd) await database.resultOf(values.get("day"));
  });
}"""


def test_slow_tap_leaves_the_engineer_where_they_went(system: System, start: Start) -> None:
    job = one_job(system, "umar", 437)
    page = start("umar").page
    open_app(page, job_url(job, "travel/"))
    drawn(page)
    page.evaluate(WRITES_LONG, APP)
    main_button(page)
    page.get_by_role("link", name="My day").click()
    page.evaluate("endWriting()")
    expect(page.locator("[data-page=day]")).to_be_visible()
    page.wait_for_timeout(1000)

    assert page.url.endswith("/phone/")
    wait_until_safe(page)
    assert [entry["kind"] for entry in arrived(system, job)] == ["en_route"]
