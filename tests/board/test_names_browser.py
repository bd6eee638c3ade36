"""Engineers' names on a phone's screen: on two lines rather than cut, in each row height."""

import pytest
from playwright.sync_api import expect

from dispatch.states import JobState
from engineers.models import Area, Role, User
from tests import make
from tests.servers.browser import Window

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
]
# names of which not all is inside their row's head; 2 px for the space that a font has above and below its letters
CUT = """names => names.filter((name) => {
  const box = name.closest(".lane-name").getBoundingClientRect();
  const range = document.createRange();
  range.selectNodeContents(name);
  const lines = [...range.getClientRects()];
  const isInside = ({ left, right, top, bottom }) => left >= box.left && right <= box.right + 1
    && top >= box.top - 2 && bottom <= box.bottom + 2;
  return !lines.length || !lines.every(isInside) || name.scrollHeight > name.clientHeight + 4;
}).map((name) => name.textContent)"""
RIGHT_EDGES = "cells => cells.map((cell) => cell.getBoundingClientRect().right)"
NAMES = ("Bea Okafor", "Anne-Marie Shaughnessy", "Maximilian Hohenzollern", "Konstantin Papadopoulos")


@pytest.mark.parametrize("window", [390], indirect=True)
@pytest.mark.parametrize("density", ["Comfortable", "Compact", "Dense"])
def test_names_are_whole_on_a_narrow_screen(window: Window, density: str) -> None:
    for name in NAMES:
        make.job(at_state=JobState.ASSIGNED, to=make.engineer(name=name))
    make.engineer(name="Oluwaseun Adebayo-Whittington-Featherstonehaugh")
    page = window.page
    page.goto(f"/board/?day={make.DAY}")
    page.get_by_text("View", exact=True).click()
    page.get_by_role("button", name=density, exact=True).click()
    expect(page.locator(f".density-{density.lower()}")).to_be_attached()
    # the page is another one, and its style sheets may come after its rows
    page.wait_for_load_state()

    cut = page.locator(".lane-name h4").evaluate_all(CUT)

    # who has more than two lines of a name ends in dots, and has it in the link and its tooltip
    assert cut == ["Oluwaseun Adebayo-Whittington-Featherstonehaugh"]
    longest = page.get_by_role("link", name=cut[0])
    expect(longest).to_have_attribute("title", cut[0])
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    window.looked_at(f"phone-board-{density.lower()}")


@pytest.mark.parametrize("window", [1440], indirect=True)
def test_name_of_a_hundred_characters_leaves_the_other_columns_in_the_window(window: Window) -> None:
    User.objects.update(role=Role.SUPERVISOR)
    make.engineer(name="O" * 100)
    make.engineer(name="Bea Okafor")
    Area.objects.create(name="W" * 60, postcodes="LS")
    page = window.page

    for path in ("/board/people/", "/board/people/areas/"):
        page.goto(path)
        edges = page.locator("thead th").evaluate_all(RIGHT_EDGES)
        assert max(edges) <= 1440, path
        assert page.evaluate("document.documentElement.scrollWidth") == 1440, path
