"""The phone without signal: all pages open, each tap is kept, and everything arrives once, in order, with its time."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from tests import make
from tests.browser.phone import (
    Start,
    arrived,
    assert_all_arrived,
    come_back,
    day_of_jobs,
    go_to_site,
    job_url,
    one_job,
    rows,
    say_yes,
)
from tests.browser.story import main_button, until
from tests.servers.browser import LEEDS
from tests.servers.line import Line
from tests.servers.phone import APP, kept_rows, open_app, wait_until_safe
from tests.servers.system import System

pytestmark = [
    pytest.mark.browser,
    pytest.mark.timeout(600),
]


def kinds(entries: list[dict[str, Any]]) -> list[str]:
    return [entry["kind"] for entry in entries]


def instants(entries: list[dict[str, Any]]) -> list[datetime]:
    return [datetime.fromisoformat(entry["occurred_at"]) for entry in entries]


def test_day_and_job_open_without_signal(system: System, start: Start) -> None:
    job = one_job(system, "ana", 301)
    phone = start("ana")
    phone.context.set_offline(True)

    open_app(phone.page)
    expect(phone.page.get_by_text(job["postcode"]).first).to_be_visible()
    open_app(phone.page, job_url(job))
    expect(phone.page.locator(".main-button")).to_have_text("On my way")
    open_app(phone.page, job_url(job, "travel/"))
    expect(phone.page.get_by_role("heading", name="Setting off")).to_be_visible()


def test_position_that_was_coming_when_the_page_was_left_is_asked_for_again(
    system: System, start: Start
) -> None:
    job = one_job(system, "abe", 318)
    page = start("abe").page
    open_app(page, job_url(job, "travel/"))
    page.evaluate("() => { navigator.geolocation.getCurrentPosition = () => {}; }")
    main_button(page)
    page.wait_for_url("**/arrive/**")
    open_app(page, job_url(job))
    wait_until_safe(page)
    (entry,) = arrived(system, job)
    assert entry["kind"] == "en_route"
    assert entry["body"]["position"]["latitude"] == pytest.approx(LEEDS["latitude"])


def test_cold_phone_opens_without_signal(system: System, start: Start, line: Line) -> None:
    job = one_job(system, "ben", 302)
    phone = start("ben")
    phone.kill()
    line.cut()

    phone.start()
    open_app(phone.page, job_url(job))
    expect(phone.page.locator(".main-button")).to_have_text("On my way")


def test_taps_without_signal_arrive_once_in_order_with_their_times(system: System, start: Start) -> None:
    job = one_job(system, "cai", 303)
    phone = start("cai")
    phone.context.set_offline(True)
    go_to_site(phone.page, job)
    say_yes(phone.page, times=4)

    rows = kept_rows(phone.page)
    assert kinds([row["entry"] for row in rows]) == ["en_route", "on_site", *4 * ["answered"]]
    assert arrived(system, job) == []
    expect(phone.page.locator("[data-status]")).to_contain_text("6 waiting to send")
    come_back(phone.page)
    wait_until_safe(phone.page)
    assert_all_arrived(phone.page, rows, system, job)
    times = instants([row["entry"] for row in rows])
    assert times == sorted(times)


def test_answer_lost_on_the_way_back_doubles_nothing(system: System, start: Start, line: Line) -> None:
    job = one_job(system, "dee", 304)
    phone = start("dee")
    line.losing = b"POST /phone/sync"
    go_to_site(phone.page, job)
    say_yes(phone.page, times=2)
    until(lambda: line.lost > 0 and len(arrived(system, job)) >= 1)
    unsent = kept_rows(phone.page)
    assert {row["state"] for row in unsent} == {"pending"}

    line.losing = b""
    wait_until_safe(phone.page)
    assert_all_arrived(phone.page, unsent, system, job)
    assert (
        len(
            rows(
                system,
                "select 1 from closures_answer where job_id = (select id from dispatch_job where "
                "provider_job_id = ?)",
                job["ours"],
            )
        )
        == 2
    )


def test_two_tabs_of_one_engineer_send_everything_once(system: System, start: Start) -> None:
    first_job, second_job = day_of_jobs(system, username="eli", count=2, seed=305, plan=[2])
    phone = start("eli")
    other = phone.context.new_page()
    open_app(other)
    phone.context.set_offline(True)
    go_to_site(phone.page, first_job)
    go_to_site(other, second_job)
    say_yes(phone.page, times=2)
    say_yes(other, times=2)

    rows = kept_rows(other)
    assert len(rows) == 8
    phone.context.set_offline(False)
    for page in (phone.page, other):
        page.evaluate("dispatchEvent(new Event('online'))")
    wait_until_safe(other)
    assert_all_arrived(phone.page, rows, system, first_job, second_job)
    expect(other.locator("[data-status]")).to_contain_text("All sent")


def test_killed_right_after_kept_loses_nothing(system: System, start: Start, line: Line) -> None:
    job = one_job(system, "fay", 336)
    phone = start("fay", dies=True)
    line.cut()
    go_to_site(phone.page, job)
    main = phone.page.locator("button.phone-choice").first
    before = phone.page.url
    main.click()
    phone.page.wait_for_url(lambda url: url != before)
    rows = kept_rows(phone.page)
    phone.kill()

    line.restore()
    phone.start()
    open_app(phone.page)
    wait_until_safe(phone.page)
    assert len(rows) == 3
    assert_all_arrived(phone.page, rows, system, job)


def test_session_that_expired_in_the_cellar_keeps_its_queue(system: System, start: Start) -> None:
    job = one_job(system, "gus", 307)
    phone = start("gus")
    phone.context.set_offline(True)
    go_to_site(phone.page, job)
    phone.context.clear_cookies()
    rows = kept_rows(phone.page)

    come_back(phone.page)
    expect(phone.page.locator("[data-status]")).to_contain_text(
        "You are signed out. Sign in to send; nothing has been lost."
    )
    assert arrived(system, job) == []
    phone.sign_in(username="gus", password=make.PASSWORD)
    open_app(phone.page)
    wait_until_safe(phone.page)
    assert_all_arrived(phone.page, rows, system, job)


def test_another_engineer_on_this_phone_sends_nothing_of_the_first(system: System, start: Start) -> None:
    job = one_job(system, "hal", 308)
    phone = start("hal")
    phone.context.set_offline(True)
    go_to_site(phone.page, job)
    rows = kept_rows(phone.page)
    phone.context.clear_cookies()
    phone.context.set_offline(False)
    phone.sign_in(username="isla", password=system.demo.password())
    # it finds by itself whose it is now, and begins again
    expect(phone.page.locator("[data-name]")).to_have_text("Isla Thorne")
    open_app(phone.page)

    assert kept_rows(phone.page) == []
    assert arrived(system, job) == []
    phone.context.clear_cookies()
    phone.sign_in(username="hal", password=make.PASSWORD)
    expect(phone.page.locator("[data-name]")).to_have_text("Hal")
    open_app(phone.page)
    wait_until_safe(phone.page)
    assert_all_arrived(phone.page, rows, system, job)


def test_slow_line_holds_no_tap(system: System, start: Start) -> None:
    job = one_job(system, "jon", 310)
    phone = start("jon")
    network = phone.context.new_cdp_session(phone.page)
    network.send(
        "Network.emulateNetworkConditions",
        {"offline": False, "latency": 2000, "downloadThroughput": 50_000, "uploadThroughput": 50_000},
    )
    go_to_site(phone.page, job)
    say_yes(phone.page, times=4)
    rows = kept_rows(phone.page)

    assert "pending" in {row["state"] for row in rows}
    wait_until_safe(phone.page)
    assert len(arrived(system, job)) == 6


def test_clock_three_hours_slow_still_gives_the_right_times(system: System, start: Start) -> None:
    job = one_job(system, "kit", 311)
    phone = start("kit")
    phone.page.clock.install(time=timezone.now() - timedelta(hours=3))
    open_app(phone.page)
    go_to_site(phone.page, job)
    wait_until_safe(phone.page)

    times = instants(arrived(system, job))
    assert all(
        abs(timezone.now() - timedelta(hours=3) - one_time) < timedelta(minutes=5) for one_time in times
    )
    seller_job = system.seller_job(job["seller"])
    assert seller_job["breaches"] == 0, seller_job["breach_list"]
    known = rows(
        system,
        "select occurred_at from dispatch_jobevent where kind in ('en_route', 'on_site')"
        " and job_id = (select id from dispatch_job where provider_job_id = ?)",
        job["ours"],
    )
    ours = [datetime.fromisoformat(row["occurred_at"] + "+00:00") for row in known]
    assert len(ours) == 2
    assert all(abs(timezone.now() - one_time) < timedelta(minutes=5) for one_time in ours)


LOOK_WHILE_A_DAY_COMES = """async (app) => {
  const { applyQueue, queue, database } = await import(app);
  const before = await database.getValue("day");
  const [job] = before.jobs;
  const row = await queue.add("answered", job.id, { question: "SAF01", value: "yes" });
  await queue.applyResults([{ message_id: row.entry.message_id, outcome: "applied", problems: [] }]);
  const after = { ...before, jobs: before.jobs.map((one) => ({ ...one, answers: { ...one.answers, SAF01: "yes" } })) };
  const look = async () => {
    const { day, rows } = await queue.readDayAndRows();
    return applyQueue(day, rows).jobs.find(({ id }) => id === job.id).answers.SAF01;
  };
  const [meanwhile] = await Promise.all([look(), queue.pruneSynced(await queue.currentRevision(), after), look()]);
  return [meanwhile, await look(), (await queue.rows()).length];
}"""


def test_answer_is_never_in_neither_while_the_day_takes_it_over(system: System, start: Start) -> None:
    job = one_job(system, "nell", 315)
    phone = start("nell")
    go_to_site(phone.page, job)
    wait_until_safe(phone.page)
    until(lambda: not kept_rows(phone.page))
    phone.context.set_offline(True)

    assert phone.page.evaluate(LOOK_WHILE_A_DAY_COMES, APP) == ["yes", "yes", 0]


CLOSE_ONCE = """() => {
  const real = IDBDatabase.prototype.transaction;
  IDBDatabase.prototype.transaction = function () {
    IDBDatabase.prototype.transaction = real;
    this.close();
    throw new DOMException("Connection to Indexed Database server lost. Refresh the page to try again", "UnknownError");
  };
}"""


def test_database_that_the_phone_closed_is_opened_again(system: System, start: Start) -> None:
    job = one_job(system, "mia", 313)
    phone = start("mia")
    phone.context.set_offline(True)
    open_app(phone.page, job_url(job, "travel/"))
    phone.page.evaluate(CLOSE_ONCE)
    main_button(phone.page)

    phone.page.wait_for_url("**/arrive/")
    assert kinds([row["entry"] for row in kept_rows(phone.page)]) == ["en_route"]
