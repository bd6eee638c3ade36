"""The board in a real browser: drag, keys, refusals, undo, updates from others; axe on every page and state."""

import re
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from dispatch import jobs, visits
from dispatch.models import Job, Visit
from dispatch.states import JobState
from engineers.models import Area, Engineer
from seller_link.models import OutboundMessage, OutboundState
from tests import make
from tests.servers.browser import DESKTOP, Window, open_window

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
]
BOARD = f"/board/?day={make.DAY}"


def open_board(page: Page, path: str = BOARD) -> None:
    """The board with its scripts started: a key pressed before is nobody's."""
    page.goto(path)
    for part in ("#board", "#lanes", "#announcement", "#filters", "#middle", "#context-menu"):
        expect(page.locator(f"{part}[data-started]")).to_be_attached()
    # not there for everybody
    expect(page.locator("#selection:not([data-started])")).to_have_count(0)


def drag(page: Page, job: Job, engineer: Engineer, quarter: int) -> None:
    """Take the card at its left edge and drop it on a quarter hour of a lane."""
    card = page.locator(f"#card-{job.provider_job_id}").bounding_box()
    track = page.locator(f"#lane-{engineer.staff_number} .track").bounding_box()
    assert card and track
    step = track["width"] / 52
    page.mouse.move(card["x"] + 8, card["y"] + 20)
    page.mouse.down()
    page.mouse.move(track["x"] + step * (quarter + 0.5), track["y"] + 20, steps=6)
    expect(page.locator("#ghost")).to_be_visible()
    page.mouse.up()


def test_card_is_dragged_to_an_engineer_and_the_move_undone(window: Window) -> None:
    engineer, job = make.engineer(name="Erin Engineer"), make.job()
    page = window.page
    open_board(page)

    drag(page, job, engineer, 6)

    lane = page.locator(f"#lane-{engineer.staff_number}")
    expect(lane.locator(f"#card-{job.provider_job_id}.s6")).to_be_visible()
    assert Visit.objects.get().planned_start == make.at("08:30")
    page.locator("#undo").get_by_role("button", name="Undo").click()
    expect(page.locator(f"#waiting #card-{job.provider_job_id}")).to_be_visible()
    expect(page.locator("#undo")).to_contain_text(f"Undone. {job.title} is unassigned again.")
    page.keyboard.press("Control+y")
    expect(lane.locator(f"#card-{job.provider_job_id}.s6")).to_be_visible()
    page.keyboard.press("Control+z")
    expect(page.locator(f"#waiting #card-{job.provider_job_id}")).to_be_visible()
    assert window.complaints == []


def test_second_of_two_dispatchers_reads_who_was_first(window: Window) -> None:
    """Both see the job unassigned; the board of the second is not updated until the drop."""
    bea, hassan = make.engineer(name="Bea Okafor"), make.engineer(name="Hassan Malik")
    job, page = make.job(), window.page
    open_board(page)
    card = page.locator(f"#card-{job.provider_job_id}")
    card.locator("a").focus()
    page.keyboard.press("m")

    visits.assign(job=job, engineer=bea, starts_at=make.at("09:00"), by=make.office())
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")

    answer = page.get_by_role("alert").filter(has_text="This change was not saved")
    expect(answer).to_contain_text("Dana Dispatch assigned this job to Bea Okafor at 12:00.")
    expect(page.locator(f"#lane-{bea.staff_number} #card-{job.provider_job_id}")).to_be_visible()
    # with the new plan before the eyes it may be decided again
    answer.get_by_role("button", name="Hassan Malik").click()
    expect(page.locator(f"#lane-{hassan.staff_number} #card-{job.provider_job_id}")).to_be_visible()


