"""Alarm contacts and the status page in a browser, at a desk and on a small screen."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from alerting import delivery_tasks
from alerting.models import AlarmContact, Channel
from engineers.models import LastSync, Role
from monitoring.alarms import raise_alarm
from monitoring.coded_texts import coded_text
from monitoring.heartbeats import record_beat
from monitoring.models import AlarmKind
from phone import pwa
from tests import make
from tests.alerting.contacts import contact, disk_full, set_up
from tests.board.windows import open_signed_in
from tests.servers import mailbox
from tests.servers.browser import Window, chromium

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.parametrize("window", [1440, 390], indirect=True),
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture
def window(browser: Browser, live_server: LiveServer, request: pytest.FixtureRequest) -> Iterator[Window]:
    ruth = make.dispatcher(username="ruth", role=Role.SUPERVISOR)
    opened = open_signed_in(browser, ruth, base_url=live_server.url, width=request.param)
    yield opened
    opened.page.context.close()


def look(window: Window, name: str) -> None:
    window.fits_its_width()
    window.looked_at(f"{name}-{window.page.viewport_size['width']}")


def test_contact_is_added_tested_and_its_failure_is_shown(window: Window, settings: Settings) -> None:
    page = window.page
    with mailbox.running() as mails:
        set_up(settings, mail_port=mails.port)
        page.goto("/board/alarms/contacts/")
        expect(page.get_by_text("Nobody is notified yet")).to_be_visible()
        new = page.get_by_role("region", name="Add contact")
        new.get_by_label("Name").fill("Anna, on call")
        new.get_by_label("Address").fill("anna at example")
        page.get_by_role("button", name="Add contact").click()
        expect(page.get_by_text("Enter an e-mail address, for example anna@example.org.")).to_be_visible()
        look(window, "alarm-contacts-refused")
        page.get_by_label("Address").fill("anna@example.org")
        page.get_by_role("button", name="Add contact").click()
        expect(page.get_by_text("Anna, on call was added.")).to_be_visible()

        contact("pager", channel=Channel.WEBHOOK, level=2)
        disk_full()
        delivery_tasks.notify_contacts()
        page.goto("/board/alarms/contacts/")
        page.get_by_role("button", name="Send a test to pager").click()
        page.get_by_role("button", name="Send a test to Anna, on call").click()
        delivery_tasks.send_deliveries()
        page.reload()

    expect(page.get_by_role("row", name="Anna, on call").first).to_contain_text("Sent")
    expect(page.get_by_role("row", name="pager")).to_contain_text("No connection")
    assert [mail["Subject"] for mail in mails.got] == ["A disk is nearly full", "Test of an alarm contact"]
    look(window, "alarm-contacts")
    page.get_by_text("Change", exact=True).first.click()
    look(window, "alarm-contacts-form")
    page.get_by_role("button", name="Delete Anna, on call").click()
    expect(page.get_by_text("Anna, on call was deleted.")).to_be_visible()
    assert list(AlarmContact.objects.values_list("name", flat=True)) == ["pager"]


def test_status_page_shows_every_part(window: Window) -> None:
    now = timezone.now()
    for number, (hours, version, release) in enumerate(
        [
            (0.1, pwa.version(), "0.2.0"),
            (2, pwa.version(), "0.2.0"),
            (30, "0123456789abcdef", "0.1.0"),
            (80, "", ""),
        ]
    ):
        LastSync.objects.create(
            engineer=make.engineer(name=f"Engineer {number}"),
            version=version,
            release=release,
            synced_at=now - timedelta(hours=hours),
        )
    make.engineer(name="Nora Newcomer")
    for process in ("relay dispatch-1 812", "web dispatch-1 901", "web dispatch-1 902", "worker"):
        record_beat(process, {})
    stuck = coded_text("process_stuck", process="web dispatch-1 902", since_at=now)
    raise_alarm(AlarmKind.PROCESS_STUCK, "web dispatch-1 902", stuck)

    window.page.goto("/board/status/")

    expect(window.page.get_by_role("row", name="Version 0.2.0")).to_contain_text("2 phones")
    expect(window.page.get_by_role("row", name="Engineer 2")).to_contain_text("Last sync")
    look(window, "status")
