"""An engineer alone at a premises sets a timer: the office is alerted without a check-in, until the engineer is safe.

And where an engineer is on the way: kept coarsely of who agreed to it, shown to nobody sooner, deleted at once.
"""

import json
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser import thumb
from tests.browser.phone import (
    Start,
    arrived,
    bounce,
    come_back,
    go_to_site,
    in_shell,
    job_url,
    one_job,
    rows,
)
from tests.browser.story import main_button, until
from tests.servers.browser import Window, watched
from tests.servers.phone import APP, kept_rows, open_app, wait_until_safe
from tests.servers.system import System

pytestmark = [
    pytest.mark.browser,
    pytest.mark.timeout(600),
]
ALARM = "has not checked in"
# from now on this page's clock stands so many minutes off
CLOCK = """(minutes) => {
  globalThis.offMinutes = minutes;
  if (globalThis.RealDate) return;
  globalThis.RealDate = Date;
  globalThis.Date = class extends RealDate {
    constructor(...given) { given.length ? super(...given) : super(Date.now()); }
    static now() { return RealDate.now() + offMinutes * 60_000; }
  };
}"""
# half an hour and a minute pass
HALF_AN_HOUR_LATER = """
from datetime import timedelta
from django.db.models import F
from engineers.models import CheckIn
ago = timedelta(minutes=31)
CheckIn.objects.filter(engineer__staff_number={staff_number!r}, ended_at=None).update(
    started_at=F("started_at") - ago, due_at=F("due_at") - ago
)
"""
# six minutes pass
SIX_MINUTES_LATER = """
from datetime import timedelta
from django.db.models import F
from engineers.models import DrivingPosition, Engineer
ago = timedelta(minutes=6)
one = Engineer.objects.filter(staff_number={staff_number!r})
one.update(shares_position_since=F("shares_position_since") - ago)
DrivingPosition.objects.filter(engineer__in=one).update(taken_at=F("taken_at") - ago)
"""
FORGET_WHEN = "async (app) => (await import(app)).database.setValue('driving_at', 0)"
# the look that comes each minute comes five times a second, and is counted; no place is remembered for a minute either
LOOKS_OFTEN = """
const { geolocation } = navigator;
const ask = geolocation.getCurrentPosition.bind(geolocation);
geolocation.getCurrentPosition = (good, bad, options) => ask(good, bad, { ...options, maximumAge: 0 });
const real = globalThis.setInterval;
globalThis.looks = 0;
globalThis.setInterval = (work, pause, ...more) =>
  pause === 60_000 ? real(() => { looks += 1; work(); }, 200) : real(work, pause, ...more);
"""


def check_ins(system: System, username: str) -> list[dict[str, Any]]:
    query = """select c.* from engineers_checkin c join engineers_engineer e on e.id = c.engineer_id
               where e.staff_number = ? order by c.id"""
    return rows(system, query, username.upper())


def set_timer(page: Page) -> None:
    page.get_by_role("button", name="30 min", exact=True).click()
    expect(page.get_by_role("button", name="I'm OK")).to_be_visible()


def set_timer_in_the_cellar(page: Page, job: dict[str, str], *, minutes_ago: int) -> None:
    """On site, and then without signal."""
    go_to_site(page, job)
    open_app(page, job_url(job))
    wait_until_safe(page)
    page.context.set_offline(True)
    page.evaluate(CLOCK, -minutes_ago)
    set_timer(page)


def test_double_tap_sets_or_ends_one_timer(system: System, start: Start) -> None:
    job = one_job(system, "ada", 709)
    page = start("ada").page
    go_to_site(page, job)
    open_app(page, job_url(job))
    set_timer(page)
    bounce(page.get_by_role("button", name="I'm OK"))
    page.wait_for_timeout(500)
    page.get_by_role("button", name="I'm OK").click()
    bounce(page.get_by_role("button", name="30 min", exact=True))

    wait_until_safe(page)
    expect(page.get_by_role("button", name="30 min", exact=True)).to_be_visible()
    kinds = [entry["kind"] for entry in arrived(system, job)]
    assert [kind for kind in kinds if kind.startswith("check_in")] == ["check_in", "check_in_done"]


def alarm(office: Window, name: str) -> Any:
    return office.page.locator("[data-check-in]").filter(has_text=f"{name} {ALARM}")


