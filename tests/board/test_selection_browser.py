"""Several jobs at once and the engineer's panel, in a real browser."""

import pytest
from playwright.sync_api import expect

from tests import make
from tests.servers.browser import Window

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
]


def test_selected_jobs_go_to_one_engineer_who_is_then_marked_absent(window: Window) -> None:
    """Ctrl+click and S select, the bar assigns; the name of the row opens the panel, where the jobs are offered."""
    erin, fred = make.engineer(name="Erin Engineer"), make.engineer(name="Fred Free")
    jobs_of_day, page = [make.job(), make.job()], window.page
    page.goto(f"/board/?day={make.DAY}")
    expect(page.locator("#selection[data-started]")).to_be_attached()
    first, second = (page.locator(f"#card-{job.provider_job_id}") for job in jobs_of_day)

    first.click(modifiers=["Control"])
    second.locator("a").focus()
    page.keyboard.press("s")
    expect(page.locator("#selection-count")).to_have_text("2 selected")
    window.looked_at("board-selection")
    page.get_by_label("Engineer", exact=True).select_option("Erin Engineer")
    page.locator("#selection").get_by_role("button", name="Assign", exact=True).click()
    lane = page.locator(f"#lane-{erin.staff_number}")
    expect(lane.locator(".card")).to_have_count(2)
    expect(page.locator("#selection")).to_be_hidden()

    lane.get_by_role("link", name="Erin Engineer").click()
    page.get_by_text("Mark absent").first.click()
    page.get_by_label("Reason").fill("Flu")
    page.get_by_role("button", name="Mark absent").click()
    expect(page.get_by_role("heading", name="Jobs to reassign")).to_be_visible()
    window.looked_at("board-absent")
    page.get_by_role("button", name="Reassign all").click()
    expect(page.locator(f"#lane-{fred.staff_number} .card")).to_have_count(2)
    expect(page.get_by_role("heading", name="Jobs to reassign")).to_have_count(0)

    expect(page.locator("#context-menu[data-started]")).to_be_attached()
    page.locator(f"#lane-{fred.staff_number} .card a").first.click(button="right")
    page.get_by_role("menuitem", name="Unassign").click()
    expect(page.locator(f"#lane-{fred.staff_number} .card")).to_have_count(1)
    page.locator(f"#lane-{fred.staff_number}").get_by_role("link", name="Fred Free").focus()
    page.keyboard.press("Shift+F10")
    expect(page.get_by_role("menuitem", name="Visits, absence, swap")).to_be_focused()
    window.looked_at("board-context-menu")
    page.keyboard.press("Escape")
    expect(page.locator(f"#lane-{fred.staff_number}").get_by_role("link", name="Fred Free")).to_be_focused()
    assert window.complaints == []
