"""Several jobs at once and the engineer's panel, in a real browser."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from board.formatting import format_day
from dispatch import pins
from dispatch.models import Job, Visit
from dispatch.states import JobState
from tests import make
from tests.board.test_browser import drag
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
    page.locator("#panel").get_by_text("Mark absent").first.click()
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


def test_double_click_on_assign_changes_the_jobs_once(window: Window) -> None:
    """A second change of the same plan would be refused, as if another dispatcher had been first."""
    erin, job, page = make.engineer(name="Erin Engineer"), make.job(), window.page
    page.goto(f"/board/?day={make.DAY}")
    expect(page.locator("#selection[data-started]")).to_be_attached()
    page.locator(f"#card-{job.provider_job_id}").click(modifiers=["Control"])
    page.get_by_label("Engineer", exact=True).select_option("Erin Engineer")
    changes: list[str] = []
    page.on("request", lambda request: changes.append(request.url) if "/bulk/" in request.url else None)

    button = page.locator("#selection").get_by_role("button", name="Assign", exact=True)
    button.dblclick()

    expect(page.locator(f"#lane-{erin.staff_number} .card")).to_have_count(1)
    expect(page.locator("#selection")).to_be_hidden()
    assert len(changes) == 1
    page.locator(f"#card-{job.provider_job_id}").click(modifiers=["Control"])
    expect(button).to_be_enabled()


def select(page: Page, *jobs: Job) -> None:
    for job in jobs:
        page.locator(f"#card-{job.provider_job_id}").click(modifiers=["Control"])
    expect(page.locator("#selection-count")).to_have_text(f"{len(jobs)} selected")


def test_what_was_not_changed_stays_selected(window: Window) -> None:
    """Without an answer all of them, by the bar and by a drop; later the one that needs a skill."""
    erin, page = make.engineer(name="Erin Engineer", skills=()), window.page
    first, second = jobs_of_day = [make.job(), make.job(flags=("CHP",))]
    page.goto(f"/board/?day={make.DAY}")
    for part in ("#selection", "#lanes"):
        expect(page.locator(f"{part}[data-started]")).to_be_attached()
    select(page, *jobs_of_day)
    bar, answer = page.locator("#selection"), page.get_by_role("alert").filter(has_text="No answer:")
    page.route("**/bulk/", lambda route: route.abort())

    bar.get_by_role("button", name="Unassign").click()
    expect(answer).to_be_visible()
    expect(page.locator("#selection-count")).to_have_text("2 selected")
    answer.get_by_role("button", name="Cancel").click()
    drag(page, first, erin, 6)
    expect(answer).to_be_visible()
    expect(page.locator("#selection-count")).to_have_text("2 selected")

    page.unroute("**/bulk/")
    page.get_by_label("Engineer", exact=True).select_option("Erin Engineer")
    bar.get_by_role("button", name="Assign", exact=True).click()
    expect(page.get_by_role("alert").filter(has_text="1 of 2 jobs changed")).to_be_visible()
    expect(answer).to_be_hidden()
    expect(page.locator("#selection-count")).to_have_text("1 selected")
    expect(page.locator(".card.is-selected")).to_have_attribute("data-job", second.provider_job_id)


def test_escape_deselects_only_where_it_ends_nothing_else(window: Window) -> None:
    jobs_of_day, page = [make.job(), make.job()], window.page
    make.engineer()
    page.goto(f"/board/?day={make.DAY}")
    for part in ("#selection", "#lanes", "#announcement"):
        expect(page.locator(f"{part}[data-started]")).to_be_attached()
    select(page, *jobs_of_day)
    card, count = page.locator(f"#card-{jobs_of_day[0].provider_job_id} a"), page.locator("#selection-count")

    card.hover()
    page.mouse.down()
    page.mouse.move(900, 400, steps=4)
    expect(page.locator("#board.is-held")).to_be_attached()
    page.keyboard.press("Escape")
    page.mouse.up()
    expect(page.locator("#board.is-held")).to_have_count(0)
    expect(count).to_have_text("2 selected")

    page.route("**/bulk/", lambda route: route.abort())
    page.locator("#selection").get_by_role("button", name="Unassign").click()
    expect(page.locator("#action-response")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#action-response")).to_be_hidden()
    expect(count).to_have_text("2 selected")

    card.focus()
    for key in ("m", "Escape"):
        page.keyboard.press(key)
    expect(count).to_have_text("2 selected")
    page.keyboard.press("Escape")
    expect(page.locator("#selection")).to_be_hidden()


@pytest.mark.parametrize("window", [1440, 390], indirect=True)
def test_notice_with_undo_lies_above_the_bar_of_selected_jobs(window: Window) -> None:
    changed, selected, page = make.job(at_state=JobState.ASSIGNED), make.job(), window.page
    page.goto(f"/board/?day={make.DAY}")
    for part in ("#announcement", "#selection", ".day-tools"):
        expect(page.locator(f"{part}[data-started]")).to_be_attached()
    page.locator(f"#card-{changed.provider_job_id} a").focus()
    page.keyboard.press("Delete")
    expect(page.locator("#undo .notice")).to_be_visible()

    page.locator(f"#card-{selected.provider_job_id} a").focus()
    page.keyboard.press("s")

    expect(page.locator("#selection")).to_be_visible()
    notice, bar = page.locator("#undo .notice").bounding_box(), page.locator("#selection").bounding_box()
    assert notice and bar
    assert notice["y"] + notice["height"] <= bar["y"]
    assert notice["y"] >= 0


def test_pinned_card_says_why_it_does_not_move(window: Window) -> None:
    """By keys and by the mouse, also where it is too narrow for its icon."""
    job = make.job(at_state=JobState.ASSIGNED, duration_minutes=60)
    pins.pin_visit(job=job, is_pinned=True, by=make.office())
    page = window.page
    page.goto(f"/board/?day={make.DAY}")
    for part in ("#lanes", "#announcement"):
        expect(page.locator(f"{part}[data-started]")).to_be_attached()
    card = page.locator(f"#card-{job.provider_job_id} a")
    answer = page.get_by_role("alert").filter(has_text=f"{job.title} is pinned. Unpin it first (P).")

    for key in ("Delete", "m"):
        card.focus()
        page.keyboard.press(key)
        expect(answer).to_be_visible()
        expect(card).to_be_focused()
        page.keyboard.press("Escape")
        expect(answer).to_be_hidden()
    card.hover()
    page.mouse.down()
    page.mouse.move(900, 400, steps=4)
    expect(answer).to_be_visible()
    expect(page.locator("#ghost")).to_have_count(0)
    page.mouse.up()
    assert window.barriers() == []
    assert Visit.objects.active().get().is_pinned
    page.keyboard.press("p")
    expect(answer).to_be_hidden()
    expect(page.locator(f"#card-{job.provider_job_id}[data-can-move]")).to_be_attached()


def test_everything_of_a_card_and_a_row_is_reached_by_keys(window: Window) -> None:
    """The skip link to the rows, pin and hold of a card, absence of an engineer, and from day to day."""
    erin = make.engineer(name="Erin Engineer")
    planned, page = make.job(at_state=JobState.ASSIGNED, to=erin), window.page
    make.job()
    page.goto(f"/board/?day={make.DAY}")
    for part in ("#context-menu", "#announcement", ".day-nav"):
        expect(page.locator(f"{part}[data-started]")).to_be_attached()
    card = page.locator(f"#card-{planned.provider_job_id} a")

    page.get_by_role("link", name="Skip to the engineers").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#lanes")).to_be_focused()
    card.focus()
    page.keyboard.press("p")
    expect(card.get_by_role("img", name="Pinned")).to_be_visible()
    assert Visit.objects.get().is_pinned
    page.keyboard.press("Shift+F10")
    page.get_by_role("menuitem", name="Unpin").press("Enter")
    expect(card.get_by_role("img", name="Pinned")).to_have_count(0)
    page.keyboard.press("Shift+F10")
    page.get_by_role("menuitem", name="Hold this job").press("Enter")
    expect(page.get_by_label("Reason for the hold")).to_be_focused()
    page.keyboard.type("today, P and T are letters here")
    expect(page.get_by_label("Reason for the hold")).to_have_value("today, P and T are letters here")
    card.focus()
    page.keyboard.press("Shift+F10")
    page.get_by_role("menuitem", name="Move with the arrow keys").press("Enter")
    expect(page.locator("#ghost")).to_be_visible()
    page.keyboard.press("Escape")

    page.locator(f"#lane-{erin.staff_number}").get_by_role("link", name="Erin Engineer").focus()
    page.keyboard.press("Shift+F10")
    page.get_by_role("menuitem", name="Mark absent").press("Enter")
    expect(page.get_by_label("From", exact=True)).to_be_focused()
    assert window.barriers() == []

    card.focus()
    page.keyboard.press("Shift+ArrowRight")
    page.wait_for_url(f"**/board/?day={make.DAY + timedelta(days=1)}")
    expect(page.locator(".day-nav[data-started]")).to_be_attached()
    page.keyboard.press("t")
    expect(page.locator("h1")).to_have_text(format_day(timezone.localdate()))
    assert window.complaints == []


def test_form_of_the_context_menu_is_opened_on_today_s_board(window: Window) -> None:
    """Whose address names no day, although the link does."""
    erin, page = make.engineer(name="Erin Engineer"), window.page
    page.goto(f"/board/?day={timezone.localdate()}")
    expect(page.locator("#context-menu[data-started]")).to_be_attached()
    expect(page).to_have_url("/board/")

    page.locator(f"#lane-{erin.staff_number}").get_by_role("link", name="Erin Engineer").focus()
    page.keyboard.press("Shift+F10")
    page.get_by_role("menuitem", name="Mark absent").press("Enter")

    expect(page.get_by_label("From", exact=True)).to_be_focused()