def test_timer_that_runs_out_alarms_the_board_until_i_am_ok(
    system: System, start: Start, office: Window
) -> None:
    job = one_job(system, "alma", 701)
    page = start("alma").page
    window = watched(page)
    go_to_site(page, job)
    open_app(page, job_url(job))
    set_timer(page)
    expect(page.get_by_text("The office is alerted at")).to_be_visible()
    wait_until_safe(page)
    expect(office.page.locator("[data-check-in]")).to_have_count(0)
    in_shell(system, HALF_AN_HOUR_LATER.format(staff_number="ALMA"))

    expect(alarm(office, "Alma")).to_be_visible()
    office.looked_at("board-check-in")
    alarm(office, "Alma").get_by_role("button", name="I'll handle it").click()
    expect(alarm(office, "Alma")).to_contain_text("Dana Whitlock has been handling this since")
    come_back(page)
    expect(page.get_by_text("so the office is alerted")).to_be_visible()
    window.looked_at("phone-check-in-late")

    # on every page, since a job's questions show no timer
    open_app(page, job_url(job, "review/"))
    page.locator("[data-status]").get_by_text("Check-in overdue.").click()
    page.wait_for_url("**/phone/")
    window.looked_at("phone-check-in-late-day")
    page.get_by_role("button", name="I'm OK").click()
    expect(page.locator("[data-status]")).to_contain_text("All sent")
    open_app(page, job_url(job))
    expect(page.get_by_role("button", name="30 min", exact=True)).to_be_visible()
    expect(alarm(office, "Alma")).to_have_count(0)
    (known,) = check_ins(system, "alma")
    assert (known["end_reason"], known["acknowledged_at"] is not None) == ("done", True)


def test_timer_set_without_signal_raises_its_alarm_on_arrival(
    system: System, start: Start, office: Window
) -> None:
    job = one_job(system, "bruno", 702)
    page = start("bruno").page
    set_timer_in_the_cellar(page, job, minutes_ago=31)
    expect(page.get_by_text("the office doesn't know about this timer until there is signal")).to_be_visible()
    expect(page.locator("[data-status]")).to_contain_text("1 waiting to send")
    page.evaluate(CLOCK, 0)
    come_back(page)
    expect(alarm(office, "Bruno")).to_be_visible()
    expect(page.get_by_text("so the office is alerted")).to_be_visible()

    # the check-in is made in the cellar, too
    page.context.set_offline(True)
    page.get_by_role("button", name="I'm OK").click()
    expect(page.get_by_role("button", name="30 min", exact=True)).to_be_visible()
    expect(page.locator("[data-status]")).to_contain_text("1 waiting to send")
    unheard = page.get_by_text("The office will know that you're OK once there is signal.")
    expect(unheard).to_be_visible()
    expect(alarm(office, "Bruno")).to_be_visible()
    come_back(page)
    expect(alarm(office, "Bruno")).to_have_count(0)
    expect(unheard).to_have_count(0)
    expect(page.locator("[data-status]")).to_contain_text("All sent")
    (known,) = check_ins(system, "bruno")
    by_kind = {entry["kind"]: entry for entry in arrived(system, job)}
    assert known["end_reason"] == "done"
    assert _minute(known["ended_at"]) == _minute(by_kind["check_in_done"]["occurred_at"])


