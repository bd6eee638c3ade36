"""What surrounds the rows of the board: the message of a change, and the counts that filter."""

import pytest
from playwright.sync_api import expect

from dispatch import visits
from dispatch.states import JobState
from engineers.models import Area, Engineer
from tests import make
from tests.board.test_browser import open_board
from tests.servers.browser import Window

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
]
# both presses before the answer to the first
UNDO_TWICE = """() => {
  const press = () => new KeyboardEvent("keydown", { key: "z", ctrlKey: true, bubbles: true });
  document.body.dispatchEvent(press());
  document.body.dispatchEvent(press());
}"""


def test_message_of_a_change_leaves_and_lies_over_no_row(window: Window) -> None:
    for number in range(30):
        make.engineer(name=f"Engineer {number:02}")
    job, page = make.job(at_state=JobState.ASSIGNED), window.page
    page.clock.install()
    open_board(page)
    message = page.locator("#undo .notice")

    def unassign() -> None:
        page.locator(f"#lanes #card-{job.provider_job_id} a").focus()
        page.keyboard.press("Delete")
        expect(message).to_contain_text("LS6 3AB unassigned.")

    unassign()
    box, lanes = message.bounding_box(), page.locator("#lanes").bounding_box()
    assert box and lanes
    assert box["y"] >= lanes["y"] + lanes["height"]
    assert window.barriers() == []
    page.reload()
    expect(page.locator("#board[data-started]")).to_be_attached()
    expect(message).to_be_hidden()
    page.keyboard.press("Control+z")
    expect(message).to_contain_text("Undone. LS6 3AB is again assigned to ")
    page.keyboard.press("Escape")
    expect(message).to_be_hidden()
    unassign()
    message.get_by_role("button", name="Close").click()
    expect(message).to_be_hidden()
    page.keyboard.press("Control+z")
    expect(message).to_be_visible()
    page.clock.fast_forward(15_000)
    expect(message).to_be_hidden()
    page.keyboard.press("Control+y")
    expect(message).to_contain_text("LS6 3AB unassigned.")


def test_undo_pressed_twice_at_once_undoes_two_changes(window: Window) -> None:
    """The second press is for the change before, although the board still offers the last one."""
    jobs, page = [make.job(at_state=JobState.ASSIGNED) for _ in range(2)], window.page
    open_board(page)
    expect(page.locator(".day-tools[data-started]")).to_be_attached()
    for job in jobs:
        page.locator(f"#lanes #card-{job.provider_job_id} a").focus()
        page.keyboard.press("Delete")
        expect(page.locator(f"#waiting #card-{job.provider_job_id}")).to_be_visible()
        expect(page.locator("#undo .notice")).to_be_visible()

    page.evaluate(UNDO_TWICE)

    expect(page.locator("#lanes .card")).to_have_count(2)
    expect(page.locator("#action-response")).to_be_hidden()
    # a button says which change it is for: its second click is none for the change before
    page.locator("#undo-tools").get_by_role("button", name="Redo").dblclick()
    expect(page.locator("#waiting .card")).to_have_count(1)
    expect(page.locator("#action-response")).to_be_hidden()


def test_refusal_over_the_rows_is_closed_by_its_button_and_by_escape(window: Window) -> None:
    engineer, page = make.engineer(), window.page
    address = f"/board/?day={make.DAY}&engineer={engineer.staff_number}"
    refusal = page.locator(".messages .notice-error")

    def send_absence_without_an_end() -> None:
        open_board(page, address)
        page.evaluate("document.querySelector('#absent-until').value = ''")
        # as without script
        page.evaluate("document.querySelector('#absent-until').form.submit()")
        expect(refusal).to_contain_text("Enter when the absence ends.")
        expect(page.locator(".messages[data-started]")).to_be_attached()

    send_absence_without_an_end()
    assert window.barriers() == []
    refusal.get_by_role("button", name="Close").click()
    expect(refusal).to_have_count(0)
    send_absence_without_an_end()
    page.keyboard.press("Escape")
    expect(refusal).to_have_count(0)