def test_filters_hide_unassigned_jobs_and_fade_the_others(window: Window) -> None:
    make.job(at_state=JobState.ASSIGNED)
    lifted = make.job(flags=("CHP",))
    make.job()
    page = window.page
    open_board(page)
    page.get_by_text("More filters").click()

    page.get_by_label("Skill").select_option("Cherry picker")

    expect(page.get_by_text("1 of 3 jobs match the filter")).to_be_visible()
    expect(page.locator("#waiting .card:visible")).to_have_count(1)
    expect(page.locator(".lane .card.is-faded")).to_have_count(1)
    page.get_by_label("Skill").select_option("No special skill")
    expect(page.get_by_text("2 of 3 jobs match the filter")).to_be_visible()
    page.get_by_label("Skill").select_option("All")
    page.get_by_label("Area").select_option("No area")
    expect(page.get_by_text("3 of 3 jobs match the filter")).to_be_visible()
    page.get_by_label("Area").select_option("All")
    page.get_by_label("Filter by postcode, street or type").fill("chapel install")
    expect(page.get_by_text("3 of 3 jobs match the filter")).to_be_visible()
    page.get_by_label("Filter by postcode, street or type").fill("")
    page.get_by_label("Skill").select_option("Cherry picker")
    page.get_by_label("Save as").fill("Lifts")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("button", name="Lifts", exact=True)).to_be_visible()
    page.get_by_role("button", name="Clear").click()
    expect(page.locator("#waiting .card:visible")).to_have_count(2)
    # what others do keeps the filter
    page.get_by_role("button", name="Lifts", exact=True).click()
    make.job()
    expect(page.get_by_text("1 of 4 jobs match the filter")).to_be_visible()
    expect(page.locator(f"#card-{lifted.provider_job_id}")).to_be_visible()
    page.reload()
    # what the filter found moves the list below it: a press that has begun would miss
    expect(page.get_by_text("1 of 4 jobs match the filter")).to_be_visible()
    page.get_by_text("Change: Lifts").click()
    assert window.barriers() == []
    window.picture("board-saved-filter")
    page.get_by_label("Name", exact=True).fill("Cherry pickers")
    page.locator("#saved-filters").get_by_role("button", name="Save").click()
    expect(page.get_by_role("button", name="Cherry pickers", exact=True)).to_be_visible()
    page.get_by_text("Change: Cherry pickers").click()
    page.get_by_role("button", name="Delete filter").click()
    expect(page.get_by_role("button", name="Cherry pickers", exact=True)).to_have_count(0)
    assert window.barriers() == []


def test_closed_area_stays_closed_while_the_board_changes(window: Window) -> None:
    north, engineer, page = Area.objects.create(name="North"), make.engineer(), window.page
    engineer.area = north
    engineer.save()
    open_board(page)
    lane = page.locator(f"#lane-{engineer.staff_number}")

    page.get_by_role("button", name="North").click()
    expect(lane).to_be_hidden()
    make.job(at_state=JobState.ASSIGNED, to=engineer)

    expect(page.locator(".area").first).to_contain_text("1 job")
    expect(lane).to_be_hidden()
    page.reload()
    expect(lane).to_be_hidden()
    page.get_by_role("button", name="North").click()
    expect(lane).to_be_visible()


def test_card_is_moved_by_keys_alone(window: Window) -> None:
    first, second = make.engineer(name="Anna First"), make.engineer(name="Ben Second")
    job = make.job(at_state=JobState.ASSIGNED, to=first)
    page = window.page
    open_board(page)

    page.locator(f"#card-{job.provider_job_id} a").focus()
    page.keyboard.press("m")
    expect(page.locator("#announcement")).to_contain_text("Moving LS6 3AB.")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#announcement")).to_have_text("Ben Second, 09:15")
    page.keyboard.press("Enter")

    expect(page.locator(f"#lane-{second.staff_number} #card-{job.provider_job_id}.s9")).to_be_visible()
    assert Visit.objects.active().get().planned_start == make.at("09:15")
    expect(page.locator(f"#card-{job.provider_job_id} a")).to_be_focused()


