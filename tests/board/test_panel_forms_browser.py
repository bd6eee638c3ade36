"""The buttons of the board's panel, Attention list and alarms, pressed without losing what is on the screen."""

import pytest
from playwright.sync_api import Page, Route, expect

from dispatch import visits
from dispatch.models import Job, PinHoldChange
from dispatch.plan_changes import plan_actions
from dispatch.states import JobState
from engineers.models import Absence
from monitoring import alarms
from monitoring.coded_texts import coded_text
from monitoring.models import AlarmKind
from tests import make
from tests.board.test_browser import BOARD, open_board
from tests.servers.browser import Window

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
]
TYPED = "Dog in the garden"
WITH_WHOM = "#panel h3 + p > a"


def open_panel(page: Page, chosen: str) -> None:
    open_board(page, f"{BOARD}&{chosen}")
    expect(page.locator("#side[data-started]")).to_be_attached()
    # gone as soon as the page is loaded anew
    page.evaluate("document.body.dataset.same = 'yes'")


def is_same_page(page: Page) -> bool:
    return page.evaluate("document.body.dataset.same") == "yes"


def type_a_reason(page: Page) -> None:
    page.locator("#panel summary", has_text="Hold this job").click()
    page.get_by_label("Reason for the hold").fill(TYPED)


def raise_alarm(job: Job) -> None:
    text = coded_text("message_held", address=job.address, job=job.provider_job_id, reason="400")
    alarms.raise_alarm(AlarmKind.MESSAGE_HELD, job.provider_job_id, text)


def test_alarm_is_handled_without_losing_scroll_selection_and_text(window: Window) -> None:
    for number in range(30):
        make.engineer(name=f"Engineer {number:02}")
    job, other, page = make.job(at_state=JobState.ASSIGNED), make.job(), window.page
    raise_alarm(job)
    open_panel(page, f"job={job}")
    page.locator("#lanes").evaluate("lanes => lanes.scrollTo(0, 300)")
    page.locator(f"#card-{other}").click(modifiers=["Control"])
    type_a_reason(page)
    handle = page.locator("#attention").get_by_role("button", name="I'll handle it")

    handle.dblclick()

    expect(page.locator("#attention").get_by_role("button", name="Stop handling")).to_be_visible()
    assert alarms.open_alarms().get().owner is not None
    assert page.locator("#lanes").evaluate("lanes => lanes.scrollTop") == 300
    expect(page.locator("#selection-count")).to_have_text("1 selected")
    expect(page.get_by_label("Reason for the hold")).to_have_value(TYPED)
    expect(page.locator("#action-response")).to_be_hidden()
    assert is_same_page(page)
    assert window.complaints == []


def test_job_is_held_from_the_panel_once_and_the_panel_follows(window: Window) -> None:
    job, page = make.job(at_state=JobState.ASSIGNED), window.page
    open_panel(page, f"job={job}")
    type_a_reason(page)

    page.locator("#panel").get_by_role("button", name="Hold this job").dblclick()

    expect(page.get_by_role("button", name="Release job")).to_be_visible()
    expect(page.locator("#panel")).to_contain_text(TYPED)
    expect(page.locator("#undo")).to_contain_text(f"{job.title} is on hold.")
    expect(page.locator("#action-response")).to_be_hidden()
    assert job.events.filter(kind="held").count() == 1
    assert is_same_page(page)


def test_text_of_another_form_stays_when_the_panel_is_renewed(window: Window) -> None:
    job, page = make.job(at_state=JobState.ASSIGNED), window.page
    open_panel(page, f"job={job}")
    type_a_reason(page)

    page.get_by_role("button", name="Pin this visit").click()

    expect(page.get_by_role("button", name="Unpin", exact=True)).to_be_visible()
    expect(page.get_by_label("Reason for the hold")).to_be_visible()
    expect(page.get_by_label("Reason for the hold")).to_have_value(TYPED)
    assert is_same_page(page)


def test_reason_that_was_refused_stays_in_the_panel(window: Window) -> None:
    job, page = make.job(at_state=JobState.ASSIGNED), window.page
    open_panel(page, f"job={job}")
    type_a_reason(page)
    plan_actions.pin_or_hold_jobs([job], PinHoldChange.HELD, by=make.office(), reason="Gas smell")

    page.locator("#panel").get_by_role("button", name="Hold this job").click()

    answer = page.get_by_role("alert").filter(has_text="This change was not saved")
    expect(answer).to_contain_text("Dana Dispatch put this job on hold at 12:00. Reason: Gas smell")
    expect(answer).not_to_contain_text("Assign instead to")
    expect(page.get_by_label("Reason for the hold")).to_have_value(TYPED)
    assert window.barriers() == []


