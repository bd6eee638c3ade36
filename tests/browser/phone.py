"""The phone's application in the stories: a day of jobs, a browser that can be killed, what was kept, what arrived."""

import json
import re
import sqlite3
from collections.abc import Callable, Sequence
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.browser.story import main_button, today, until
from tests.servers.phone import Phone, drawn, open_app
from tests.servers.system import System

Start = Callable[..., Phone]

ASSIGN = """
from datetime import time, timedelta
from dispatch import visits
from dispatch.availability import NotBookable
from dispatch.job_events import Performer
from dispatch.models import Job
from dispatch.skills import SKILL_NAMES
from dispatch.states import Actor
from engineers import staff
from engineers.models import Engineer, User
from engineers.staff import ShiftPattern
from tests import make
username = {username!r}
by = Performer(Actor.DISPATCHER, User.objects.get(username="dana"))
engineer = Engineer.objects.filter(user__username=username).first() or staff.hire_engineer(
    username=username,
    password=make.PASSWORD,
    name=username.title(),
    staff_number=username.upper(),
    phone="07700 900123",
    home=make.HERE,
    skill_codes=list(SKILL_NAMES),
    shifts=[ShiftPattern(tuple(range(7)), time(0), time(23, 59))],
)
for job in Job.objects.filter(provider_job_id__in={jobs!r}):
    for half_hours in range(20):
        try:
            starts_at = job.window_start + timedelta(minutes=30 * half_hours)
            visits.assign(job=job, engineer=engineer, starts_at=starts_at, by=by)
            break
        except NotBookable as refused:
            last = refused
    else:
        raise RuntimeError(last)
"""

TAKE_OFF = """
from dispatch import visits
from dispatch.job_events import Performer
from dispatch.models import Job
from dispatch.states import Actor
from engineers.models import User
by = Performer(Actor.DISPATCHER, User.objects.get(username="dana"))
visits.unassign(job=Job.objects.get(provider_job_id={job!r}), by=by)
"""


def day_of_jobs(
    system: System,
    *,
    username: str,
    count: int,
    seed: int,
    plan: list[int],
    types: Sequence[str] = ("installation",),
) -> list[dict[str, str]]:
    """So many jobs from the seller for one engineer, hired for it; the seller answers scans by `plan`."""
    sent = system.send_packs(
        count=count, day=today(), types=list(types), seed=seed, provisioning_plans=[plan]
    )["jobs"]
    ids = [pack["sellerJobId"] for pack in sent]
    until(lambda: all(system.seller_job(pack)["providerJobId"] for pack in ids), seconds=60)
    jobs = [_job(system.seller_job(pack)) for pack in ids]
    in_shell(system, ASSIGN.format(jobs=[job["ours"] for job in jobs], username=username))
    return jobs


def _job(pack: dict[str, Any]) -> dict[str, str]:
    address = pack["pack"]["property"]["address"]
    return {
        "seller": pack["sellerJobId"],
        "ours": pack["providerJobId"],
        "postcode": address["postcode"],
        "fsan": pack["pack"].get("ont", {}).get("fsan", "CXNK00ABCDEF"),
        "serial": pack["pack"].get("ont", {}).get("serialNumber", "261200123456"),
    }


def in_shell(system: System, code: str) -> str:
    """What the code prints, run on our data."""
    return system.shell.run(code)


def take_off(system: System, job: dict[str, str]) -> None:
    """The office takes the job off its engineer."""
    in_shell(system, TAKE_OFF.format(job=job["ours"]))


def rows(system: System, query: str, *values: str) -> list[dict[str, Any]]:
    """What the server's database holds."""
    url = system.demo.our_environment()["DATABASE_URL"]
    path = url.removeprefix("sqlite:///")
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10) as database:
        database.row_factory = sqlite3.Row
        return [dict(row) for row in database.execute(query, values)]


def arrived(system: System, *jobs: dict[str, str]) -> list[dict[str, Any]]:
    """Entries of a phone's queue in the order in which the server took them: message_id, kind, job, body, …"""
    wanted = {job["ours"] for job in jobs}
    found = rows(
        system,
        "select body, outcome, received_at from engineers_phonemessage order by received_at, rowid",
    )
    entries = [
        {**json.loads(row["body"]), "outcome": row["outcome"], "received_at": row["received_at"]}
        for row in found
    ]
    return [entry for entry in entries if not wanted or entry["job"] in wanted]


def stored_photos(system: System, *jobs: dict[str, str]) -> dict[str, str]:
    """Id → SHA-256 of the photos whose bytes are safe; of all jobs where none is named."""
    wanted = {job["ours"] for job in jobs}
    query = """select p.id, p.sha256, j.provider_job_id as job from closures_photo p
        join dispatch_job j on j.id = p.job_id where p.stored_at is not null"""
    found = [row for row in rows(system, query) if not wanted or row["job"] in wanted]
    return {_dashed(row["id"]): row["sha256"] for row in found}


def _dashed(plain: str) -> str:
    plain = plain.replace("-", "")
    return "-".join((plain[:8], plain[8:12], plain[12:16], plain[16:20], plain[20:]))


def bounce(button: Locator) -> None:
    """The second tap of a double tap, on what is under the thumb by then."""
    button.scroll_into_view_if_needed()
    box = button.bounding_box()
    assert box is not None, "it is not on the page"
    mouse = button.page.mouse
    mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    mouse.down(click_count=2)
    mouse.up(click_count=2)


def come_back(page: Page) -> None:
    """Into coverage again."""
    page.context.set_offline(False)
    page.evaluate("dispatchEvent(new Event('online'))")


def go_to_site(page: Page, job: dict[str, str]) -> None:
    """On my way, then on site: the first question is open."""
    open_app(page, f"/phone/jobs/{job['ours']}/travel/")
    main_button(page)
    page.wait_for_url("**/arrive/**")
    drawn(page)
    main_button(page)
    page.wait_for_url("**/question/**")
    drawn(page)


def say_yes(page: Page, *, times: int) -> None:
    """The first choice of one question after the other."""
    for _ in range(times):
        drawn(page)
        before = page.url
        page.locator("button.phone-choice").first.click()
        page.wait_for_url(re.compile(f"^(?!{re.escape(before)}$)"))


def one_job(system: System, username: str, seed: int) -> dict[str, str]:
    return day_of_jobs(system, username=username, count=1, seed=seed, plan=[2])[0]


def job_url(job: dict[str, str], step: str = "") -> str:
    return f"/phone/jobs/{job['ours']}/{step}"


def assert_all_arrived(page: Page, rows: list[dict[str, Any]], system: System, *jobs: dict[str, str]) -> None:
    """What the phone had confirmed is what the server took: each once, in order, with its time, as it was recorded."""
    entries = [row["entry"] for row in rows]
    delivered = [{name: entry[name] for name in entries[0]} for entry in arrived(system, *jobs)]
    assert sorted(delivered, key=_id) == sorted(entries, key=_id)
    for job in jobs:
        assert [entry["message_id"] for entry in delivered if entry["job"] == job["ours"]] == [
            entry["message_id"] for entry in entries if entry["job"] == job["ours"]
        ]
    expect(page.locator("[data-status]")).to_contain_text("All sent")


def _id(entry: dict[str, Any]) -> str:
    return str(entry["message_id"])
