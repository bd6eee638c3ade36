"""Two tabs of one dispatcher: what one of them shows is not changed by what is chosen in the other."""

from datetime import timedelta

import pytest
from playwright.sync_api import Page, Route, expect

from board.formatting import format_day
from dispatch import visits
from tests import make
from tests.board.test_browser import BOARD, open_board
from tests.board.test_two_dispatchers import streaming
from tests.board.test_views_browser import choose
from tests.servers.browser import Window, watched

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
]


def other_tab(window: Window, path: str = BOARD) -> Page:
    page = watched(window.page.context.new_page()).page
    page.goto(path)
    return page


def test_whole_day_stays_whole_where_another_tab_shows_its_afternoon(
    stream_port: int, window: Window
) -> None:
    engineer, job, page = make.engineer(), make.job(), window.page
    with streaming(stream_port):
        open_board(page)
        expect(page.locator("#board")).to_have_attribute("data-live", "stream")
        choose(other_tab(window), "Afternoon")

        page.locator(f"#card-{job} a").click()
        expect(page.locator("#panel")).to_have_attribute("data-job", str(job))
        assert page.locator("#lanes").get_attribute("data-quarters") == "52"
        visits.assign(job=job, engineer=engineer, starts_at=make.at("11:00"), by=make.office())

        expect(page.locator(f"#lane-{engineer.staff_number} #card-{job}.s16")).to_be_visible()
        expect(page.locator(".hours li").first).to_have_text("07:00")
        assert page.locator("#lanes").get_attribute("data-quarters") == "52"


def test_week_stays_a_week_where_another_tab_opens_one_of_its_days(window: Window) -> None:
    engineer, page = make.engineer(), window.page
    page.goto(BOARD)
    choose(page, "Week")
    expect(page.locator(".week-page[data-started]")).to_be_attached()
    cell = page.locator(f"#w1-{engineer.staff_number}")
    opened = other_tab(window, str(cell.get_attribute("href")))
    expect(opened.locator("#lanes")).to_be_visible()

    visits.assign(job=make.job(), engineer=engineer, starts_at=make.at("09:00"), by=make.office())

    expect(cell).to_contain_text("1 job")


@pytest.mark.parametrize("key", ["Shift+ArrowRight", "form"])
def test_next_day_and_row_height_are_in_the_view_of_their_tab(window: Window, key: str) -> None:
    page, tomorrow = window.page, make.DAY + timedelta(days=1)
    make.engineer()
    open_board(page)
    choose(other_tab(window), "Afternoon")

    if key == "form":
        page.locator(".day-nav summary").click()
        page.locator(".day-form #day").fill(str(tomorrow))
        page.get_by_role("button", name="Show", exact=True).click()
    else:
        page.keyboard.press(key)

    expect(page.locator("h1")).to_have_text(format_day(tomorrow))
    assert page.locator("#lanes").get_attribute("data-quarters") == "52"
    choose(other_tab(window), "Map")
    page.locator(".view-form summary").click()
    page.get_by_role("button", name="Dense").click()
    expect(page.locator("#board.density-dense.layout-timeline")).to_be_visible()
    assert page.locator("#lanes").get_attribute("data-quarters") == "52"


def test_page_of_another_view_is_not_mixed_in_and_takes_nothing_that_is_typed(window: Window) -> None:
    """As from a server of an older version, which does not read what the tab shows."""
    page, before = window.page, make.job()
    open_board(page)
    page.locator(f"#card-{before}").click(modifiers=["Control"])
    choose(other_tab(window), "Afternoon")

    def without_view(route: Route) -> None:
        route.continue_(headers={**route.request.headers, "board-view": "span=afternoon"})

    page.route("**/board/?day=*", without_view)
    make.job()

    expect(page.locator("#connection")).to_contain_text("Offline since")
    assert page.locator("#lanes").get_attribute("data-quarters") == "52"
    page.locator(f"#card-{before}").click(modifiers=["Control"])
    expect(page.get_by_role("button", name="Afternoon")).to_have_attribute("aria-pressed", "true")


def test_other_language_of_another_tab_is_taken_when_nothing_is_lost(window: Window) -> None:
    page, job = window.page, make.job()
    open_board(page, f"{BOARD}&job={job}")
    page.locator("#panel summary", has_text="Hold this job").click()
    reason = page.get_by_label("Reason for the hold")
    reason.fill("Dog in the garden")
    other = other_tab(window)
    other.locator(".user-menu summary").click()
    other.get_by_role("button", name="Deutsch").click()
    expect(other.locator("html")).to_have_attribute("lang", "de")

    waiting = make.job()
    expect(page.locator(f"#waiting #card-{waiting}")).to_be_visible()
    expect(reason).to_have_value("Dog in the garden")

    other.get_by_role("button", name="Nachmittag").click()
    expect(other.locator("#lanes")).not_to_have_attribute("data-quarters", "52")
    reason.fill("")
    page.locator("#lanes").focus()
    make.job()
    expect(page.locator("html")).to_have_attribute("lang", "de")
    assert page.locator("#lanes").get_attribute("data-quarters") == "52"
