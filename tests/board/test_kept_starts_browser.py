"""A card that goes to another row keeps the start of its visit, also where the board does not show it to the minute."""

import pytest
from playwright.sync_api import expect

from dispatch import visits
from dispatch.models import Job, Visit
from engineers.models import Engineer
from tests import make
from tests.board.test_browser import BOARD, open_board
from tests.servers.browser import Window

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
]


def planned(engineer: Engineer, clock: str, window: tuple[str, str] = ("08:00", "13:00")) -> Job:
    job = make.job(window=window)
    visits.assign(job=job, engineer=engineer, starts_at=make.at(clock), by=make.office())
    return job


def test_card_that_begins_before_the_afternoon_keeps_its_start_in_another_row(window: Window) -> None:
    anna, bob, page = make.engineer(name="Anna Able"), make.engineer(name="Bob Brown"), window.page
    job = planned(anna, "10:30", ("08:00", "15:00"))
    open_board(page)
    page.get_by_role("button", name="Afternoon", exact=True).click()
    expect(page.locator("#lanes[data-started][data-start*='T12:00']")).to_be_attached()
    card, ghost = page.locator(f"#card-{job}"), page.locator("#ghost")
    box, row = card.bounding_box(), page.locator(f"#lane-{bob.staff_number} .track").bounding_box()
    assert box and row

    page.mouse.move(box["x"] + 8, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + 8, row["y"] + 20, steps=4)
    expect(ghost).to_contain_text("Bob Brown 10:30–12:30")
    expect(ghost).to_contain_text("✓ fits")
    page.mouse.up()

    expect(page.locator(f"#lane-{bob.staff_number} #card-{job}")).to_be_visible()
    assert Visit.objects.current().get().planned_start == make.at("10:30")


def test_card_off_the_quarter_hour_keeps_its_start_until_its_time_is_changed(window: Window) -> None:
    anna, bob, page = make.engineer(name="Anna Able"), make.engineer(name="Bob Brown"), window.page
    job = planned(anna, "09:10")
    open_board(page)
    page.locator(f"#card-{job} a").focus()

    for key in ("m", "ArrowDown"):
        page.keyboard.press(key)
    expect(page.locator("#announcement")).to_contain_text("Bob Brown, 09:10")
    page.keyboard.press("Enter")

    expect(page.locator(f"#lane-{bob.staff_number} #card-{job}")).to_be_visible()
    assert Visit.objects.current().get().planned_start == make.at("09:10")
    page.locator(f"#card-{job} a").focus()
    for key in ("m", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    expect(page.locator(f"#card-{job}.s9")).to_be_visible()
    assert Visit.objects.current().get().planned_start == make.at("09:15")


def test_start_in_the_panel_may_be_any_minute(window: Window) -> None:
    """A browser counts its steps from the value that the field has."""
    job, page = planned(make.engineer(name="Anna Able"), "09:10"), window.page
    page.goto(f"{BOARD}&job={job}")
    form = page.locator(".free-choice")
    form.get_by_label("Or choose an engineer").select_option(label="Anna Able")
    form.get_by_label("Planned start").fill("2026-11-23T09:15")

    form.get_by_role("button").last.click()

    expect(page.locator(f"#card-{job}")).to_contain_text("09:15")
    assert Visit.objects.current().get().planned_start == make.at("09:15")