def test_undo_in_the_week_says_what_became_of_it(window: Window) -> None:
    """The week shows no refusals itself."""
    job, page = make.job(at_state=JobState.ASSIGNED), window.page
    open_board(page)
    expect(page.locator(".day-tools[data-started]")).to_be_attached()
    page.locator(f"#lanes #card-{job.provider_job_id} a").focus()
    page.keyboard.press("Delete")
    expect(page.locator(f"#waiting #card-{job.provider_job_id}")).to_be_visible()
    expect(page.locator("#undo .notice")).to_be_visible()
    page.get_by_role("button", name="Week", exact=True).click()
    cell, tools = (
        page.locator(f"#w1-{Engineer.objects.get().staff_number}"),
        page.locator(".day-tools[data-started]"),
    )
    expect(cell).to_contain_text("0 jobs")
    expect(tools).to_be_attached()

    page.keyboard.press("Control+z")
    expect(cell).to_contain_text("1 job")
    expect(page.get_by_role("button", name="Redo")).to_be_enabled()
    expect(tools).to_be_attached()
    visits.unassign(job=job, by=make.office())
    page.keyboard.press("Control+y")

    expect(page.get_by_role("heading", name="Change not saved")).to_be_visible()


def test_counts_of_legend_and_areas_show_their_jobs(window: Window) -> None:
    """By the rows of the area, wherever the premises lie."""
    north, page = Area.objects.create(name="North", postcodes="LS6"), window.page
    engineer, other = make.engineer(name="Nora North"), make.engineer(name="Omar Other")
    Engineer.objects.filter(pk=engineer.pk).update(area=north)
    at_risk, elsewhere = (
        make.job(at_state=JobState.ASSIGNED, to=person, flags=("SUR",)) for person in (engineer, other)
    )
    fine = make.job(window=("13:00", "18:00"))
    visits.assign(job=fine, engineer=engineer, starts_at=make.at("13:00"), by=make.office())
    open_board(page)

    def visible_jobs() -> list[str]:
        cards = page.locator("#lanes .card:not(.is-faded)").all()
        return [str(card.get_attribute("data-job")) for card in cards]

    page.locator("#legend").get_by_role("button", name="2 at risk").click()
    assert sorted(visible_jobs()) == sorted([at_risk.provider_job_id, elsewhere.provider_job_id])
    page.get_by_role("button", name="Clear", exact=True).click()
    page.locator(".area", has_text="North").get_by_role("button", name="1 at risk").click()
    assert visible_jobs() == [at_risk.provider_job_id]
    expect(page.get_by_text("1 of 3 jobs match the filter")).to_be_visible()
    assert window.barriers() == []


def test_dragged_card_names_an_end_after_the_last_hour_on_show(window: Window) -> None:
    engineer, job, page = make.engineer(name="Farah Aziz"), make.job(), window.page
    open_board(page)
    card = page.locator(f"#card-{job.provider_job_id}").bounding_box()
    track = page.locator(f"#lane-{engineer.staff_number} .track").bounding_box()
    assert card and track
    page.mouse.move(card["x"] + 8, card["y"] + 20)
    page.mouse.down()
    page.mouse.move(track["x"] + 40, track["y"] + 20, steps=3)
    page.locator("#lanes").evaluate("lanes => lanes.scrollLeft = lanes.scrollWidth")
    track = page.locator(f"#lane-{engineer.staff_number} .track").bounding_box()
    assert track
    page.mouse.move(track["x"] + track["width"] * 50.5 / 52, track["y"] + 20, steps=3)

    expect(page.locator("#ghost")).to_contain_text("Farah Aziz 19:30–21:30")
    page.keyboard.press("Escape")
    page.mouse.up()