def test_private_reason_of_an_absence_that_was_refused_stays(window: Window) -> None:
    engineer, page = make.engineer(), window.page
    open_panel(page, f"engineer={engineer.staff_number}")
    page.locator("#panel summary", has_text="Mark absent").click()
    page.get_by_label("Reason", exact=False).last.fill("Flu")
    page.locator("#absent-until").fill(f"{make.DAY}T00:00")

    page.locator("#panel").get_by_role("button", name="Mark absent").click()

    expect(page.get_by_role("alert").filter(has_text="The absence must end after it starts.")).to_be_visible()
    expect(page.locator("#absent-reason")).to_have_value("Flu")
    page.locator("#absent-until").fill(f"{make.DAY}T23:00")
    page.locator("#panel").get_by_role("button", name="Mark absent").click()
    expect(page.get_by_role("button", name="Remove this absence")).to_be_visible()
    assert Absence.objects.get().reason == "Flu"
    assert is_same_page(page)


def test_change_that_was_refused_is_saved_when_it_is_sent_again(window: Window) -> None:
    """The panel is that of the plan which the refusal names, with what was typed."""
    job, bea, page = make.job(at_state=JobState.ASSIGNED), make.engineer(name="Bea Okafor"), window.page
    open_panel(page, f"job={job}")
    reason, button = page.get_by_label("Reason for unassigning"), page.locator("#panel .unassign button")
    reason.fill(TYPED)
    visits.assign(job=job, engineer=bea, starts_at=make.at("09:00"), by=make.office())

    button.click()
    answer = page.get_by_role("alert").filter(has_text="This change was not saved")
    expect(answer).to_contain_text("Dana Dispatch assigned this job to Bea Okafor")
    expect(page.locator(WITH_WHOM)).to_contain_text("Bea Okafor")
    expect(reason).to_have_value(TYPED)
    button.click()

    expect(page.locator(f"#waiting #card-{job}")).to_be_visible()
    expect(answer).to_be_hidden()
    assert job.events.get(kind="unassigned").facts["reason"] == TYPED
    assert is_same_page(page)


def test_panel_follows_what_its_refusal_offered(window: Window) -> None:
    late, job, page = make.engineer(name="Lee Late", starts="10:00"), make.job(), window.page
    open_panel(page, f"job={job}")
    page.get_by_label("Or choose an engineer").select_option(late.staff_number)
    page.locator("#panel .free-choice button").click()
    page.get_by_label("Reason for assigning anyway").fill("Starts early today")

    page.get_by_role("button", name="Assign anyway").click()

    expect(page.locator(WITH_WHOM)).to_contain_text("Lee Late")
    page.locator("#panel .unassign button").click()
    expect(page.locator(f"#waiting #card-{job}")).to_be_visible()
    expect(page.locator("#action-response")).to_be_hidden()


def test_half_filled_panel_follows_what_was_done_with_its_card(window: Window) -> None:
    job, page = make.job(at_state=JobState.ASSIGNED), window.page
    open_panel(page, f"job={job}")
    page.get_by_label("Reason for unassigning").fill(TYPED)
    page.locator(f"#card-{job} a").focus()

    page.keyboard.press("p")

    expect(page.get_by_role("button", name="Unpin", exact=True)).to_be_visible()
    expect(page.locator(f"#card-{job} a")).to_be_focused()


def test_late_answer_does_not_show_the_job_that_was_left(window: Window) -> None:
    left, chosen, page = make.job(), make.job(), window.page
    open_panel(page, "")
    late: list[Route] = []

    def hold(route: Route) -> None:
        late.append(route)

    page.route(f"**/board/?*job={left}*", hold, times=1)
    page.evaluate(
        """() => {
            const seen = (window.seen = []);
            document.addEventListener("board:swapped", () => seen.push(document.getElementById("panel").dataset.job));
        }"""
    )

    with page.expect_request(f"**/board/?*job={left}*"):
        page.locator(f"#card-{left} a").click()
    page.locator(f"#card-{chosen}").click(button="right")
    page.get_by_role("menuitem", name="Hold").click()
    late[0].continue_()

    expect(page.get_by_label("Reason for the hold")).to_be_focused()
    assert set(page.evaluate("seen")) == {str(chosen)}


def test_panel_without_the_script_loads_the_page_as_before(window: Window) -> None:
    job, page = make.job(at_state=JobState.ASSIGNED), window.page
    page.route("**/built/js/board/board*.js", lambda route: route.abort())
    page.goto(f"{BOARD}&job={job}")
    type_a_reason(page)

    page.locator("#panel").get_by_role("button", name="Hold this job").click()

    expect(page.get_by_role("button", name="Release job")).to_be_visible()


def test_call_is_written_down_in_the_panel(window: Window) -> None:
    job, page = make.job(at_state=JobState.ASSIGNED), window.page
    open_panel(page, f"job={job}")
    page.locator("#panel summary", has_text="Add note").click()
    page.get_by_label("Who called").fill("Mrs Hill")
    page.get_by_label("Note", exact=True).fill("After 10, please")

    page.get_by_role("button", name="Add note").dblclick()

    expect(page.locator("#panel .notes li")).to_have_count(1)
    expect(page.locator("#panel .notes")).to_contain_text("Mrs Hill: After 10, please")
    # the same form for the next call
    expect(page.get_by_label("Note", exact=True)).to_have_value("")
    assert is_same_page(page)
