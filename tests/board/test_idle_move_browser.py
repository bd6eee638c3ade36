"""A move of a card that nobody ends: it holds the updates of the board back, so it must not last."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from dispatch.models import Job, Visit
from dispatch.states import JobState
from tests import make
from tests.board.test_browser import open_board
from tests.servers.browser import Window

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
]


def take_by_key(page: Page, job: Job) -> None:
    page.locator(f"#card-{job} a").focus()
    page.keyboard.press("m")
    expect(page.locator("#ghost")).to_be_visible()


def take_by_mouse(page: Page, job: Job) -> None:
    box = page.locator(f"#card-{job}").bounding_box()
    assert box
    page.mouse.move(box["x"] + 8, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + 60, box["y"] + 20, steps=4)
    expect(page.locator("#ghost")).to_be_visible()


def test_move_by_keys_is_cancelled_after_a_minute_without_a_key(window: Window) -> None:
    """The telephone rings, and the focus stays on the card."""
    job, page = make.job(at_state=JobState.ASSIGNED), window.page
    page.clock.install()
    open_board(page)
    take_by_key(page, job)
    page.clock.fast_forward(50_000)
    page.keyboard.press("ArrowRight")
    page.clock.fast_forward(50_000)
    expect(page.locator("#ghost")).to_be_visible()

    page.clock.fast_forward(11_000)

    expect(page.locator("#ghost")).to_have_count(0)
    expect(page.locator("#announcement")).to_have_text("Move cancelled.")
    make.job()
    expect(page.locator("#waiting .card")).to_have_count(1)
    assert Visit.objects.get().planned_start == make.at("08:00")


def test_drag_is_cancelled_after_a_minute_at_rest(window: Window) -> None:
    job, page = make.job(at_state=JobState.ASSIGNED), window.page
    page.clock.install()
    open_board(page)
    take_by_mouse(page, job)

    page.clock.fast_forward(61_000)

    expect(page.locator("#board.is-held")).to_have_count(0)
    page.mouse.up()
    expect(page.locator("#ghost")).to_have_count(0)
    make.job()
    expect(page.locator("#waiting .card")).to_have_count(1)
    assert Visit.objects.get().planned_start == make.at("08:00")


@pytest.mark.parametrize("take", [take_by_key, take_by_mouse])
def test_move_that_ended_takes_no_later_one_along(window: Window, take: Callable[[Page, Job], None]) -> None:
    """Half a minute after the first was ended."""
    job, page = make.job(at_state=JobState.ASSIGNED), window.page
    page.clock.install()
    open_board(page)
    take_by_mouse(page, job)
    page.keyboard.press("Escape")
    page.mouse.up()
    page.clock.fast_forward(30_000)
    take(page, job)

    page.clock.fast_forward(40_000)

    expect(page.locator("#ghost")).to_be_visible()
