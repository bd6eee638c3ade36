"""Notices on a real phone: asked for by a tap, sealed by the server, shown by the worker, and a tap opens the job.

The makers' push services cannot be reached from a test: one on this machine takes what the server sends, and what it
opened is delivered to the worker by the browser's own developer tools.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import CDPSession, Page, Worker, expect

from config.environment import new_vapid_key
from tests.browser.phone import Start, one_job, rows, take_off
from tests.browser.story import until
from tests.servers import push_service
from tests.servers import system as systems
from tests.servers.browser import watched
from tests.servers.phone import Phone, open_app
from tests.servers.push_service import Browser, Service
from tests.servers.system import System

HAS_OWN_SYSTEM = True
pytestmark = [
    pytest.mark.browser,
    pytest.mark.timeout(600),
]
# a browser without its maker's service: this one is subscribed where the test listens
SUBSCRIBES = """
(said) => {
  const KEY = "test.subscribed";
  const subscription = {
    toJSON: () => said,
    unsubscribe: async () => localStorage.removeItem(KEY) ?? true,
  };
  PushManager.prototype.getSubscription = async () => (localStorage.getItem(KEY) ? subscription : null);
  PushManager.prototype.subscribe = async ({ userVisibleOnly, applicationServerKey }) => {
    if (!userVisibleOnly || applicationServerKey.length !== 65) throw new TypeError("not a key");
    localStorage.setItem(KEY, "yes");
    return subscription;
  };
}
"""
# what asks by the clock is still: what comes now comes because of the notice
NO_CLOCK = "globalThis.setInterval = () => 0;"
NOTIFICATIONS = """async () => (await (await navigator.serviceWorker.ready).getNotifications()).map(
  ({ title, body, tag, renotify, data }) => ({ title, body, tag, renotify, data }))"""
# who asks for the notices in the moment in which one is shown makes Chromium forget it: each is waited for
WATCHED = """() => {
  const show = registration.showNotification.bind(registration);
  globalThis.showing = [];
  registration.showNotification = (...told) => showing[showing.push(show(...told)) - 1];
}"""
IS_SHOWN = """async (count) => {
  while (showing.length < count) await new Promise((resolve) => setTimeout(resolve, 50));
  await Promise.all(showing);
}"""
# a browser lets nobody click but people: the worker's own handler gets the event, and is waited for
TAPPED = """async () => {
  const [notification] = await registration.getNotifications();
  const event = new NotificationEvent("notificationclick", { notification });
  let work = null;
  event.waitUntil = (promise) => (work = promise);
  dispatchEvent(event);
  await work;
}"""


@dataclass
class Telephone:
    """An engineer's phone and the push service behind it."""

    phone: Phone
    browser: Browser
    service: Service
    tools: CDPSession
    registration: str = ""
    delivered: int = 0
    complaints: list[str] = field(default_factory=list)

    @property
    def page(self) -> Page:
        return self.phone.page

    @property
    def worker(self) -> Worker:
        return self.phone.context.service_workers[0]

    def hear(self, event: dict[str, Any]) -> None:
        (found,) = {registration["registrationId"] for registration in event["registrations"]} or {""}
        self.registration = found or self.registration

    def next_notice(self) -> dict[str, Any]:
        """What the server sent, opened as this browser would, and given to the worker."""
        until(lambda: len(self.service.got) > self.delivered, seconds=60)
        _headers, sealed = self.service.got[self.delivered]
        self.delivered += 1
        notice = self.browser.read(sealed)
        message = {
            "origin": self.phone.base_url,
            "registrationId": self.registration,
            "data": json.dumps(notice),
        }
        self.tools.send("ServiceWorker.deliverPushMessage", message)
        self.worker.evaluate(IS_SHOWN, self.delivered)
        return notice

    def notifications(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.page.evaluate(NOTIFICATIONS)
        return found


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    folder = tmp_path_factory.mktemp("system")
    with systems.running(folder, VAPID_PRIVATE_KEY=new_vapid_key(), PUSH_HOSTS="127.0.0.1") as running:
        yield running


@pytest.fixture
def service() -> Iterator[Service]:
    with push_service.running() as running:
        yield running


def with_notices(start: Start, service: Service, username: str) -> Telephone:
    """The engineer has said yes on the me page."""
    phone = start(username, permissions=["geolocation", "notifications"])
    browser = Browser(f"{service.url}/{username}")
    phone.context.add_init_script(f"({SUBSCRIBES})({json.dumps(browser.subscription())}); {NO_CLOCK}")
    telephone = Telephone(phone, browser, service, phone.context.new_cdp_session(phone.page))
    telephone.tools.on("ServiceWorker.workerRegistrationUpdated", telephone.hear)
    telephone.tools.send("ServiceWorker.enable")
    telephone.complaints = watched(phone.page).complaints
    open_app(phone.page, "/phone/me/")
    phone.page.get_by_role("button", name="Turn on notifications").click()
    expect(phone.page.get_by_role("button", name="Turn off notifications")).to_be_visible()
    open_app(phone.page)
    telephone.worker.evaluate(WATCHED)
    return telephone


def subscribed(system: System, username: str) -> list[str]:
    query = """select endpoint from engineers_pushsubscription s join engineers_engineer e on e.id = s.engineer_id
               where e.staff_number = ?"""
    return [row["endpoint"] for row in rows(system, query, username.upper())]


def test_new_job_is_shown_and_a_tap_opens_it(system: System, start: Start, service: Service) -> None:
    one_job(system, "nora", 601)
    telephone = with_notices(start, service, "nora")
    assert subscribed(system, "nora") == [telephone.browser.endpoint]
    second = one_job(system, "nora", 602)
    address = f"/phone/jobs/{second['ours']}/"
    notice = telephone.next_notice()

    headers, _sealed = service.got[0]
    assert push_service.signed_claims(headers["authorization"])["aud"] == service.url.removesuffix("/push")
    (notification,) = telephone.notifications()
    assert (notification["title"], notification["data"]["url"], notification["tag"]) == (
        "New job",
        address,
        second["ours"],
    )
    assert notification["body"] == notice["body"]
    assert notification["body"].startswith(f"{second['postcode']} · Installation · ")
    # the open list has it by itself
    card = telephone.page.locator("a:has(.phone-card-place)").filter(has_text=second["postcode"])
    expect(card).to_be_visible()

    telephone.worker.evaluate(TAPPED)
    telephone.page.wait_for_url(f"**{address}")
    expect(telephone.page.locator(".main-button")).to_have_text("On my way")
    assert telephone.notifications() == []
    assert telephone.complaints == []


def test_unassigned_job_notifies_again_and_leaves_the_open_list(
    system: System, start: Start, service: Service
) -> None:
    one_job(system, "otto", 603)
    telephone = with_notices(start, service, "otto")
    second = one_job(system, "otto", 604)
    telephone.next_notice()
    card = telephone.page.locator("a:has(.phone-card-place)").filter(has_text=second["postcode"])
    expect(card).to_be_visible()
    take_off(system, second)
    telephone.next_notice()

    # replaces the first one, and sounds again
    assert [
        (notification["title"], notification["renotify"]) for notification in telephone.notifications()
    ] == [("Job unassigned", True)]
    expect(card).to_have_count(0)
    assert telephone.complaints == []


def test_no_notices_any_more_is_a_tap(system: System, start: Start, service: Service) -> None:
    one_job(system, "pia", 605)
    telephone = with_notices(start, service, "pia")
    open_app(telephone.page, "/phone/me/")
    telephone.page.get_by_role("button", name="Turn off notifications").click()
    expect(telephone.page.get_by_role("button", name="Turn on notifications")).to_be_visible()

    assert subscribed(system, "pia") == []
    one_job(system, "pia", 606)
    open_app(telephone.page)
    assert service.got == []
