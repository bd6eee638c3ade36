"""A phone whose session ended or whose user changed shows no jobs, keeps none for long, and loses nothing unsent."""

import json

import pytest
from playwright.sync_api import Page, expect

from tests import make
from tests.browser import thumb
from tests.browser.phone import Start, come_back, day_of_jobs, go_to_site, in_shell, job_url, one_job
from tests.browser.story import until
from tests.servers.phone import APP, Phone, kept_rows, open_app, wait_until_safe
from tests.servers.system import System

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
HIRE = """
from engineers import staff
from engineers.staff import ShiftPattern
from datetime import time
from tests import make
staff.hire_engineer(username={name!r}, password=make.PASSWORD, name={name!r}.title(), staff_number={name!r}.upper(),
    phone="07700 900123", home=make.HERE, skill_codes=[], shifts=[ShiftPattern(tuple(range(7)), time(6), time(22))])
"""
THIRTEEN_HOURS_AGO = """async (app) => {
  const { database } = await import(app);
  await database.setValue("locked_at", Date.now() - 13 * 3600_000);
}"""
# what lies in the database of somebody else on this phone: whether there is a day, and how many entries
LEFT = """async (name) => {
  const asked = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  if (!(await indexedDB.databases()).some((one) => one.name === name)) return null;
  const database = await asked(indexedDB.open(name));
  const stores = database.transaction(["queue", "values"]);
  const [day, entries] = await Promise.all([
    asked(stores.objectStore("values").get("day")), asked(stores.objectStore("queue").count()),
  ]);
  database.close();
  return { hasDay: Boolean(day), entries };
}"""


def has_day(page: Page) -> bool:
    script = "async (app) => Boolean(await (await import(app)).database.getValue('day'))"
    return bool(page.evaluate(script, APP))


def shows_no_job(page: Page, job: dict[str, str]) -> None:
    expect(page.get_by_role("heading", name="Sign in to see your jobs")).to_be_visible()
    expect(page.locator("main")).not_to_contain_text(job["postcode"])
    expect(page.locator(".main-button")).to_have_text("Sign in")


def lose_session_on_site(phone: Phone, job: dict[str, str]) -> None:
    """Two taps without signal, and the session has ended when the signal is back."""
    phone.page.context.set_offline(True)
    go_to_site(phone.page, job)
    phone.context.clear_cookies()
    come_back(phone.page)


def sign_in_again(phone: Phone, username: str) -> None:
    phone.page.locator(".main-button").click()
    phone.page.get_by_label("Username").or_(phone.page.get_by_label("User name")).fill(username)
    phone.page.get_by_label("Password", exact=True).fill(make.PASSWORD)
    phone.page.get_by_role("button", name="Sign in").click()


def test_phone_whose_session_ended_shows_no_job_until_somebody_signs_in(system: System, start: Start) -> None:
    job = one_job(system, "orla", 731)
    phone = start("orla")
    page = phone.page
    lose_session_on_site(phone, job)

    shows_no_job(page, job)
    expect(page.get_by_text("2 updates are waiting to send. They will be sent when")).to_be_visible()
    expect(page.locator("[data-status]")).to_contain_text(
        "You are signed out. Sign in to send; nothing has been lost."
    )
    page.context.set_offline(True)
    open_app(page, job_url(job))
    shows_no_job(page, job)

    page.context.set_offline(False)
    sign_in_again(phone, "orla")
    page.wait_for_url(f"**{job_url(job)}")
    expect(page.locator("main")).to_contain_text(job["postcode"])
    wait_until_safe(page)


def test_locked_phone_removes_its_jobs_after_a_shift_and_keeps_what_was_not_sent(
    system: System, start: Start
) -> None:
    job = one_job(system, "otis", 732)
    phone = start("otis")
    page = phone.page
    lose_session_on_site(phone, job)
    shows_no_job(page, job)
    page.evaluate(THIRTEEN_HOURS_AGO, APP)
    page.context.set_offline(True)
    open_app(page)

    shows_no_job(page, job)
    assert not has_day(page)
    assert [row["entry"]["kind"] for row in kept_rows(page)] == ["en_route", "on_site"]
    # with the jobs gone, the file of the rest is this engineer's all the same
    with page.expect_download() as download:
        page.get_by_role("button", name="Save export file").click()
    assert json.loads(download.value.path().read_text())["signature"]
    page.context.set_offline(False)
    sign_in_again(phone, "otis")
    expect(page.get_by_text(job["postcode"]).first).to_be_visible()
    wait_until_safe(page)


def test_somebody_else_who_signs_in_removes_the_jobs_of_the_one_before(system: System, start: Start) -> None:
    first, _second = day_of_jobs(system, username="ossie", count=2, seed=631, plan=[2])
    for name in ("olive", "opal"):
        in_shell(system, HIRE.format(name=name))
    phone = start("ossie")
    phone.page.context.set_offline(True)
    go_to_site(phone.page, first)
    phone.context.clear_cookies()
    phone.page.context.set_offline(False)
    phone.sign_in(username="olive", password=make.PASSWORD)
    expect(phone.page.locator("[data-name]")).to_have_text("Olive")
    until(lambda: phone.page.evaluate(LEFT, "phone-OSSIE") == {"hasDay": False, "entries": 2})

    phone.context.clear_cookies()
    phone.sign_in(username="opal", password=make.PASSWORD)
    expect(phone.page.locator("[data-name]")).to_have_text("Opal")
    until(lambda: "phone-OLIVE" not in thumb.databases(phone.page))
    assert phone.page.evaluate(LEFT, "phone-OSSIE") == {"hasDay": False, "entries": 2}
    open_app(phone.page, "/phone/queue/")
    expect(phone.page.locator("[data-other-engineers]")).to_contain_text(
        "2 updates from Ossie have not been sent from this phone"
    )

    phone.context.clear_cookies()
    phone.sign_in(username="ossie", password=make.PASSWORD)
    expect(phone.page.locator("[data-name]")).to_have_text("Ossie")
    wait_until_safe(phone.page)
    expect(phone.page.get_by_text(first["postcode"]).first).to_be_visible()


def test_phone_that_knows_nobody_shows_the_form_for_signing_in(system: System, start: Start) -> None:
    in_shell(system, HIRE.format(name="oscar"))
    phone = start("oscar")
    open_app(phone.page, "/phone/me/")
    phone.page.get_by_role("button", name="Sign out").click()
    phone.page.wait_for_url("**/login/**")
    phone.page.goto("/phone/", wait_until="commit")
    expect(phone.page.get_by_label("Password", exact=True)).to_be_visible()
