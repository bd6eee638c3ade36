"""A dispatcher sees on Sunday that a coming afternoon lacks a cherry picker, and goes to its jobs."""

from datetime import timedelta

import pytest
from playwright.sync_api import expect

from dispatch import visits
from dispatch.capacity.tasks import watch_capacity
from dispatch.models import Job
from engineers.models import Area
from tests import make
from tests.servers.browser import Window

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
TUESDAY = make.DAY + timedelta(days=1)
PATH = "/board/plans/capacity/"


def grow() -> Job:
    """Two areas with three engineers each, visits on each day, and a job for a cherry picker that nobody has."""
    for name, postcodes, skills in (
        ("Leeds North", "LS6", ("mdu",)),
        ("Leeds South", "LS11", make.ALL_SKILLS),
    ):
        area = Area.objects.create(name=name, postcodes=postcodes)
        for number in range(3):
            engineer = make.engineer(name=f"{name} {number}", skills=skills)
            engineer.area = area
            engineer.save(update_fields=["area"])
            for offset in range(number, 12, 2):
                day = make.DAY + timedelta(days=offset)
                job = make.job(day=day)
                visits.assign(
                    job=job, engineer=engineer, starts_at=make.at("08:00", day=day), by=make.office()
                )
    make.job(day=TUESDAY, window=("13:00", "18:00"))
    return make.job(day=TUESDAY, window=("13:00", "18:00"), flags=("CHP",))


def test_short_afternoon_is_seen_and_leads_to_the_board(window: Window) -> None:
    job, page = grow(), window.page
    page.goto(f"/board/?day={make.DAY}")
    page.get_by_text("View", exact=True).click()
    page.get_by_role("link", name="Capacity").click()
    expect(page.get_by_text("1 half day is short")).to_be_visible()

    # the skills of an area open by keyboard, and stay open
    expect(page.locator("#capacity[data-started]")).to_be_attached()
    row = page.get_by_role("row", name="Cherry picker Leeds North")
    expect(row).to_be_hidden()
    page.get_by_role("button", name="Skills Leeds North").focus()
    page.keyboard.press("Enter")
    expect(row).to_be_visible()
    page.reload()
    expect(row).to_be_visible()
    expect(row.get_by_role("link")).to_have_count(1)
    window.looked_at("capacity")

    row.get_by_role("link", name="Tue 24 Nov, Afternoon").click()
    expect(page.locator("#filter-area")).to_have_value("Leeds North")
    expect(page.locator("#filter-skill")).to_have_value("cherry-picker")
    expect(page.locator("#waiting .card:visible")).to_have_count(1)
    expect(page.locator(f"#card-{job}")).to_be_visible()
    expect(page.get_by_role("button", name="Afternoon", exact=True)).to_have_attribute("aria-pressed", "true")

    window.picture("capacity-board")

    # the warning says the same, and leads there as well
    watch_capacity()
    page.goto("/board/alarms/")
    expect(
        page.get_by_text("Afternoon, Tue 24 Nov, Leeds North: 1 job needs “Cherry picker”")
    ).to_be_visible()
    window.looked_at("capacity-alarm")
    page.get_by_role("link", name="Show capacity").click()
    expect(page.get_by_role("heading", name="Capacity Mon 23 Nov – Sun 6 Dec")).to_be_visible()


@pytest.mark.parametrize("window", [390], indirect=True)
def test_capacity_on_a_phone(window: Window) -> None:
    grow()
    page = window.page
    page.goto(PATH)
    expect(page.locator("#capacity[data-started]")).to_be_attached()
    page.get_by_role("button", name="Skills Leeds North").click()

    expect(page.get_by_role("row", name="Cherry picker Leeds North")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    window.looked_at("phone-capacity")
