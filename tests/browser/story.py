"""What people do in the stories: a dispatcher at the desk, an engineer in the van, and the seller next to them."""

import re
import time
from collections.abc import Callable
from datetime import date, timedelta

from django.utils import timezone
from playwright.sync_api import Browser, FilePayload, Page, expect

from demo.management.commands.demo_people import ENGINEERS
from tests import make
from tests.servers.browser import DESKTOP, PHONE, SECONDS, Window, open_window
from tests.servers.phone import READY
from tests.servers.system import System

USERNAMES = {engineer.name: engineer.username for engineer in ENGINEERS}
MOST_QUESTIONS = 60
USE_IT = re.compile("^(Keep it|Behalten)$")


def today() -> date:
    return timezone.localdate()


def until(condition: Callable[[], bool], *, seconds: float = 60) -> None:
    """Wait for something that is not on a page. A tap waits up to 21 seconds for its position (app/actions.js)."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.2)


SIGN_IN = """
from time import time
from django.conf import settings
from django.test import Client
from engineers.models import User
client = Client()
client.force_login(User.objects.get(username={username!r}))
print(settings.SESSION_COOKIE_NAME, client.session.session_key, int(time()) + settings.SESSION_COOKIE_AGE)
"""


def sign_in(system: System, page: Page, *, username: str) -> None:
    """By the cookie; the form has stories of its own. Ends where the form does: at the board, or on a phone with the
    application on it."""
    name, value, expires = system.shell.run(SIGN_IN.format(username=username)).split()
    page.context.add_cookies([{"name": name, "value": value, "url": system.url, "expires": int(expires)}])
    page.goto("/")
    if "/phone/" in page.url:
        page.locator(READY).wait_for()


def at_desk(system: System, browser: Browser) -> Window:
    window = open_window(browser, base_url=system.url, kind=DESKTOP)
    sign_in(system, window.page, username="dana")
    return window


def in_the_van(system: System, browser: Browser, *, username: str) -> Window:
    window = open_window(browser, base_url=system.url, kind=PHONE)
    sign_in(system, window.page, username=username)
    return window


def arrive_at_board(
    system: System, office: Window, *, job_type: str, seed: int, plan: list[int]
) -> dict[str, str]:
    """The seller sends one pack for tomorrow, whose windows are open at any hour of this day, and it appears on the
    open board by itself."""
    day = today() + timedelta(days=1)
    office.page.goto(f"/board/?day={day}")
    (sent,) = system.send_packs(
        count=1, day=day, types=[job_type], seed=seed, provisioning_plans=[plan] if plan else []
    )["jobs"]
    until(lambda: bool(system.seller_job(sent["sellerJobId"])["providerJobId"]))
    job = system.seller_job(sent["sellerJobId"])
    postcode = job["pack"]["property"]["address"]["postcode"]
    expect(office.page.get_by_text(postcode).first).to_be_visible()
    return {"seller": sent["sellerJobId"], "ours": job["providerJobId"], "postcode": postcode}


def assign_first_offer(office: Window, job: dict[str, str]) -> str:
    """Suggested engineers: the first suggestion. Returns the engineer's user name."""
    office.page.goto(f"/board/jobs/{job['ours']}/")
    offer = office.page.get_by_role("button", name=re.compile("min drive")).first
    name = next(name for name in USERNAMES if name in offer.inner_text())
    offer.click()
    expect(office.page.get_by_text(name).first).to_be_visible()
    assigned, override = (
        office.page.get_by_text("Assigned", exact=True).first,
        office.page.get_by_role("button", name="Assign anyway"),
    )
    expect(assigned.or_(override).first).to_be_visible()
    if override.is_visible():
        # a pack that asks for a survey or for more lead time
        office.page.get_by_label("Reason for assigning anyway").fill("The customer agrees")
        override.click()
    expect(office.page.get_by_text("Assigned", exact=True).first).to_be_visible()
    return USERNAMES[name]


def drawn(page: Page) -> None:
    """The application draws its pages itself: until the one of the present address is there."""
    address = "() => document.querySelector('[data-address]')?.dataset.address === location.pathname + location.search"
    deadline = time.monotonic() + SECONDS
    while not page.evaluate(address):
        assert time.monotonic() < deadline, f"{page.url} was not drawn"
        page.wait_for_timeout(20)


def seen(window: Window, name: str) -> None:
    """The page is there, nobody is shut out of it, and it has its picture."""
    drawn(window.page)
    window.looked_at(name)


def main_button(page: Page) -> None:
    drawn(page)
    page.locator(".main-button").first.click()


def answer_page(window: Window) -> None:
    """A good answer to whatever is asked on this page; each photo is another one."""
    page = window.page
    if page.locator("canvas").count():
        sign(page)
    elif page.locator("input[type=file]").count():
        page.locator("input[type=file]").first.set_input_files(new_photo())
        page.get_by_role("button", name=USE_IT).click()
    elif page.locator("button.phone-choice").count():
        page.locator("button.phone-choice").first.click()
    else:
        field = page.locator("input[name=value], textarea[name=value]").first
        signed = page.locator("[data-signed]").count()
        field.fill(
            "-18,5" if signed else "42" if page.locator("input[name=value]").count() else "As agreed on site"
        )
        main_button(page)


def new_photo() -> FilePayload:
    """As the phone's camera application hands it over."""
    content = make.new_jpeg(width=3000, height=2000)
    return FilePayload(name="photo.jpg", mimeType="image/jpeg", buffer=content)


def sign(page: Page) -> None:
    """A stroke with a finger on the pad, under the name that stands there, and the large button."""
    draw_signature(page)
    main_button(page)


def draw_signature(page: Page) -> None:
    # with large letters it lies below the screen, or under the bar
    page.locator("canvas").evaluate("(pad) => pad.scrollIntoView({ block: 'center' })")
    box = page.locator("canvas").bounding_box()
    assert box
    page.mouse.move(box["x"] + 40, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + 120, box["y"] + 20, steps=5)
    page.mouse.move(box["x"] + 200, box["y"] + 90, steps=5)
    page.mouse.up()


def answer_until(window: Window, *, ends_at: str, pictures: bool = False) -> None:
    """Answer question after question until another kind of page comes."""
    page, seen = window.page, set()
    for _ in range(MOST_QUESTIONS):
        drawn(page)
        if re.search(ends_at, page.url):
            return
        assert "/question/" in page.url, page.url
        before = page.url
        code = before.split("/question/")[1].split("/")[0]
        if pictures and code in {"SAF01", "ROU01", "LGT01", "PHO01", "SPD02", "CUS02"}:
            window.looked_at(f"phone-question-{code.lower()}")
        assert code not in seen, f"asked twice: {code}"
        seen.add(code)
        answer_page(window)
        page.wait_for_url(lambda url, before=before: bool(url != before))  # type: ignore[misc]
    raise AssertionError("the questions never end")


def type_the_ont(window: Window, job: dict[str, str], system: System) -> None:
    expected = system.seller_job(job["seller"])["pack"].get("ont", {})
    drawn(window.page)
    window.page.get_by_label("FSAN").first.fill(expected.get("fsan", "CXNK00ABCDEF"))
    window.page.get_by_label("Serial number").first.fill(expected.get("serialNumber", "261200123456"))
    main_button(window.page)


def messages(system: System, job: dict[str, str]) -> list[str]:
    """What the seller received about the job, in order."""
    received = [
        message for message in system.seller_job(job["seller"])["messages"] if message["direction"] == "in"
    ]
    return [message["event"] or message["operation"] for message in received]
