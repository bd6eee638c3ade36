"""One story of the other views of the board: map and week in a real browser, by mouse and by keyboard."""

from datetime import timedelta

import pytest
from playwright.sync_api import Locator, Page, expect

from dispatch import visits
from dispatch.models import Job
from dispatch.states import JobState
from engineers.models import Area, Engineer
from tests import make
from tests.servers.browser import Window

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
]
BOARD = f"/board/?day={make.DAY}"


def job_at(postcode: str, latitude: float, longitude: float) -> Job:
    job = make.job()
    Job.objects.filter(pk=job.pk).update(latitude=latitude, longitude=longitude, postcode=postcode)
    return Job.objects.get(pk=job.pk)


def choose(page: Page, view: str) -> None:
    page.get_by_role("button", name=view, exact=True).click()
    expect(page.get_by_role("button", name=view, exact=True)).to_have_attribute("aria-pressed", "true")
    page.wait_for_load_state()


def drawn_map(page: Page) -> None:
    expect(page.locator("#day-map[data-started]")).to_be_attached()
    expect(page.locator("#map-legend li")).not_to_have_count(0)


def card(page: Page, job: Job) -> Locator:
    return page.locator(f"#card-{job.provider_job_id}")


def assign(job: Job, engineer: Engineer, clock: str) -> None:
    visits.assign(job=job, engineer=engineer, starts_at=make.at(clock), by=make.office())


def test_day_on_the_map_and_in_the_week(window: Window) -> None:
    engineer, page = make.engineer(name="Erin Engineer"), window.page
    west, east = job_at("LS1 1AA", 53.80, -1.60), job_at("LS2 2BB", 53.80, -1.40)
    waiting = job_at("LS3 3CC", 53.85, -1.50)
    assign(west, engineer, "08:00")
    assign(east, engineer, "10:45")
    make.job(located=False)
    page.goto(BOARD)

    # next to the timeline: every pin has its card, a job without a location is counted
    choose(page, "Split")
    drawn_map(page)
    expect(page.locator("#map-note")).to_have_text("Not on the map, without a location: 1")
    expect(card(page, west)).to_be_visible()
    window.looked_at("board-split")

    # instead of it; by keyboard a card opens the panel and chooses its pin, by mouse a pin chooses its card
    choose(page, "Map")
    drawn_map(page)
    card(page, east).locator("a").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#panel")).to_have_attribute("data-job", east.provider_job_id)
    find_pin(page, waiting)
    expect(page.locator("#panel")).to_have_attribute("data-job", waiting.provider_job_id)
    window.looked_at("board-map")

    # a filter takes pins off, and what another dispatcher does is seen
    page.get_by_label("Filter by postcode, street or type").fill("LS2")
    expect(card(page, waiting)).to_be_hidden()
    find_pin(page, east)
    expect(page.locator("#panel")).to_have_attribute("data-job", east.provider_job_id)
    page.get_by_label("Filter by postcode, street or type").fill("")
    visits.unassign(job=west, by=make.office())
    expect(page.locator(f"#waiting #card-{west.provider_job_id}")).to_be_visible()

    choose(page, "Week")
    cell = page.locator(f"#w1-{engineer.staff_number}")
    expect(cell).to_contain_text("1 job")
    window.looked_at("board-week")
    page.locator("#u1").focus()
    page.keyboard.press("ArrowDown")
    expect(cell).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(page.locator(f"#w2-{engineer.staff_number}")).to_be_focused()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(page.locator(f"#lane-{engineer.staff_number}")).to_be_visible()
    # the choice of the layout is remembered
    drawn_map(page)


@pytest.mark.parametrize("window", [390], indirect=True)
def test_chosen_view_is_in_sight_in_a_narrow_window(window: Window) -> None:
    """Below Attention and all unassigned jobs, and the week begins with Monday."""
    for name in ("Erin Engineer", "Bert Copper", "Cara Duct"):
        make.engineer(name=name)
    for number in range(12):
        job_at(f"LS{number + 1} 1AA", 53.80, -1.60)
    page = window.page
    page.goto(BOARD)

    choose(page, "Map")
    drawn_map(page)
    expect(page.locator("#day-map")).to_be_in_viewport(ratio=0.9)
    expect(page.get_by_text("No map tiles are configured.")).to_be_visible()

    page.goto("/board/")
    choose(page, "Week")
    expect(page.locator("th.is-today")).to_be_in_viewport(ratio=0.9)


@pytest.mark.parametrize("window", [1440, 390], indirect=True)
def test_count_of_another_day_leads_to_its_jobs(window: Window) -> None:
    """Next week: one job without the survey that it needs, one that is fine."""
    page, monday = window.page, make.DAY + timedelta(days=364)
    at_risk, fine = make.job(day=monday, flags=("SUR",)), make.job(day=monday)
    page.goto(f"/board/?day={monday}")
    choose(page, "Week")
    window.looked_at("board-week-risk")

    page.get_by_role("link", name="1 at risk").first.click()

    expect(page.get_by_role("button", name="At risk 1")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_text("1 of 2 jobs match the filter")).to_be_visible()
    expect(card(page, at_risk)).to_be_visible()
    expect(card(page, fine)).to_be_hidden()
    window.looked_at("board-other-day-at-risk")
    # cleared, it stays so
    page.get_by_role("button", name="Clear", exact=True).click()
    page.reload()
    expect(card(page, fine)).to_be_visible()


