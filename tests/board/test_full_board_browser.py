"""The board of sixty engineers on one screen, and the board under a finger."""

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from dispatch import visits
from dispatch.models import Visit
from dispatch.states import JobState
from tests import make
from tests.board.windows import open_signed_in
from tests.servers.browser import DESKTOP, PHONE, Window

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
]
BOARD = f"/board/?day={make.DAY}"
# how many of these lie whole inside the window
SEEN = """(elements) => elements.filter((element) => {
  const box = element.getBoundingClientRect();
  const shown = document.elementFromPoint(box.left + box.width / 2, box.bottom - 2);
  return box.bottom <= innerHeight && box.right <= innerWidth && element.contains(shown);
}).length"""


def test_screen_shows_twenty_rows_and_fourteen_waiting_jobs(window: Window) -> None:
    page = window.page
    engineers = [make.engineer(name=f"Engineer {number:02}", skills=()) for number in range(60)]
    for number in range(30):
        make.job(window=("08:00", "13:00") if number % 2 else ("13:00", "18:00"))
    for engineer in engineers[:20]:
        make.job(at_state=JobState.ASSIGNED, to=engineer)

    page.goto(BOARD)
    expect(page.locator("#board[data-started]")).to_be_attached()

    assert page.locator(".density-compact").count() == 1
    assert page.locator(".lane[data-engineer]").evaluate_all(SEEN) >= 20
    assert page.locator("#waiting .card").evaluate_all(SEEN) >= 14
    header = page.locator("header.bar").bounding_box()
    assert header
    assert header["height"] < 60


def test_ghost_shows_whether_it_fits(window: Window) -> None:
    busy, page = make.engineer(name="Tara Taken"), window.page
    make.job(at_state=JobState.ASSIGNED, to=busy)
    waiting = [make.job(), make.job(window=("13:00", "18:00"))]
    page.goto(BOARD)
    for part in ("#lanes", "#selection"):
        expect(page.locator(f"{part}[data-started]")).to_be_attached()

    hold(page, f"#card-{waiting[0].provider_job_id}", over=busy.staff_number, quarter=6)
    expect(page.locator("#ghost.is-unfit")).to_contain_text("✕ Tara Taken already has a visit")
    move(page, over=busy.staff_number, quarter=16)
    expect(page.locator("#ghost.is-fit")).to_contain_text("✓ fits")
    page.keyboard.press("Escape")
    page.mouse.up()

    for job in waiting:
        page.locator(f"#card-{job.provider_job_id}").click(modifiers=["Control"])
    hold(page, f"#card-{waiting[0].provider_job_id}", over=busy.staff_number, quarter=6)
    expect(page.locator("#ghost")).to_contain_text("Tara Taken: 2 jobs, one after another from 08:30")
    expect(page.locator("#ghost.is-fit .ghost-check")).to_have_text("✓ all 2 fit")
    window.picture("board-drag-several")
    move(page, over=busy.staff_number, quarter=16)
    expect(page.locator("#ghost")).to_contain_text("Tara Taken: 2 jobs, one after another from 11:00")
    page.mouse.up()
    expect(page.locator(f"#lane-{busy.staff_number} .card")).to_have_count(3)
    begun = [visits.current_visit(job) for job in waiting]
    assert [visit and visit.planned_start for visit in begun] == [make.at("11:00"), make.at("13:00")]


def test_ghost_of_very_many_cards_says_only_their_number(window: Window) -> None:
    free, page = make.engineer(name="Fay Free"), window.page
    waiting = [make.job(duration_minutes=15) for _ in range(21)]
    page.goto(BOARD)
    for part in ("#lanes", "#selection"):
        expect(page.locator(f"{part}[data-started]")).to_be_attached()
    for job in waiting:
        page.locator(f"#card-{job.provider_job_id}").click(modifiers=["Control"])

    with page.expect_response(lambda found: "/bulk/check?" in found.url) as answer:
        hold(page, f"#card-{waiting[-1].provider_job_id}", over=free.staff_number, quarter=6)

    assert answer.value.json()["text"] == ""
    expect(page.locator("#ghost")).to_have_text("Fay Free: 21 jobs, one after another from 08:30")
    page.keyboard.press("Escape")
    page.mouse.up()


@pytest.mark.parametrize("window", [1440, 1024], indirect=True)
def test_reason_is_read_whole_where_a_card_is_moved_by_keys(window: Window) -> None:
    """Late in the day, where it would begin near the window's edge."""
    make.engineer(name="Tara Taken", ends="13:00")
    job, page = make.job(), window.page
    page.goto(BOARD)
    expect(page.locator("#announcement[data-started]")).to_be_attached()
    page.locator(f"#card-{job.provider_job_id} a").focus()

    page.keyboard.press("m")
    for _ in range(9):
        page.keyboard.press("Shift+ArrowRight")

    reason = page.locator("#ghost .ghost-check")
    expect(reason).to_contain_text("✕")
    box, lanes = reason.bounding_box(), page.locator("#lanes").bounding_box()
    assert box and lanes
    assert box["x"] + box["width"] <= lanes["x"] + lanes["width"]
    for _ in range(8):
        page.keyboard.press("Shift+ArrowLeft")
    ghost, names = page.locator("#ghost").bounding_box(), page.locator(".lane-head .lane-name").bounding_box()
    assert ghost and names
    assert ghost["x"] >= names["x"] + names["width"]


def hold(page: Page, card: str, *, over: str, quarter: int) -> None:
    box = page.locator(card).bounding_box()
    assert box
    page.mouse.move(box["x"] + 8, box["y"] + 10)
    page.mouse.down()
    move(page, over=over, quarter=quarter)


def move(page: Page, *, over: str, quarter: int) -> None:
    track = page.locator(f"#lane-{over} .track").bounding_box()
    assert track
    page.mouse.move(track["x"] + track["width"] / 52 * (quarter + 0.5), track["y"] + 10, steps=5)


@pytest.mark.parametrize(
    "kind", [PHONE, {**DESKTOP, "viewport": {"width": 1024, "height": 768}, "has_touch": True}]
)
def test_finger_assigns_by_the_panel_and_swiping_moves_nothing(
    browser: Browser, live_server: LiveServer, kind: dict[str, object]
) -> None:
    engineer, job = make.engineer(name="Erin Engineer"), make.job()
    window = open_signed_in(browser, make.dispatcher(username="dana"), base_url=live_server.url, kind=kind)
    page = window.page
    page.goto(BOARD)
    expect(page.locator("#board[data-started]")).to_be_attached()
    expect(page.locator("#lanes[data-started]")).to_be_attached()

    page.locator(f"#card-{job.provider_job_id}").tap()
    page.locator("#panel .suggestion").first.tap()

    card = page.locator(f"#lane-{engineer.staff_number} #card-{job.provider_job_id}")
    expect(card).to_be_attached()
    before = Visit.objects.get().planned_start
    card.scroll_into_view_if_needed()
    swipe(page, card.bounding_box())
    expect(page.locator("#ghost")).to_have_count(0)
    assert Visit.objects.get().planned_start == before
    window.fits_its_width()
    page.context.close()


def swipe(page: Page, box: object) -> None:
    """Of a finger, as the browser itself makes it."""
    assert isinstance(box, dict)
    client = page.context.new_cdp_session(page)
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    client.send(
        "Input.synthesizeScrollGesture", {"x": x, "y": y, "yDistance": 120, "gestureSourceType": "touch"}
    )
