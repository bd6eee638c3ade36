"""Next to the large map the rows are lists without a time axis: no card is moved there, by whatever means."""

import pytest
from playwright.sync_api import expect

from dispatch.states import JobState
from tests import make
from tests.servers.browser import Window

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize(("layout", "can_move"), [("map", False), ("timeline", True)])
def test_keys_and_menu_move_a_card_only_along_a_time_axis(
    window: Window, layout: str, *, can_move: bool
) -> None:
    job, page = make.job(at_state=JobState.ASSIGNED, to=make.engineer()), window.page
    page.goto(f"/board/?day={make.DAY}&layout={layout}")
    for part in ("#context-menu", "#announcement"):
        expect(page.locator(f"{part}[data-started]")).to_be_attached()
    if not can_move:
        expect(page.locator("#board.layout-map")).to_be_attached()
    card = page.locator(f"#card-{job.provider_job_id} a")

    card.focus()
    page.keyboard.press("Shift+F10")
    expect(page.get_by_role("menuitem", name="Show details")).to_be_visible()
    move = page.get_by_role("menuitem", name="Move with the arrow keys")
    expect(move).to_be_visible(visible=can_move)
    page.keyboard.press("Escape")
    card.focus()
    page.keyboard.press("m")
    expect(page.locator("#ghost")).to_have_count(int(can_move))
    page.keyboard.press("Escape")
    page.evaluate(
        "id => document.dispatchEvent(new CustomEvent('board:move', { detail: document.getElementById(id) }))",
        f"card-{job.provider_job_id}",
    )
    expect(page.locator("#ghost")).to_have_count(int(can_move))
    expect(page.locator(".is-moving")).to_have_count(int(can_move))