def test_head_of_an_area_is_whole_next_to_the_map(window: Window) -> None:
    """Its name and its counts are wider than the column: they stand on two lines."""
    engineer, page = make.engineer(), window.page
    Engineer.objects.update(area=Area.objects.create(name="Huddersfield and Calderdale", postcodes="LS"))
    make.job(at_state=JobState.ASSIGNED, to=engineer, flags=("SUR",))
    page.goto(BOARD)

    choose(page, "Map")

    column = page.locator(".sheet").bounding_box()
    assert column
    for part in (".area-toggle", ".area .count-link"):
        box = page.locator(part).bounding_box()
        assert box
        assert box["x"] + box["width"] <= column["x"] + column["width"]


def find_pin(page: Page, job: Job) -> None:
    """Click where the tooltip names the job: the canvas has no elements."""
    box = page.locator("#day-map").bounding_box()
    assert box
    tip = page.locator(".map-tip")
    for row in range(1, 40):
        for column in range(1, 40):
            page.mouse.move(box["x"] + box["width"] * column / 40, box["y"] + box["height"] * row / 40)
            if tip.is_visible() and (tip.text_content() or "").startswith(job.postcode):
                page.mouse.down()
                page.mouse.up()
                return
    raise AssertionError("no pin of the job is on the map")


def test_positions_are_on_the_map_of_the_job(window: Window) -> None:
    job, page = make.job(at_state=JobState.ON_SITE), window.page

    page.goto(f"/board/jobs/{job.provider_job_id}/")

    expect(page.locator("#map[data-started]")).to_be_attached()
    # both have the same location: their circles and lines overlap, each has its number
    expect(page.locator("#map .map-number")).to_have_text(["1", "2"])
    expect(page.locator("#map path")).to_have_count(4)
    window.looked_at("job-positions")


def test_now_is_on_show_where_the_day_is_wider_than_the_window(window: Window) -> None:
    engineer, page = make.engineer(name="Erin Engineer"), window.page
    page.set_viewport_size({"width": 1024, "height": 768})
    page.goto("/board/")
    expect(page.locator("#lanes[data-started]")).to_be_attached()

    name = page.locator(f"#lane-{engineer.staff_number} .lane-name").bounding_box()
    lanes, now = page.locator("#lanes").bounding_box(), page.locator("#now line").bounding_box()
    assert name and lanes and now
    assert name["x"] + name["width"] < now["x"] < lanes["x"] + lanes["width"] - 100
    assert page.locator("#lanes").evaluate("lanes => lanes.scrollLeft") > 0
    window.fits_its_width()


def test_row_head_is_no_time_to_drop_on(window: Window) -> None:
    engineer, job, page = make.engineer(name="Erin Engineer"), make.job(), window.page
    page.goto(BOARD)
    expect(page.locator("#lanes[data-started]")).to_be_attached()
    held, head = (
        card(page, job).bounding_box(),
        page.locator(f"#lane-{engineer.staff_number} .lane-name").bounding_box(),
    )
    assert held and head

    page.mouse.move(held["x"] + 8, held["y"] + 10)
    page.mouse.down()
    page.mouse.move(head["x"] + 300, head["y"] + 20, steps=4)
    expect(page.locator("#ghost")).to_be_visible()
    page.mouse.move(head["x"] + 60, head["y"] + 20, steps=4)
    expect(page.locator("#ghost")).to_have_count(0)
    page.mouse.up()

    expect(page.locator("#board.is-held")).to_have_count(0)
    expect(page.locator("#action-response")).to_be_hidden()
    assert Job.objects.get().state == JobState.UNASSIGNED


def test_drag_scrolls_to_earlier_hours_at_the_row_heads(window: Window) -> None:
    """Not on the way from the unassigned jobs to the hours on show."""
    engineer, job, page = make.engineer(name="Erin Engineer"), make.job(), window.page
    page.set_viewport_size({"width": 1024, "height": 768})
    page.goto(BOARD)
    lanes = page.locator("#lanes[data-started]")
    most = lanes.evaluate("lanes => { lanes.scrollLeft = 9999; return lanes.scrollLeft }")
    held = card(page, job).bounding_box()
    head = page.locator(f"#lane-{engineer.staff_number} .lane-name").bounding_box()
    assert most > 100 and held and head
    hours, row = head["x"] + head["width"], head["y"] + 20

    page.mouse.move(held["x"] + 8, held["y"] + 10)
    page.mouse.down()
    page.mouse.move(hours + 200, row, steps=40)
    expect(page.locator("#ghost")).to_be_visible()
    assert lanes.evaluate("lanes => lanes.scrollLeft") == most

    page.mouse.move(hours + 4, row, steps=40)
    assert lanes.evaluate("lanes => lanes.scrollLeft") < most - 40
    page.keyboard.press("Escape")
    page.mouse.up()
