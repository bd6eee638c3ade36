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
# several browsers on a small machine
expect.set_options(timeout=30_000)


def kinds(entries: list[dict[str, Any]]) -> list[str]:
    return [entry["kind"] for entry in entries]


def instants(entries: list[dict[str, Any]]) -> list[datetime]:
    return [datetime.fromisoformat(entry["occurred_at"]) for entry in entries]


def test_day_and_job_open_without_signal(system: System, start: Start) -> None:
    job = one_job(system, "ana", 301)
    one = start("ana")
    one.context.set_offline(True)

    open_app(one.page)
    expect(one.page.get_by_text(job["postcode"]).first).to_be_visible()
    open_app(one.page, job_url(job))
    expect(one.page.locator(".main-button")).to_have_text("On my way")
    open_app(one.page, job_url(job, "travel/"))
    expect(one.page.get_by_role("heading", name="Setting off")).to_be_visible()


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
    (said,) = arrived(system, job)
    assert said["kind"] == "en_route"
    assert said["body"]["position"]["latitude"] == pytest.approx(LEEDS["latitude"])


def test_cold_phone_opens_without_signal(system: System, start: Start, line: Line) -> None:
    job = one_job(system, "ben", 302)
    one = start("ben")
    one.kill()
    line.cut()

    one.start()
    open_app(one.page, job_url(job))
    expect(one.page.locator(".main-button")).to_have_text("On my way")


def test_taps_without_signal_arrive_once_in_order_with_their_times(system: System, start: Start) -> None:
    job = one_job(system, "cai", 303)
    one = start("cai")
    one.context.set_offline(True)
    go_to_site(one.page, job)
    say_yes(one.page, times=4)

    told = kept_rows(one.page)
    assert kinds([row["entry"] for row in told]) == ["en_route", "on_site", *4 * ["answered"]]
    assert arrived(system, job) == []
    expect(one.page.locator("[data-status]")).to_contain_text("6 waiting to send")
    come_back(one.page)
    wait_until_safe(one.page)
    assert_all_arrived(one.page, told, system, job)
    times = instants([row["entry"] for row in told])
    assert times == sorted(times)


def test_answer_lost_on_the_way_back_doubles_nothing(system: System, start: Start, line: Line) -> None:
    job = one_job(system, "dee", 304)
    one = start("dee")
    line.losing = b"POST /phone/sync"
    go_to_site(one.page, job)
    say_yes(one.page, times=2)
    until(lambda: line.lost > 0 and len(arrived(system, job)) >= 1, seconds=40)
    told = kept_rows(one.page)
    assert {row["state"] for row in told} == {"pending"}

    line.losing = b""
    wait_until_safe(one.page)
    assert_all_arrived(one.page, told, system, job)
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
    one = start("eli")
    other = one.context.new_page()
    open_app(other)
    one.context.set_offline(True)
    go_to_site(one.page, first_job)
    go_to_site(other, second_job)
    say_yes(one.page, times=2)
    say_yes(other, times=2)

    told = kept_rows(other)
    assert len(told) == 8
    one.context.set_offline(False)
    for page in (one.page, other):
        page.evaluate("dispatchEvent(new Event('online'))")
    wait_until_safe(other)
    assert_all_arrived(one.page, told, system, first_job, second_job)
    expect(other.locator("[data-status]")).to_contain_text("All sent")


def test_killed_right_after_kept_loses_nothing(system: System, start: Start, line: Line) -> None:
    job = one_job(system, "fay", 336)
    one = start("fay", dies=True)
    line.cut()
    go_to_site(one.page, job)
    main = one.page.locator("button.phone-choice").first
    before = one.page.url
    main.click()
    one.page.wait_for_url(lambda url: url != before)
    told = kept_rows(one.page)
    one.kill()

    line.mend()
    one.start()
    open_app(one.page)
    wait_until_safe(one.page)
    assert len(told) == 3
    assert_all_arrived(one.page, told, system, job)


def test_session_that_expired_in_the_cellar_keeps_its_queue(system: System, start: Start) -> None:
    job = one_job(system, "gus", 307)
    one = start("gus")
    one.context.set_offline(True)
    go_to_site(one.page, job)
    one.context.clear_cookies()
    told = kept_rows(one.page)

    come_back(one.page)
    expect(one.page.locator("[data-status]")).to_contain_text(
        "You are signed out. Sign in to send; nothing has been lost."
    )
    assert arrived(system, job) == []
    one.sign_in(username="gus", password=make.PASSWORD)
    open_app(one.page)
    wait_until_safe(one.page)
    assert_all_arrived(one.page, told, system, job)


def test_another_engineer_on_this_phone_sends_nothing_of_the_first(system: System, start: Start) -> None:
    job = one_job(system, "hal", 308)
    one = start("hal")
    one.context.set_offline(True)
    go_to_site(one.page, job)
    told = kept_rows(one.page)
    one.context.clear_cookies()
    one.context.set_offline(False)
    one.sign_in(username="isla", password=system.demo.password())
    # it finds by itself whose it is now, and begins anew
    expect(one.page.locator("[data-name]")).to_have_text("Isla Thorne", timeout=60_000)
    open_app(one.page)

    assert kept_rows(one.page) == []
    assert arrived(system, job) == []
    one.context.clear_cookies()
    one.sign_in(username="hal", password=make.PASSWORD)
    expect(one.page.locator("[data-name]")).to_have_text("Hal", timeout=60_000)
    open_app(one.page)
    wait_until_safe(one.page)
    assert_all_arrived(one.page, told, system, job)


def test_slow_line_holds_no_tap(system: System, start: Start) -> None:
    job = one_job(system, "jon", 310)
    one = start("jon")
    network = one.context.new_cdp_session(one.page)
    network.send(
        "Network.emulateNetworkConditions",
        {"offline": False, "latency": 2000, "downloadThroughput": 50_000, "uploadThroughput": 50_000},
    )
    go_to_site(one.page, job)
    say_yes(one.page, times=4)
    told = kept_rows(one.page)

    assert "pending" in {row["state"] for row in told}
    wait_until_safe(one.page)
    assert len(arrived(system, job)) == 6


def test_clock_three_hours_slow_tells_the_right_times(system: System, start: Start) -> None:
    job = one_job(system, "kit", 311)
    one = start("kit")
    one.page.clock.install(time=timezone.now() - timedelta(hours=3))
    open_app(one.page)
    go_to_site(one.page, job)
    wait_until_safe(one.page)

    said = instants(arrived(system, job))
    assert all(
        abs(timezone.now() - timedelta(hours=3) - one_time) < timedelta(minutes=5) for one_time in said
    )
    told = system.seller_job(job["seller"])
    assert told["breaches"] == 0, told["breach_list"]
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
    one = start("nell")
    go_to_site(one.page, job)
    wait_until_safe(one.page)
    one.page.wait_for_function("async (app) => !(await (await import(app)).queue.rows()).length", arg=APP)
    one.context.set_offline(True)

    assert one.page.evaluate(LOOK_WHILE_A_DAY_COMES, APP) == ["yes", "yes", 0]


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
    one = start("mia")
    one.context.set_offline(True)
    open_app(one.page, job_url(job, "travel/"))
    one.page.evaluate(CLOSE_ONCE)
    main_button(one.page)

    one.page.wait_for_url("**/arrive/")
    assert kinds([row["entry"] for row in kept_rows(one.page)]) == ["en_route"]
