"""A start after the window, agreed on the telephone: entered in the panel, then named on the card and not late."""

from collections.abc import Iterator

import pytest
import time_machine
from playwright.sync_api import expect

from dispatch.models import Visit
from tests import make
from tests.servers.browser import Window

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
]


@pytest.fixture
def after_the_window() -> Iterator[None]:
    with time_machine.travel(make.at("13:20")):
        yield


@pytest.mark.parametrize("window", [1440, 390], indirect=True)
def test_agreement_is_entered_in_the_panel_and_shown(window: Window, after_the_window: None) -> None:
    engineer, job, page = make.engineer(name="Bea Okafor"), make.job(duration_minutes=60), window.page
    page.goto(f"/board/?day={make.DAY}&job={job}")
    panel = page.locator("#panel")
    expect(panel).to_contain_text("If a later start today is agreed, enter it here.")
    wide = page.viewport_size["width"] > 400
    window.looked_at("board-agree" if wide else "phone-board-agree")

    panel.get_by_label("Engineer", exact=True).select_option("Bea Okafor")
    panel.get_by_label("Planned start").fill(f"{make.DAY}T15:00")
    panel.get_by_role("button", name="Assign as agreed").click()
    # the browser asks for what was agreed
    assert not Visit.objects.exists()
    panel.get_by_label("What was agreed, and with whom").fill("Ms Tester by telephone: 15:00 is fine")
    panel.get_by_role("button", name="Assign as agreed").click()

    card = page.locator(f"#lane-{engineer.staff_number} #card-{job}")
    expect(card).to_contain_text("Agreed")
    assert card.locator(".card-late").evaluate("word => word.scrollWidth <= word.parentElement.clientWidth")
    expect(panel).to_contain_text("A start at 15:00 is agreed.")
    expect(panel.locator(".badge").first).to_contain_text("Agreed 15:00: instead of the window 08:00–13:00")
    assert page.evaluate("document.documentElement.scrollWidth") == page.viewport_size["width"]
    window.looked_at("board-agreed" if wide else "phone-board-agreed")
