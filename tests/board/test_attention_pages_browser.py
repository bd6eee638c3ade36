"""One Attention list on every page of the office: pages that are not the board follow it, also without a sound."""

import pytest
from playwright.sync_api import expect

from monitoring import alarms
from monitoring.models import Alarm, AlarmKind
from tests import make
from tests.board.test_attention_sound import raise_held, started
from tests.servers.browser import Window

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
]
HALF_A_MINUTE_MS = 31_000


def test_number_and_banner_follow_without_a_sound(window: Window) -> None:
    page = window.page
    page.clock.install()
    started(page, "/board/messages/")
    raise_held("J-1")

    page.clock.fast_forward(HALF_A_MINUTE_MS)

    expect(page.get_by_role("link", name="Attention 1 unhandled")).to_be_visible()
    expect(page.locator("#alarm-banner")).to_contain_text("J-1")
    assert page.title().startswith("(1) ")


def test_list_on_a_second_screen_is_that_of_now(window: Window) -> None:
    """Also an entry that was taken leaves it when it is over."""
    dana, page = make.dispatcher(), window.page
    raise_held("J-1")
    alarms.acknowledge_alarm(Alarm.objects.get(), owner_id=dana.pk)
    page.clock.install()
    started(page, "/board/alarms/")
    entries = page.locator("#attention-page article")
    expect(entries).to_have_count(1)

    raise_held("J-2")
    page.clock.fast_forward(HALF_A_MINUTE_MS)
    expect(entries).to_have_count(2)

    alarms.clear_alarm(AlarmKind.MESSAGE_HELD, "J-1")
    page.clock.fast_forward(HALF_A_MINUTE_MS)
    expect(entries).to_have_count(1)


def test_entry_with_another_text_follows(window: Window) -> None:
    page = window.page
    raise_held("J-1")
    page.clock.install()
    started(page, "/board/alarms/")
    expect(page.locator("#attention-page article")).to_contain_text("400")

    raise_held("J-1", reason="503")
    page.clock.fast_forward(HALF_A_MINUTE_MS)

    expect(page.locator("#attention-page article")).to_contain_text("503")


def test_part_with_the_focus_stays_and_follows_afterwards(window: Window) -> None:
    page = window.page
    raise_held("J-1")
    page.clock.install()
    started(page, "/board/alarms/")
    button = page.get_by_role("button", name="I'll handle it")
    button.focus()
    raise_held("J-2")
    page.clock.fast_forward(HALF_A_MINUTE_MS)
    expect(page.get_by_role("link", name="Attention 2 unhandled")).to_be_visible()

    expect(button).to_be_focused()
    expect(page.locator("#attention-page article")).to_have_count(1)

    page.locator("h1").click()
    page.clock.fast_forward(HALF_A_MINUTE_MS)
    expect(page.locator("#attention-page article")).to_have_count(2)
