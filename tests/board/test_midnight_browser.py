"""A board or a week that is left open over midnight, and hours that change while the board is open."""

from collections.abc import Iterator
from datetime import date, time, timedelta

import pytest
import time_machine
from playwright.sync_api import Page, expect

from board import formatting
from dispatch.states import JobState
from tests import make
from tests.board.test_browser import open_board
from tests.board.test_two_dispatchers import streaming
from tests.servers.browser import Window

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
]
# the night before a week begins
MONDAY = make.DAY + timedelta(days=7 - make.DAY.weekday())
SUNDAY = MONDAY - timedelta(days=1)


@pytest.fixture
def late_on_sunday() -> Iterator[None]:
    with time_machine.travel(make.at("23:50", day=SUNDAY)):
        yield


@pytest.fixture
def window(late_on_sunday: None, window: Window) -> Window:
    return window


def shows(page: Page, day: date) -> None:
    expect(page.locator("h1")).to_have_text(formatting.format_day(day))


def today_is(page: Page, day: date) -> None:
    link = page.get_by_role("link", name="Today", exact=True)
    expect(link).to_have_attribute("href", f"?day={day}")


def test_board_left_open_over_midnight_is_of_the_new_day(window: Window) -> None:
    make.engineer()
    job, page = make.job(day=MONDAY), window.page
    open_board(page, "/board/")
    shows(page, SUNDAY)

    with time_machine.travel(make.at("00:05", day=MONDAY)):
        expect(page.locator(f"#waiting #card-{job}")).to_be_visible()
        shows(page, MONDAY)
        today_is(page, MONDAY)
        assert page.locator("#lanes").get_attribute("data-start") == make.at("07:00", day=MONDAY).isoformat()
    assert window.complaints == []


def test_board_of_a_stream_left_open_over_midnight_is_of_the_new_day(
    stream_port: int, window: Window
) -> None:
    make.engineer()
    page = window.page
    with streaming(stream_port):
        open_board(page, "/board/")
        expect(page.locator("#board")).to_have_attribute("data-live", "stream")
        shows(page, SUNDAY)

        with time_machine.travel(make.at("00:05", day=MONDAY)):
            shows(page, MONDAY)
            expect(page.locator("#board")).to_have_attribute("data-live", "stream")


def test_board_whose_card_was_opened_is_of_the_new_day_after_midnight(window: Window) -> None:
    """A card and the panel's Close write the day into the address."""
    job = make.job(day=SUNDAY)
    page = window.page
    open_board(page, "/board/")
    page.locator(f"#card-{job} a").click()
    page.locator("a[data-close-panel]").click()
    expect(page.locator("#panel")).to_be_hidden()
    today_is(page, SUNDAY)

    with time_machine.travel(make.at("00:05", day=MONDAY)):
        shows(page, MONDAY)
        today_is(page, MONDAY)


def test_board_of_the_next_day_stays_as_that_day_begins(window: Window) -> None:
    page = window.page
    open_board(page, f"/board/?day={MONDAY}")

    with time_machine.travel(make.at("00:05", day=MONDAY)):
        make.job(day=MONDAY)
        today_is(page, MONDAY)
        shows(page, MONDAY)


def test_half_filled_form_stays_over_midnight_with_its_day(window: Window) -> None:
    """The board goes on with the day that it shows, and is loaded anew when nothing is lost by it."""
    job = make.job(at_state=JobState.ASSIGNED, day=MONDAY)
    page = window.page
    open_board(page, f"/board/?job={job}")
    page.locator("#panel summary", has_text="Hold this job").click()
    reason = page.get_by_label("Reason for the hold")
    reason.fill("Dog in the garden")

    with time_machine.travel(make.at("00:05", day=MONDAY)):
        page.wait_for_url(f"**/board/?job={job}&day={SUNDAY}")
        other = make.job(day=SUNDAY)
        expect(page.locator(f"#waiting #card-{other}")).to_be_visible()
        expect(reason).to_have_value("Dog in the garden")
        shows(page, SUNDAY)

        reason.fill("")
        page.locator("#lanes").focus()
        make.job(day=SUNDAY)
        today_is(page, MONDAY)
        shows(page, SUNDAY)


def test_engineer_chosen_for_a_selection_that_is_gone_keeps_no_day(window: Window) -> None:
    engineer, job, page = make.engineer(), make.job(day=SUNDAY), window.page
    open_board(page, "/board/")
    page.locator(f"#card-{job} a").focus()
    page.keyboard.press("s")
    bar = page.locator("#selection")
    bar.get_by_label("Engineer").select_option(engineer.staff_number)
    bar.get_by_role("button", name="Clear selection").click()

    with time_machine.travel(make.at("00:05", day=MONDAY)):
        shows(page, MONDAY)


def test_week_left_open_over_sunday_night_is_the_new_one(window: Window) -> None:
    make.engineer()
    page = window.page
    open_board(page, "/board/")
    page.get_by_role("button", name="Week", exact=True).click()
    expect(page.locator(".week-page[data-started]")).to_be_attached()
    page.goto("/board/")
    expect(page.locator(".week-page[data-started]")).to_be_attached()
    expect(page.locator("h1")).to_have_text(f"Week {SUNDAY.isocalendar().week}")

    with time_machine.travel(make.at("00:05", day=MONDAY)):
        expect(page.locator("h1")).to_have_text(f"Week {MONDAY.isocalendar().week}")
        today_is(page, MONDAY)


def test_hours_move_with_a_day_that_begins_later_and_is_as_long(window: Window) -> None:
    engineer, page = make.engineer(starts="05:00", ends="20:00"), window.page
    open_board(page)
    hours = page.locator(".hours li")
    expect(hours).to_have_count(15)
    expect(hours.first).to_have_text("05:00")

    engineer.shifts.update(starts=time(7), ends=time(22))
    make.job()

    expect(hours.first).to_have_text("07:00")
    expect(hours).to_have_count(15)
