"""What has changed is announced to a screen reader by one region of the board that stays on the page."""

import pytest
from playwright.sync_api import expect

from dispatch.states import JobState
from tests import make
from tests.board.test_browser import open_board
from tests.board.test_panel_forms_browser import raise_alarm
from tests.servers.browser import Window

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
]


def test_saved_change_message_and_new_alarm_are_announced(window: Window) -> None:
    job, page = make.job(at_state=JobState.ASSIGNED), window.page
    open_board(page)
    announcement = page.locator("#announcement")
    page.locator(f"#lanes #card-{job} a").focus()

    page.keyboard.press("Delete")
    expect(announcement).to_contain_text(f"{job.title} unassigned.")

    raise_alarm(job)
    expect(announcement).to_contain_text("The seller rejected a message")
