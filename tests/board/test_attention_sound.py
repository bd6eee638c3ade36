"""The sound for new entries of the Attention list, on pages that are not the board."""

import pytest
from playwright.sync_api import Page, expect

from monitoring import alarms
from monitoring.coded_texts import coded_text
from monitoring.models import Alarm, AlarmKind
from tests.servers.browser import Window

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.parametrize("window", [1440, 390], indirect=True),
]
# counts the tones of a page: nobody listens to a test
COUNTED = """
window.tones = 0;
const begin = OscillatorNode.prototype.start;
OscillatorNode.prototype.start = function (...when) { window.tones += 1; return begin.apply(this, when); };
"""
# asked every five seconds, on a machine that does much else


def raise_held(job_id: str, *, reason: str = "400") -> None:
    text = coded_text("message_held", address="1 Mill Lane, LS30 1AA", job=job_id, reason=reason)
    alarms.raise_alarm(AlarmKind.MESSAGE_HELD, job_id, text)


def tones(page: Page) -> int:
    found: int = page.evaluate("window.tones")
    return found


def started(page: Page, path: str) -> None:
    page.goto(path)
    expect(page.locator("header.bar")).to_have_attribute("data-started", "")


def test_new_entry_sounds_and_is_counted_on_pages_of_the_office(window: Window) -> None:
    page = window.page
    page.add_init_script(COUNTED)
    started(page, "/board/messages/")
    page.locator(".user-menu summary").click()
    page.get_by_label("Sound for new entries").check()
    # once as a sample
    assert tones(page) == 1
    window.looked_at(f"attention-sound-{page.viewport_size['width']}")
    page.locator(".user-menu summary").click()

    raise_held("J-1")

    expect(page.locator("#nav")).to_have_attribute("data-attention", f"alarm-{Alarm.objects.get().pk}")
    expect(page.get_by_role("link", name="Attention 1 unhandled")).to_be_visible()
    assert page.title().startswith("(1) ")
    assert tones(page) == 2

    # what came between two pages is announced by the next, once
    raise_held("J-2")
    started(page, "/board/people/")
    assert tones(page) == 1
    started(page, "/board/alarms/")
    assert tones(page) == 0
    choice = page.locator("main").get_by_label("Sound for new entries")
    expect(choice).to_be_checked()
    window.fits_its_width()
    window.looked_at(f"attention-list-{page.viewport_size['width']}")

    # its own list follows; without the choice nothing is heard
    choice.uncheck()
    choice.check()
    page.locator("h1").click()
    raise_held("J-3")
    expect(page.locator("#attention-page article")).to_have_count(3)
    assert tones(page) == 2
    choice.uncheck()
    raise_held("J-4")
    started(page, "/board/messages/")
    assert tones(page) == 0