def test_escape_leaves_the_card_where_it_was(window: Window) -> None:
    job, page = make.job(at_state=JobState.ASSIGNED), window.page
    open_board(page)

    page.locator(f"#card-{job.provider_job_id} a").focus()
    for key in ("m", "ArrowRight", "Escape"):
        page.keyboard.press(key)

    expect(page.locator("#announcement")).to_have_text("Move cancelled.")
    expect(page.locator("#ghost")).to_have_count(0)
    assert Visit.objects.get().planned_start == make.at("08:00")


def test_move_by_keys_ends_where_its_card_loses_the_focus(window: Window) -> None:
    """It holds all updates back, and Enter on any button of the board would assign."""
    job, page = make.job(at_state=JobState.ASSIGNED), window.page
    open_board(page)
    card, ghost = page.locator(f"#card-{job.provider_job_id} a"), page.locator("#ghost")

    for leave in (page.locator(".area-toggle").first.focus, card.click):
        card.focus()
        for key in ("m", "ArrowRight"):
            page.keyboard.press(key)
        expect(ghost).to_be_visible()
        leave()
        expect(ghost).to_have_count(0)
        expect(page.locator("#announcement")).to_have_text("Move cancelled.")

    page.locator(".area-toggle").first.press("Enter")
    make.job()
    expect(page.locator("#waiting .card")).to_have_count(1)
    expect(page.locator(f"#lanes #card-{job.provider_job_id}.s4")).to_be_attached()
    assert Visit.objects.get().planned_start == make.at("08:00")


def test_card_returns_to_the_unassigned_jobs(window: Window) -> None:
    job, page = make.job(at_state=JobState.ASSIGNED), window.page
    open_board(page)

    page.locator(f"#card-{job.provider_job_id} a").focus()
    page.keyboard.press("Delete")

    expect(page.locator(f"#waiting #card-{job.provider_job_id}")).to_be_visible()


def test_changes_of_others_appear_and_scroll_and_form_stay(window: Window) -> None:
    engineers = [make.engineer(name=f"Engineer {number:02}") for number in range(30)]
    chosen, page = make.job(), window.page
    open_board(page, f"{BOARD}&job={chosen.provider_job_id}")
    page.locator("#lanes").evaluate("lanes => { lanes.scrollTop = 200 }")
    page.get_by_label("Or choose an engineer").select_option(engineers[4].staff_number)
    page.get_by_label("Or choose an engineer").focus()

    other = make.job()
    visits.assign(job=other, engineer=engineers[12], starts_at=make.at("09:00"), by=make.office())

    expect(page.locator(f"#lane-{engineers[12].staff_number} .card.s8")).to_be_attached()
    assert page.locator("#lanes").evaluate("lanes => lanes.scrollTop") == 200
    expect(page.get_by_label("Or choose an engineer")).to_have_value(engineers[4].staff_number)
    expect(page.get_by_label("Or choose an engineer")).to_be_focused()


def test_card_in_the_hand_is_not_swapped_away(window: Window) -> None:
    engineer, job, page = make.engineer(), make.job(), window.page
    open_board(page)
    card = page.locator(f"#card-{job.provider_job_id}")
    box = card.bounding_box()
    assert box
    page.mouse.move(box["x"] + 8, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + 400, box["y"] + 20, steps=4)
    with page.expect_response(re.compile("/board/version")):
        make.job()
    with page.expect_response(re.compile("/board/version")):
        pass

    expect(page.locator("#waiting .card")).to_have_count(1)
    page.keyboard.press("Escape")
    page.mouse.up()

    expect(page.locator("#waiting .card")).to_have_count(2)
    assert Visit.objects.filter(engineer=engineer).count() == 0


def test_lost_connection_is_shown_and_the_board_stays(window: Window) -> None:
    job, page = make.job(at_state=JobState.ASSIGNED), window.page
    open_board(page)

    page.context.set_offline(True)

    expect(page.locator("#connection")).to_contain_text(re.compile(r"Offline since \d\d:\d\d\."))
    expect(page.locator(f"#card-{job.provider_job_id}")).to_be_visible()
    page.context.set_offline(False)
    expect(page.locator("#connection")).to_be_hidden()