def test_sign_out_names_the_timer_that_runs(system: System, start: Start) -> None:
    job = one_job(system, "agda", 719)
    page = start("agda").page
    go_to_site(page, job)
    open_app(page, job_url(job))
    set_timer(page)
    wait_until_safe(page)
    open_app(page, "/phone/me/")
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/phone/me/leave/")
    expect(page.get_by_text("The office is alerted at")).to_be_visible()

    page.get_by_role("button", name="I'm OK").click()
    wait_until_safe(page)
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/login/**")
    (known,) = check_ins(system, "agda")
    assert known["end_reason"] == "done"


def test_closing_without_signal_leaves_the_timer_running(system: System, start: Start) -> None:
    job = one_job(system, "britt", 706)
    page = start("britt").page
    go_to_site(page, job)
    open_app(page, job_url(job))
    set_timer(page)
    wait_until_safe(page)
    page.context.set_offline(True)
    thumb.close(page, job["ours"], "UNF")
    open_app(page, job_url(job))

    check_in = page.get_by_role("button", name="I'm OK")
    expect(check_in).to_be_visible()
    come_back(page)
    expect(check_in).to_have_count(0)
    until(lambda: [check_in["end_reason"] for check_in in check_ins(system, "britt")] == ["closed"])


def _minute(moment: str) -> str:
    return moment.replace("T", " ")[: len("2026-11-22 01:00")]


def test_check_in_on_time_reaches_the_office_before_any_alarm(
    system: System, start: Start, office: Window
) -> None:
    """Set and ended in the cellar: what arrives afterwards frightens nobody."""
    job = one_job(system, "cleo", 703)
    page = start("cleo").page
    set_timer_in_the_cellar(page, job, minutes_ago=40)
    page.evaluate(CLOCK, -20)
    page.get_by_role("button", name="I'm OK").click()
    expect(page.get_by_role("button", name="30 min", exact=True)).to_be_visible()
    page.evaluate(CLOCK, 0)
    come_back(page)
    wait_until_safe(page)

    until(lambda: [check_in["end_reason"] for check_in in check_ins(system, "cleo")] == ["done"])
    office.page.reload()
    expect(alarm(office, "Cleo")).to_have_count(0)


# --- on the way ---


def kept_of(system: System, username: str) -> list[tuple[float, float]]:
    query = """select d.latitude, d.longitude from engineers_drivingposition d
               join engineers_engineer e on e.id = d.engineer_id where e.staff_number = ? order by d.taken_at"""
    return [(row["latitude"], row["longitude"]) for row in rows(system, query, username.upper())]


def drive(page: Page, latitude: float, longitude: float) -> None:
    page.context.set_geolocation({"latitude": latitude, "longitude": longitude, "accuracy": 5})


def looked(page: Page, times: int) -> None:
    before = page.evaluate("looks")
    page.wait_for_function("(wanted) => looks >= wanted", arg=before + times)


def on_the_way(start: Start, username: str, job: dict[str, str]) -> Page:
    phone = start(username)
    phone.context.add_init_script(LOOKS_OFTEN)
    open_app(phone.page, job_url(job, "travel/"))
    main_button(phone.page)
    phone.page.wait_for_url("**/arrive/**")
    wait_until_safe(phone.page)
    return phone.page


def batches_of(page: Page) -> list[str]:
    """What this page sends of its queue from now on."""
    sent: list[str] = []
    page.on(
        "request",
        lambda request: sent.append(request.post_data or "") if request.url.endswith("/sync") else None,
    )
    return sent


def positions_in(sent: list[str]) -> list[dict[str, float]]:
    messages = [message for batch in sent for message in json.loads(batch)["messages"]]
    return [message["body"]["position"] for message in messages if message["kind"] == "driving"]


def test_without_agreement_nothing_is_kept_of_the_way(system: System, start: Start) -> None:
    job = one_job(system, "dario", 704)
    page = on_the_way(start, "dario", job)
    drive(page, 53.71234, -1.61234)
    looked(page, 5)

    assert [row for row in kept_rows(page) if row["entry"]["kind"] == "driving"] == []
    open_app(page, "/phone/me/positions/")
    expect(
        page.get_by_text("Your location while travelling is not stored, because you have not agreed.")
    ).to_be_visible()
    assert kept_of(system, "dario") == []
    assert [entry["kind"] for entry in arrived(system, job)] == ["en_route"]


def test_rounded_locations_need_consent_and_are_deleted_on_withdrawal(system: System, start: Start) -> None:
    job = one_job(system, "edda", 705)
    page = on_the_way(start, "edda", job)
    sent = batches_of(page)
    window = watched(page)
    open_app(page, "/phone/me/")
    page.get_by_role("link", name="My locations").click()
    page.get_by_role("button", name="Share my approximate location while I drive").click()
    expect(page.get_by_text("rounded to about a kilometre, for 14 days")).to_be_visible()
    drive(page, 53.71234, -1.61234)
    until(lambda: _pumped(page) and kept_of(system, "edda") == [(53.71, -1.61)])

    # another place after a moment is not kept: five minutes lie between them
    drive(page, 53.75678, -1.65678)
    looked(page, 5)
    assert kept_of(system, "edda") == [(53.71, -1.61)]
    in_shell(system, SIX_MINUTES_LATER.format(staff_number="EDDA"))
    page.evaluate(FORGET_WHEN, APP)
    until(lambda: _pumped(page) and kept_of(system, "edda") == [(53.71, -1.61), (53.76, -1.66)])

    # no exact place has left the phone; the browser may report a request after the server has accepted it
    until(lambda: _pumped(page) and len(positions_in(sent)) == 2)
    assert positions_in(sent) == [
        {"latitude": 53.71, "longitude": -1.61},
        {"latitude": 53.76, "longitude": -1.66},
    ]
    # and the message that is kept for ever holds none at all
    assert [entry["body"] for entry in arrived(system, job) if entry["kind"] == "driving"] == [{}, {}]
    open_app(page, "/phone/me/positions/")
    for text in ("En route: 53.71, −1.61", "En route: 53.76, −1.66", "exact for 90 days"):
        expect(page.get_by_text(text)).to_be_visible()
    window.looked_at("phone-positions-kept")
    stop = page.get_by_role("button", name="Stop sharing and delete stored locations")
    page.context.set_offline(True)
    stop.click()
    expect(page.get_by_text("You need signal to change this.")).to_be_visible()
    assert kept_of(system, "edda") != []
    page.context.set_offline(False)
    stop.click()
    expect(page.get_by_text("Your location while travelling is not stored")).to_be_visible()
    expect(page.get_by_text("En route: 53.71")).to_have_count(0)
    expect(page.get_by_text("You need signal to change this.")).to_have_count(0)
    assert kept_of(system, "edda") == []
    looked(page, 5)
    wait_until_safe(page)
    assert kept_of(system, "edda") == []


def _pumped(page: Page) -> bool:
    """The browser goes on in the meantime."""
    page.wait_for_timeout(200)
    return True
