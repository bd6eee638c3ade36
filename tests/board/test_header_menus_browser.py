"""The menus of the board's header: they float over the page, and leave by Escape and by a press elsewhere."""

import pytest
from playwright.sync_api import FloatRect, Locator, expect

from dispatch.states import JobState
from tests import make
from tests.board.test_browser import open_board
from tests.servers.browser import Window

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
]


def box_of(element: Locator) -> FloatRect:
    box = element.bounding_box()
    assert box
    return box


@pytest.mark.parametrize("name", [".view-form .menu", ".user-menu", ".day-nav .menu"])
def test_menu_moves_nothing_and_closes(window: Window, name: str) -> None:
    make.job(at_state=JobState.ASSIGNED)
    page = window.page
    open_board(page)
    menu, board = page.locator(name), page.locator("#board")
    button, content = menu.locator("summary"), menu.locator(".menu-box")
    before = box_of(button), box_of(board)

    button.click()

    expect(content).to_be_visible()
    assert (box_of(button), box_of(board)) == before
    page.keyboard.press("Escape")
    expect(content).to_be_hidden()
    expect(button).to_be_focused()
    button.click()
    page.locator("#middle").click(position={"x": 400, "y": 500})
    expect(content).to_be_hidden()


def test_check_boxes_stand_in_one_line_with_their_label(window: Window) -> None:
    page = window.page
    open_board(page)
    page.get_by_text("More filters").click()
    page.locator(".user-menu summary").click()

    for field in page.locator(".check input[type=checkbox]").all():
        box, label = box_of(field), box_of(field.locator(".."))
        assert box["width"] <= 20
        assert abs(box["y"] + box["height"] / 2 - label["y"] - label["height"] / 2) < 2


def test_long_name_of_a_filter_stays_in_its_column(window: Window) -> None:
    page = window.page
    open_board(page)
    page.get_by_text("More filters").click()
    page.get_by_label("Save as").fill("North" * 8)

    page.get_by_label("Save as").press("Enter")

    chip, column = box_of(page.get_by_role("button", name="North" * 8)), box_of(page.locator("#filters"))
    assert chip["x"] + chip["width"] <= column["x"] + column["width"]