def test_panel_opens_without_leaving_the_board(window: Window) -> None:
    job, page = make.job(), window.page
    make.engineer(name="Erin Engineer")
    open_board(page)

    page.locator(f"#card-{job.provider_job_id} a").click()

    expect(page.locator("#panel").get_by_role("heading", name="LS6 3AB")).to_be_visible()
    assert page.url.endswith(f"job={job.provider_job_id}")
    assert window.barriers() == []
    page.get_by_role("link", name="Close").click()
    expect(page.locator("#panel")).to_be_hidden()


def test_location_is_typed_on_the_job_page(window: Window) -> None:
    job, page = make.job(located=False), window.page
    page.goto(f"/board/jobs/{job.provider_job_id}/")

    page.get_by_label("Latitude").fill("53.81")
    page.get_by_label("Longitude").fill("-1.56")
    page.get_by_role("button", name="Set location").click()

    expect(page.get_by_text("Location saved.")).to_be_visible()
    expect(page.get_by_text("53.81000, −1.56000", exact=True)).to_be_visible()
    assert window.complaints == []


def full_day() -> Job:
    """A job of each state and a held message; the job on site comes back."""
    for state in (JobState.UNASSIGNED, JobState.ASSIGNED, JobState.EN_ROUTE, JobState.CANCELLED):
        make.job(at_state=state, flags=("CHP", "DAN", "MDU", "ZZZ"))
    make.close_without_visit(make.job())
    make.job(located=False)
    gone = make.job(at_state=JobState.ASSIGNED)
    jobs.cancel_job(job=gone)
    on_site = make.job(at_state=JobState.ON_SITE)
    make.scan(on_site)
    make.result(on_site, 4)
    make.photo(on_site, question_code="PHO01")
    OutboundMessage.objects.filter(job=on_site, seq=1).update(
        state=OutboundState.HELD, held_reason="400 badPhone"
    )
    return on_site


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_lets_everybody_in(window: Window, scheme: Literal["light", "dark"]) -> None:
    job = full_day()
    window.page.emulate_media(color_scheme=scheme)
    found = {}

    for path in (
        BOARD,
        "/board/?day=2026-12-25",
        f"{BOARD}&job={job.provider_job_id}",
        f"/board/jobs/{job.provider_job_id}/",
        "/board/search?q=LS6",
        "/board/search?q=nothing",
        "/board/search?list=needs-location",
        "/board/messages/",
        "/board/messages/stuck/",
        "/board/replays/",
        "/board/reconcile/",
        "/board/alarms/",
        "/nowhere/",
    ):
        window.page.goto(path)
        # closed parts of a page are part of it too
        window.page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
        found[path] = window.barriers()

    assert {path: barriers for path, barriers in found.items() if barriers} == {}
    assert window.complaints == []


@pytest.mark.parametrize(
    "path", [BOARD, "/board/search?q=LS6", "/board/messages/", "/board/reconcile/", "job"]
)
@pytest.mark.parametrize("window", [390], indirect=True)
def test_narrow_screen_does_not_scroll_sideways(window: Window, path: str) -> None:
    job = full_day()

    window.page.goto(f"/board/jobs/{job.provider_job_id}/" if path == "job" else path)

    window.fits_its_width()


def test_sign_in_page_lets_everybody_in(browser: Browser, live_server: LiveServer) -> None:
    window = open_window(browser, base_url=live_server.url, kind=DESKTOP)
    page = window.page
    page.goto("/login/")
    assert window.barriers() == []

    page.get_by_label("User name").fill("nobody")
    page.get_by_label("Password", exact=True).fill("wrong")
    page.get_by_role("button", name="Sign in").click()

    expect(page.get_by_role("alert")).to_contain_text("Sign-in failed")
    assert window.barriers() == []
